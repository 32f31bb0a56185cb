package spec

import (
	"strconv"
	"strings"
)

// readers interpret a line that has its form. Cross references wait until finish.
var readers = map[string]func(*loader, line){
	"const": (*loader).readConst, "preset": (*loader).readPreset, "param": (*loader).readParam, "knob": (*loader).readKnob,
	"enum": (*loader).readEnum, "value": (*loader).readValue, "header": (*loader).readHeader,
	"field": (*loader).readField, "packet": (*loader).readPacket,
	"struct": (*loader).readStruct, "engine": (*loader).readEngine, "boundary": (*loader).readEngine,
	"op": (*loader).readOp, "in": (*loader).readIn, "out": (*loader).readOut, "row": (*loader).readRow,
	"reg": (*loader).readReg, "command": (*loader).readCommand, "arg": (*loader).readArg,
	"reason": (*loader).readNumbered, "verdict": (*loader).readNumbered, "class": (*loader).readNumbered,
}

// placeholder opens the block of a line that was already reported.
func (ld *loader) placeholder(l line) {
	s := ld.spec
	name := "?"
	if len(l.args) > 0 {
		name = l.args[0]
	}
	switch l.keyword {
	case "preset":
		s.Presets = append(s.Presets, Preset{Pos: l.Pos, Name: name})
	case "enum":
		s.Enums = append(s.Enums, Enum{Pos: l.Pos, Name: name, Width: 64, Wire: true})
	case "header":
		s.Headers = append(s.Headers, Header{Pos: l.Pos, Name: name, Bytes: -1})
	case "struct":
		s.Structs = append(s.Structs, Struct{Pos: l.Pos, Name: name})
	case "engine", "boundary":
		s.Engines = append(s.Engines, Engine{Pos: l.Pos, Name: name, ID: -1, Order: -1, Boundary: l.keyword == "boundary"})
	case "row":
		e := last(s.Engines)
		e.Rows = append(e.Rows, Row{Pos: l.Pos, Name: name})
		ld.row = true
	case "command":
		s.Commands = append(s.Commands, Command{Pos: l.Pos, Name: name})
	}
}

func last[T any](s []T) *T { return &s[len(s)-1] }

// num reads a number in lo..hi; what names it in the report.
func (ld *loader) num(l line, what, s string, lo, hi int64) int64 {
	v, ok := number(s)
	if !ok {
		ld.badf(l.Pos, RuleNumber, "%s %q is not a number", what, s)
		return lo
	}
	if v < lo || v > hi {
		ld.badf(l.Pos, RuleNumber, "%s %d is not in %d..%d", what, v, lo, hi)
		return lo
	}
	return v
}

// name checks the spelling that generated names are made from.
func (ld *loader) name(l line, s string, upper bool) string {
	ok := s != ""
	for i, r := range s {
		letter := r >= 'a' && r <= 'z'
		if upper {
			letter = r >= 'A' && r <= 'Z'
		}
		ok = ok && (letter || i > 0 && (r >= '0' && r <= '9' || r == '_' && s[i-1] != '_' && i < len(s)-1))
	}
	if !ok {
		kind := "lower"
		if upper {
			kind = "upper"
		}
		ld.badf(l.Pos, RuleName, "%s: %q is not a name: %s case letters, digits behind them, single '_' between words", l.keyword, s, kind)
	}
	return s
}

// claim reads STATUS SOURCE behind n positional arguments; the words behind those are flags.
func (ld *loader) claim(l line, n int) (Claim, []string) {
	rest := l.args[n:]
	c := Claim{Text: l.text}
	if len(rest) < 2 {
		ld.badf(l.Pos, RuleClaim, "%s: status (stated, inferred, chosen) or source (ours, ann:TAG) is missing", l.keyword)
		return c, nil
	}
	c.Status, c.Source = rest[0], rest[1]
	switch c.Status {
	case "stated", "inferred", "chosen":
	default:
		ld.badf(l.Pos, RuleClaim, "status %q is none of stated, inferred, chosen", c.Status)
	}
	tag, isTag := strings.CutPrefix(c.Source, "ann:")
	switch {
	case isTag && !tags[tag]:
		ld.badf(l.Pos, RuleClaim, "source ann:%s: the announcement has no such fact", tag)
	case !isTag && c.Source != "ours":
		ld.badf(l.Pos, RuleClaim, "source %q is neither ours nor ann:TAG", c.Source)
	case c.Status == "stated" && !isTag:
		ld.badf(l.Pos, RuleClaim, "status stated needs the fact that states it (ann:TAG), not %q", c.Source)
	}
	return c, rest[2:]
}

