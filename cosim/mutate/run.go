package mutate

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/mutate/circuit"
	"metaroce/tandem/cosim/mutate/yosys"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/stimulus"
)

// Preset is the one that is mutated.
const Preset = "tiny"

// Count of the mutants of each block, and the Seed of Yosys' choice, that the gate is about.
const (
	Count = 10
	Seed  = 1
)

// MostCount is what the 16 bits of the selection leave for a block.
const MostCount = 4000

// Cycles that a proof looks ahead where registers differ.
const Cycles = 20

// proofLimit is how long one question to the solver may take.
const proofLimit = time.Minute

// Gate is the share of the mutants with an effect that must be caught, in percent.
const Gate = 90

// Stimulus is one run that every mutant is given.
type Stimulus struct {
	Name  string
	Seed  uint64
	Items stimulus.List
}

// Options of a run over all mutants.
type Options struct {
	Root    string     // the checkout; empty: found
	Stimuli []Stimulus // in the order of cost: a mutant is given the next only if it survived
	Blocks  []string   // whose mutants are run; empty: all
	Count   int        // of each block; 0: Count
	Seed    uint64     // 0: Seed
	Only    []int      // numbers of mutants; empty: all
	Workers int        // runs at a time; 0: one a processor
	Log     io.Writer
	Begin   func(mutants int) // told how many will be run, before the first; nil: nobody
	Done    func(Result)      // told of each mutant when it is through, one at a time; nil: nobody
}

type runner struct {
	Options
	opt  rtl.Options
	base []outputs // of the plain netlist, by stimulus
	work string    // run folders

	circuit func() (*circuit.Circuit, error) // read when the first mutant is to be proven
}

// Run makes the mutants, runs each in lockstep until it is caught, and looks at the outputs of those that survive. An
// error is a failure of the bench: the unmutated netlist must run clean, for instance. If that, or an interruption, comes
// between the mutants, there is a report too, of those that are through.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &runner{Options: o}
	mutants, err := r.prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(r.work)
	if err := r.baseline(ctx); err != nil {
		return nil, err
	}
	return r.all(ctx, mutants, r.one)
}

// all gives every mutant to one.
func (r *runner) all(ctx context.Context, mutants []yosys.Mutant, one func(context.Context, yosys.Mutant) (Result, error)) (*Report, error) {
	if r.Begin != nil {
		r.Begin(len(mutants))
	}
	results, through := make([]Result, len(mutants)), make([]bool, len(mutants))
	err := r.each(ctx, len(mutants), func(i int) (err error) {
		results[i], err = one(ctx, mutants[i])
		return err
	}, func(i int) {
		through[i] = true
		if r.Done != nil {
			r.Done(results[i])
		}
	})
	report := &Report{Planned: len(mutants)}
	for i, ok := range through {
		if ok {
			report.Results = append(report.Results, results[i])
		}
	}
	if err != nil && len(report.Results) == 0 {
		return nil, err
	}
	report.Partial = len(report.Results) < len(mutants)
	return report, err
}

func (r *runner) prepare(ctx context.Context) ([]yosys.Mutant, error) {
	var err error
	if r.Root == "" {
		if r.Root, err = rtl.FindRoot(); err != nil {
			return nil, err
		}
	}
	if r.Root, err = filepath.Abs(r.Root); err != nil {
		return nil, target.Fail("build", err, "cannot find the checkout")
	}
	if r.Count == 0 {
		r.Count = Count
	}
	if r.Seed == 0 {
		r.Seed = Seed
	}
	if r.Count < 1 || r.Count > MostCount {
		return nil, fmt.Errorf("%d mutants of a block: want 1 to %d", r.Count, MostCount)
	}
	if r.Workers == 0 {
		r.Workers = runtime.NumCPU()
	}
	n, err := makeNetlist(ctx, r.Root, r.Count, r.Seed, r.say)
	if err != nil {
		return nil, err
	}
	r.circuit = sync.OnceValues(func() (*circuit.Circuit, error) { return n.circuit(ctx, r.Root, r.say) })
	r.opt = rtl.Options{Root: r.Root, Sources: n.sources, Log: r.Log}
	p, _ := preset.ByName(Preset)
	// One binary for all runs, whatever becomes of the sources meanwhile.
	if r.opt.Binary, err = rtl.Build(ctx, p, &r.opt); err != nil {
		return nil, err
	}
	if r.work, err = os.MkdirTemp("", "tandem-mutants-"); err != nil {
		return nil, target.Fail("host", err, "cannot make a folder for the runs")
	}
	return r.pick(n.mutants)
}

func (r *runner) say(line string) {
	if r.Log != nil {
		fmt.Fprintln(r.Log, line)
	}
}

func (r *runner) pick(all []yosys.Mutant) ([]yosys.Mutant, error) {
	if len(r.Blocks) > 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(m yosys.Mutant) bool { return !slices.Contains(r.Blocks, m.Block) })
	}
	if len(r.Only) == 0 {
		return all, nil
	}
	var list []yosys.Mutant
	for _, n := range r.Only {
		i := slices.IndexFunc(all, func(m yosys.Mutant) bool { return m.Number == n })
		if i < 0 {
			return nil, fmt.Errorf("mutant %d: it is none of the %d", n, len(all))
		}
		list = append(list, all[i])
	}
	return list, nil
}

