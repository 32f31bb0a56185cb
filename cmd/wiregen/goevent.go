package main

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/spec"
)

func genEvent(s *spec.Spec) []output {
	return []output{
		{"model/event/enum_gen.go", eventEnums(s)},
		{"model/event/engine_gen.go", eventTypes(s)},
		{"model/event/record_gen.go", eventRecords(s)},
		{"model/event/info_gen.go", eventInfo(s)},
		{"model/event/register_gen.go", eventRegs(s)},
	}
}

func eventEnums(s *spec.Spec) []byte {
	var w source
	w.f("// %s", marker)
	w.f("\npackage event\n\nimport \"strconv\"\n")
	kind := spec.Enum{Name: "kind", Claim: spec.Claim{Text: "the engine or boundary a record comes from"}}
	for _, e := range s.Engines {
		kind.Values = append(kind.Values, spec.Value{Name: e.Name, Number: uint64(e.ID), Claim: spec.Claim{Text: e.Text}, Rule: e.Rule})
	}
	goEnum(&w, &kind)
	for i := range s.Enums {
		if !s.Enums[i].Wire {
			goEnum(&w, &s.Enums[i])
		}
	}
	w.f("// SchemaHash names the definition this package was generated from. Both ends of a bridge compare it first.")
	w.f("const SchemaHash uint64 = %#016x", s.Hash)
	return gofmt(w.String())
}

func goVars(w *source, s *spec.Spec, vars []spec.Var) {
	for i := range vars {
		v := &vars[i]
		note := bits(v.Width) + v.Text
		if v.Told {
			note += fmt.Sprintf(" [told; legal: %s; bound: %s]", v.Legal, v.Bound)
		}
		if v.From != "" {
			note += " [read from " + v.From + "]"
		}
		w.f("%s %s // %s", camel(v.Name), eventType(s, v), note)
	}
}

func eventTypes(s *spec.Spec) []byte {
	var w source
	w.f("// %s", marker)
	w.f("\npackage event\n\nimport \"metaroce/tandem/model/wire\"\n")
	for _, st := range s.Structs {
		w.f("// %s is %s.", camel(st.Name), st.Text)
		w.f("type %s struct {", camel(st.Name))
		goVars(&w, s, st.Fields)
		w.f("}\n")
	}
	for i := range s.Engines {
		e := &s.Engines[i]
		if e.Modelled() {
			goEngine(&w, s, e)
		}
	}
	return gofmt(w.String())
}

func goEngine(w *source, s *spec.Spec, e *spec.Engine) {
	name := camel(e.Name)
	if len(e.Ops) > 0 {
		w.f("// Transactions of %s.", e.Name)
		w.f("const (")
		for _, op := range e.Ops {
			w.f("%s%s uint8 = %d // %s", name, camel(op.Name), op.Number, op.Text)
		}
		w.f(")\n")
	}
	w.f("// %sIn is what the %s step takes.", name, e.Name)
	if e.Boundary {
		w.f("// It is all that the boundary shows.")
	}
	w.f("type %sIn struct {", name)
	goVars(w, s, e.In)
	w.f("}\n")
	if len(e.Out) > 0 {
		w.f("// %sOut is what the %s step decides.", name, e.Name)
		w.f("type %sOut struct {", name)
		goVars(w, s, e.Out)
		w.f("}\n")
	}
	for _, r := range e.Rows {
		w.f("// %s%s is a row of table %s.%s (%s), index %s: %s.", name, camel(r.Name), e.Name, r.Name, r.Rows, r.Index, r.Text)
		w.f("type %s%s struct {", name, camel(r.Name))
		goVars(w, s, r.Fields)
		w.f("}\n")
	}
	w.f("// %s is the record of %s [%s]: %s.", name, e.Name, e.Rule, e.Text)
	w.f("type %s struct {\nHead Head", name)
	if len(e.Out) > 0 {
		w.f("Out %sOut", name)
	}
	w.f("In %sIn", name)
	for _, r := range e.Rows {
		w.f("%s %s%s // as the step leaves it", camel(r.Name), name, camel(r.Name))
	}
	w.f("}\n")
}

// goPath is the Go expression of a placed value inside record r.
func goPath(p *spec.Placed) string {
	return "r." + camel(p.Group) + "." + camel(p.Name)
}

func eventRecords(s *spec.Spec) []byte {
	var w source
	w.f("// %s", marker)
	w.f("\npackage event\n\nimport (\n\"encoding/binary\"\n\n\"metaroce/tandem/model/wire\"\n)\n")
	for i := range s.Engines {
		if e := &s.Engines[i]; e.Modelled() {
			goRecord(&w, s, e)
		}
	}
	return gofmt(w.String())
}

