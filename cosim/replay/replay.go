package replay

import (
	"context"
	"fmt"
	"io"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

// batch is how many bytes one Drain looks through at most; whole transactions only.
const batch = 64 << 10

// Device gives back a journal.
type Device struct {
	j      *journal.Journal
	at     int
	ending target.Ending
}

// New returns the device of a journal.
func New(j *journal.Journal) *Device { return &Device{j: j} }

// Describe says what a journal shows: what its device showed.
func (d *Device) Describe() target.Description {
	return target.Description{Name: "replay of " + d.j.Dir, Fidelity: target.Exact, Sees: target.SeesAll()}
}

// Reset takes the configuration of the recording and no other.
func (d *Device) Reset(_ context.Context, c target.Config) error {
	if c.Preset != d.j.Meta.Config.Preset || c.Mode != d.j.Meta.Config.Mode || c.Seed != d.j.Meta.Config.Seed {
		return &target.Unsupported{What: fmt.Sprintf("a run recorded with preset %s, mode %v, seed %d as anything else",
			d.j.Meta.Config.Preset, d.j.Meta.Config.Mode, d.j.Meta.Config.Seed)}
	}
	d.at = 0
	return nil
}

// Apply does nothing: the stimulus is part of the recording.
func (d *Device) Apply(context.Context, stimulus.List) error { return nil }

// Finish does nothing.
func (d *Device) Finish(context.Context) error { return nil }

// Drain returns the next transactions.
func (d *Device) Drain(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, target.Fail("host", err, "interrupted")
	}
	from := d.at
	for d.at < len(d.j.Records) && d.at-from < batch {
		n, err := journal.Size(d.j.Records[d.at:], d.j.Meta.Config.Mode)
		if err != nil {
			return d.j.Records[from:d.at], target.Fail("run folder", err, "%s, byte %d", journal.RecordsFile, d.at)
		}
		var h event.Head
		if h.Decode(d.j.Records[d.at:]) == nil {
			d.ending.Cycles = h.Cycle
		}
		d.ending.Transactions++
		d.ending.Digest = target.HeadsDigest(d.ending.Digest, d.j.Records[d.at:])
		d.at += n
	}
	if d.at == from {
		return nil, io.EOF
	}
	return d.j.Records[from:d.at], nil
}

// SecondLook has nothing to add to heads: only the device kept the states.
func (d *Device) SecondLook(context.Context) ([]byte, error) {
	return nil, &target.Unsupported{What: "a second look at a run recorded in mode digest: run it again in mode full"}
}

// End is valid after io.EOF.
func (d *Device) End() target.Ending { return d.ending }

// Close does nothing.
func (d *Device) Close() error { return nil }
