package vector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/rtl"
	"metaroce/tandem/cosim/session"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/mrv"
	"metaroce/tandem/vectors/stimulus"
)

// Targets by name.
const (
	Blocks = "blocks"
	Model  = "model"
	RTL    = "rtl"
)

// Options of a run.
type Options struct {
	Target  string
	RTL     rtl.Options
	RunsDir string // of runs on RTL that do not match
	Rerun   string // one line that repeats the run
}

// can is what each target is able to do.
var can = map[string][]string{
	Blocks: {"receive", "commits"},
	Model:  {"receive", "commits", "cycles"},
	RTL:    {"receive", "commits", "cycles"},
}

// Outcome of a vector on a target.
type Outcome struct {
	Name       string            `json:"name"`
	ID         string            `json:"id"`
	Kind       string            `json:"kind"`
	Target     string            `json:"target"`
	Result     lockstep.Result   `json:"result"`
	Line       string            `json:"line"`
	Mismatches []expect.Mismatch `json:"mismatches,omitempty"`
	More       int               `json:"more,omitempty"`
	Compared   int               `json:"compared"` // events or steps
	Acks       int               `json:"acks,omitempty"`
	Untimed    int               `json:"untimed,omitempty"` // windows of cycles that this target has no cycles for
	Folder     string            `json:"folder,omitempty"`
}

// Check runs a vector and compares.
func Check(ctx context.Context, v *mrv.Vector, o Options) *Outcome {
	out := &Outcome{Name: v.Name, ID: v.ID, Kind: v.Kind, Target: o.Target}
	if err := Supported(v, o.Target); err != nil {
		return out.failed(err)
	}
	if IsBlock(v.Kind) {
		return checkSteps(out, v)
	}
	seen, watch, err := Run(ctx, v, o)
	var d *divergence
	if errors.As(err, &d) {
		return out.ended(d.verdict)
	}
	if err != nil {
		return out.failed(err)
	}
	res := expect.Compare(&v.Want, seen)
	bad, held, untimed := watch.Check(slices.Contains(can[o.Target], "cycles"))
	out.Compared, out.Acks, out.Untimed = res.Compared+held, res.Acks, untimed
	out.Mismatches, out.More = append(res.Mismatches, bad...), res.More
	return out.judge()
}

// ended is a run on RTL that lockstep ended before what the vector asks for could be looked at: compared are the events until then.
func (out *Outcome) ended(v *lockstep.Verdict) *Outcome {
	out.Result, out.Line, out.Folder = lockstep.Diverged, bare(v), v.Folder
	for _, n := range v.Compared {
		out.Compared += int(n)
	}
	return out
}

// bare is the line of a verdict without its result, which stands beside it.
func bare(v *lockstep.Verdict) string { return strings.TrimPrefix(v.Line, v.Result.String()+": ") }

func (out *Outcome) failed(err error) *Outcome {
	out.Result, out.Line = lockstep.BenchFailed, err.Error()
	var u *target.Unsupported
	if errors.As(err, &u) {
		out.Result = lockstep.Unsupported
	}
	return out
}

func (out *Outcome) judge() *Outcome {
	switch {
	case len(out.Mismatches) > 0:
		out.Result, out.Line = lockstep.Diverged, out.Mismatches[0].String()
		if n := len(out.Mismatches) + out.More - 1; n > 0 {
			out.Line += fmt.Sprintf(", and %d more", n)
		}
	case out.Compared == 0:
		out.Result, out.Line = lockstep.Inconclusive, "nothing was compared"
	default:
		out.Result, out.Line = lockstep.Match, fmt.Sprintf("%d compared", out.Compared)
	}
	return out
}

// Supported says what keeps a target from running a vector: an Unsupported, or nil.
func Supported(v *mrv.Vector, name string) error {
	have, ok := can[name]
	if !ok {
		return &target.Unsupported{What: fmt.Sprintf("target %q; there are blocks, model and rtl", name)}
	}
	if !knownKind(v.Kind) {
		return &target.Unsupported{What: fmt.Sprintf("vector %s is of kind %q; there are %s: a newer program may know it", v.Name, v.Kind, kinds())}
	}
	if v.Kind == mrv.Endpoint || len(v.Acts) > 0 {
		return &target.Unsupported{What: fmt.Sprintf("vector %s is of a whole endpoint; %s is a receive side", v.Name, name)}
	}
	for _, r := range v.Requires {
		if !slices.Contains(have, r) {
			return &target.Unsupported{What: fmt.Sprintf("vector %s requires %q, which %s cannot do", v.Name, r, name)}
		}
	}
	if _, ok := preset.ByName(v.Preset); !ok {
		return &target.Unsupported{What: fmt.Sprintf("vector %s: preset %q", v.Name, v.Preset)}
	}
	return nil
}

