package scenario

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"metaroce/tandem/model/wire"
	"metaroce/tandem/vectors/compose"
	"metaroce/tandem/vectors/expect"
	"metaroce/tandem/vectors/stimulus"
)

// Capabilities are what a scenario may require of a target beyond carrying its preset.
var Capabilities = []string{"commits", "cycles", "receive", "sender"}

func (c *compiler) requires(a *args) {
	for _, g := range a.bare {
		if slices.Contains(Capabilities, g.Val) {
			c.out.Requires = append(c.out.Requires, g.Val)
			continue
		}
		c.rep.add(g.Pos, "one of "+strings.Join(Capabilities, ", "), "%q", g.Val)
	}
}

func (c *compiler) seedLine(a *args) {
	c.seed = a.bounded(a.bare[0], "seed", 0, 1<<64-1)
	c.out.Seed = c.seed
}

// settles follows the stimulus up to its latest wait for an idle device.
type settles struct {
	items     int // looked at
	now, last expect.Point
}

func (c *compiler) settled() expect.Point {
	s := &c.settles
	for items := c.b.Program.Items; s.items < len(items); s.items++ {
		switch items[s.items].Kind {
		case stimulus.KindFrame:
			s.now.Frames++
		case stimulus.KindWrite, stimulus.KindRead:
			s.now.Accesses++
		case stimulus.KindWaitIdle, stimulus.KindFault:
			s.last = s.now
		}
	}
	return s.last
}

// see turns a line into an event that must, or must never, be seen behind the latest wait for an idle device.
func (c *compiler) see(a *args) {
	what := a.bare[0]
	if !slices.Contains(expect.Whats(), what.Val) {
		c.rep.add(what.Pos, "one of "+nearWord(what.Val, expect.Whats()), "event %q", what.Val)
		return
	}
	s := expect.See{What: what.Val, After: c.settled(), Anchor: uint32(len(c.b.Program.Frames)), Where: fmt.Sprintf("%s:%d:%d", c.rep.file, a.stmt.Pos.Line, a.stmt.Pos.Col), Text: seeText(a)}
	switch {
	case a.flag["any"] && a.flag["never"]:
		c.rep.add(a.stmt.Pos, "any or never", "both")
	case a.flag["any"]:
		s.Order = expect.Anywhere
	case a.flag["never"]:
		s.Order = expect.Never
	}
	for _, g := range a.stmt.Args {
		if g.Key == "" {
			continue
		}
		if g.Op != "=" {
			c.rep.add(g.Pos, g.Key+"=VALUE", "%q with operator %q", g.Key, g.Op)
			continue
		}
		c.seeKey(a, g, &s)
	}
	c.out.Sees = append(c.out.Sees, s)
	c.b.Program.Sees = c.out.Sees
}

func seeText(a *args) string {
	words := []string{a.bare[0].Val}
	for _, g := range a.stmt.Args {
		if g.Key != "" {
			words = append(words, g.Key+g.Op+g.Val)
		}
	}
	return strings.Join(words, " ")
}

func (c *compiler) seeKey(a *args, g *Arg, s *expect.See) {
	switch g.Key {
	case "rule":
		if !slices.Contains(ruleIDs, g.Val) {
			c.rep.add(g.ValPos, "a rule id of docs/protocol.md such as "+nearRules(g.Val), "%q", g.Val)
		}
		s.Rule = g.Val
	case "within":
		if s.Anchor == 0 {
			c.rep.add(g.Pos, "a packet on a line before, from which cycles count", "a window of cycles")
		}
		var ok bool
		if s.Lo, s.Hi, ok = a.rng(g.Val, g.ValPos); ok {
			s.Within = true
		}
	default:
		v, ok := expect.Lookup(s.What, g.Key)
		if !ok {
			c.rep.add(g.Pos, "a value of "+s.What+" such as "+nearValues(s.What, g.Key), "%q", g.Key)
			return
		}
		if f, ok := c.seeField(a, g, s.What, &v); ok {
			s.Fields = append(s.Fields, f)
		}
	}
}

// seeField reads "A|B|..": numbers, ranges N..M, serial numbers +N, VALUE/MASK, names of enumerations, bit lists of
// vectors, and * for anything.
func (c *compiler) seeField(a *args, g *Arg, what string, v *expect.Value) (f expect.Field, ok bool) {
	f.Name = g.Key
	col := g.ValPos.Col
	for _, piece := range strings.Split(g.Val, "|") {
		at := Pos{g.ValPos.Line, col}
		col += len(piece) + 1
		if piece == "*" {
			return f, false
		}
		alt, good := c.alternative(a, piece, at, what, v)
		if !good {
			return f, false
		}
		f.Any = append(f.Any, alt)
	}
	return f, true
}