func goRecord(w *source, s *spec.Spec, e *spec.Engine) {
	name, l := camel(e.Name), &e.Layout
	n := spec.RecordBytes * (1 + l.Parts)
	w.f("// %sRecordSize is the length of the record in mode full; the digest covers %d bytes of state.", name, l.StateBytes)
	w.f("const %sRecordSize = %d\n", name, n)
	w.f("// Encode writes the whole record, head fields version, kind, parts, valid and digest included, and returns its length.")
	w.f("func (r *%s) Encode(b *[MaxRecord]byte) (n int) {", name)
	w.f("clear(b[:%d])", n)
	w.f("r.Head.put(b, Kind%s, %d)", name, l.Parts)
	for i := range l.Fields {
		goRecordPut(w, s, &l.Fields[i])
	}
	if l.Parts > 0 {
		w.f("binary.LittleEndian.PutUint64(b[28:], Digest(b[%d:%d]))", spec.RecordBytes, spec.RecordBytes+l.StateBytes)
	}
	w.f("return %d\n}\n", n)
	w.f("// Decode reads a record. A head alone (mode digest) leaves the values behind it zero; Head.Valid says which were there.")
	w.f("func (r *%s) Decode(b []byte) error {", name)
	w.f("if err := r.Head.get(b, Kind%s, %d); err != nil {\nreturn err\n}", name, l.Parts)
	w.f("p := (*[RecordSize]byte)(b)")
	first := len(l.Fields)
	for i := range l.Fields {
		if l.Fields[i].Offset >= spec.RecordBytes {
			first = i
			break
		}
		goRecordGet(w, s, &l.Fields[i], "p", 0)
	}
	if first < len(l.Fields) {
		w.f("if r.Head.Valid == 1 {")
		goClearTail(w, s, e, first)
		w.f("return nil\n}")
		w.f("q := (*[%d]byte)(b[RecordSize:])", n-spec.RecordBytes)
		for i := first; i < len(l.Fields); i++ {
			goRecordGet(w, s, &l.Fields[i], "q", spec.RecordBytes)
		}
	}
	w.f("return nil\n}\n")
}

// goClearTail zeroes what a head alone does not hold, so that a record used again shows nothing of the one before.
func goClearTail(w *source, s *spec.Spec, e *spec.Engine, first int) {
	fields := e.Layout.Fields
	for i := first; i < len(fields); i++ {
		f := &fields[i]
		switch {
		case f.Group == fields[first-1].Group:
			w.f("%s = %s", goPath(f), goZero(s, f))
		case fields[i-1].Group != f.Group:
			w.f("r.%s = %s%s{}", camel(f.Group), camel(e.Name), camel(f.Group))
		}
	}
}

func goZero(s *spec.Spec, p *spec.Placed) string {
	typ := eventType(s, &p.Var)
	switch {
	case typ == "bool":
		return "false"
	case strings.HasPrefix(typ, "["):
		return typ + "{}"
	case p.Width > 64:
		return "[4]uint64{}"
	}
	return "0"
}

func goRecordPut(w *source, s *spec.Spec, p *spec.Placed) {
	v, typ := goPath(p), eventType(s, &p.Var)
	switch {
	case typ == "bool":
		w.f("b[%d] = bit(%s)", p.Offset, v)
	case p.Size == 1 && typ == "uint8":
		w.f("b[%d] = %s", p.Offset, v)
	case p.Size == 1:
		w.f("b[%d] = uint8(%s)", p.Offset, v)
	case p.Size <= 8:
		w.f("binary.LittleEndian.PutUint%d(b[%d:], %s)", 8*p.Size, p.Offset, v)
	case typ == "wire.Bitmap256":
		for i := range 4 {
			w.f("binary.LittleEndian.PutUint64(b[%d:], %s[%d])", p.Offset+8*i, v, i)
		}
	default:
		w.f("copy(b[%d:%d], %s[:])", p.Offset, p.Offset+p.Size, v)
	}
}

// goRecordGet reads a value from array buf, which starts at byte base of the record.
func goRecordGet(w *source, s *spec.Spec, p *spec.Placed, buf string, base int) {
	v, typ, at := goPath(p), eventType(s, &p.Var), p.Offset-base
	switch {
	case typ == "bool":
		w.f("%s = %s[%d] != 0", v, buf, at)
	case p.Size == 1 && typ == "uint8":
		w.f("%s = %s[%d]", v, buf, at)
	case p.Size == 1:
		w.f("%s = %s(%s[%d])", v, typ, buf, at)
	case p.Size <= 8:
		w.f("%s = binary.LittleEndian.Uint%d(%s[%d:])", v, 8*p.Size, buf, at)
	case typ == "wire.Bitmap256":
		for i := range 4 {
			w.f("%s[%d] = binary.LittleEndian.Uint64(%s[%d:])", v, i, buf, at+8*i)
		}
	default:
		w.f("copy(%s[:], %s[%d:%d])", v, buf, at, at+p.Size)
	}
}

