package expect

import (
	"encoding/binary"
	"strings"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/wire"
)

// Value is a value of an event by name.
type Value struct {
	Name  string
	Width int    // bits; above 64 it is wide
	Enum  string // whose names its values have
	get   func(record []byte) (uint64, []byte)
}

// Whats lists the kinds of events that a See may name: what the receive side makes, and its replies.
func Whats() []string {
	var list []string
	for i := range event.Engines {
		if e := &event.Engines[i]; (e.Built || e.Boundary) && e.Kind != event.KindMemRead {
			list = append(list, e.Name)
		}
	}
	return append(list, "ack", "nak", "answer")
}

// kindOf finds the kind of records that hold what a See names, and for replies their opcode.
func kindOf(what string) (kind event.Kind, op wire.Opcode, ok bool) {
	switch what {
	case "ack":
		return event.KindPacketOut, wire.OpcodeAck, true
	case "nak":
		return event.KindPacketOut, wire.OpcodeNak, true
	case "answer":
		return event.KindPacketOut, wire.OpcodeAnswer, true
	}
	for i := range event.Engines {
		if e := &event.Engines[i]; e.Name == what && (e.Built || e.Boundary) {
			return e.Kind, 0, true
		}
	}
	return 0, 0, false
}

// RuleOf is the rule of a kind of event.
func RuleOf(what string) string {
	switch what {
	case "ack", "nak":
		return "R-ACK"
	case "answer":
		return "R-QUERY"
	}
	kind, _, _ := kindOf(what)
	if e := event.Info(kind); e != nil {
		return e.Rule
	}
	return ""
}

// Values lists what a kind of event has, decisions first, then inputs, state and head; of a name that stands twice the
// first counts, the others are reached as row.name.
func Values(what string) []Value {
	kind, op, ok := kindOf(what)
	if !ok {
		return nil
	}
	var list []Value
	have := map[string]bool{}
	add := func(v Value) {
		if !have[v.Name] {
			have[v.Name] = true
			list = append(list, v)
		}
	}
	if op != 0 {
		for _, v := range replyValues(op) {
			add(v)
		}
	} else {
		for _, group := range []event.Group{event.GroupOut, event.GroupIn, event.GroupRow} {
			for i := range event.Info(kind).Fields {
				if f := &event.Info(kind).Fields[i]; f.Group == group {
					add(recordValue(f, f.Name))
					add(recordValue(f, f.FullName()))
				}
			}
		}
	}
	for _, name := range []string{"conn", "path", "stream", "xid", "op"} {
		for i := range event.HeadFields {
			if f := &event.HeadFields[i]; f.Name == name {
				add(recordValue(f, name))
			}
		}
	}
	return list
}

// Lookup finds a value by name.
func Lookup(what, name string) (Value, bool) {
	for _, v := range Values(what) {
		if v.Name == name {
			return v, true
		}
	}
	return Value{}, false
}

func recordValue(f *event.FieldInfo, name string) Value {
	v := Value{Name: name, Width: f.Width, Enum: f.Enum}
	v.get = func(rec []byte) (uint64, []byte) {
		b := f.Bytes(rec)
		if len(b) > 8 {
			return 0, b
		}
		var w [8]byte
		copy(w[:], b)
		return binary.LittleEndian.Uint64(w[:]), nil
	}
	return v
}

// replyValues are the fields of the two headers of a reply.
func replyValues(op wire.Opcode) []Value {
	out := event.Info(event.KindPacketOut)
	var body *event.FieldInfo
	var list []Value
	for i := range out.Fields {
		switch f := &out.Fields[i]; f.Name {
		case "bytes":
			body = f
		case "sport":
			list = append(list, recordValue(f, "sport"))
		}
	}
	at := 0
	for _, id := range wire.Kinds[op].Headers {
		h := &wire.Headers[id]
		for i := range h.Fields {
			f := &h.Fields[i]
			if f.Reserved || id == wire.HeaderBase && (f.Name == "path" || f.Name == "opcode") {
				continue
			}
			list = append(list, Value{Name: f.Name, Width: f.Width, Enum: f.Enum, get: bitsOf(body, at+f.Bit, f.Width)})
		}
		at += 8 * h.Size
	}
	return list
}

// bitsOf reads width bits from a bit on, in wire order. What is wide is given little-endian.
func bitsOf(body *event.FieldInfo, bit, width int) func([]byte) (uint64, []byte) {
	return func(rec []byte) (uint64, []byte) {
		b := body.Bytes(rec)
		if width > 64 {
			wide := make([]byte, width/8)
			for i := range wide {
				wide[i] = b[bit/8+width/8-1-i]
			}
			return 0, wide
		}
		v := uint64(0)
		for i := bit; i < bit+width; i++ {
			v = v<<1 | uint64(b[i/8]>>(7-i%8)&1)
		}
		return v, nil
	}
}

// EnumNames lists the names that a value has, nil where it has none.
func EnumNames(what string, v *Value) []string {
	var names []string
	if v.Name == "op" {
		kind, _, _ := kindOf(what)
		for _, o := range event.Info(kind).Ops {
			names = append(names, o.Name)
		}
	}
	for n := range uint64(256) {
		if s := enumName(v.Enum, n); s != "" && !strings.ContainsRune(s, '(') {
			names = append(names, s)
		}
	}
	return names
}

// EnumValue finds a value by the name that an enumeration gives it.
func EnumValue(what string, v *Value, name string) (uint64, bool) {
	if v.Name == "op" {
		kind, _, _ := kindOf(what)
		for _, o := range event.Info(kind).Ops {
			if o.Name == name {
				return uint64(o.Number), true
			}
		}
		return 0, false
	}
	if v.Enum == "" {
		return 0, false
	}
	for n := range uint64(256) {
		if s := enumName(v.Enum, n); s == name && !strings.ContainsRune(s, '(') {
			return n, true
		}
	}
	return 0, false
}

func enumName(enum string, n uint64) string {
	switch enum {
	case "opcode":
		return wire.Opcode(n).String()
	case "syndrome":
		return wire.Syndrome(n).String()
	case "reason":
		return event.Reason(n).String()
	case "class":
		return event.Class(n).String()
	case "verdict":
		return event.Verdict(n).String()
	case "command":
		return event.Command(n).String()
	}
	return ""
}
