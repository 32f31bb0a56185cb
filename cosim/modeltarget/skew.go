package modeltarget

import (
	"context"
	"encoding/binary"

	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pipe"
	"metaroce/tandem/vectors/stimulus"
)

// SkewMeter compares the times of a run with those that model/pipe predicts, told nothing but the cycle in which each
// frame was in. Approximate by design, so it gets numbers, not a verdict.
type SkewMeter struct {
	skew *pipe.Skew
	in   map[uint32]uint64 // cycle of each frame's last beat
}

// NewSkewMeter returns an empty one.
func NewSkewMeter() *SkewMeter { return &SkewMeter{pipe.NewSkew(), map[uint32]uint64{}} }

// Take takes a record of the run.
func (s *SkewMeter) Take(record []byte) {
	s.skew.Device(record)
	if event.Kind(record[1]) == event.KindPacketIn {
		s.in[binary.LittleEndian.Uint32(record[16:])] = binary.LittleEndian.Uint64(record[8:])
	}
}

// Rows predicts the run and compares.
func (s *SkewMeter) Rows(ctx context.Context, c target.Config, items stimulus.List) ([]pipe.SkewRow, error) {
	return s.RowsOf(ctx, c, items, func([]byte) {})
}

// RowsOf is Rows, and shows every record of the prediction.
func (s *SkewMeter) RowsOf(ctx context.Context, c target.Config, items stimulus.List, see func(record []byte)) ([]pipe.SkewRow, error) {
	dev, err := s.predict(c, items)
	if err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := dev.Run(want)
		if err != nil {
			return nil, err
		}
		if len(b) == 0 {
			return s.skew.Rows(), nil
		}
		for len(b) > 0 {
			n := target.RecordBytes * (1 + int(b[3]))
			s.skew.Model(b[:n])
			see(b[:n])
			b = b[n:]
		}
	}
}

// predict returns a device for the same stimulus as a run of another one, in which each frame arrives in the cycle in
// which it arrived there.
func (s *SkewMeter) predict(c target.Config, items stimulus.List) (*pipe.Device, error) {
	d := New()
	if err := d.Reset(context.Background(), c); err != nil {
		return nil, err
	}
	n := uint32(0)
	apply(d.d, items, func(it *stimulus.Item) {
		n++
		d.d.FrameAt(it.Data, s.in[n])
	})
	return d.d, nil
}
