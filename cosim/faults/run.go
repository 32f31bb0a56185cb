package faults

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/stimulus"
)

// Preset is the one that faults are looked for in: its tables are small enough to wrap.
const Preset = "tiny"

// Source makes the stimulus of a scenario; the seed decides what the scenario leaves open.
type Source func(scenario string, seed uint64) (stimulus.List, error)

// Options of a hunt.
type Options struct {
	Root    string // the checkout; empty: found
	RunsDir string // of run folders; those of faults that were caught are removed again
	Source  Source
	Seed    uint64 // of the first try
	Tries   int    // seeds a fault is given; 0: 4
	Log     io.Writer
	// Done is told of every fault as soon as it is through; nil: nobody.
	Done func(Outcome)
}

// Try is one run of a fault, or of the same without it.
type Try struct {
	Scenario string      `json:"scenario"`
	Seed     uint64      `json:"seed"`
	Mode     target.Mode `json:"-"`
}

// Outcome is what became of one fault.
type Outcome struct {
	Fault Fault `json:"fault"`
	Try   Try   `json:"try"`   // that caught it, or the last one
	Tries int   `json:"tries"` // runs until then
	// Full and Digest are the verdicts in the two modes; Digest only where Full caught it.
	Full   *lockstep.Verdict `json:"full"`
	Digest *lockstep.Verdict `json:"digest,omitempty"`
	// Clean are the verdicts of the same runs without the fault.
	Clean []*lockstep.Verdict `json:"clean,omitempty"`
	// Missing says what a complete catch lacks; empty: caught.
	Missing []string `json:"missing,omitempty"`
}

// Caught says whether the fault was found and fully reported in both modes, and nothing was found without it.
func (o *Outcome) Caught() bool { return len(o.Missing) == 0 }

// hunt is one planted simulator and what is run on it.
type hunt struct {
	Options
	asked *Options // as given: a line that repeats a run says nothing else
	rtl   rtl.Options
	clean map[Try]*lockstep.Verdict
}

func newHunt(ctx context.Context, o Options) (*hunt, error) {
	h := &hunt{Options: o, asked: &o, clean: map[Try]*lockstep.Verdict{}}
	if h.Tries == 0 {
		h.Tries = 4
	}
	var err error
	if h.Root == "" {
		if h.Root, err = rtl.FindRoot(); err != nil {
			return nil, err
		}
	}
	if h.Root, err = filepath.Abs(h.Root); err != nil {
		return nil, target.Fail("build", err, "cannot find the checkout")
	}
	if h.RunsDir == "" {
		h.RunsDir = filepath.Join(h.Root, session.RunsDir)
	}
	// All faults are in every build: which of them are hunted changes no binary.
	sources, err := Plant(h.Root, filepath.Join(h.Root, "build", "faults"), All())
	if err != nil {
		return nil, err
	}
	h.rtl = rtl.Options{Root: h.Root, Sources: sources, Log: h.Log}
	p, _ := preset.ByName(Preset)
	// One binary for all runs, whatever becomes of the sources meanwhile.
	h.rtl.Binary, err = rtl.Build(ctx, p, &h.rtl)
	return h, err
}

// Hunt plants all faults, runs those in the list one after the other, and says of each what became of it. An error is
// a failure of the bench: nothing can be said then.
func Hunt(ctx context.Context, o Options, list []Fault) ([]Outcome, error) {
	h, err := newHunt(ctx, o)
	if err != nil {
		return nil, err
	}
	var all []Outcome
	for i := range list {
		out, err := h.one(ctx, &list[i])
		if err != nil {
			return all, err
		}
		all = append(all, out)
		if h.Done != nil {
			h.Done(out)
		}
	}
	return all, nil
}

// Show runs one fault once and returns the verdict with its report; the run folder stays.
func Show(ctx context.Context, o Options, f *Fault, t Try) *lockstep.Verdict {
	h, err := newHunt(ctx, o)
	if err != nil {
		return (&lockstep.Verdict{Name: f.Name, Preset: Preset, Seed: t.Seed}).Failed(err)
	}
	v, err := h.run(ctx, f, t, "always")
	if err != nil {
		return (&lockstep.Verdict{Name: f.Name, Preset: Preset, Seed: t.Seed}).Failed(err)
	}
	return v
}

// one gives a fault its tries: each scenario with the first seed, then each with the next.
func (h *hunt) one(ctx context.Context, f *Fault) (Outcome, error) {
	out := Outcome{Fault: *f}
	for n := 0; n < h.Tries; n++ {
		for _, scenario := range f.Stimuli {
			out.Try = Try{Scenario: scenario, Seed: h.Seed + uint64(n)}
			out.Tries++
			v, err := h.run(ctx, f, out.Try, "never")
			if err != nil {
				return out, err
			}
			out.Full = v
			if v.Result == f.wanted() {
				return out, h.judge(ctx, &out)
			}
			if v.Result != lockstep.Match {
				out.Missing = append(out.Missing, fmt.Sprintf("ended otherwise than by a %v: %s", f.wanted(), v.Line))
				return out, nil
			}
		}
	}
	out.Missing = append(out.Missing, fmt.Sprintf("not noticed in %d runs", out.Tries))
	return out, nil
}

