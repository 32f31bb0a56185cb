package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/experiment"
	"metaroce/tandem/model/sim"
)

// fake is an experiment without a simulator: a cell draws its figures.
func fake() *experiment.Experiment {
	return &experiment.Experiment{
		Name: "fake", Short: "draws", Claim: "draws are draws", Source: "none", About: "Draws.", Headline: []string{"draw"},
		Params: experiment.Params{
			{Name: "cells", Min: 1, Max: 100, Default: "5", Why: "some"},
			{Name: "size", Min: 1, Max: 1 << 20, Default: "1000", Why: "some"},
		},
		Plan: fakePlan,
	}
}

var errSize = errors.New("size 13 brings no luck")

func fakePlan(v experiment.Values) (*experiment.Plan, error) {
	size := v.Number("size")
	if size == 13 {
		return nil, errSize
	}
	p := &experiment.Plan{
		Columns: []experiment.Column{{Name: "n", Key: true, What: "cell"}, {Name: "draw", Unit: "1", What: "a draw"}, {Name: "sum", What: "of all draws"}},
		Gates: []experiment.Gate{
			{Name: "small", Rule: "draws are below the size", Judge: experiment.AtMost(nil, "draw", fmt.Sprint(size), "n")},
			{Name: "third", Rule: "cell 3 draws", Judge: experiment.AtLeast(experiment.Where{"n": "3"}, "draw", "0", "n")},
		},
		Derive: func(rows []experiment.Row) {
			sum := int64(0)
			for _, r := range rows {
				d, _ := r.Number("draw")
				sum += d.N
			}
			for _, r := range rows {
				r.Num("sum", experiment.Whole(sum))
			}
		},
	}
	for i := range v.Number("cells") {
		p.Cells = append(p.Cells, experiment.Cell{Name: fmt.Sprintf("n=%d", i), Weight: i, Run: func(c *experiment.Context) (experiment.Output, error) {
			r := sim.NewRandom(c.Seed, "draw")
			row := experiment.Row{}.Num("n", experiment.Whole(i)).Num("draw", experiment.Whole(r.Below(size)))
			c.Part(1, 1)
			return experiment.Output{Rows: []experiment.Row{row}, Traces: []experiment.Trace{{Plot: "p", Label: row.Text("n")}}}, c.Err()
		}})
	}
	return p, nil
}

func planOf(t *testing.T, e *experiment.Experiment, set ...string) (experiment.Values, *experiment.Plan) {
	v, bad := e.Params.Read(settings(set...))
	require.Empty(t, bad)
	p, err := e.Plan(v)
	require.NoError(t, err)
	return v, p
}

func run(t *testing.T, e *experiment.Experiment, opt experiment.Options, set ...string) *experiment.Result {
	v, p := planOf(t, e, set...)
	r, err := experiment.Run(t.Context(), e, v, p, opt)
	require.NoError(t, err)
	return r
}

func texts(rows []experiment.Row) []string {
	var list []string
	for _, r := range rows {
		list = append(list, fmt.Sprintf("%s: n %s draw %s sum %s", r.Cell, r.Text("n"), r.Text("draw"), r.Text("sum")))
	}
	return list
}

// TestWorkersChangeNothing: rows, verdicts and traces are those of one worker.
func TestWorkersChangeNothing(t *testing.T) {
	one := run(t, fake(), experiment.Options{Seed: 7, Workers: 1})
	require.Len(t, one.Rows, 5)
	for _, n := range []int{0, 2, 3, 16} {
		many := run(t, fake(), experiment.Options{Seed: 7, Workers: n})
		assert.Equal(t, texts(one.Rows), texts(many.Rows))
		assert.Equal(t, one.Verdicts, many.Verdicts)
		assert.Equal(t, one.Traces, many.Traces)
	}
	assert.NotEqual(t, texts(one.Rows), texts(run(t, fake(), experiment.Options{Seed: 8}).Rows))
}

// TestOnly: a cell alone draws what it draws among others; a gate that wants another has nothing to look at.
func TestOnly(t *testing.T) {
	all := run(t, fake(), experiment.Options{Seed: 7})
	r := run(t, fake(), experiment.Options{Seed: 7, Only: "n=2"})
	require.Len(t, r.Rows, 1)
	assert.Equal(t, all.Rows[2].Text("draw"), r.Rows[0].Text("draw"))
	assert.Equal(t, experiment.Held, r.Verdicts[0].State)
	assert.Equal(t, experiment.NothingToJudge, r.Verdicts[1].State)
	assert.Equal(t, "1 of 2 gates had nothing to look at", r.Line())
	assert.Equal(t, 1, r.Cells())
	v, p := planOf(t, fake())
	_, err := experiment.Run(t.Context(), fake(), v, p, experiment.Options{Only: "n2"})
	assert.ErrorContains(t, err, `cell "n2": no such cell; near it: n=2`)
	many := &experiment.Plan{}
	for i := range 10 {
		many.Cells = append(many.Cells, experiment.Cell{Name: fmt.Sprintf("c%d", i)})
	}
	assert.ErrorContains(t, many.Has("other"), "c7, and 2 more")
}