func (ld *loader) noFlags(l line, flags []string, allowed string) (found bool) {
	for _, f := range flags {
		if f == allowed && allowed != "" {
			found = true
			continue
		}
		ld.badf(l.Pos, RuleForm, "%s: %q is not known here", l.keyword, f)
	}
	return found
}

func (ld *loader) readConst(l line) {
	c := Const{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Unit: l.attrs["unit"]}
	c.Value = ld.num(l, "value", l.args[1], 0, 1<<31-1)
	var flags []string
	c.Claim, flags = ld.claim(l, 2)
	ld.noFlags(l, flags, "")
	ld.spec.Consts = append(ld.spec.Consts, c)
}

func (ld *loader) readPreset(l line) {
	ld.spec.Presets = append(ld.spec.Presets, Preset{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Text: l.text})
}

func (ld *loader) presetParam(l line) {
	if !paramInPreset.fit(l, ld.bad) {
		return
	}
	if l.hasText {
		ld.badf(l.Pos, RuleForm, "param: inside a preset it has no text; the declaration of %s says what it is", l.args[0])
	}
	p := last(ld.spec.Presets)
	v := ld.num(l, "value", l.args[1], 0, 1<<31-1)
	p.set = append(p.set, paramValue{l.Pos, l.args[0], v})
	ld.hash = append(ld.hash, canonical(l))
}

func (ld *loader) readParam(l line) {
	p := Param{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Text: l.text, Pow2: len(l.args) > 1}
	p.Lo, p.Hi = ld.bounds(l)
	ld.spec.Params = append(ld.spec.Params, p)
}

// bounds reads range=LO..HI.
func (ld *loader) bounds(l line) (lo, hi int64) {
	low, high, ok := strings.Cut(l.attrs["range"], "..")
	if !ok {
		ld.badf(l.Pos, RuleNumber, "range %q is not LO..HI", l.attrs["range"])
		return 0, 1<<31 - 1
	}
	lo = ld.num(l, "low end of range", low, 0, 1<<31-1)
	return lo, ld.num(l, "high end of range", high, lo, 1<<31-1)
}

func (ld *loader) readEnum(l line) {
	e := Enum{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Wire: true}
	e.Width = int(ld.num(l, "width", l.attrs["width"], 1, 8))
	var flags []string
	e.Claim, flags = ld.claim(l, 1)
	ld.noFlags(l, flags, "")
	ld.spec.Enums = append(ld.spec.Enums, e)
}

func (ld *loader) readValue(l line) {
	e := last(ld.spec.Enums)
	v := Value{Pos: l.Pos, Name: ld.name(l, l.args[0], false)}
	v.Number = uint64(ld.num(l, "number", l.args[1], 0, 1<<min(e.Width, 31)-1))
	var flags []string
	v.Claim, flags = ld.claim(l, 2)
	ld.noFlags(l, flags, "")
	e.Values = append(e.Values, v)
}

func (ld *loader) readHeader(l line) {
	h := Header{Pos: l.Pos, Name: ld.name(l, l.args[0], false)}
	h.Bytes = int(ld.num(l, "bytes", l.attrs["bytes"], 4, 256))
	var flags []string
	h.Claim, flags = ld.claim(l, 1)
	ld.noFlags(l, flags, "")
	ld.spec.Headers = append(ld.spec.Headers, h)
}

func (ld *loader) width(l line, s string) int {
	w := ld.num(l, "width", s, 1, 1024)
	if w > 64 && w%64 != 0 {
		ld.badf(l.Pos, RuleWidth, "%s: %d bits: above 64 the width is a multiple of 64", l.args[0], w)
	}
	return int(w)
}

func (ld *loader) readField(l line) {
	if ld.block != "header" {
		ld.readVarField(l)
		return
	}
	h := last(ld.spec.Headers)
	f := Field{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Width: ld.width(l, l.args[1]), Enum: l.attrs["enum"]}
	var flags []string
	f.Claim, flags = ld.claim(l, 2)
	f.Reserved = ld.noFlags(l, flags, "reserved")
	h.Fields = append(h.Fields, f)
}

