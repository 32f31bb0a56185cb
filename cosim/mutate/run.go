package mutate

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/stimulus"
)

// Preset is the one that is mutated.
const Preset = "tiny"

// Count and Seed of the mutants that the gate is about.
const (
	Count = 100
	Seed  = 1
)

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
	Root    string // the checkout; empty: found
	RunsDir string
	Stimuli []Stimulus // in the order of cost: a mutant is given the next only if it survived
	Count   int        // 0: Count
	Seed    uint64     // 0: Seed
	Only    []int      // numbers of mutants; empty: all
	Workers int        // runs at a time; 0: one a processor
	Log     io.Writer
	Done    func(Result) // told of each mutant when it is through, one at a time; nil: nobody
}

// State is what became of a mutant.
type State string

// States.
const (
	Caught   State = "caught"
	Survived State = "survived"
	// Unseen: no output differs in any cycle of any stimulus.
	Unseen State = "no effect seen"
	// Ignored: outputs differ, but only where nobody looks: data without valid, bytes behind the end of a beat.
	Ignored State = "no effect where outputs count"
)

// Result is one mutant's.
type Result struct {
	Mutant
	State    State  `json:"state"`
	Stimulus string `json:"stimulus,omitempty"` // that caught it
	Seed     uint64 `json:"seed,omitempty"`
	Line     string `json:"line,omitempty"` // of the verdict that caught it
	Rule     string `json:"rule,omitempty"`
}

// Report of all mutants.
type Report struct {
	Results []Result `json:"results"`
}

// Of counts the mutants in a state.
func (r *Report) Of(s State) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].State == s {
			n++
		}
	}
	return n
}

// Holds says whether enough mutants with an effect were caught. Where none has an effect, nothing was shown.
func (r *Report) Holds() bool {
	caught, effect := r.Of(Caught), r.Of(Caught)+r.Of(Survived)
	return effect > 0 && caught*100 >= Gate*effect
}

type runner struct {
	Options
	opt   rtl.Options
	base  [][2]string // outputs of the plain netlist, by stimulus
	files []string    // stimulus files
	work  string
}

// Run makes the mutants, runs each in lockstep until it is caught, and looks at the outputs of those that survive. An
// error is a failure of the bench: the unmutated netlist must run clean, for instance.
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
	report := &Report{Results: make([]Result, len(mutants))}
	err = r.each(ctx, len(mutants), func(i int) error {
		res, err := r.one(ctx, mutants[i])
		report.Results[i] = res
		return err
	}, func(i int) {
		if r.Done != nil {
			r.Done(report.Results[i])
		}
	})
	return report, err
}

func (r *runner) prepare(ctx context.Context) ([]Mutant, error) {
	var err error
	if r.Root == "" {
		if r.Root, err = rtl.FindRoot(); err != nil {
			return nil, err
		}
	}
	if r.Root, err = filepath.Abs(r.Root); err != nil {
		return nil, target.Fail("build", err, "cannot find the checkout")
	}
	if r.RunsDir == "" {
		r.RunsDir = filepath.Join(r.Root, "runs")
	}
	if r.Count == 0 {
		r.Count = Count
	}
	if r.Seed == 0 {
		r.Seed = Seed
	}
	if r.Count < 1 || r.Count > 255 {
		return nil, target.Fail("host", nil, "%d mutants: want 1 to 255, one of them is chosen by 8 bits", r.Count)
	}
	if r.Workers == 0 {
		r.Workers = runtime.NumCPU()
	}
	n, err := makeNetlist(ctx, r.Root, r.Count, r.Seed, r.Log)
	if err != nil {
		return nil, err
	}
	r.opt = rtl.Options{Root: r.Root, Sources: n.sources, Log: r.Log}
	p, _ := preset.ByName(Preset)
	if _, err := rtl.Build(ctx, p, &r.opt); err != nil {
		return nil, err
	}
	if r.work, err = os.MkdirTemp("", "tandem-mutants-"); err != nil {
		return nil, target.Fail("host", err, "cannot make a folder for the runs")
	}
	for i := range r.Stimuli {
		file := filepath.Join(r.work, fmt.Sprintf("stimulus-%d.bin", i))
		if err := journal.WriteStimulus(file, r.Stimuli[i].Items); err != nil {
			return nil, err
		}
		r.files = append(r.files, file)
	}
	return r.pick(n.mutants)
}

func (r *runner) pick(all []Mutant) ([]Mutant, error) {
	if len(r.Only) == 0 {
		return all, nil
	}
	var list []Mutant
	for _, n := range r.Only {
		if n < 1 || n > len(all) {
			return nil, target.Fail("host", nil, "mutant %d: there are 1 to %d", n, len(all))
		}
		list = append(list, all[n-1])
	}
	return list, nil
}

