package grade

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"metaroce/tandem/cosim/mutate"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/mrv"
)

var sprintf = fmt.Sprintf

// Defaults of the gate.
const (
	StepCount   = 100
	AroundCount = mutate.Count
	Seed        = mutate.Seed
	Limit       = time.Minute
)

// Options of a grading.
type Options struct {
	Root     string            // the checkout; empty: found
	Vectors  []*mrv.Vector     // of blocks and of the receive side
	Lockstep []mutate.Stimulus // what a mutant around the steps is given behind the vectors
	Blocks   []string          // empty: all
	Steps    int               // mutants of each step; 0: none
	Around   int               // of what is around it; 0: none
	Seed     uint64
	Limit    time.Duration // of one proof
	Workers  int           // simulations side by side
	Waivers  []*Waiver
	Log      io.Writer    // nil: none
	Done     func(Mutant) // told of each mutant; nil: nobody
}

func (o *Options) say(format string, args ...any) {
	if o.Log != nil {
		fmt.Fprintf(o.Log, format+"\n", args...)
	}
}

func (o *Options) done(m Mutant) {
	if o.Done != nil {
		o.Done(m)
	}
}

// Names lists what can be graded.
func Names() []string {
	var list []string
	for _, b := range mutate.Blocks {
		list = append(list, b.Name)
	}
	return list
}

// Run grades. Mutants stand in the order of the blocks, the step first.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	r := &Report{Seed: o.Seed, Steps: o.Steps, Around: o.Around}
	var given []string
	for i := range block.Engines {
		e := &block.Engines[i]
		if o.Steps == 0 || !slices.Contains(o.Blocks, e.Name) {
			continue
		}
		names, list, err := o.steps(ctx, e)
		if err != nil {
			return nil, err
		}
		given, r.Mutants = append(given, names...), append(r.Mutants, list...)
	}
	if o.Around > 0 {
		list, err := o.around(ctx)
		if err != nil {
			return nil, err
		}
		r.Mutants = append(r.Mutants, list...)
	}
	order := Names()
	slices.SortStableFunc(r.Mutants, func(a, b Mutant) int { return slices.Index(order, a.Block) - slices.Index(order, b.Block) })
	r.waive(o.Waivers)
	r.sum(given)
	return r, nil
}

func (o *Options) complete() error {
	var err error
	if o.Root == "" {
		if o.Root, err = rtl.FindRoot(); err != nil {
			return err
		}
	}
	if o.Root, err = filepath.Abs(o.Root); err != nil {
		return target.Fail("build", err, "cannot find the checkout")
	}
	all := Names()
	if len(o.Blocks) == 0 {
		o.Blocks = all
	}
	for _, name := range o.Blocks {
		if !slices.Contains(all, name) {
			return target.Fail("host", nil, "block %q: there are %s", name, strings.Join(all, ", "))
		}
	}
	if o.Steps < 0 || o.Around < 0 || o.Steps > 1<<15 || o.Around > mutate.MostCount {
		return target.Fail("host", nil, "%d mutants of a step and %d around it: want 0 to %d and 0 to %d", o.Steps, o.Around, 1<<15, mutate.MostCount)
	}
	return nil
}

func (o *Options) steps(ctx context.Context, e *block.Engine) ([]string, []Mutant, error) {
	s, err := newStepper(ctx, o, e)
	if err != nil {
		return nil, nil, err
	}
	var list []Mutant
	for _, m := range s.mutants {
		if ctx.Err() != nil {
			return nil, nil, target.Fail("host", ctx.Err(), "interrupted")
		}
		res, err := s.grade(m)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, res)
		o.done(res)
	}
	return s.set.vectors, list, nil
}

// Keep grades the steps and returns lines for vectors/block/kept.txt: a step for each survivor that there is one for.
func Keep(ctx context.Context, o Options) ([]string, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	var lines []string
	for i := range block.Engines {
		e := &block.Engines[i]
		if !slices.Contains(o.Blocks, e.Name) {
			continue
		}
		_, list, err := o.steps(ctx, e)
		if err != nil {
			return nil, err
		}
		s, err := newStepper(ctx, &o, e)
		if err != nil {
			return nil, err
		}
		steps, why, err := s.keep(slices.DeleteFunc(list, func(m Mutant) bool { return m.State != Survived }))
		if err != nil {
			return nil, err
		}
		for n := range steps {
			lines = append(lines, block.FormatKept(e.Name, &steps[n], why[n]))
		}
	}
	return lines, nil
}
