package spec

import (
	"math/bits"
	"strings"
)

// finish resolves references, computes layouts and checks the rules that need more than one line.
func (ld *loader) finish() {
	s := ld.spec
	ld.numberEnums()
	ld.checkEnums()
	ld.checkHeaders()
	ld.checkPackets()
	ld.checkPresets()
	ld.checkEngines()
	ld.checkRegs()
	ld.checkCommands()
	ld.checkTops()
	ld.checkNeeded()
	ld.checkCeiling()
	s.Hash = ld.sum()
}

// numberEnums makes the enum of commands and gives the enums of register.tbl the width their largest number needs.
func (ld *loader) numberEnums() {
	s := ld.spec
	cmd := Enum{Name: "command", Claim: Claim{"chosen", "ours", "register commands; 0: a packet"}}
	if len(s.Commands) > 0 {
		cmd.Pos = s.Commands[0].Pos
		cmd.Values = append(cmd.Values, Value{Pos: cmd.Pos, Name: "none", Claim: Claim{"chosen", "ours", "not a command"}})
	}
	for _, c := range s.Commands {
		cmd.Values = append(cmd.Values, Value{Pos: c.Pos, Name: c.Name, Number: c.Number, Claim: Claim{"chosen", "ours", c.Text}})
	}
	if len(cmd.Values) > 0 {
		s.Enums = append(s.Enums, cmd)
	}
	for i := range s.Enums {
		e := &s.Enums[i]
		if e.Wire {
			continue
		}
		top := uint64(1)
		for _, v := range e.Values {
			top = max(top, v.Number)
		}
		e.Width = bits.Len64(top)
	}
}

// unique reports the second use of a key.
type unique map[string]Pos

func (u unique) add(ld *loader, p Pos, key, what string) {
	if was, twice := u[key]; twice {
		ld.badf(p, RuleDup, "%s: already used at %s:%d", what, was.File, was.Line)
		return
	}
	u[key] = p
}

func (ld *loader) checkEnums() {
	for i := range ld.spec.Enums {
		e := &ld.spec.Enums[i]
		names, numbers := unique{}, map[uint64]string{}
		for _, v := range e.Values {
			names.add(ld, v.Pos, v.Name, e.Name+" "+v.Name)
			if other, twice := numbers[v.Number]; twice {
				ld.badf(v.Pos, RuleDup, "%s %s: number %d is that of %s", e.Name, v.Name, v.Number, other)
			}
			numbers[v.Number] = v.Name
		}
	}
}

func (ld *loader) checkHeaders() {
	for i := range ld.spec.Headers {
		h := &ld.spec.Headers[i]
		names := unique{}
		at := 0
		for j := range h.Fields {
			f := &h.Fields[j]
			names.add(ld, f.Pos, f.Name, "field "+f.Name)
			f.Offset = at
			at += f.Width
			ld.checkPlace(f)
			ld.checkEnumRef(f.Pos, f.Name, f.Enum, f.Width, true)
		}
		if h.Bytes >= 0 && at != 8*h.Bytes {
			ld.badf(h.Pos, RuleSize, "header %s: fields have %d bits, bytes=%d wants %d", h.Name, at, h.Bytes, 8*h.Bytes)
		}
		if h.Bytes%4 != 0 && h.Bytes >= 0 {
			ld.badf(h.Pos, RuleSize, "header %s: %d bytes, not a multiple of 4", h.Name, h.Bytes)
		}
	}
}

func (ld *loader) checkPlace(f *Field) {
	first, end := f.Offset, f.Offset+f.Width
	if f.Reserved {
		return
	}
	if first%8 != 0 && (end-1)/8 != first/8 {
		ld.badf(f.Pos, RuleStraddle, "%s: bits %d..%d cross a byte without starting on one", f.Name, first, end-1)
	}
	if f.Width >= 16 && f.Width&(f.Width-1) == 0 && first%min(f.Width, 32) != 0 {
		ld.badf(f.Pos, RuleStraddle, "%s: %d bits start at bit %d, not aligned to %d", f.Name, f.Width, first, min(f.Width, 32))
	}
}

