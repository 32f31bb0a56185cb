package show

import (
	"encoding/binary"
	"fmt"
	"strings"

	gplayers "github.com/google/gopacket/layers"

	"metaroce/tandem/model/preset"
	"metaroce/tandem/model/wire"
	"metaroce/tandem/nic/layers"
)

// Field is one field of a header.
type Field struct {
	Header string `json:"header"`
	Name   string `json:"name"`
	Value  uint64 `json:"value"`          // of fields up to 64 bit
	Hex    string `json:"hex,omitempty"`  // of wider ones
	Word   string `json:"word,omitempty"` // name of an enum's value
}

// Packet is a frame in words.
type Packet struct {
	Number  int      `json:"number"` // in its file, from 1
	Bytes   int      `json:"bytes"`
	Around  []string `json:"around"`         // layers outside the packet
	Kind    string   `json:"kind,omitempty"` // empty: no MetaRoCE packet
	Why     string   `json:"why,omitempty"`  // why not, or what is wrong with it
	Sport   uint16   `json:"sport,omitempty"`
	CE      bool     `json:"ce,omitempty"`
	Payload int      `json:"payload"`
	Fields  []Field  `json:"fields,omitempty"`
}

// Reader decodes frame after frame.
type Reader struct {
	d *layers.Decoder
	n int
}

// NewReader makes a Reader that numbers frames from 1.
func NewReader() *Reader { return &Reader{d: layers.NewDecoder()} }

// Read puts the next frame into words.
func (r *Reader) Read(frame []byte) *Packet {
	r.n++
	p := &Packet{Number: r.n, Bytes: len(frame)}
	// a fault inside the packet is found again below, with a better place
	outer := r.d.Decode(frame)
	for _, t := range r.d.Layers {
		if t == layers.LayerTypeBase {
			break
		}
		p.Around = append(p.Around, t.String())
	}
	if !r.d.Has(gplayers.LayerTypeUDP) || r.d.UDP.DstPort != preset.UDPPort {
		p.Why = "not MetaRoCE"
		if outer != nil {
			p.Why += ": " + outer.Error()
		}
		return p
	}
	p.Sport = uint16(r.d.UDP.SrcPort)
	p.CE = r.d.Has(gplayers.LayerTypeIPv4) && r.d.IPv4.TOS&3 == layers.CE || r.d.Has(gplayers.LayerTypeIPv6) && r.d.IPv6.TrafficClass&3 == layers.CE
	p.packet(r.d.UDP.Payload)
	return p
}

// packet reads the UDP payload.
func (p *Packet) packet(b []byte) {
	if len(b) < wire.BaseSize+preset.IcrcBytes {
		p.Why = fmt.Sprintf("UDP payload of %d bytes: base header and ICRC have %d", len(b), wire.BaseSize+preset.IcrcBytes)
		return
	}
	body := b[:len(b)-preset.IcrcBytes]
	if got, want := binary.LittleEndian.Uint32(b[len(body):]), wire.ICRC(body); got != want {
		p.Why = fmt.Sprintf("ICRC %08x, should be %08x", got, want)
	}
	op := wire.Opcode(b[1])
	kind := &wire.Kinds[op]
	p.Kind = op.String()
	headers := kind.Headers
	if !kind.Known {
		p.Why, headers = join(p.Why, "opcode unknown"), []wire.HeaderID{wire.HeaderBase}
	}
	for _, id := range headers {
		h := &wire.Headers[id]
		if len(body) < h.Size {
			p.Why = join(p.Why, fmt.Sprintf("%s header cut short", h.Name))
			return
		}
		p.header(h, body[:h.Size])
		body = body[h.Size:]
	}
	p.Payload = max(0, len(body)-int(b[2]&3))
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func (p *Packet) header(h *wire.HeaderInfo, b []byte) {
	for _, f := range h.Fields {
		if f.Reserved {
			continue
		}
		bytes := f.Value(b)
		x := Field{Header: h.Name, Name: f.Name}
		if f.Width > 64 {
			x.Hex = fmt.Sprintf("%x", bytes)
		}
		for _, c := range bytes[max(0, len(bytes)-8):] {
			x.Value = x.Value<<8 | uint64(c)
		}
		x.Word = word(f.Enum, x.Value)
		p.Fields = append(p.Fields, x)
	}
}

func word(enum string, v uint64) string {
	switch enum {
	case "opcode":
		return wire.Opcode(v).String()
	case "syndrome":
		return wire.Syndrome(v).String()
	}
	return ""
}

// field finds a field by header and name.
func (p *Packet) field(header, name string) (uint64, bool) {
	for i := range p.Fields {
		if f := &p.Fields[i]; f.Header == header && f.Name == name {
			return f.Value, true
		}
	}
	return 0, false
}

// Line is the packet in one line.
func (p *Packet) Line() string {
	if p.Kind == "" {
		return fmt.Sprintf("%5d  %-15s %s, %d bytes", p.Number, strings.Join(p.Around, "/"), p.Why, p.Bytes)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%5d  %-15s", p.Number, p.Kind)
	conn, _ := p.field("base", "dst_conn")
	fmt.Fprintf(&s, " conn %d.%d", conn&0xffff, conn>>16)
	for _, f := range []struct{ header, name, form string }{
		{"base", "path", " path %d"}, {"base", "epoch", " epoch %d"}, {"base", "psn", " psn %#x"}, {"base", "tsn", " tsn %#x"},
		{"message", "stream", " stream %d"}, {"message", "msn", " msn %#x"}, {"message", "attempt", " attempt %d"}, {"message", "offset", " offset %d"},
		{"message", "length", " of %d"}, {"target", "rkey", " rkey %#x"}, {"target", "addr", " addr %#x"}, {"match", "recv_index", " recv %#x"},
		{"imm", "imm_value", " imm %#x"}, {"probe", "query", " query %d"}, {"probe", "msn", " msn %#x"}, {"ack", "cum", " cum %#x"}, {"nak", "msn", " msn %#x"},
	} {
		if v, ok := p.field(f.header, f.name); ok {
			fmt.Fprintf(&s, f.form, v)
		}
	}
	for _, f := range []struct{ name, mark string }{{"flag_a", "A"}, {"flag_d", "D"}, {"flag_r", "R"}, {"flag_b", "B"}, {"flag_l", "L"}} {
		if v, _ := p.field("base", f.name); v != 0 {
			s.WriteString(" " + f.mark)
		}
	}
	if p.CE {
		s.WriteString(" CE")
	}
	fmt.Fprintf(&s, ", %d bytes", p.Payload)
	if p.Why != "" {
		s.WriteString("; " + p.Why)
	}
	return s.String()
}

// Text is every field of the packet, a line each.
func (p *Packet) Text() string {
	var s strings.Builder
	s.WriteString(p.Line() + "\n")
	for i := range p.Fields {
		f := &p.Fields[i]
		fmt.Fprintf(&s, "       %-28s %s\n", f.Header+"."+f.Name, f)
	}
	return s.String()
}
