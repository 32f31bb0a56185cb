package modeltarget

import (
	"context"
	"io"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/vectors/stimulus"
)

// want is how many bytes of records one Drain produces, about.
const want = 64 << 10

// Device is the model in cycles.
type Device struct {
	d      *pipe.Device
	mode   target.Mode
	heads  []byte // of the last batch, in ModeDigest
	ring   [target.RingTransactions][event.MaxRecord]byte
	ending target.Ending
	failed error
}

// New returns a device that is to be reset.
func New() *Device { return &Device{} }

// Describe says what the model shows: everything.
func (d *Device) Describe() target.Description {
	return target.Description{Name: "model (pipe)", Fidelity: target.Exact, Sees: target.SeesAll()}
}

// Reset makes a device of the preset.
func (d *Device) Reset(_ context.Context, c target.Config) error {
	p, ok := preset.ByName(c.Preset)
	if !ok {
		return &target.Unsupported{What: "preset " + c.Preset}
	}
	dev, err := pipe.New(pipe.Config{Params: p, Latency: pipe.DefaultLatency(p), Seed: c.Seed, MemoryLo: 8, MemoryHi: 8})
	if err != nil {
		return target.Fail("device", err, "cannot be made")
	}
	d.d, d.mode, d.ending, d.failed = dev, c.Mode, target.Ending{}, nil
	return nil
}

var portOf = map[stimulus.Port]pipe.Port{
	stimulus.PortFrame: pipe.PortFrame, stimulus.PortMemory: pipe.PortMemory, stimulus.PortCompletion: pipe.PortCompletion,
	stimulus.PortAck: pipe.PortAck, stimulus.PortRegister: pipe.PortRegister,
}

// Apply queues stimulus.
func (d *Device) Apply(_ context.Context, items stimulus.List) error {
	if err := journal.CheckItems(items); err != nil {
		return target.Fail("host", err, "the bench cannot drive this")
	}
	apply(d.d, items, func(it *stimulus.Item) { d.d.Frame(it.Data, uint64(it.Gap)) })
	return nil
}

func apply(d *pipe.Device, items stimulus.List, frame func(it *stimulus.Item)) {
	for i := range items {
		it := &items[i]
		switch it.Kind {
		case stimulus.KindFrame:
			frame(it)
		case stimulus.KindWrite:
			d.Write(it.Addr, it.Value)
		case stimulus.KindRead:
			d.Read(it.Addr)
		case stimulus.KindWaitCycles:
			d.WaitCycles(uint64(it.Value))
		case stimulus.KindWaitIdle:
			d.WaitIdle()
		case stimulus.KindFault:
			d.WaitIdle() // a range is in force for whole frames on every target
			d.Fault(it.Lo, it.Hi)
		case stimulus.KindLatency:
			d.Latency(it.Lo, it.Hi)
		case stimulus.KindStall:
			d.Stall(portOf[it.Port], pipe.Stall{Permille: it.Permille, Run: it.Run})
		}
	}
}

// Finish needs nothing: the device runs until it is idle.
func (d *Device) Finish(context.Context) error { return nil }

// Drain runs the device for the next records.
func (d *Device) Drain(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, target.Fail("host", err, "interrupted")
	}
	if d.failed != nil {
		return nil, d.failed
	}
	b, err := d.d.Run(want)
	if err != nil { // what came before it is still worth comparing
		d.failed = target.Fail("device", err, "the model is stuck")
	}
	if len(b) == 0 {
		d.ending.Cycles = d.d.Cycle()
		if d.failed != nil {
			return nil, d.failed
		}
		return nil, io.EOF
	}
	return d.keep(b), nil
}

// keep counts the records, keeps them whole for a second look, and thins them out in ModeDigest.
func (d *Device) keep(b []byte) []byte {
	d.heads = d.heads[:0]
	for at := 0; at < len(b); {
		size := target.RecordBytes * (1 + int(b[at+3]))
		copy(d.ring[d.ending.Transactions%target.RingTransactions][:], b[at:at+size])
		d.ending.Digest = target.HeadsDigest(d.ending.Digest, b[at:])
		d.ending.Transactions++
		if d.mode == target.ModeDigest {
			d.heads = append(d.heads, b[at:at+target.RecordBytes]...)
		}
		at += size
	}
	if d.mode == target.ModeDigest {
		return d.heads
	}
	return b
}

// SecondLook returns the last transactions whole.
func (d *Device) SecondLook(context.Context) ([]byte, error) {
	var b []byte
	for n := d.ending.Transactions - min(d.ending.Transactions, target.RingTransactions); n < d.ending.Transactions; n++ {
		r := d.ring[n%target.RingTransactions][:]
		b = append(b, r[:target.RecordBytes*(1+int(r[3]))]...)
	}
	return b, nil
}

// End is valid after io.EOF.
func (d *Device) End() target.Ending { return d.ending }

// Close does nothing.
func (d *Device) Close() error { return nil }