// checkEnumRef checks enum=; same says that the field must be as wide as the enum (wire), else at least as wide.
func (ld *loader) checkEnumRef(p Pos, field, name string, width int, same bool) {
	if name == "" {
		return
	}
	e := ld.spec.Enum(name)
	switch {
	case e == nil:
		ld.badf(p, RuleRef, "%s: there is no enum %s", field, name)
	case same && e.Width != width || e.Width > width:
		ld.badf(p, RuleWidth, "%s: %d bits for enum %s of %d", field, width, name, e.Width)
	}
}

func (ld *loader) checkPackets() {
	s := ld.spec
	opcodes := s.Enum("opcode")
	names, numbers := unique{}, unique{}
	for i := range s.Packets {
		p := &s.Packets[i]
		names.add(ld, p.Pos, p.Name, "packet "+p.Name)
		found := false
		if opcodes != nil {
			for _, v := range opcodes.Values {
				if v.Name == p.Opcode {
					p.Number, found = v.Number, true
				}
			}
		}
		if !found {
			ld.badf(p.Pos, RuleRef, "packet %s: opcode %s is not in enum opcode", p.Name, p.Opcode)
		} else {
			numbers.add(ld, p.Pos, p.Opcode, "opcode "+p.Opcode)
		}
		seen := unique{}
		for j, h := range p.Headers {
			if s.Header(h) == nil {
				ld.badf(p.Pos, RuleRef, "packet %s: there is no header %q", p.Name, h)
			}
			if (j == 0) != (h == "base") {
				ld.badf(p.Pos, RuleRef, "packet %s: header %d is %s; base stands first and only there", p.Name, j, h)
			}
			seen.add(ld, p.Pos, h, "header "+h+" in packet "+p.Name)
		}
	}
	if opcodes == nil {
		return
	}
	for _, v := range opcodes.Values {
		if _, used := numbers[v.Name]; !used {
			ld.badf(v.Pos, RuleRef, "opcode %s has no packet", v.Name)
		}
	}
}

func (ld *loader) checkPresets() {
	s := ld.spec
	params := unique{}
	for _, p := range s.Params {
		params.add(ld, p.Pos, p.Name, "param "+p.Name)
	}
	names := unique{}
	for i := range s.Presets {
		pr := &s.Presets[i]
		names.add(ld, pr.Pos, pr.Name, "preset "+pr.Name)
		ld.checkPreset(pr)
	}
}

func (ld *loader) checkPreset(pr *Preset) {
	s := ld.spec
	set := unique{}
	for _, v := range pr.set {
		set.add(ld, v.Pos, v.name, "param "+v.name+" of preset "+pr.Name)
		known := false
		for _, p := range s.Params {
			known = known || p.Name == v.name
		}
		if !known {
			ld.badf(v.Pos, RulePreset, "preset %s: there is no param %s", pr.Name, v.name)
		}
	}
	for _, p := range s.Params {
		value, at := int64(0), pr.Pos
		for _, v := range pr.set {
			if v.name == p.Name {
				value, at = v.value, v.Pos
			}
		}
		pr.Values = append(pr.Values, value)
		switch {
		case at == pr.Pos:
			ld.badf(at, RulePreset, "preset %s does not set %s", pr.Name, p.Name)
		case value < p.Lo || value > p.Hi:
			ld.badf(at, RulePreset, "preset %s: %s %d is not in %d..%d", pr.Name, p.Name, value, p.Lo, p.Hi)
		case p.Pow2 && value&(value-1) != 0:
			ld.badf(at, RulePreset, "preset %s: %s %d is no power of two", pr.Name, p.Name, value)
		}
	}
	ld.checkPathRows(pr)
}

