package pipe

import (
	"encoding/binary"
	"sort"

	"metaroce/tandem/model/event"
)

// Skew compares the times of two devices event by event: for each frame and kind of event, the cycles since the
// frame's last beat came in. Counted so, a difference early in a run does not add up over it. Events that belong to no
// frame (timers, acknowledgements, commands) have no such time and are left out.
type Skew struct {
	device, model times
}

// times holds the time of the first event of each kind of each frame.
type times struct {
	in map[uint32]uint64
	at map[skewKey]uint64
}

type skewKey struct {
	kind event.Kind
	xid  uint32
}

// NewSkew returns an empty comparison.
func NewSkew() *Skew {
	return &Skew{
		device: times{map[uint32]uint64{}, map[skewKey]uint64{}},
		model:  times{map[uint32]uint64{}, map[skewKey]uint64{}},
	}
}

// Device takes a record, or its head, of the device that is measured.
func (s *Skew) Device(rec []byte) { s.device.take(rec) }

// Model takes a record, or its head, of the prediction.
func (s *Skew) Model(rec []byte) { s.model.take(rec) }

func (t *times) take(rec []byte) {
	if len(rec) < event.RecordSize {
		return
	}
	kind, xid := event.Kind(rec[1]), binary.LittleEndian.Uint32(rec[16:])
	cycle := binary.LittleEndian.Uint64(rec[8:])
	if kind == event.KindPacketIn {
		t.in[xid] = cycle
		return
	}
	start, ok := t.in[xid]
	if !ok {
		return
	}
	key := skewKey{kind, xid}
	if _, seen := t.at[key]; !seen {
		t.at[key] = cycle - start
	}
}

// SkewRow is the skew of one kind of event, in cycles: how far the prediction lies beside the device, to either side.
type SkewRow struct {
	Kind        event.Kind
	Events      int // seen on both
	Unmatched   int // seen on one only
	P50, P99    uint64
	Max         uint64
	DeviceMean  uint64 // cycles since the last beat in, on the device
	PredictMean uint64 // the same as predicted
}

// Rows returns the skew of each kind that was seen, in the order of the kinds.
func (s *Skew) Rows() []SkewRow {
	diffs := map[event.Kind][]uint64{}
	rows := map[event.Kind]*SkewRow{}
	row := func(k event.Kind) *SkewRow {
		if rows[k] == nil {
			rows[k] = &SkewRow{Kind: k}
		}
		return rows[k]
	}
	for key, at := range s.device.at {
		r := row(key.kind)
		predicted, ok := s.model.at[key]
		if !ok {
			r.Unmatched++
			continue
		}
		r.Events++
		r.DeviceMean += at
		r.PredictMean += predicted
		diffs[key.kind] = append(diffs[key.kind], max(at, predicted)-min(at, predicted))
	}
	for key := range s.model.at {
		if _, ok := s.device.at[key]; !ok {
			row(key.kind).Unmatched++
		}
	}
	var all []SkewRow
	for k, r := range rows {
		if d := diffs[k]; len(d) > 0 {
			sort.Slice(d, func(i, j int) bool { return d[i] < d[j] })
			r.P50, r.P99, r.Max = d[len(d)/2], d[len(d)*99/100], d[len(d)-1]
			r.DeviceMean /= uint64(len(d))
			r.PredictMean /= uint64(len(d))
		}
		all = append(all, *r)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Kind < all[j].Kind })
	return all
}
