package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/faults"
	"metaroce/tandem/cosim/mutate"
	"metaroce/tandem/cosim/target"
)

// The line that a report gives is one that this program understands, and its scenarios are there.
func TestLinesThatRepeatABug(t *testing.T) {
	for _, f := range faults.All() {
		for _, scenario := range f.Stimuli {
			_, err := source(scenario, 1)
			require.NoError(t, err, f.Name)
			words := strings.Fields((&faults.Options{RunsDir: "other", Root: "there"}).Rerun(&f, faults.Try{Scenario: scenario, Seed: 3, Mode: target.ModeDigest}))
			require.Equal(t, "tandem", words[0])
			c, args, err := newApp(context.Background(), io.Discard, io.Discard).root().Find(words[1:])
			require.NoError(t, err)
			assert.Equal(t, "show", c.Name())
			require.NoError(t, c.ParseFlags(args))
			assert.Equal(t, []string{f.Name}, c.Flags().Args())
			assert.Equal(t, scenario, c.Flag("scenario").Value.String())
			assert.Equal(t, "3", c.Flag("seed").Value.String())
			assert.Equal(t, "digest", c.Flag("mode").Value.String())
			assert.Equal(t, "other", c.Flag("runs").Value.String())
			assert.Equal(t, "there", c.Flag("root").Value.String())
		}
	}
}

func TestMutantStimuliAreFixed(t *testing.T) {
	a, err := mutantStimuli()
	require.NoError(t, err)
	b, err := mutantStimuli()
	require.NoError(t, err)
	require.Len(t, a, 1+mutantSeeds)
	for i := range a {
		assert.Equal(t, a[i], b[i])
		assert.NotEmpty(t, a[i].Items)
	}
	assert.NotEmpty(t, mutate.Between())
}
