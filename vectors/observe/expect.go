package observe

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Expectation is one thing that must hold at the end of a run.
type Expectation struct {
	Where string // file:line:col
	Text  string // as written
	What  What
	Name  string // of a count, or of a field
	Row   uint32 // Window, Ack: connection << 8 | path; Message, Complete: stream row; Read: register address
	Lo    uint64 // both bounds are included
	Hi    uint64
	Sack  *wire.Bitmap256 // AckSack: bits that must be set, and no others
}

// What says what an expectation is about.
type What uint8

// Sorts of expectations.
const (
	Count     What = iota // a count by name
	Window                // field of the last window row of a path
	Message               // field of the last message.stream row
	Complete              // field of the last complete.stream row
	Ack                   // field of the last ACK that left for a path
	AckSack               // vector of it
	Read                  // value last read from a register
	MemoryOK              // something was written, if there was anything to write, and all of it right
	MemoryNil             // nothing was written
)

// Check tells which expectations do not hold, and which events that the text asks for were not seen.
func (o *Observer) Check(list []Expectation) []string {
	var bad []string
	if o.watch != nil {
		missing, _, _ := o.watch.Check(true)
		for i := range missing {
			m := &missing[i]
			bad = append(bad, fmt.Sprintf("%s: expected %s, saw %s (%s)", m.Field, m.Want, m.Got, m.Rule))
		}
	}
	for i := range list {
		e := &list[i]
		if saw, ok := o.check(e); !ok {
			bad = append(bad, fmt.Sprintf("%s: expected %s, saw %s", e.Where, e.Text, saw))
		}
	}
	return bad
}

func (o *Observer) check(e *Expectation) (saw string, ok bool) {
	switch e.What {
	case MemoryOK:
		return "no write to memory, or wrong ones", (o.counts["writes"] > 0 || !o.carries()) && len(o.Breaches()) == 0
	case MemoryNil:
		return fmt.Sprintf("%d writes", o.counts["writes"]), o.counts["writes"] == 0
	case AckSack:
		a := o.acks[pathKey{uint16(e.Row >> 8), uint8(e.Row)}]
		if a == nil {
			return "no ACK", false
		}
		return Bits(&a.Vector), a.Vector == *e.Sack
	}
	v, ok := o.value(e)
	if !ok {
		return "nothing of it", false
	}
	return fmt.Sprintf("%d (%#x)", v, v), v >= e.Lo && v <= e.Hi
}

// carries says whether any packet of the run has bytes for memory.
func (o *Observer) carries() bool {
	if o.prog == nil {
		return true
	}
	for i := range o.prog.Frames {
		if f := &o.prog.Frames[i]; f.Proper && f.Packet.HasMessage() && len(f.Payload) > 0 {
			return true
		}
	}
	return false
}

func (o *Observer) value(e *Expectation) (uint64, bool) {
	switch e.What {
	case Count:
		return o.counts[e.Name], true
	case Read:
		v, ok := o.lastRead[uint16(e.Row)]
		return uint64(v), ok
	case Ack:
		a := o.acks[pathKey{uint16(e.Row >> 8), uint8(e.Row)}]
		if a == nil {
			return 0, false
		}
		return ackFields[e.Name](a), true
	}
	kind := map[What]event.Kind{Window: event.KindWindow, Message: event.KindMessage, Complete: event.KindComplete}[e.What]
	rec := o.last[lastKey{kind, e.Row}]
	f := rowField(kind, e.Name)
	if rec == nil || f == nil {
		return 0, false
	}
	v := uint64(0)
	for i, b := range f.Bytes(rec) {
		v |= uint64(b) << (8 * i)
	}
	return v, true
}

// rowOf names the row of a record that expectations speak of.
var rowOf = map[event.Kind]string{event.KindWindow: "path", event.KindMessage: "stream", event.KindComplete: "stream"}

func rowField(k event.Kind, name string) *event.FieldInfo {
	fields := event.Info(k).Fields
	for i := range fields {
		f := &fields[i]
		if f.Group == event.GroupRow && f.Row == rowOf[k] && f.Name == name && f.Size <= 8 {
			return f
		}
	}
	return nil
}

// RowFields lists the fields an expectation about kind may name.
func RowFields(k event.Kind) []string {
	var names []string
	for _, f := range event.Info(k).Fields {
		if f.Group == event.GroupRow && f.Row == rowOf[k] && f.Size <= 8 {
			names = append(names, f.Name)
		}
	}
	return names
}

// StreamFields lists the fields of a stream that an expectation may name: two engines keep its row, and both its state.
func StreamFields() []string {
	names := RowFields(event.KindMessage)
	for _, n := range RowFields(event.KindComplete) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

var ackFields = map[string]func(*wire.Ack) uint64{
	"cum":          func(a *wire.Ack) uint64 { return uint64(a.Cum) },
	"high_tsn":     func(a *wire.Ack) uint64 { return uint64(a.HighTsn) },
	"high_valid":   func(a *wire.Ack) uint64 { return flag(a.HighValid) },
	"echo_psn":     func(a *wire.Ack) uint64 { return uint64(a.EchoPsn) },
	"echo_time":    func(a *wire.Ack) uint64 { return uint64(a.EchoTime) },
	"packets":      func(a *wire.Ack) uint64 { return uint64(a.Packets) },
	"bytes":        func(a *wire.Ack) uint64 { return a.Bytes },
	"ce":           func(a *wire.Ack) uint64 { return uint64(a.Ce) },
	"dups":         func(a *wire.Ack) uint64 { return uint64(a.Dups) },
	"hint":         func(a *wire.Ack) uint64 { return uint64(a.Hint) },
	"hint_gen":     func(a *wire.Ack) uint64 { return uint64(a.HintGen) },
	"notice_valid": func(a *wire.Ack) uint64 { return flag(a.NoticeValid) },
	"notice_msn":   func(a *wire.Ack) uint64 { return uint64(a.NoticeMsn) },
}

func flag(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// AckFields lists the fields of an ACK that an expectation may name.
func AckFields() []string {
	names := make([]string, 0, len(ackFields))
	for n := range ackFields {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Bits writes a vector as "1,3..5", or "none".
func Bits(v *wire.Bitmap256) string {
	var parts []string
	for i := uint32(0); i < 256; i++ {
		if !v.Get(i) {
			continue
		}
		end := i
		for end < 255 && v.Get(end+1) {
			end++
		}
		if end > i {
			parts = append(parts, fmt.Sprintf("%d..%d", i, end))
		} else {
			parts = append(parts, fmt.Sprint(i))
		}
		i = end
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ",")
}
