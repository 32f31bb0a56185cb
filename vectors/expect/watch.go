package expect

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Watch keeps the events that Sees speak of and holds these against them.
type Watch struct {
	sees   []See
	wanted [256]bool
	now    Point    // what entered so far
	enter  []uint64 // cycle in which a frame entered
	events []watched
}

type watched struct {
	kind  event.Kind
	op    wire.Opcode // of a reply
	at    Point
	cycle uint64
	rec   []byte
	used  bool
}

// NewWatch makes one for some Sees.
func NewWatch(sees []See) *Watch {
	w := &Watch{sees: sees}
	for i := range sees {
		if kind, _, ok := kindOf(sees[i].What); ok {
			w.wanted[kind] = true
		}
	}
	return w
}

// Observe takes one transaction.
func (w *Watch) Observe(rec []byte) {
	if len(w.sees) == 0 || len(rec) < event.RecordSize {
		return
	}
	kind := event.Kind(rec[1])
	cycle := binary.LittleEndian.Uint64(rec[8:])
	switch kind {
	case event.KindPacketIn:
		w.now.Frames++
		w.enter = append(w.enter, cycle)
	case event.KindRegister:
		w.now.Accesses++
	}
	if !w.wanted[kind] {
		return
	}
	e := watched{kind: kind, at: w.now, cycle: cycle, rec: bytes.Clone(rec)}
	if kind == event.KindPacketOut {
		var r event.PacketOut
		if r.Decode(rec) == nil {
			e.op = wire.Opcode(r.In.Bytes[1])
		}
	}
	w.events = append(w.events, e)
}

// Check holds the events against the Sees. timed says whether cycles mean anything on this target; where they do not,
// windows of cycles are not looked at, and untimed counts them.
func (w *Watch) Check(timed bool) (bad []Mismatch, held, untimed int) {
	at := map[string]int{} // by what: the first event that a See in order may find
	for i := range w.sees {
		s := &w.sees[i]
		if s.Within && !timed {
			untimed++
		}
		from := 0
		if s.Order == Next {
			from = at[s.What]
		}
		found, near := w.find(s, from, timed)
		switch {
		case s.Order == Never && found >= 0:
			bad = append(bad, w.mismatch(s, "never "+s.Text, w.text(found)))
		case s.Order == Never:
			held++
		case found < 0:
			bad = append(bad, w.mismatch(s, s.Text, near))
		default:
			held++
			w.events[found].used = true
			if s.Order == Next {
				at[s.What] = found + 1
			}
		}
	}
	return bad, held, untimed
}

func (w *Watch) mismatch(s *See, want, got string) Mismatch {
	rule := s.Rule
	if rule == "" {
		rule = RuleOf(s.What)
	}
	return Mismatch{Rule: rule, Class: "see", Field: s.Where, Want: want, Got: got}
}

// find looks for an event. near says, where there is none, why the likeliest one is not it.
func (w *Watch) find(s *See, from int, timed bool) (at int, near string) {
	kind, op, _ := kindOf(s.What)
	near = "no " + s.What
	for i := from; i < len(w.events); i++ {
		e := &w.events[i]
		if e.kind != kind || e.op != op || e.used || !behindSettle(e.at, s.After) {
			continue
		}
		why := w.why(s, e, timed)
		if why == "" {
			return i, ""
		}
		if !strings.HasPrefix(near, s.What) {
			near = s.What + " with " + why
		}
	}
	return -1, near
}

// behindSettle: something entered behind the settle before the event, or there was no settle.
func behindSettle(at, settle Point) bool {
	return settle == (Point{}) || at.Frames > settle.Frames || at.Accesses > settle.Accesses
}

// why says in what an event differs from a See; "" in nothing.
func (w *Watch) why(s *See, e *watched, timed bool) string {
	for i := range s.Fields {
		f := &s.Fields[i]
		v, ok := Lookup(s.What, f.Name)
		if !ok {
			return "no value " + f.Name
		}
		n, wide := v.get(e.rec)
		held := false
		for j := range f.Any {
			held = held || f.Any[j].holds(n, wide)
		}
		if !held {
			if wide != nil {
				return fmt.Sprintf("%s=%x", f.Name, wide)
			}
			return fmt.Sprintf("%s=%d (%#x)", f.Name, n, n)
		}
	}
	if s.Within && timed && s.Anchor > 0 && int(s.Anchor) <= len(w.enter) {
		if after := e.cycle - w.enter[s.Anchor-1]; after < s.Lo || after > s.Hi {
			return fmt.Sprintf("%d cycles after frame %d", after, s.Anchor)
		}
	}
	return ""
}

func (w *Watch) text(i int) string {
	e := &w.events[i]
	return fmt.Sprintf("%v at cycle %d", e.kind, e.cycle)
}