// baseline runs the unmutated netlist: it must match the model in every run, and shows what the outputs look like.
func (r *runner) baseline(ctx context.Context) error {
	r.say("running the netlist without a mutant: it has to match")
	r.base = make([]outputs, len(r.Stimuli))
	return r.each(ctx, len(r.Stimuli), func(i int) error {
		v, out, err := r.lockstep(ctx, 0, i)
		if err == nil && v.Result != lockstep.Match {
			err = target.Fail("build", nil, "the netlist without a mutant does not match the model over %s: %s", r.Stimuli[i].Name, v.Line)
		}
		r.base[i] = out
		return err
	}, nil)
}

// each calls f for 0..n-1 on some workers and then done, one at a time. It stops at the first error.
func (r *runner) each(ctx context.Context, n int, f func(int) error, done func(int)) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var first error
	next, through := 0, 0
	for range min(r.Workers, n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				mu.Lock()
				i := next
				next++
				stop := first != nil || ctx.Err() != nil
				mu.Unlock()
				if i >= n || stop {
					return
				}
				err := f(i)
				mu.Lock()
				if err != nil && first == nil {
					first = err
				}
				if err == nil {
					through++
				}
				if err == nil && done != nil {
					done(i)
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	if first == nil && through < n {
		first = interrupted(ctx)
	}
	return first
}

// one gives a mutant every stimulus until one catches it. A run that matches shows its outputs too: in one that differs
// only in time, lockstep has nothing to object, but an effect it is.
func (r *runner) one(ctx context.Context, m yosys.Mutant) (Result, error) {
	res := Result{Mutant: m, State: Unseen}
	for i := range r.Stimuli {
		s := &r.Stimuli[i]
		v, out, err := r.lockstep(ctx, m.Number, i)
		if err != nil {
			return res, err
		}
		switch {
		case v.Result == lockstep.Diverged || v.Result == lockstep.BenchFailed:
			res.State, res.Stimulus, res.Seed, res.Line = Caught, s.Name, s.Seed, v.Line
			if v.Divergence != nil {
				res.Rule, res.Cycle, res.Field = v.Divergence.Rule, v.Divergence.Cycle, v.Divergence.Field
			}
			return res, nil
		case v.Result != lockstep.Match:
			return res, target.Fail("host", nil, "mutant %d over %s: %s", m.Number, s.Name, v.Line)
		case out.counted != r.base[i].counted:
			res.State, res.Stimulus, res.Seed = Survived, s.Name, s.Seed
		case out.all != r.base[i].all && res.State == Unseen:
			res.State, res.Stimulus, res.Seed = Ignored, s.Name, s.Seed
		}
	}
	return res, r.prove(ctx, &res)
}

// prove looks for a proof that a mutant which was not caught has no effect.
func (r *runner) prove(ctx context.Context, res *Result) error {
	c, err := r.circuit()
	if err != nil {
		return err
	}
	if p := c.Compare(ctx, res.Number, nil, proofLimit); p.Verdict == circuit.Equal {
		res.State, res.Proof = Proven, "equal for every state and input"
		return nil
	}
	p := c.CompareCycles(ctx, res.Number, Cycles, proofLimit)
	res.Proof = fmt.Sprintf("%s within %d cycles from any state", p.Verdict, Cycles)
	if p.Verdict == circuit.Equal {
		res.State = Proven
	}
	return interrupted(ctx) // then the solver has given up, and its answer says nothing of the mutant
}

// interrupted is an error if the context is done.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("interrupted: %w", ctx.Err())
}

// lockstep does one run. Its outputs are known only if it matched.
func (r *runner) lockstep(ctx context.Context, mutant, i int) (*lockstep.Verdict, outputs, error) {
	s := &r.Stimuli[i]
	o := session.Options{
		Name: fmt.Sprintf("mutant-%d-%s", mutant, s.Name), Device: "rtl", Stimulus: s.Items, RTL: r.opt, RunsDir: r.work, Journal: "always",
		Config: target.Config{Preset: Preset, Seed: s.Seed, Mode: target.ModeDigest},
	}
	o.RTL.Plusargs = []string{fmt.Sprintf("+tandem_mutant=%d", mutant), "+tandem_watch=1"}
	v := session.Run(ctx, o)
	if err := interrupted(ctx); err != nil {
		return nil, outputs{}, err
	}
	if v.Folder == "" {
		return v, outputs{}, nil
	}
	defer os.RemoveAll(v.Folder)
	if v.Result != lockstep.Match {
		return v, outputs{}, nil
	}
	b, err := os.ReadFile(filepath.Join(v.Folder, "sim.log"))
	if err != nil {
		return v, outputs{}, target.Fail("host", err, "cannot read what a run printed")
	}
	out, err := parseOutputs(string(b))
	if err != nil {
		return v, out, target.Fail("host", err, "mutant %d over %s", mutant, s.Name)
	}
	return v, out, nil
}
