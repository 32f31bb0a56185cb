package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"metaroce/tandem/model/sim"
)

// Options of a run. None of them but Seed and Only changes a figure.
type Options struct {
	Seed    uint64
	Workers int    // simulations side by side; below 1: one
	Only    string // run this cell alone
	// Set and Over are what the user gave: they say how to do it again.
	Set, Over []Setting
	// Progress is told of every cell that ended, one call at a time. May be nil.
	Progress func(Progress)
	// Part is told how far a running cell is, by several workers at once. May be nil.
	Part func(cell int, done, total uint64)
}

// Progress is how far a run is.
type Progress struct {
	Cell        string // that ended
	Index       int    // its place in the plan
	Err         error  // of that cell
	Done, Cells int
	// Work and Total are sums of weights.
	Work, Total uint64
}

// Failure is a cell that did not come to its end.
type Failure struct {
	Cell  string
	Error string
	// Stack is there when the cell panicked: a bug of ours.
	Stack string `json:",omitempty"`
}

// Result is what became of a run.
type Result struct {
	Experiment *Experiment
	Plan       *Plan
	Seed       uint64
	Only       string
	Settings   []Setting // of all parameters
	Set, Over  []Setting // what the user gave
	Done       int       // cells that ended well
	// Partial: the run was interrupted before all cells had ended.
	Partial     bool
	Rows        []Row
	Traces      []Trace
	Verdicts    []Verdict
	Comparisons []Comparison
	Failures    []Failure
}

// Run runs the cells of a plan and judges its gates. The error is a bug of the plan or a cell that is not there;
// whatever goes wrong inside a cell is in the result. When ctx ends, cells that run are left to themselves and the result
// is partial.
func Run(ctx context.Context, e *Experiment, v Values, p *Plan, opt Options) (*Result, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	cells, err := p.pick(opt.Only)
	if err != nil {
		return nil, err
	}
	outs := runAll(ctx, e.Name, cells, opt)
	r := &Result{Experiment: e, Plan: p, Seed: opt.Seed, Only: opt.Only, Settings: v.Texts, Set: opt.Set, Over: opt.Over}
	for i, o := range outs {
		switch {
		case o == nil:
			r.Partial = true
		case o.err != nil:
			r.Failures = append(r.Failures, failure(cells[i].Name, o.err))
		default:
			r.add(cells[i].Name, o.out)
		}
	}
	if err := p.known(r.Rows); err != nil {
		return nil, err
	}
	if p.Derive != nil {
		p.Derive(r.Rows)
		if err := p.known(r.Rows); err != nil {
			return nil, err
		}
	}
	whole := !r.Partial && len(r.Failures) == 0
	for i := range p.Gates {
		r.Verdicts = append(r.Verdicts, p.Gates[i].judge(r.Rows, whole))
	}
	if p.Compare != nil {
		r.Comparisons = measured(p.Compare(r.Rows))
	}
	return r, nil
}

// measured leaves out the comparisons of which nothing was measured.
func measured(all []Comparison) []Comparison {
	return slices.DeleteFunc(all, func(c Comparison) bool { return c.Ours == nil && c.Baseline == nil })
}

func (r *Result) add(cell string, o Output) {
	r.Done++
	for _, row := range o.Rows {
		row.Cell = cell
		r.Rows = append(r.Rows, row)
	}
	for _, t := range o.Traces {
		t.Cell = cell
		r.Traces = append(r.Traces, t)
	}
}

// Cells is how many were to be run.
func (r *Result) Cells() int {
	if r.Only != "" {
		return 1
	}
	return len(r.Plan.Cells)
}

// mostTold cells are listed beside the near ones.
const mostTold = 8

// pick returns the cells to be run.
func (p *Plan) pick(only string) ([]Cell, error) {
	if only == "" {
		return p.Cells, nil
	}
	var names []string
	for i, c := range p.Cells {
		if c.Name == only {
			return p.Cells[i : i+1], nil
		}
		names = append(names, c.Name)
	}
	told := slices.Clone(names[:min(len(names), mostTold)])
	if more := len(names) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return nil, unknown("cell", only, names, told)
}

// Has says whether the plan has a cell; the error has the near names.
func (p *Plan) Has(cell string) error {
	_, err := p.pick(cell)
	return err
}

// outcome is that of one cell.
type outcome struct {
	index int
	out   Output
	err   error
}

// runAll returns an outcome for each cell, nil for those that had not ended when ctx did.
func runAll(ctx context.Context, name string, cells []Cell, opt Options) []*outcome {
	next, ended := make(chan int), make(chan *outcome, len(cells))
	inner, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer close(next)
		for _, i := range heaviestFirst(cells) {
			select {
			case next <- i:
			case <-inner.Done():
				return
			}
		}
	}()
	for range max(1, opt.Workers) {
		go func() {
			for i := range next {
				ended <- runCell(inner, name, i, &cells[i], opt)
			}
		}()
	}
	return collect(ctx, cells, ended, opt.Progress)
}

func collect(ctx context.Context, cells []Cell, ended chan *outcome, tell func(Progress)) []*outcome {
	outs := make([]*outcome, len(cells))
	at := Progress{Cells: len(cells)}
	for i := range cells {
		at.Total += cells[i].weight()
	}
	for at.Done < len(cells) {
		var o *outcome
		select {
		case o = <-ended:
		case <-ctx.Done():
			return outs
		}
		if errors.Is(o.err, context.Canceled) && ctx.Err() != nil {
			return outs // it was told to stop: that is no failure of the cell
		}
		outs[o.index] = o
		at.Done++
		at.Work += cells[o.index].weight()
		at.Cell, at.Index, at.Err = cells[o.index].Name, o.index, o.err
		if tell != nil {
			tell(at)
		}
	}
	return outs
}

func (c *Cell) weight() uint64 { return max(1, c.Weight) }

// heaviestFirst is the order in which cells begin, so that no long one is left for the end.
func heaviestFirst(cells []Cell) []int {
	order := make([]int, len(cells))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cells[b].weight(), cells[a].weight()) })
	return order
}

// CellSeed is the seed of a cell: the first draw of the stream that is named after it.
func CellSeed(seed uint64, experiment string, c *Cell) uint64 {
	name := c.Seed
	if name == "" {
		name = c.Name
	}
	r := sim.NewRandom(seed, experiment+"/"+name)
	return r.Uint64()
}

// panicked is an error made of a panic.
type panicked struct {
	what  any
	stack string
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.what) }

// runCell turns a panic into an error: the other cells' figures are worth keeping.
func runCell(ctx context.Context, name string, i int, c *Cell, opt Options) (o *outcome) {
	o = &outcome{index: i}
	defer func() {
		if what := recover(); what != nil {
			o.out, o.err = Output{}, &panicked{what, string(debug.Stack())}
		}
	}()
	part := func(uint64, uint64) {}
	if opt.Part != nil {
		part = func(done, total uint64) { opt.Part(i, done, total) }
	}
	o.out, o.err = c.Run(&Context{Context: ctx, Seed: CellSeed(opt.Seed, name, c), Part: part})
	return o
}

func failure(cell string, err error) Failure {
	f := Failure{Cell: cell, Error: err.Error()}
	var p *panicked
	if errors.As(err, &p) {
		f.Stack = p.stack
	}
	return f
}
