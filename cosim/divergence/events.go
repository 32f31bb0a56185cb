package divergence

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/cosim/journal"
	"metaroce/tandem/cosim/lockstep"
	"metaroce/tandem/cosim/modeltarget"
	"metaroce/tandem/cosim/target"
	"metaroce/tandem/model/event"
	"metaroce/tandem/vectors/stimulus"
)

// before and behind are how many events around the divergence are shown.
const before, behind = 28, 12

// Side says who has an event.
type Side string

// Sides. What stands behind the divergence was not compared: it is the device's alone.
const (
	Both   Side = "both"
	Device Side = "device"
	Model  Side = "model" // owed by the device
	Parts  Side = "parts" // on both sides, with other values
)

// Event is one transaction around the divergence.
type Event struct {
	Seq       uint64 `json:"seq"`
	Cycle     uint64 `json:"cycle"`
	Predicted uint64 `json:"predicted,omitempty"` // by the model in cycles; 0: not at all, or not of a frame
	Engine    string `json:"engine"`
	Op        string `json:"op,omitempty"`
	Xid       uint32 `json:"xid"`
	Conn      uint16 `json:"conn"`
	Path      uint8  `json:"path"`
	Stream    uint16 `json:"stream"`
	Side      Side   `json:"side"`
	Same      bool   `json:"same,omitempty"`   // frame or command as that of the divergence
	Device    string `json:"device,omitempty"` // values that are not zero
	Model     string `json:"model,omitempty"`  // where they are not the device's
}

// events lists what stands around the divergence. Register accesses would hide the rest: they are left out, unless it is
// one of them.
func events(t *track, d *lockstep.Divergence, p *prediction) []Event {
	at := int(min(d.Seq, uint64(len(t.records))))
	register := event.KindRegister.String()
	take := func(i int) (Event, bool) {
		e, ok := eventOf(t.whole(i), d, p)
		return e, ok && (e.Engine != register || d.Kind == register)
	}
	var list []Event
	for i := at - 1; i >= 0 && len(list) < before; i-- {
		if e, ok := take(i); ok {
			e.Side = Both
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	if d.DeviceRecord == "" && d.Kind != "" {
		list = append(list, owedEvent(d))
	} else if at < len(t.records) {
		if e, ok := eventOf(t.whole(at), d, p); ok {
			e.Side, e.Model = Parts, modelValues(d)
			list = append(list, e)
		}
		at++
	}
	for n := 0; at < len(t.records) && n < behind; at++ {
		if e, ok := take(at); ok {
			e.Side = Device
			list = append(list, e)
			n++
		}
	}
	return list
}

func eventOf(record []byte, d *lockstep.Divergence, p *prediction) (Event, bool) {
	var h event.Head
	if h.Decode(record) != nil {
		return Event{}, false
	}
	_, text, _ := strings.Cut(lockstep.Format(record), ":")
	e := Event{
		Seq: uint64(h.Seq), Cycle: h.Cycle, Engine: h.Kind.String(), Xid: h.Xid, Conn: h.Conn, Path: h.Path, Stream: h.Stream,
		Same: h.Xid != 0 && h.Xid == d.Xid, Device: strings.TrimSpace(text),
	}
	if info := event.Info(h.Kind); info != nil && len(info.Ops) > 0 {
		e.Op = event.OpName(h.Kind, h.Op)
	}
	if p != nil {
		e.Predicted = p.at[key{h.Kind, h.Xid, h.Op}]
	}
	return e, true
}

// owedEvent is what the model expects and the device does not have.
func owedEvent(d *lockstep.Divergence) Event {
	return Event{Seq: d.Seq, Cycle: d.Cycle, Engine: d.Kind, Op: d.Op, Xid: d.Xid, Conn: d.Conn, Path: d.Path, Stream: d.Stream,
		Side: Model, Same: true, Model: fmt.Sprintf("%s: %s", d.What, d.Why)}
}

// modelValues are the values that the model has instead, or why it has none.
func modelValues(d *lockstep.Divergence) string {
	if len(d.Fields) == 0 {
		return d.What + ": " + d.Why
	}
	var parts []string
	for _, f := range d.Fields {
		parts = append(parts, f.Field+"="+f.Model)
	}
	return strings.Join(parts, " ")
}

// key names an event of a frame or a command.
type key struct {
	kind event.Kind
	xid  uint32
	op   uint8
}

// prediction is when the model in cycles has the first event of each key.
type prediction struct {
	at   map[key]uint64
	rows []lockstep.SkewRow
}

// framesBehind is how many frames more than the device had taken the model gets.
const framesBehind = 32

// mostCycles bounds the run of the model: to some seconds, and to less in a fuzz test.
var mostCycles uint64 = 8 << 20

// until cuts a stimulus behind what the device had taken of it.
func until(items stimulus.List, frames uint32) stimulus.List {
	var list stimulus.List
	n := uint32(0)
	for _, it := range items {
		switch it.Kind {
		case stimulus.KindFrame:
			if n++; n > frames+framesBehind {
				return list
			}
		case stimulus.KindWaitCycles:
			it.Value = uint32(min(uint64(it.Value), mostCycles))
		}
		list = append(list, it)
	}
	return list
}

// predict runs the model in cycles over the same stimulus, told when each frame came in.
func predict(ctx context.Context, j *journal.Journal, t *track, equal uint64) (*prediction, error) {
	m := modeltarget.NewSkewMeter()
	frames := uint32(0)
	for i := uint64(0); i < min(equal, uint64(len(t.records))); i++ {
		b := t.records[i]
		if cycle := binary.LittleEndian.Uint64(b[8:]); cycle > mostCycles {
			return nil, fmt.Errorf("the divergence is behind cycle %d: more than is run again for a report", mostCycles)
		}
		m.Take(b)
		if event.Kind(b[1]) == event.KindPacketIn {
			frames = max(frames, binary.LittleEndian.Uint32(b[16:]))
		}
	}
	p := &prediction{at: map[key]uint64{}}
	c := j.Meta.Config
	c.Mode = target.ModeFull
	rows, err := m.RowsOf(ctx, c, until(j.Stimulus, frames), func(record []byte) {
		k := key{event.Kind(record[1]), binary.LittleEndian.Uint32(record[16:]), record[2]}
		if _, seen := p.at[k]; !seen && k.xid != 0 && k.xid < commandBit { // commands have no time that both would count from
			p.at[k] = binary.LittleEndian.Uint64(record[8:])
		}
	})
	for _, r := range rows {
		if r.Events > 0 {
			p.rows = append(p.rows, lockstep.SkewRow{Kind: r.Kind.String(), Events: r.Events, Unmatched: r.Unmatched, P50: r.P50, P99: r.P99, Max: r.Max,
				DeviceMean: r.DeviceMean, PredictMean: r.PredictMean})
		}
	}
	return p, err
}
