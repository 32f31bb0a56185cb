package main

import (
	"fmt"
	"go/format"
	"strings"

	"metaroce/tandem/model/spec"
)

// gofmt formats generated Go; text that does not parse is a mistake of a generator.
func gofmt(text string) []byte {
	out, err := format.Source([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("wiregen BUG: %v in\n%s", err, text))
	}
	return out
}

func genWire(s *spec.Spec) []output {
	outs := []output{{"model/wire/enum_gen.go", wireEnums(s)}, {"model/wire/kind_gen.go", wireKinds(s)}}
	var w source
	w.f("// %s", marker)
	w.f("\npackage wire\n\nimport \"encoding/binary\"\n")
	for i := range s.Headers {
		goHeader(&w, &s.Headers[i])
	}
	return append(outs, output{"model/wire/header_gen.go", gofmt(w.String())})
}

// goEnum writes a type, its values and String.
func goEnum(w *source, e *spec.Enum) {
	name := camel(e.Name)
	w.f("// %s: %s.", name, e.Text)
	w.f("type %s uint8\n", name)
	w.f("const (")
	for _, v := range e.Values {
		note := v.Text
		if v.Rule != "" {
			note += " [" + v.Rule + "]"
		}
		w.f("%s%s %s = %d // %s", name, camel(v.Name), name, v.Number, note)
	}
	w.f(")\n")
	w.f("// String names the value as the tables do; an unknown one is its number.")
	w.f("func (v %s) String() string {\nswitch v {", name)
	for _, v := range e.Values {
		w.f("case %s%s: return %q", name, camel(v.Name), v.Name)
	}
	w.f("}\nreturn \"%s(\" + strconv.Itoa(int(v)) + \")\"\n}\n", e.Name)
}

func wireEnums(s *spec.Spec) []byte {
	var w source
	w.f("// %s", marker)
	w.f("\npackage wire\n\nimport \"strconv\"\n")
	for i := range s.Enums {
		if s.Enums[i].Wire {
			goEnum(&w, &s.Enums[i])
		}
	}
	return gofmt(w.String())
}

// group is a run of fields that starts and ends on bytes.
type group struct {
	bytes  int // offset
	width  int // bits
	fields []*spec.Field
}

func groups(h *spec.Header) []group {
	var out []group
	var g group
	for i := range h.Fields {
		f := &h.Fields[i]
		if len(g.fields) == 0 {
			g.bytes = f.Offset / 8
		}
		g.fields = append(g.fields, f)
		g.width += f.Width
		if (f.Offset+f.Width)%8 == 0 {
			out = append(out, g)
			g = group{}
		}
	}
	return out
}

func goHeader(w *source, h *spec.Header) {
	name := camel(h.Name)
	w.f("// %sSize is the length of the %s header.", name, h.Name)
	w.f("const %sSize = %d\n", name, h.Bytes)
	w.f("// %s: %s (%s, %s).", name, h.Text, h.Status, h.Source)
	w.f("type %s struct {", name)
	for i := range h.Fields {
		if f := &h.Fields[i]; !f.Reserved {
			w.f("%s %s // %s (%s, %s)", camel(f.Name), wireType(f), bits(f.Width)+f.Text, f.Status, f.Source)
		}
	}
	w.f("}\n")
	w.f("// Append puts the header behind b; reserved fields are zero.")
	w.f("func (h *%s) Append(b []byte) []byte {", name)
	w.f("b = append(b, make([]byte, %sSize)...)", name)
	w.f("p := b[len(b)-%sSize:]\n_ = p[%sSize-1]", name, name)
	for _, g := range groups(h) {
		goPut(w, g)
	}
	w.f("return b\n}\n")
	w.f("// Decode reads the header from the start of b; reserved fields are ignored. Bytes behind it are not looked at.")
	w.f("func (h *%s) Decode(b []byte) error {", name)
	w.f("if len(b) < %sSize {\nreturn short(Header%s, len(b))\n}", name, name)
	w.f("p := b[:%sSize:%sSize]", name, name)
	for _, g := range groups(h) {
		goGet(w, g)
	}
	w.f("return nil\n}\n")
}

func bits(w int) string {
	if w == 1 {
		return "1 bit: "
	}
	return fmt.Sprintf("%d bits: ", w)
}

