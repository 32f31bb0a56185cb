package replay

import (
	"context"
	"fmt"
	"io"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/vectors/stimulus"
)

// batch is how many bytes one Drain looks through at most; whole transactions only.
const batch = 64 << 10

// Device gives back a journal.
type Device struct {
	j      *journal.Journal
	at     int
	count  uint64
	digest uint64
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
	d.at, d.count, d.digest = 0, 0, 0
	return nil
}

// Apply does nothing: the stimulus is part of the recording.
func (d *Device) Apply(context.Context, stimulus.List) error { return nil }

// Finish does nothing.
func (d *Device) Finish(context.Context) error { return nil }

// Drain returns the next transactions. A recording that was broken off, or that lost records since, ends with an error:
// what is missing in it says nothing about the device.
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
		d.count++
		d.digest = target.HeadsDigest(d.digest, d.j.Records[d.at:])
		d.at += n
	}
	if d.at > from {
		return d.j.Records[from:d.at], nil
	}
	switch e := d.j.Ending; {
	case e == nil:
		return nil, target.Fail("run folder", nil, "the recording was broken off after %d records", d.count)
	case e.Transactions != d.count || e.Digest != d.digest:
		return nil, target.Fail("run folder", nil, "%s holds %d records with digest %016x, the device sent %d with %016x",
			journal.RecordsFile, d.count, d.digest, e.Transactions, e.Digest)
	}
	return nil, io.EOF
}

// SecondLook is what the device answered to one when it was recorded.
func (d *Device) SecondLook(context.Context) ([]byte, error) {
	if d.j.Ring == nil {
		return nil, &target.Unsupported{What: "a second look at a run that was recorded without one: run it again in mode full"}
	}
	return d.j.Ring, nil
}

// End is valid after io.EOF.
func (d *Device) End() target.Ending { return *d.j.Ending }

// Close does nothing.
func (d *Device) Close() error { return nil }