func TestProgress(t *testing.T) {
	var seen []experiment.Progress
	parts := make(chan int, 10)
	r := run(t, fake(), experiment.Options{Seed: 7, Progress: func(p experiment.Progress) { seen = append(seen, p) }, Part: func(cell int, _, _ uint64) { parts <- cell }})
	assert.Equal(t, "5 cells, all 2 gates hold", r.Line())
	require.Len(t, seen, 5)
	assert.Equal(t, "n=4", seen[0].Cell, "the heaviest first")
	assert.Equal(t, experiment.Progress{Cell: "n=1", Index: 1, Done: 5, Cells: 5, Work: 11, Total: 11}, seen[4])
	assert.Len(t, parts, 5)
}

// TestBrokenCells: an error and a panic are told, and the other rows are there, but nothing is judged.
func TestBrokenCells(t *testing.T) {
	e := fake()
	v, p := planOf(t, e)
	p.Cells[1].Run = func(*experiment.Context) (experiment.Output, error) {
		return experiment.Output{}, errors.New("work outstanding")
	}
	p.Cells[3].Run = func(*experiment.Context) (experiment.Output, error) { panic("model BUG: no") }
	r, err := experiment.Run(t.Context(), e, v, p, experiment.Options{Workers: 2})
	require.NoError(t, err)
	require.Len(t, r.Failures, 2)
	assert.Equal(t, experiment.Failure{Cell: "n=1", Error: "work outstanding"}, r.Failures[0])
	assert.Equal(t, "panic: model BUG: no", r.Failures[1].Error)
	assert.Contains(t, r.Failures[1].Stack, "run_test.go")
	assert.Len(t, r.Rows, 3)
	assert.False(t, r.Partial)
	assert.Equal(t, experiment.NotJudged, r.Verdicts[0].State)
	assert.Equal(t, "2 of 5 cells failed, no gate is judged", r.Line())
}

// TestInterrupted: what was done is kept, also when a cell does not listen.
func TestInterrupted(t *testing.T) {
	for _, listens := range []bool{true, false} {
		e := fake()
		v, p := planOf(t, e)
		ctx, cancel := context.WithCancel(t.Context())
		hang := make(chan struct{})
		p.Cells[2].Run = func(c *experiment.Context) (experiment.Output, error) {
			cancel()
			if listens {
				<-c.Done()
				return experiment.Output{}, c.Err()
			}
			<-hang
			return experiment.Output{}, nil
		}
		r, err := experiment.Run(ctx, e, v, p, experiment.Options{Workers: 1})
		close(hang)
		require.NoError(t, err)
		assert.True(t, r.Partial)
		assert.LessOrEqual(t, r.Done, 2)
		assert.Len(t, r.Rows, r.Done)
		assert.Empty(t, r.Failures)
		assert.Equal(t, experiment.NotJudged, r.Verdicts[0].State)
		assert.Contains(t, r.Line(), "of 5 cells: partial")
	}
}

func TestBugsOfAPlanAreFound(t *testing.T) {
	e := fake()
	v, p := planOf(t, e)
	p.Cells[1].Name = p.Cells[0].Name
	_, err := experiment.Run(t.Context(), e, v, p, experiment.Options{})
	assert.ErrorContains(t, err, `two cells are called "n=0"`)
	v, p = planOf(t, e)
	p.Columns = p.Columns[:1]
	_, err = experiment.Run(t.Context(), e, v, p, experiment.Options{})
	assert.ErrorContains(t, err, "which is not declared")
	v, p = planOf(t, e)
	p.Columns = p.Columns[:2]
	_, err = experiment.Run(t.Context(), e, v, p, experiment.Options{})
	assert.ErrorContains(t, err, `has column "sum", which is not declared`, "a derived one")
}

func TestGates(t *testing.T) {
	rows := []experiment.Row{
		experiment.Row{}.Word("who", "a").Num("x", experiment.Decimal("0.9550")), experiment.Row{}.Word("who", "b").Num("x", experiment.Decimal("0.9549")),
		experiment.Row{}.Word("who", "c").Some("x", experiment.Fixed{}, false),
	}
	least := experiment.AtLeast(nil, "x", "0.955", "who", "nobody")(rows)
	require.Len(t, least, 3)
	assert.True(t, least[0].Holds())
	assert.False(t, least[1].Holds())
	assert.False(t, least[2].Holds(), "nothing measured is nothing shown")
	assert.Equal(t, "who a, x", least[0].What)
	assert.Equal(t, ">=", least[0].Sign())
	most := experiment.AtMost(experiment.Where{"who": "b"}, "x", "0.9549")(rows)
	require.Len(t, most, 1)
	assert.True(t, most[0].Holds())
	assert.Equal(t, "<=", most[0].Sign())
	assert.Empty(t, experiment.AtMost(experiment.Where{"who": "d"}, "x", "1")(rows))
	one, ok := experiment.One(rows, experiment.Where{"who": "a"}, "x")
	assert.True(t, ok)
	assert.Equal(t, "0.9550", one.String())
	_, ok = experiment.One(rows, nil, "x")
	assert.False(t, ok, "three rows are not one")
	assert.Nil(t, experiment.Fig(experiment.Fixed{}, false))
}
