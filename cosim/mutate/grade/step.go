package grade

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"metaroce/tandem/cosim/mutate/circuit"
	"metaroce/tandem/cosim/mutate/yosys"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/vectors/block"
	"metaroce/tandem/vectors/mrv"
)

// The step of a block alone. What nobody could see is taken out first (opt, wreduce): constants, bits of a sum that are
// not used.
const (
	chooseStep = yosys.Read + `hierarchy -check -top mr_%[1]s_step
proc
flatten
setundef -undriven -zero
opt -full
wreduce
opt -full
opt_clean -purge
rename mr_%[1]s_step netlist
write_ilang DIR/plain.il
mutate -list %[2]d -seed %[3]d -ctrl mutsel 16 1 -o DIR/list.ys
`
	applyStep = `read_ilang DIR/plain.il
cd netlist
script DIR/list.ys
cd ..
techmap
setundef -zero
opt -fast
aigmap
opt_clean -purge
write_aiger -symbols DIR/netlist.aig
`
)

// stepper grades the mutants of one step.
type stepper struct {
	engine  *block.Engine
	circuit *circuit.Circuit
	mutants []yosys.Mutant
	set     *stepSet
	ops     []circuit.Only
	limit   time.Duration
}

func newStepper(ctx context.Context, o *Options, e *block.Engine) (*stepper, error) {
	scripts := []yosys.Script{yosys.Script(fmt.Sprintf(chooseStep, e.Name, o.Steps, o.Seed)), applyStep}
	dir, err := yosys.Make(ctx, o.Root, "step-"+e.Name, scripts, func() { o.say("%s: choosing %d mutants of the step (Yosys)", e.Name, o.Steps) })
	if err != nil {
		return nil, err
	}
	s := &stepper{engine: e, limit: o.Limit}
	if s.mutants, err = yosys.Load(dir, "list.ys"); err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, "netlist.aig"))
	if err != nil {
		return nil, target.Fail("build", err, "cannot read the circuit of %s", e.Name)
	}
	defer f.Close()
	if s.circuit, err = circuit.Read(f); err != nil {
		return nil, target.Fail("build", err, "the circuit of %s", e.Name)
	}
	known := circuit.Only{Port: "op_i"}
	for _, op := range e.Info().Ops {
		known.Values = append(known.Values, uint64(op.Number))
	}
	s.ops = []circuit.Only{known}
	if s.set, err = newStepSet(e, o.Vectors, s.circuit); err != nil {
		return nil, err
	}
	return s, s.baseline()
}

// baseline holds the netlist without a mutant against all vectors.
func (s *stepper) baseline() error {
	first, _, err := s.set.run(s.circuit, 0)
	if err == nil && first != nil {
		err = fmt.Errorf("it differs from %s, step %d, in %s", first.vector, first.step, first.field)
	}
	if err != nil {
		return target.Fail("build", err, "the netlist of %s without a mutant", s.engine.Name)
	}
	return nil
}

// grade gives a mutant all vectors. One that survives is proven to have no effect, or shown to have one.
func (s *stepper) grade(ctx context.Context, m yosys.Mutant) (Mutant, error) {
	res := Mutant{Mutant: m, Part: Step}
	res.Block = s.engine.Name
	first, killers, err := s.set.run(s.circuit, m.Number)
	if err != nil {
		return res, err
	}
	if first != nil {
		res.State, res.Rule, res.Vector, res.At, res.Field = Killed, s.engine.Info().Rule, first.vector, uint64(first.step), first.field
		res.Killers = killers
		return res, nil
	}
	switch p := s.circuit.Compare(ctx, m.Number, s.ops, s.limit); p.Verdict {
	case circuit.Equal:
		res.State, res.Note = Equal, "equal for every row and input with a known op"
	case circuit.Differs:
		step := s.set.step(func(i int) bool { return p.Inputs[i] })
		res.State, res.Note, res.Step = Survived, "differs: "+s.set.text(&step), &step
	default:
		res.State, res.Note = Survived, fmt.Sprintf("not decided in %v", s.limit)
	}
	return res, nil
}

// draws are looked through for a step that a survivor gets wrong, before the solver's own is taken.
const (
	draws    = 12_000
	drawSeed = 99
)

// keep gives survivors a step each that kills them: one that the generator of vectors draws, or else the solver's. A step
// that kills several stands once. A survivor that nothing tells apart is left.
func (s *stepper) keep(survivors []Mutant) ([]mrv.Step, []string, error) {
	wide := *s.set
	wide.batches = nil
	lines := s.engine.Lines(drawSeed, draws)
	wide.fill(lines)
	var steps []mrv.Step
	var why []string
	for i := range survivors {
		m := &survivors[i]
		got, err := s.circuit.Function(m.Number)
		if err != nil {
			return nil, nil, target.Fail("build", err, "the step of %s", s.engine.Name)
		}
		if s.told(got, steps) {
			continue
		}
		step := m.Step
		if n := wide.first(got); n >= 0 {
			drawn := s.set.step(func(i int) bool { return bit(lines[n], s.set.in[i].at) == 1 })
			step = &drawn
		}
		if step == nil {
			continue
		}
		if step.After, err = s.engine.Answer(step.Op, step.Before); err != nil {
			return nil, nil, target.Fail("host", err, "a step of %s that the solver found", s.engine.Name)
		}
		plain, err := s.circuit.Function(0)
		if err != nil || s.told(plain, []mrv.Step{*step}) { // the RTL itself does otherwise: no step of this device
			continue
		}
		steps, why = append(steps, *step), append(why, fmt.Sprintf("%s %s %s", m.Source, m.Mode, m.Mutant.Port))
	}
	return steps, why, nil
}

// told says whether one of the steps tells a function from the model.
func (s *stepper) told(f *circuit.Function, steps []mrv.Step) bool {
	set := *s.set
	set.batches = nil
	var lines []string
	for i := range steps {
		l, err := s.engine.Line(&steps[i])
		if err != nil {
			panic(fmt.Sprintf("cosim/mutate/grade BUG: %v", err))
		}
		lines = append(lines, l)
	}
	set.fill(lines)
	return set.first(f) >= 0
}
