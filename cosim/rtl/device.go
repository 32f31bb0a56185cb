package rtl

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"metaroce/tandem/cosim/bridge"
	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/stimulus"
)

// connectWait bounds the start of a simulator: reading the binary and making its tables.
const connectWait = 20 * time.Second

// exitWait is how long a simulator that has said goodbye, or was lost, may take to end by itself.
const exitWait = 700 * time.Millisecond

// coverageWait is the same where it writes a hundred thousand points first.
const coverageWait = time.Minute

// Device is RTL in a simulator of its own process.
type Device struct {
	opt    Options
	binary string
	dev    *bridge.Device
	proc   *process
	tmp    string
	once   sync.Once
}

// New returns a device; nothing is built or started before Reset.
func New(opt Options) *Device { return &Device{opt: opt} }

// Describe says what RTL shows: everything.
func (d *Device) Describe() target.Description {
	return target.Description{Name: "rtl (" + d.simulator() + ")", Fidelity: target.Exact, Sees: target.SeesAll()}
}

func (d *Device) simulator() string {
	if d.dev != nil && d.dev.Simulator() != "" {
		return d.dev.Simulator()
	}
	return "Verilator"
}

// Terms are what a run is agreed on with a device of that configuration.
func Terms(c *target.Config) (bridge.Terms, error) {
	p, ok := preset.ByName(c.Preset)
	if !ok {
		return bridge.Terms{}, &target.Unsupported{What: "preset " + c.Preset}
	}
	t := bridge.Terms{
		Schema: event.SchemaHash, Preset: p.Name, Seed: c.Seed, ClockPs: c.ClockPs, QuietCycles: c.QuietCycles, Mode: c.Mode,
		Batch: c.Batch,
	}
	if t.ClockPs == 0 {
		t.ClockPs = preset.TickPs
	}
	if t.QuietCycles == 0 {
		t.QuietCycles = 20000
	}
	for _, x := range presetParams(&p) {
		t.Params = append(t.Params, bridge.PresetParam{Name: x.Name, Value: uint64(x.Value)})
	}
	return t, nil
}

// Reset builds the simulator if need be, starts it and shakes hands.
func (d *Device) Reset(ctx context.Context, c target.Config) error {
	terms, err := Terms(&c)
	if err != nil {
		return err
	}
	p, _ := preset.ByName(c.Preset)
	if d.binary, err = Build(ctx, p, &d.opt); err != nil {
		return err
	}
	if d.opt.RunDir == "" {
		if d.tmp, err = os.MkdirTemp("", "tandem-"); err != nil {
			return target.Fail("run folder", err, "cannot make one")
		}
		d.opt.RunDir = d.tmp
	}
	l, err := bridge.Listen(d.opt.RunDir)
	if err != nil {
		return err
	}
	defer l.Close()
	args := append(SeedArgs(c.Seed), "+tandem_socket="+l.Path)
	if d.opt.CoverageFile != "" {
		args = append(args, "+tandem_coverage="+d.opt.CoverageFile)
	}
	if d.proc, err = start(d.opt.RunDir, d.binary, append(args, d.opt.Plusargs...)); err != nil {
		return err
	}
	terms.Runs = d.proc.runs
	d.dev, err = l.Accept(ctx, terms, connectWait, d.proc.gone)
	if err != nil {
		return d.explain(err)
	}
	return nil
}

// SeedArgs seed what the simulator itself draws: registers and memories without reset start with random bits. The seed is
// in hexadecimal digits: of a decimal one a simulator takes 63 bits.
func SeedArgs(seed uint64) []string {
	return []string{
		"+tandem_seed=" + strconv.FormatUint(seed, 16), "+verilator+rand+reset+2",
		"+verilator+seed+" + strconv.FormatUint(seed%0x7ffffffe+1, 10),
	}
}

// Apply sends stimulus ahead.
func (d *Device) Apply(_ context.Context, items stimulus.List) error {
	if err := journal.CheckItems(items); err != nil {
		return target.Fail("host", err, "the bench cannot drive this")
	}
	d.dev.Apply(items)
	return nil
}

// Finish says that no stimulus follows.
func (d *Device) Finish(context.Context) error {
	d.dev.Finish()
	return nil
}

// Drain returns the next batch.
func (d *Device) Drain(ctx context.Context) ([]byte, error) {
	b, err := d.dev.Next(ctx)
	if errors.Is(err, io.EOF) {
		return nil, d.goodbye()
	}
	if err != nil {
		return nil, d.explain(err)
	}
	return b, nil
}

// goodbye waits for the end of a simulator whose counts agreed. io.EOF if all is well.
func (d *Device) goodbye() error {
	if !d.proc.ends(d.lastWait()) {
		return target.Fail("device", nil, "did not end %v after its last message", d.lastWait())
	}
	if d.proc.err != nil {
		f := target.Fail("device", d.proc.err, "ended badly: %s", d.proc.lastLine())
		f.Gone = true
		return f
	}
	return io.EOF
}

// lastWait is how long it may take to end.
func (d *Device) lastWait() time.Duration {
	if d.opt.CoverageFile != "" {
		return coverageWait
	}
	return exitWait
}

// SecondLook fetches the last transactions whole.
func (d *Device) SecondLook(ctx context.Context) ([]byte, error) { return d.dev.Fetch(ctx) }

// End is valid after io.EOF.
func (d *Device) End() target.Ending {
	return d.dev.End()
}

// CPU is the processor time of the simulator's process; valid after Close.
func (d *Device) CPU() time.Duration { return d.proc.cpu() }

// Memory is the most bytes that the simulator's process held at once; valid after Close. 0: it never ran.
func (d *Device) Memory() int64 {
	if d.proc == nil {
		return 0
	}
	return d.proc.memory()
}

// Close ends the simulator and everything that it started.
func (d *Device) Close() error {
	d.once.Do(func() {
		if d.dev != nil {
			_ = d.dev.Close()
		}
		if d.proc != nil {
			d.proc.kill()
		}
		if d.tmp != "" {
			_ = os.RemoveAll(d.tmp)
		}
	})
	return nil
}

// explain adds what became of the process to a failure of the device.
func (d *Device) explain(err error) error {
	var f *target.Failure
	if !errors.As(err, &f) || f.Side != "device" { // a refusal or garbage says all there is to say
		return err
	}
	if !d.proc.ends(exitWait / 2) {
		return err
	}
	g := *f
	g.Gone = true
	if strings.HasSuffix(d.proc.lastLine(), f.Cause) { // it said so itself
		return &g
	}
	g.Err = nil
	g.Cause = f.Cause + "; the simulator " + d.proc.fate()
	return &g
}