func goPut(w *source, g group) {
	first := g.fields[0]
	if g.width > 64 {
		w.f("putBitmap(p[%d:], &h.%s)", g.bytes, camel(first.Name))
		return
	}
	acc := unsigned(g.width)
	var parts []string
	below := g.width
	for _, f := range g.fields {
		below -= f.Width
		if f.Reserved {
			continue
		}
		v := "h." + camel(f.Name)
		switch {
		case f.Width == 1 && f.Enum == "":
			v = "bit(" + v + ")"
			if acc != "uint8" {
				v = acc + "(" + v + ")"
			}
		case wireType(f) != acc:
			v = acc + "(" + v + ")"
		}
		if f.Width != g.width && f.Width > 1 && f.Width&7 != 0 || f.Width == 24 {
			v = fmt.Sprintf("%s&%#x", v, uint64(1)<<f.Width-1)
		}
		if below > 0 {
			v = fmt.Sprintf("%s<<%d", paren(v), below)
		}
		parts = append(parts, v)
	}
	if len(parts) == 0 {
		return // reserved only: the bytes are zero already
	}
	expr := strings.Join(parts, " | ")
	at := g.bytes
	switch g.width {
	case 8:
		w.f("p[%d] = %s", at, expr)
	case 16, 32, 64:
		w.f("binary.BigEndian.PutUint%d(p[%d:], %s)", g.width, at, expr)
	case 24:
		w.f("put24(p[%d:], %s)", at, expr)
	default:
		panic(fmt.Sprintf("wiregen BUG: no put for a group of %d bits", g.width))
	}
}

func paren(s string) string {
	if strings.ContainsAny(s, "&|") {
		return "(" + s + ")"
	}
	return s
}

func goGet(w *source, g group) {
	if g.width > 64 {
		w.f("getBitmap(p[%d:], &h.%s)", g.bytes, camel(g.fields[0].Name))
		return
	}
	var load string
	switch g.width {
	case 8:
		load = fmt.Sprintf("p[%d]", g.bytes)
	case 16, 32, 64:
		load = fmt.Sprintf("binary.BigEndian.Uint%d(p[%d:])", g.width, g.bytes)
	case 24:
		load = fmt.Sprintf("get24(p[%d:])", g.bytes)
	default:
		panic(fmt.Sprintf("wiregen BUG: no get for a group of %d bits", g.width))
	}
	acc := unsigned(g.width)
	var live []*spec.Field
	for _, f := range g.fields {
		if !f.Reserved {
			live = append(live, f)
		}
	}
	if len(live) == 0 {
		return
	}
	if len(g.fields) > 1 {
		w.f("{\nv := %s", load)
		load = "v"
		defer w.f("}")
	}
	below := g.width
	for _, f := range g.fields {
		below -= f.Width
		if f.Reserved {
			continue
		}
		v := load
		if below > 0 {
			v = fmt.Sprintf("%s>>%d", v, below)
		}
		if f.Width+below < g.width {
			v = fmt.Sprintf("%s&%#x", paren(v), uint64(1)<<f.Width-1)
		}
		typ := wireType(f)
		switch {
		case typ == "bool":
			v = fmt.Sprintf("%s != 0", v)
		case typ != acc:
			v = typ + "(" + v + ")"
		}
		w.f("h.%s = %s", camel(f.Name), v)
	}
}

func wireKinds(s *spec.Spec) []byte {
	var w source
	w.f("// %s", marker)
	w.f("\npackage wire\n")
	w.f("// Headers of the format.")
	w.f("const (")
	for i, h := range s.Headers {
		if i == 0 {
			w.f("Header%s HeaderID = iota", camel(h.Name))
			continue
		}
		w.f("Header%s", camel(h.Name))
	}
	w.f(")\n")
	w.f("// Headers describes every header, indexed by HeaderID.")
	w.f("var Headers = [...]HeaderInfo{")
	for _, h := range s.Headers {
		w.f("Header%s: {Name: %q, Size: %d, Fields: []FieldInfo{", camel(h.Name), h.Name, h.Bytes)
		for _, f := range h.Fields {
			enum := ""
			if f.Enum != "" {
				enum = fmt.Sprintf(", Enum: %q", f.Enum)
			}
			if f.Reserved {
				enum += ", Reserved: true"
			}
			w.f("{Name: %q, Bit: %d, Width: %d%s},", f.Name, f.Offset, f.Width, enum)
		}
		w.f("}},")
	}
	w.f("}\n")
	w.f("// Kinds says what each opcode is. An opcode without a packet kind is not Known.")
	w.f("var Kinds = [256]Kind{")
	for i := range s.Packets {
		p := &s.Packets[i]
		var hs []string
		for _, h := range p.Headers {
			hs = append(hs, "Header"+camel(h))
		}
		psn := map[string]string{"yes": "PsnAndTsn", "tsn": "TsnOnly", "no": "NoPsn"}[p.Psn]
		w.f("Opcode%s: {Known: true, Name: %q, Headers: []HeaderID{%s}, HeaderLen: %d, Payload: %v, Psn: %s, Side: Side%s, HasStream: %v, CarriesMessage: %v},",
			camel(p.Opcode), p.Name, strings.Join(hs, ", "), s.HeaderBytes(p), p.Payload, psn, camel(p.Side), s.HasStream(p), p.HasHeader("message"))
	}
	w.f("}")
	return gofmt(w.String())
}
