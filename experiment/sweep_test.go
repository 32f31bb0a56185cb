package experiment_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/experiment"
)

func overs(t *testing.T, e *experiment.Experiment, list ...string) []experiment.Over {
	var all []experiment.Over
	for _, text := range list {
		o, bad := experiment.ReadOver(text, e.Params)
		require.Empty(t, bad)
		all = append(all, o)
	}
	return all
}

// TestSweepPointsAreRunsOfTheirOwn: same draws, same sums, same verdicts as with the values set.
func TestSweepPointsAreRunsOfTheirOwn(t *testing.T) {
	e := fake()
	v, p, bad := experiment.Sweep(e, settings("cells=4"), overs(t, e, "size=10..1000:x10"))
	require.Empty(t, bad)
	r, err := experiment.Run(t.Context(), e, v, p, experiment.Options{Seed: 3, Workers: 3})
	require.NoError(t, err)
	require.Len(t, r.Rows, 12)
	for i, size := range []string{"10", "100", "1000"} {
		alone := run(t, e, experiment.Options{Seed: 3}, "cells=4", "size="+size)
		for j, row := range alone.Rows {
			swept := r.Rows[4*i+j]
			assert.Equal(t, "size="+size+"/"+row.Cell, swept.Cell)
			assert.Equal(t, size, swept.Text("size"))
			for _, c := range []string{"n", "draw", "sum"} {
				assert.Equal(t, row.Text(c), swept.Text(c))
			}
		}
		assert.Equal(t, alone.Verdicts[0].Checks, r.Verdicts[2*i].Checks)
		assert.Equal(t, "size="+size+": small", r.Verdicts[2*i].Name)
	}
	require.Len(t, p.Plots, 1)
	assert.Equal(t, "size", p.Plots[0].X)
	assert.Equal(t, []string{"n"}, p.Plots[0].Series)
	assert.Equal(t, []string{"size"}, p.Over)
}

func TestSweepOfTwo(t *testing.T) {
	e := fake()
	_, p, bad := experiment.Sweep(e, nil, overs(t, e, "cells=1,2", "size=7,9"))
	require.Empty(t, bad)
	var names []string
	for _, c := range p.Cells {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"cells=1/size=7/n=0", "cells=1/size=9/n=0", "cells=2/size=7/n=0", "cells=2/size=7/n=1", "cells=2/size=9/n=0", "cells=2/size=9/n=1"}, names)
}

func TestSweepProblems(t *testing.T) {
	e := fake()
	_, _, bad := experiment.Sweep(e, settings("size=3", "sizes=4"), append(overs(t, e, "size=12..14"), overs(t, e, "size=1")...))
	text := errors.Join(bad...).Error()
	assert.Contains(t, text, "size is given twice")
	assert.Contains(t, text, `parameter "sizes"`)
	_, _, bad = experiment.Sweep(e, nil, overs(t, e, "size=12..14"))
	require.Len(t, bad, 1)
	assert.ErrorIs(t, bad[0], errSize)
	assert.ErrorContains(t, bad[0], "at size=13")
	_, _, bad = experiment.Sweep(e, nil, nil)
	assert.ErrorContains(t, errors.Join(bad...), "a sweep varies something")
	_, _, bad = experiment.Sweep(e, nil, overs(t, e, "size=1..999", "cells=1..2"))
	assert.ErrorContains(t, errors.Join(bad...), "want at most 1000")
}
