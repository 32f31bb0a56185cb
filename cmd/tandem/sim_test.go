package main

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/experiment"
)

// meterPlan has three cells of different weight.
func meterPlan() *experiment.Plan {
	return &experiment.Plan{Cells: []experiment.Cell{{Name: "a", Weight: 10}, {Name: "b", Weight: 30}, {Name: "c"}}}
}

// TestMeterInALog: a line a cell, and nothing that is written over.
func TestMeterInALog(t *testing.T) {
	var b bytes.Buffer
	a := &app{err: &b}
	m := a.meter("loss", meterPlan(), "")
	m.part(1, 1, 2)
	m.cell(experiment.Progress{Cell: "b", Index: 1, Done: 1, Cells: 3, Work: 30, Total: 41})
	m.cell(experiment.Progress{Cell: "a", Done: 2, Cells: 3, Err: errors.New("no")})
	m.end()
	assert.Equal(t, "loss: 1 of 3 cells, b\nloss: 2 of 3 cells, a, failed\n", b.String())
}

// TestMeterOnATerminal: the bar counts weights, and parts of cells that run.
func TestMeterOnATerminal(t *testing.T) {
	var b bytes.Buffer
	a := &app{err: &b, errTerm: true}
	m := a.meter("loss", meterPlan(), "")
	require.NotNil(t, m.bar)
	m.part(1, 1, 2)
	assert.Equal(t, int64(15), m.bar.Current())
	m.part(0, 5, 4) // more than was thought
	assert.Equal(t, int64(25), m.bar.Current())
	m.cell(experiment.Progress{Cell: "b", Index: 1, Done: 1, Cells: 3, Work: 30})
	assert.Equal(t, int64(40), m.bar.Current())
	assert.Equal(t, " 1 of 3 cells, last b", m.state())
	m.end()
	m.part(2, 1, 1) // a cell that was left to itself
	assert.Equal(t, 1, a.meter("loss", meterPlan(), "c").cells)
}

// TestSimStatus: what is worst counts.
func TestSimStatus(t *testing.T) {
	result := func(states ...experiment.State) *experiment.Result {
		r := &experiment.Result{Experiment: &experiment.Experiment{}, Plan: &experiment.Plan{}}
		for _, s := range states {
			r.Verdicts = append(r.Verdicts, experiment.Verdict{State: s})
		}
		return r
	}
	failed, partial := result(), result()
	failed.Failures = []experiment.Failure{{}}
	partial.Partial = true
	held, fails, nothing := result(experiment.Held), result(experiment.Held, experiment.Failed), result(experiment.Held, experiment.NothingToJudge)
	cases := []struct {
		check bool
		list  []*experiment.Result
		want  lockstep.Result
	}{
		{true, []*experiment.Result{held}, lockstep.Match},
		{true, []*experiment.Result{held, result()}, lockstep.Match},
		{true, []*experiment.Result{result()}, lockstep.Inconclusive},
		{false, []*experiment.Result{result()}, lockstep.Match},
		{true, []*experiment.Result{nothing, held}, lockstep.Inconclusive},
		{true, []*experiment.Result{nothing, fails}, lockstep.Diverged},
		{false, []*experiment.Result{nothing, fails}, lockstep.Match},
		{false, []*experiment.Result{held, failed}, lockstep.Diverged},
		{true, []*experiment.Result{failed, nothing}, lockstep.Diverged},
		{false, []*experiment.Result{failed, partial}, lockstep.BenchFailed},
	}
	for i, c := range cases {
		err := simStatus(c.check, c.list)
		if c.want == lockstep.Match {
			assert.NoError(t, err, "case %d", i)
			continue
		}
		assert.Equal(t, int(c.want), exitCode(err), "case %d", i)
	}
}