// wanted is the result that a catch has.
func (f *Fault) wanted() lockstep.Result {
	if f.Refused {
		return lockstep.BenchFailed
	}
	return lockstep.Diverged
}

// judge holds a catch against what is asked of it: a whole report, the same when run again and in mode digest, and
// silence without the fault.
func (h *hunt) judge(ctx context.Context, out *Outcome) error {
	digest := out.Try
	digest.Mode = target.ModeDigest
	var err error
	if out.Digest, err = h.run(ctx, &out.Fault, digest, "never"); err != nil {
		return err
	}
	again, err := h.run(ctx, &out.Fault, out.Try, "never")
	if err != nil {
		return err
	}
	out.Missing = lacking(&out.Fault, out.Full, out.Digest)
	if again.Line != out.Full.Line {
		out.Missing = append(out.Missing, fmt.Sprintf("the same run once more says %q", again.Line))
	}
	for _, t := range []Try{out.Try, digest} {
		v := h.clean[t]
		if v == nil {
			if v, err = h.run(ctx, nil, t, "never"); err != nil {
				return err
			}
			h.clean[t] = v
		}
		out.Clean = append(out.Clean, v)
		if v.Result != lockstep.Match {
			out.Missing = append(out.Missing, "false alarm without the fault: "+v.Line)
		}
	}
	return nil
}

// lacking lists what a report owes its reader and does not say.
func lacking(f *Fault, full, digest *lockstep.Verdict) []string {
	var missing []string
	for _, v := range []*lockstep.Verdict{full, digest} {
		need := func(ok bool, what string) {
			if !ok {
				missing = append(missing, fmt.Sprintf("mode %s: %s", v.Mode, what))
			}
		}
		need(v.Result == f.wanted(), fmt.Sprintf("ended with %v instead of %v: %s", v.Result, f.wanted(), v.Line))
		need(v.Rerun != "", "no line to run it again")
		d := v.Divergence
		if d == nil {
			need(v.Failure != "", "no cause")
			continue
		}
		need(d.Kind != "", "the report names no engine")
		need(d.Rule != "", "the report names no rule")
		need(d.What != "differs" || d.Field != "" && d.Device != d.Model, "the report names no field with two values")
		need(d.What == "differs" || d.Why != "", "the report gives no reason")
	}
	if a, b := full.Divergence, digest.Divergence; a != nil && b != nil && (a.Seq != b.Seq || a.Kind != b.Kind || a.Field != b.Field) {
		missing = append(missing, fmt.Sprintf("mode full says %q, mode digest %q", full.Line, digest.Line))
	}
	return missing
}

// run does one run; f nil: with no fault chosen.
func (h *hunt) run(ctx context.Context, f *Fault, t Try, journal string) (*lockstep.Verdict, error) {
	items, err := h.Source(t.Scenario, t.Seed)
	if err != nil {
		return nil, target.Fail("host", err, "no stimulus %s", t.Scenario)
	}
	o := session.Options{
		Name: "clean-" + t.Scenario, Device: "rtl", Config: target.Config{Preset: Preset, Seed: t.Seed, Mode: t.Mode},
		Stimulus: append(stalls(t.Seed), items...), RTL: h.rtl, RunsDir: h.RunsDir, Journal: journal,
	}
	number := 0
	if f != nil {
		number = f.Number
		o.Name, o.Rerun = f.Name, h.asked.Rerun(f, t)
	}
	o.RTL.Plusargs = []string{Plusarg(number)}
	v := session.Run(ctx, o)
	return v, ctx.Err()
}

// Rerun is the line that repeats a run of the hunt and ends with its exit code.
func (o *Options) Rerun(f *Fault, t Try) string {
	return fmt.Sprintf("tandem bugs show %s --scenario %s --mode %v", f.Name, t.Scenario, t.Mode) + session.AgainFlags(t.Seed, o.RunsDir, o.Root)
}

// stalls opens every run with random stalls on every stream. Frames stay back to back with every second seed: some
// faults need that, some need gaps.
func stalls(seed uint64) stimulus.List {
	l := stimulus.List{}
	for _, p := range []stimulus.Port{stimulus.PortMemory, stimulus.PortCompletion, stimulus.PortAck, stimulus.PortRegister} {
		l = append(l, stimulus.Item{Kind: stimulus.KindStall, Port: p, Permille: 100, Run: 12})
	}
	if seed%2 == 0 {
		l = append(l, stimulus.Item{Kind: stimulus.KindStall, Port: stimulus.PortFrame, Permille: 60, Run: 4})
	}
	return l
}