// baseline runs the unmutated netlist: it must match the model in every run, and shows what the outputs look like.
func (r *runner) baseline(ctx context.Context) error {
	r.base = make([][2]string, len(r.Stimuli))
	return r.each(ctx, len(r.Stimuli), func(i int) error {
		if v := r.lockstep(ctx, 0, i); v.Result != lockstep.Match {
			return target.Fail("build", nil, "the netlist without a mutant does not match the model over %s: %s", r.Stimuli[i].Name, v.Line)
		}
		var err error
		r.base[i], err = r.outputs(ctx, 0, i)
		return err
	}, nil)
}

// each calls f for 0..n-1 on some workers and then done, one at a time. It stops at the first error.
func (r *runner) each(ctx context.Context, n int, f func(int) error, done func(int)) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var first error
	next := 0
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
				if err == nil && done != nil {
					done(i)
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	if first == nil && ctx.Err() != nil {
		first = target.Fail("host", ctx.Err(), "interrupted")
	}
	return first
}

// one gives a mutant every stimulus until one catches it.
func (r *runner) one(ctx context.Context, m Mutant) (Result, error) {
	res := Result{Mutant: m}
	for i := range r.Stimuli {
		v := r.lockstep(ctx, m.Number, i)
		if ctx.Err() != nil {
			return res, target.Fail("host", ctx.Err(), "interrupted")
		}
		if v.Result == lockstep.Match {
			continue
		}
		if v.Result != lockstep.Diverged && v.Result != lockstep.BenchFailed {
			return res, target.Fail("host", nil, "mutant %d over %s: %s", m.Number, r.Stimuli[i].Name, v.Line)
		}
		res.State, res.Stimulus, res.Seed, res.Line = Caught, r.Stimuli[i].Name, r.Stimuli[i].Seed, v.Line
		if v.Divergence != nil {
			res.Rule = v.Divergence.Rule
		}
		return res, nil
	}
	return res, r.effect(ctx, &res)
}

// effect looks at the outputs of a mutant that was not caught.
func (r *runner) effect(ctx context.Context, res *Result) error {
	res.State = Unseen
	for i := range r.Stimuli {
		out, err := r.outputs(ctx, res.Number, i)
		if err != nil {
			return err
		}
		if out[0] != r.base[i][0] {
			res.State, res.Stimulus, res.Seed = Survived, r.Stimuli[i].Name, r.Stimuli[i].Seed
			return nil
		}
		if out[1] != r.base[i][1] {
			res.State, res.Stimulus, res.Seed = Ignored, r.Stimuli[i].Name, r.Stimuli[i].Seed
		}
	}
	return nil
}

func (r *runner) lockstep(ctx context.Context, mutant, i int) *lockstep.Verdict {
	s := &r.Stimuli[i]
	o := session.Options{
		Name: fmt.Sprintf("mutant-%d-%s", mutant, s.Name), Device: "rtl", Stimulus: s.Items, RTL: r.opt, RunsDir: r.RunsDir, Journal: "never",
		Config: target.Config{Preset: Preset, Seed: s.Seed, Mode: target.ModeDigest},
	}
	o.RTL.Plusargs = []string{fmt.Sprintf("+tandem_mutant=%d", mutant)}
	return session.Run(ctx, o)
}

// outputs runs with no host and returns what the wrapper folded: outputs where they count, and all of them.
func (r *runner) outputs(ctx context.Context, mutant, i int) ([2]string, error) {
	var out [2]string
	dir, err := os.MkdirTemp(r.work, "plain-")
	if err != nil {
		return out, target.Fail("host", err, "cannot make a folder for a run")
	}
	opt := r.opt
	opt.RunDir = dir
	opt.Plusargs = []string{fmt.Sprintf("+tandem_mutant=%d", mutant), "+tandem_watch=1"}
	c := target.Config{Preset: Preset, Seed: r.Stimuli[i].Seed}
	if _, err := rtl.Plain(ctx, opt, c, r.files[i]); err != nil {
		if ctx.Err() != nil {
			return out, err
		}
		return [2]string{err.Error(), err.Error()}, nil // ended otherwise than without the mutant: that is an effect
	}
	b, err := os.ReadFile(filepath.Join(dir, "plain.log"))
	if err != nil {
		return out, target.Fail("host", err, "cannot read what a run printed")
	}
	if out, err = parseOutputs(string(b)); err != nil {
		return out, target.Fail("host", err, "mutant %d over %s", mutant, r.Stimuli[i].Name)
	}
	return out, os.RemoveAll(dir)
}