func eventInfo(s *spec.Spec) []byte {
	var w source
	w.f("// %s", marker)
	w.f("\npackage event\n")
	w.f("// Engines describes every engine and boundary, engines first, in table order.")
	w.f("var Engines = []EngineInfo{")
	for i := range s.Engines {
		e := &s.Engines[i]
		w.f("{Name: %q, Kind: Kind%s, Boundary: %v, Order: %d, Rule: %q, Built: %v, Modelled: %v, Text: %q, Parts: %d, StateBytes: %d,",
			e.Name, camel(e.Name), e.Boundary, e.Order, e.Rule, e.Built, e.Modelled(), e.Text, e.Layout.Parts, e.Layout.StateBytes)
		if len(e.Ops) > 0 {
			w.f("Ops: []OpInfo{")
			for _, op := range e.Ops {
				w.f("{%q, %d, %q},", op.Name, op.Number, op.Text)
			}
			w.f("},")
		}
		if len(e.Layout.Fields) > 0 {
			w.f("Fields: []FieldInfo{")
			for j := range e.Layout.Fields {
				goFieldInfo(&w, &e.Layout.Fields[j])
			}
			w.f("},")
		}
		w.f("},")
	}
	w.f("}")
	return gofmt(w.String())
}

func goFieldInfo(w *source, p *spec.Placed) {
	grp := map[string]string{"out": "GroupOut", "in": "GroupIn"}[p.Group]
	if p.Row {
		grp = "GroupRow"
	}
	var more strings.Builder
	if p.Row {
		fmt.Fprintf(&more, ", Row: %q", p.Group)
	}
	if p.Enum != "" {
		fmt.Fprintf(&more, ", Enum: %q", p.Enum)
	}
	if p.Told {
		fmt.Fprintf(&more, ", Told: true, Legal: %q, Bound: %q", p.Legal, p.Bound)
	}
	if p.From != "" {
		fmt.Fprintf(&more, ", From: %q", p.From)
	}
	w.f("{Name: %q, Group: %s, Width: %d, Offset: %d, Size: %d%s, Text: %q},", p.Name, grp, p.Width, p.Offset, p.Size, more.String(), p.Text)
}

func eventRegs(s *spec.Spec) []byte {
	var w source
	w.f("// %s", marker)
	w.f("\npackage event\n")
	w.f("// Byte offsets on the register port.")
	w.f("const (")
	for _, r := range s.Regs {
		note := r.Text
		if r.Count > 1 {
			note = fmt.Sprintf("%d entries, %d bytes apart: %s", r.Count, r.Stride, note)
		}
		w.f("Reg%s = %#03x // %s; %s", goName(r.Name), r.Offset, r.Access, note)
	}
	w.f(")\n")
	w.f("// Registers describes the register port.")
	w.f("var Registers = []RegisterInfo{")
	for _, r := range s.Regs {
		w.f("{Name: %q, Offset: Reg%s, Access: %q, Count: %d, Stride: %d, Text: %q},", r.Name, goName(r.Name), r.Access, r.Count, r.Stride, r.Text)
	}
	w.f("}\n")
	w.f("// Commands describes every register command: which register feeds which descriptor field.")
	w.f("var Commands = []CommandInfo{")
	for _, c := range s.Commands {
		w.f("{Name: %q, Command: Command%s, Text: %q, Args: []ArgInfo{", c.Name, camel(c.Name), c.Text)
		for _, a := range c.Args {
			w.f("{Name: %q, Reg: Reg%s, RegLsb: %d, Desc: %q, DescLsb: %d, Width: %d, Text: %q},", a.Name, goName(a.Reg), a.RegLo, a.Desc, a.DescLo, a.RegHi-a.RegLo+1, a.Text)
		}
		w.f("}},")
	}
	w.f("}\n")
	w.f("// SetDesc puts a register value into the descriptor field that an argument names. Bits above the field are dropped,")
	w.f("// as RTL drops them.")
	w.f("func (a *ArgInfo) SetDesc(d *Desc, value uint32) {")
	w.f("v := uint64(value) >> a.RegLsb & (1<<a.Width - 1)")
	w.f("switch a.Desc {")
	used := map[string]bool{}
	for _, c := range s.Commands {
		for _, a := range c.Args {
			used[a.Desc] = true
		}
	}
	desc := s.Struct("desc")
	for i := range desc.Fields {
		v := &desc.Fields[i]
		if !used[v.Name] {
			continue
		}
		typ := eventType(s, v)
		w.f("case %q: d.%s = %s(uint64(d.%s) &^ ((1<<a.Width - 1) << a.DescLsb) | v<<a.DescLsb)", v.Name, camel(v.Name), typ, camel(v.Name))
	}
	w.f("}\n}")
	return gofmt(w.String())
}
