package grade

import (
	"context"
	"errors"
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
	AroundCount = 20 // more than the checker's own gate asks for: one survivor must not decide over a block
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
	Log      io.Writer               // nil: none
	Expect   func(steps, around int) // told how many mutants there will be, first, and again if Yosys finds fewer; nil: nobody
	Done     func(Mutant)            // told of each mutant; nil: nobody

	expected [2]int // of steps, around them
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

// expect corrects how many mutants of a part there will be.
func (o *Options) expect(part, more int) {
	o.expected[part] += more
	if more != 0 && o.Expect != nil {
		o.Expect(o.expected[0], o.expected[1])
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

// Run grades. Mutants stand in the order of the blocks, the step first. If an interruption or a failure of the bench comes
// between them, there is a report too, of the mutants that are through.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	engines := o.engines()
	o.expect(0, o.Steps*len(engines))
	o.expect(1, o.Around*len(o.Blocks))
	r := &Report{Seed: o.Seed, Steps: o.Steps, Around: o.Around}
	var given []string
	var err error
	for i := 0; i < len(engines) && err == nil; i++ {
		var names []string
		var list []Mutant
		names, list, err = o.steps(ctx, engines[i])
		given, r.Mutants = append(given, names...), append(r.Mutants, list...)
	}
	if o.Around > 0 && err == nil {
		var list []Mutant
		list, err = o.around(ctx)
		r.Mutants = append(r.Mutants, list...)
	}
	if err != nil && len(r.Mutants) == 0 {
		return nil, err
	}
	order := Names()
	slices.SortStableFunc(r.Mutants, func(a, b Mutant) int { return slices.Index(order, a.Block) - slices.Index(order, b.Block) })
	r.Planned = o.expected[0] + o.expected[1]
	r.Partial = len(r.Mutants) < r.Planned
	r.waive(o.Waivers)
	r.sum(given)
	return r, err
}

// engines are those whose steps are graded.
func (o *Options) engines() []*block.Engine {
	var list []*block.Engine
	for i := range block.Engines {
		if e := &block.Engines[i]; o.Steps > 0 && slices.Contains(o.Blocks, e.Name) {
			list = append(list, e)
		}
	}
	return list
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
	var errs []error
	if len(o.Blocks) == 0 {
		o.Blocks = all
	}
	for _, name := range o.Blocks {
		if !slices.Contains(all, name) {
			errs = append(errs, fmt.Errorf("block %q: there are %s", name, strings.Join(all, ", ")))
		}
	}
	if o.Steps < 0 || o.Around < 0 || o.Steps > 1<<15 || o.Around > mutate.MostCount {
		errs = append(errs, fmt.Errorf("%d mutants of a step and %d around it: want 0 to %d and 0 to %d", o.Steps, o.Around, 1<<15, mutate.MostCount))
	}
	for _, e := range o.engines() {
		if !slices.ContainsFunc(o.Vectors, func(v *mrv.Vector) bool { return v.Kind == e.Name && len(v.Steps) > 0 }) {
			errs = append(errs, fmt.Errorf("there are no vectors of %s", e.Name))
		}
	}
	return errors.Join(errs...)
}

// steps grades one step. With an error there are the mutants that are through.
func (o *Options) steps(ctx context.Context, e *block.Engine) ([]string, []Mutant, error) {
	s, err := newStepper(ctx, o, e)
	if err != nil {
		return nil, nil, err
	}
	o.expect(0, len(s.mutants)-o.Steps)
	var list []Mutant
	for _, m := range s.mutants {
		res, err := s.grade(ctx, m)
		if ctx.Err() != nil { // then the solver has given up, and its answer says nothing of the mutant
			err = fmt.Errorf("interrupted: %w", ctx.Err())
		}
		if err != nil {
			return s.set.vectors, list, err
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
	engines := o.engines()
	o.expect(0, o.Steps*len(engines))
	var lines []string
	for _, e := range engines {
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