// checkPathRows: every path of a preset has a row that 16 bits can name.
func (ld *loader) checkPathRows(pr *Preset) {
	rows := int64(1)
	for _, v := range pr.set {
		if v.name == "conns" || v.name == "paths" {
			rows *= v.value
		}
	}
	if rows > 1<<16 {
		ld.badf(pr.Pos, RulePreset, "preset %s: conns * paths is %d, a path row has 16 bits (65536 at most)", pr.Name, rows)
	}
}

// needed are the definitions that the generators build on by name.
var needed = []struct{ table, kind, name string }{
	{"constant.tbl", "const", "version"}, {"constant.tbl", "const", "udp_port"}, {"constant.tbl", "const", "max_payload"},
	{"wire.tbl", "enum", "opcode"}, {"wire.tbl", "enum", "syndrome"}, {"wire.tbl", "header", "base"}, {"wire.tbl", "header", "message"},
	{"wire.tbl", "header", "ack"},
	{"event.tbl", "struct", "desc"},
	{"register.tbl", "enum", "command"}, {"register.tbl", "enum", "reason"}, {"register.tbl", "enum", "verdict"}, {"register.tbl", "enum", "class"},
}

func (ld *loader) checkNeeded() {
	s := ld.spec
	for _, n := range needed {
		there := false
		switch n.kind {
		case "const":
			for _, c := range s.Consts {
				there = there || c.Name == n.name
			}
		case "enum":
			there = s.Enum(n.name) != nil
		case "header":
			there = s.Header(n.name) != nil
		case "struct":
			there = s.Struct(n.name) != nil
		}
		if !there {
			ld.badf(Pos{n.table, 0}, RuleRef, "there is no %s %s, which the generators need", n.kind, n.name)
		}
	}
	ld.checkFields("base", baseFields)
	if d := s.Struct("desc"); d != nil && (len(d.Fields) < 2 || d.Fields[0].Name != "op" || d.Fields[1].Name != "xid") {
		ld.badf(d.Pos, RuleRef, "struct desc starts with op and xid")
	}
}

// checkCeiling holds every preset to the constant table_ceiling. It needs tables without other mistakes.
func (ld *loader) checkCeiling() {
	s := ld.spec
	ceiling := s.Const("table_ceiling") * 1_000_000
	if len(ld.problems) > 0 || ceiling == 0 {
		return
	}
	for i := range s.Presets {
		p := &s.Presets[i]
		if bits := s.TableBits(p); bits > ceiling {
			ld.badf(p.Pos, RulePreset, "preset %s: tables and packet buffer take %d bits, table_ceiling allows %d", p.Name, bits, ceiling)
		}
	}
}

// baseFields are the fields of the base header that generated framing and dissector use.
var baseFields = []string{"version", "opcode", "pad", "path", "dst_conn", "psn", "tsn"}

func (ld *loader) checkFields(header string, names []string) {
	h := ld.spec.Header(header)
	if h == nil {
		return
	}
	for _, name := range names {
		if h.Field(name) == nil {
			ld.badf(h.Pos, RuleRef, "header %s has no field %s, which the generators need", header, name)
		}
	}
}

// checkTops checks names that are unique over a whole kind of definition.
func (ld *loader) checkTops() {
	s := ld.spec
	for _, kind := range []struct {
		what string
		each func(func(Pos, string))
	}{
		{"const", func(f func(Pos, string)) {
			for _, c := range s.Consts {
				f(c.Pos, c.Name)
			}
		}},
		{"knob", func(f func(Pos, string)) {
			for _, k := range s.Knobs {
				f(k.Pos, k.Name)
			}
		}},
		{"enum", func(f func(Pos, string)) {
			for _, e := range s.Enums {
				f(e.Pos, e.Name)
			}
		}},
		{"header", func(f func(Pos, string)) {
			for _, h := range s.Headers {
				f(h.Pos, h.Name)
			}
		}},
		{"struct", func(f func(Pos, string)) {
			for _, t := range s.Structs {
				f(t.Pos, t.Name)
			}
		}},
	} {
		u := unique{}
		kind.each(func(p Pos, name string) { u.add(ld, p, strings.ToLower(name), kind.what+" "+name) })
	}
}