func (c *compiler) alternative(a *args, text string, at Pos, what string, v *expect.Value) (alt expect.Alternative, ok bool) {
	if v.Width > 64 {
		return c.wideAlternative(a, text, at)
	}
	if n, known := expect.EnumValue(what, v, text); known {
		return expect.Alternative{Lo: n, Hi: n}, true
	}
	if names := expect.EnumNames(what, v); names != nil && isName(strings.ReplaceAll(text, "_", "")) {
		c.rep.add(at, "one of "+nearWord(text, names), "%q", text)
		return alt, false
	}
	if value, mask, cut := cutMask(text); cut {
		return c.masked(a, value, mask, at, v)
	}
	if isSerial(text) {
		n, good := c.seeSerial(a, text, at, v)
		return expect.Alternative{Lo: uint64(n), Hi: uint64(n)}, good
	}
	lo, hi, good := a.rng(text, at)
	return expect.Alternative{Lo: lo, Hi: hi}, good
}

func isSerial(text string) bool { return strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") }

// cutMask parts VALUE/MASK. A stroke inside parentheses divides.
func cutMask(text string) (value, mask string, ok bool) {
	depth := 0
	for i, ch := range text {
		switch ch {
		case '(':
			depth++
		case ')':
			depth--
		case '/':
			if depth == 0 {
				return text[:i], text[i+1:], true
			}
		}
	}
	return text, "", false
}

func (c *compiler) masked(a *args, value, mask string, at Pos, v *expect.Value) (alt expect.Alternative, ok bool) {
	var n uint64
	if isSerial(value) {
		var serial uint32
		serial, ok = c.seeSerial(a, value, at, v)
		n = uint64(serial)
	} else {
		n, ok = a.number(value, at)
	}
	behind := Pos{at.Line, at.Col + len(value) + 1}
	m, good := a.number(mask, behind)
	switch {
	case !ok || !good:
		return alt, false
	case m == 0:
		c.rep.add(behind, "a mask with a bit in it", "mask 0")
		return alt, false
	case n&^m != 0 && !isSerial(value):
		c.rep.add(at, "bits of the mask only; a division stands in parentheses", "%s has bits beside mask %s", value, mask)
		return alt, false
	}
	return expect.Alternative{Lo: n, Mask: m}, true
}

// wideAlternative reads the set bits of a vector: "none" or "1,3..5".
func (c *compiler) wideAlternative(a *args, text string, at Pos) (alt expect.Alternative, ok bool) {
	var m wire.Bitmap256
	if text != "none" {
		list := (&args{values: a.values, keys: map[string]*Arg{"bits": {Val: text, ValPos: at}}}).list("bits", 255)
		if list == nil {
			return alt, false
		}
		for _, n := range list {
			m.Set(uint32(n))
		}
	}
	alt.Wide = make([]byte, 32)
	for i := range m {
		binary.LittleEndian.PutUint64(alt.Wide[8*i:], m[i])
	}
	return alt, true
}

// seeSerial counts from the first number of the path or stream that the line names.
func (c *compiler) seeSerial(a *args, text string, at Pos, v *expect.Value) (uint32, bool) {
	for _, key := range []string{"conn", "path", "stream"} {
		if g := a.keys[key]; g != nil && severalValues(g.Val) {
			c.rep.add(at, "a number as it is, or a line for each "+key+": "+key+"="+g.Val+" does not say from which it counts", "%q", text)
			return 0, false
		}
	}
	conn := c.opened(a.num("conn", 0, 65535), a.stmt.Pos)
	if conn == nil {
		return 0, false
	}
	first, width, ok := serialBase(conn, v.Name, a.num("path", 0, 255), a.num("stream", 0, 65535))
	if !ok {
		c.rep.add(at, "N: this is no serial number of a path or stream that is open", "%q", text)
		return 0, false
	}
	g := &Arg{Val: text, ValPos: at}
	before := len(c.rep.list)
	return a.serialArg(g, v.Name, first, 0, width), len(c.rep.list) == before
}

func severalValues(text string) bool {
	_, _, masked := cutMask(text)
	return masked || text == "*" || strings.Contains(text, "|") || strings.Contains(text, "..")
}

func serialBase(conn *compose.Conn, name string, path, stream uint64) (first uint32, width uint, ok bool) {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[dot+1:]
	}
	if path < uint64(len(conn.Paths)) {
		p := conn.Paths[path]
		switch name {
		case "psn", "cum", "high_psn", "last_psn", "echo_psn":
			return p.Psn0, 32, true
		case "tsn", "high_tsn":
			return p.Tsn0, 32, true
		case "epoch", "new_epoch":
			return uint32(p.Epoch0), 4, true
		}
	}
	if stream < uint64(len(conn.Streams)) {
		s := conn.Streams[stream]
		switch name {
		case "msn", "completed", "err_msn", "notice_msn", "syn_msn":
			return s.Msn0, 32, true
		case "recv_index", "index":
			return s.Recv0, 32, true
		}
	}
	return 0, 0, false
}

// nearValues names the values that a mistyped one may have meant, or some.
func nearValues(what, typed string) string {
	var names []string
	for _, v := range expect.Values(what) {
		if !strings.ContainsRune(v.Name, '.') {
			names = append(names, v.Name)
		}
	}
	return nearWord(typed, names)
}

func nearWord(typed string, names []string) string {
	var near []string
	for _, n := range names {
		if distance(n, typed) <= 2 {
			near = append(near, n)
		}
	}
	if near == nil {
		near = names
	}
	return strings.Join(near, ", ")
}