// Run runs a vector's stimulus on a target and records what it shows.
func Run(ctx context.Context, v *mrv.Vector, o Options) (*expect.Seen, *expect.Watch, error) {
	prog := v.Program()
	rec := expect.NewRecorder(len(prog.Frames), expect.Points(prog.Items), func(xid uint32) []byte { return prog.Frames[xid-1].Payload })
	watch := expect.NewWatch(v.Sees)
	observe := func(b []byte) {
		rec.Observe(b)
		watch.Observe(b)
	}
	p, _ := preset.ByName(v.Preset)
	var err error
	switch o.Target {
	case Blocks:
		err = walk(p, prog.Items, observe)
	case Model:
		err = cycles(ctx, usual(v), prog.Items, observe)
	default:
		err = simulate(ctx, v, o, observe)
	}
	return rec.Seen(), watch, err
}

// usual is the model in cycles as fast as the RTL is.
func usual(v *mrv.Vector) pipe.Config {
	p, _ := preset.ByName(v.Preset)
	return pipe.Config{Params: p, Latency: pipe.DefaultLatency(p), Seed: v.Seed}
}

// cycles runs the model in cycles. Memory answers after 8 cycles, until the stimulus says otherwise.
func cycles(ctx context.Context, c pipe.Config, items stimulus.List, observe func([]byte)) error {
	c.MemoryLo, c.MemoryHi = 8, 8
	d, err := pipe.New(c)
	if err != nil {
		return err
	}
	give(d, items)
	for {
		if err := ctx.Err(); err != nil {
			return target.Fail("host", err, "interrupted")
		}
		b, err := d.Run(64 << 10)
		if err != nil {
			return err
		}
		if len(b) == 0 {
			return nil
		}
		for at := 0; at < len(b); {
			size := target.RecordBytes * (1 + int(b[at+3]))
			observe(b[at : at+size])
			at += size
		}
	}
}

var pipePort = map[stimulus.Port]pipe.Port{stimulus.PortFrame: pipe.PortFrame, stimulus.PortMemory: pipe.PortMemory,
	stimulus.PortCompletion: pipe.PortCompletion, stimulus.PortAck: pipe.PortAck, stimulus.PortRegister: pipe.PortRegister}

func give(d *pipe.Device, items stimulus.List) {
	for i := range items {
		switch it := &items[i]; it.Kind {
		case stimulus.KindFrame:
			d.Frame(it.Data, uint64(it.Gap))
		case stimulus.KindWrite:
			d.Write(it.Addr, it.Value)
		case stimulus.KindRead:
			d.Read(it.Addr)
		case stimulus.KindWaitCycles:
			d.WaitCycles(uint64(it.Value))
		case stimulus.KindWaitIdle:
			d.WaitIdle()
		case stimulus.KindFault:
			d.WaitIdle()
			d.Fault(it.Lo, it.Hi)
		case stimulus.KindLatency:
			d.Latency(it.Lo, it.Hi)
		case stimulus.KindStall:
			d.Stall(pipePort[it.Port], pipe.Stall{Permille: it.Permille, Run: it.Run})
		}
	}
}

// divergence is a run on RTL that lockstep has ended.
type divergence struct{ verdict *lockstep.Verdict }

func (d *divergence) Error() string { return d.verdict.Line }

// simulate runs the RTL in lockstep with the model, which says more about a difference than a vector can.
func simulate(ctx context.Context, v *mrv.Vector, o Options, observe func([]byte)) error {
	verdict := session.Run(ctx, session.Options{
		Name: v.Name, Device: "rtl", Config: target.Config{Preset: v.Preset, Seed: v.Seed, Mode: target.ModeFull}, Stimulus: v.Program().Items,
		RTL: o.RTL, RunsDir: o.RunsDir, Journal: "failure", Rerun: o.Rerun, Observe: observe,
	})
	switch verdict.Result {
	case lockstep.Match:
		return nil
	case lockstep.Diverged:
		return &divergence{verdict}
	case lockstep.Unsupported:
		return &target.Unsupported{What: verdict.Line}
	}
	return errors.New(bare(verdict))
}
