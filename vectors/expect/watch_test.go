package expect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/model/event"
	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
)

// records of a short run: a frame, its window step, an ACK, a second frame, and a NAK.
func records() [][]byte {
	var list [][]byte
	var dst [event.MaxRecord]byte
	add := func(n int) { list = append(list, append([]byte(nil), dst[:n]...)) }
	reply := func(cycle uint64, body interface{ Append([]byte) []byte }, op wire.Opcode) {
		base := wire.Base{Version: preset.Version, Opcode: op, Path: 1, Epoch: 3}
		b := body.Append(base.Append(nil))
		out := event.PacketOut{Head: event.Head{Cycle: cycle, Conn: 2, Path: 1}}
		out.In.Length = uint16(len(b))
		copy(out.In.Bytes[:], b)
		add(out.Encode(&dst))
	}
	in := event.PacketIn{Head: event.Head{Cycle: 10, Xid: 1}}
	add(in.Encode(&dst))
	w := event.Window{Head: event.Head{Cycle: 15, Xid: 1, Conn: 2, Path: 1}, Out: event.WindowOut{Class: event.ClassNew, AckNow: true}, In: event.WindowIn{Psn: 7}, Path: event.WindowPath{Cum: 8}}
	w.Path.Vector.Set(3)
	add(w.Encode(&dst))
	a := wire.Ack{Cum: 8, Packets: 1, Hint: 0xabcde}
	a.Vector.Set(3)
	reply(30, &a, wire.OpcodeAck)
	in.Head.Cycle, in.Head.Xid = 40, 2
	add(in.Encode(&dst))
	reply(60, &wire.Nak{Stream: 4, Syndrome: wire.SyndromeRnr, Msn: 9}, wire.OpcodeNak)
	a.Cum = 9
	reply(70, &a, wire.OpcodeAck)
	return list
}

func value(name string, any ...Alternative) Field { return Field{name, any} }

func is(n uint64) Alternative { return Alternative{Lo: n, Hi: n} }

func TestWatch(t *testing.T) {
	wide := make([]byte, 32)
	wide[0] = 8
	ack := func(cum uint64) See { return See{What: "ack", Fields: []Field{value("cum", is(cum))}} }
	with := func(s See, change func(*See)) See {
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		sees []See
		bad  int
		got  string
	}{
		"in order":             {[]See{ack(8), ack(9)}, 0, ""},
		"not in order":         {[]See{ack(9), ack(8)}, 1, "no ack"},
		"in any order":         {[]See{ack(9), with(ack(8), func(s *See) { s.Order = Anywhere })}, 0, ""},
		"each once":            {[]See{ack(8), with(ack(8), func(s *See) { s.Order = Anywhere })}, 1, "ack with cum=9"},
		"never":                {[]See{{What: "answer", Order: Never}}, 0, ""},
		"never, but":           {[]See{{What: "nak", Order: Never, Fields: []Field{value("msn", is(9))}}}, 1, "packet_out at cycle 60"},
		"other value":          {[]See{ack(5)}, 1, "ack with cum=8 (0x8)"},
		"alternatives":         {[]See{{What: "ack", Fields: []Field{value("cum", is(1), is(8))}}}, 0, ""},
		"range":                {[]See{{What: "ack", Fields: []Field{value("cum", Alternative{Lo: 6, Hi: 8})}}}, 0, ""},
		"mask":                 {[]See{{What: "ack", Fields: []Field{value("hint", Alternative{Lo: 0x0b0de, Mask: 0x0f0ff})}}}, 0, ""},
		"mask, another bit":    {[]See{{What: "ack", Fields: []Field{value("hint", Alternative{Lo: 0x0c0df, Mask: 0x0f0ff})}}}, 1, "hint=703710"},
		"wide":                 {[]See{{What: "ack", Fields: []Field{value("vector", Alternative{Wide: wide})}}}, 0, ""},
		"wide of a record":     {[]See{{What: "window", Fields: []Field{value("vector", Alternative{Wide: wide}), value("psn", is(7)), value("path.cum", is(8))}}}, 0, ""},
		"wide, another":        {[]See{{What: "ack", Fields: []Field{value("vector", Alternative{Wide: make([]byte, 32)})}}}, 1, "vector=08"},
		"head of a reply":      {[]See{{What: "ack", Fields: []Field{value("conn", is(2)), value("path", is(1)), value("epoch", is(3))}}}, 0, ""},
		"behind a settle":      {[]See{with(ack(9), func(s *See) { s.After = Point{Frames: 1} })}, 0, ""},
		"in front of a settle": {[]See{with(ack(8), func(s *See) { s.After = Point{Frames: 1} })}, 1, "ack with cum=9"},
		"in time":              {[]See{with(ack(8), func(s *See) { s.Anchor, s.Within, s.Lo, s.Hi = 1, true, 20, 20 })}, 0, ""},
		"too late":             {[]See{with(ack(8), func(s *See) { s.Anchor, s.Within, s.Lo, s.Hi = 1, true, 0, 19 })}, 1, "20 cycles after frame 1"},
		"too early":            {[]See{with(ack(8), func(s *See) { s.Anchor, s.Within, s.Lo, s.Hi = 1, true, 21, 90 })}, 1, "20 cycles after frame 1"},
		"enumeration":          {[]See{{What: "nak", Fields: []Field{value("syndrome", is(uint64(wire.SyndromeRnr)))}}}, 0, ""},
		"unknown value":        {[]See{{What: "nak", Fields: []Field{value("nothing", is(1))}}}, 1, "no value nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			w := NewWatch(c.sees)
			for _, r := range records() {
				w.Observe(r)
			}
			bad, held, untimed := w.Check(true)
			assert.Zero(t, untimed)
			assert.Equal(t, len(c.sees), len(bad)+held)
			require.Len(t, bad, c.bad)
			if c.bad > 0 {
				assert.Contains(t, bad[0].Got, c.got)
				assert.NotEmpty(t, bad[0].Rule)
			}
		})
	}
}

// TestNames: everything that can be named has a rule, and names of enumerations lead back to their values.
func TestNames(t *testing.T) {
	enums := 0
	for _, what := range Whats() {
		assert.NotEmpty(t, RuleOf(what), what)
		values := Values(what)
		assert.NotEmpty(t, values, what)
		for i := range values {
			v, ok := Lookup(what, values[i].Name)
			require.True(t, ok)
			for _, name := range EnumNames(what, &v) {
				n, ok := EnumValue(what, &v, name)
				assert.True(t, ok, "%s %s %s", what, v.Name, name)
				assert.Less(t, n, uint64(256))
				enums++
			}
		}
	}
	assert.Greater(t, enums, 100)
	_, ok := Lookup("window", "nothing")
	assert.False(t, ok)
	assert.Nil(t, Values("nothing"))
	assert.Empty(t, RuleOf("nothing"))
}
