package session

import (
	"encoding/binary"

	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/modeltarget"
	"metaroce/tandem/model/event"
	"metaroce/tandem/model/pipe"
)

// skewMeter gathers the heads of a run for the comparison of times: model/pipe, told nothing but the cycle in which each
// frame was in, predicts the cycle of every event of that frame. Approximate by design, so it gets a number, not a verdict.
type skewMeter struct {
	skew *pipe.Skew
	in   map[uint32]uint64 // cycle of each frame's last beat
}

func newSkewMeter() *skewMeter { return &skewMeter{pipe.NewSkew(), map[uint32]uint64{}} }

func (s *skewMeter) take(record []byte) {
	s.skew.Device(record)
	if event.Kind(record[1]) == event.KindPacketIn {
		s.in[binary.LittleEndian.Uint32(record[16:])] = binary.LittleEndian.Uint64(record[8:])
	}
}

// rows predicts the run and compares.
func (s *skewMeter) rows(o *Options) ([]lockstep.SkewRow, error) {
	dev, err := modeltarget.Predict(o.Config, o.Stimulus, s.in)
	if err != nil {
		return nil, err
	}
	for {
		b, err := dev.Run(1 << 16)
		if err != nil {
			return nil, err
		}
		if len(b) == 0 {
			break
		}
		for len(b) > 0 {
			n := event.RecordSize * (1 + int(b[3]))
			s.skew.Model(b[:n])
			b = b[n:]
		}
	}
	var rows []lockstep.SkewRow
	for _, r := range s.skew.Rows() {
		rows = append(rows, lockstep.SkewRow{
			Kind: r.Kind.String(), Events: r.Events, Unmatched: r.Unmatched, P50: r.P50, P99: r.P99, Max: r.Max,
			DeviceMean: r.DeviceMean, PredictMean: r.PredictMean,
		})
	}
	return rows, nil
}