func (ld *loader) readPacket(l line) {
	p := Packet{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Opcode: l.attrs["opcode"], Headers: strings.Split(l.attrs["headers"], ",")}
	p.Psn, p.Side = l.attrs["psn"], l.attrs["side"]
	p.Payload = ld.oneOf(l, "payload", "yes", "no") == "yes"
	ld.oneOf(l, "psn", "yes", "tsn", "no")
	ld.oneOf(l, "side", "receiver", "sender", "both")
	var flags []string
	p.Claim, flags = ld.claim(l, 1)
	ld.noFlags(l, flags, "")
	ld.spec.Packets = append(ld.spec.Packets, p)
}

func (ld *loader) oneOf(l line, key string, allowed ...string) string {
	got := l.attrs[key]
	for _, a := range allowed {
		if got == a {
			return got
		}
	}
	ld.badf(l.Pos, RuleForm, "%s: %s=%s: it is one of %s", l.keyword, key, got, strings.Join(allowed, ", "))
	return got
}

func (ld *loader) readReg(l line) {
	r := Reg{Pos: l.Pos, Name: ld.name(l, l.args[0], true), Access: ld.oneOf(l, "access", "rw", "ro", "wo"), Count: 1, Stride: 4, Text: l.text}
	r.Offset = int(ld.num(l, "offset", l.attrs["offset"], 0, MaxRegOffset-4))
	if s, ok := l.attrs["count"]; ok {
		r.Count = int(ld.num(l, "count", s, 1, 1024))
	}
	if s, ok := l.attrs["stride"]; ok {
		r.Stride = int(ld.num(l, "stride", s, 4, 1024))
	}
	ld.spec.Regs = append(ld.spec.Regs, r)
}

func (ld *loader) readCommand(l line) {
	c := Command{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Text: l.text}
	c.Number = uint64(ld.num(l, "number", l.args[1], 1, 15))
	ld.spec.Commands = append(ld.spec.Commands, c)
}

func (ld *loader) readArg(l line) {
	c := last(ld.spec.Commands)
	a := Arg{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Text: l.text}
	a.Reg, a.RegHi, a.RegLo = ld.slice(l, "reg", l.attrs["reg"])
	a.Desc, a.DescHi, a.DescLo = ld.slice(l, "desc", l.attrs["desc"])
	c.Args = append(c.Args, a)
}

// slice reads NAME or NAME[hi:lo]; hi is -1 where the whole is meant.
func (ld *loader) slice(l line, what, s string) (name string, hi, lo int) {
	name, rest, cut := strings.Cut(s, "[")
	if !cut {
		return name, -1, 0
	}
	rest, closed := strings.CutSuffix(rest, "]")
	h, lw, ok := strings.Cut(rest, ":")
	hi, err1 := strconv.Atoi(h)
	lo, err2 := strconv.Atoi(lw)
	if !closed || !ok || err1 != nil || err2 != nil || hi < lo || lo < 0 || hi > 63 {
		ld.badf(l.Pos, RuleNumber, "%s=%s: bits are NAME[hi:lo] with 63 >= hi >= lo >= 0", what, s)
		return name, -1, 0
	}
	return name, hi, lo
}

// readNumbered reads reason, verdict and class: each keyword is one enum of that name.
func (ld *loader) readNumbered(l line) {
	e := ld.spec.Enum(l.keyword)
	if e == nil {
		ld.spec.Enums = append(ld.spec.Enums, Enum{Pos: l.Pos, Name: l.keyword, Width: 1})
		e = last(ld.spec.Enums)
	}
	v := Value{Pos: l.Pos, Name: ld.name(l, l.args[0], false), Claim: Claim{"chosen", "ours", l.text}}
	v.Number = uint64(ld.num(l, "number", l.args[1], 0, 31))
	if l.keyword == "reason" {
		v.Rule = ld.rule(l, l.args[2])
	}
	e.Values = append(e.Values, v)
}

func (ld *loader) rule(l line, s string) string {
	if !strings.HasPrefix(s, "R-") || strings.ToUpper(s) != s || len(s) < 4 {
		ld.badf(l.Pos, RuleName, "%s: rule %q is not R-NAME", l.keyword, s)
	}
	return s
}
