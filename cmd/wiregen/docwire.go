package main

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/spec"
)

// page starts a generated page.
func page(w *source, title string) {
	w.f("<!-- %s -->\n# %s\n", marker, title)
}

// cell makes a text safe inside a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func claimOf(c spec.Claim) string { return c.Status + ", " + c.Source }

// genDocWire writes the page of the wire format.
func genDocWire(s *spec.Spec) []output {
	var w source
	page(&w, "Wire format")
	w.f("This is a **working format**: the published layout of MetaRoCE was not at hand. The announcement states behaviour, not bits;")
	w.f("each row says how far it is `stated`, `inferred` or `chosen`, and [assumptions.md](assumptions.md) lists what is not stated.")
	w.f("The day the layout is known, `model/spec/wire.tbl` is edited and everything else is generated.\n")
	w.f("A packet is Ethernet, at most one VLAN tag, IPv4 or IPv6, UDP (destination port %d by default; the source port is the", s.Const("udp_port"))
	w.f("entropy of the path), base header, extension headers, payload, padding to 4 bytes, ICRC. All fields are big-endian; only the")
	w.f("ICRC, the CRC-32 of IEEE 802.3 over the UDP payload before it, goes out with its low byte first. Reserved bits are sent as zero")
	w.f("and ignored when received. psn, tsn, msn and recv_index are serial numbers: they wrap, and are compared modulo 2^32.\n")
	w.f("## Packet kinds\n")
	w.f("| opcode | kind | headers | bytes | payload | psn | for | what | status, source |\n|---|---|---|---|---|---|---|---|---|")
	for i := range s.Packets {
		p := &s.Packets[i]
		w.f("| 0x%02x | `%s` | %s | %d | %s | %s | %s | %s | %s |", p.Number, p.Name, strings.Join(p.Headers, " "), s.HeaderBytes(p),
			map[bool]string{true: "yes", false: "no"}[p.Payload], map[string]string{"yes": "psn, tsn", "tsn": "tsn", "no": "-"}[p.Psn], p.Side, cell(p.Text), claimOf(p.Claim))
	}
	w.f("\n## Headers\n")
	w.f("Bits are numbered in the order they are sent; a row is 4 bytes.\n")
	for i := range s.Headers {
		docHeader(&w, &s.Headers[i])
	}
	w.f("## Values\n")
	for _, e := range s.Enums {
		if !e.Wire {
			continue
		}
		w.f("### %s\n\n%s; %d bits.\n\n| value | name | what | status, source |\n|---|---|---|---|", e.Name, capital(e.Text), e.Width)
		for _, v := range e.Values {
			w.f("| 0x%02x | `%s` | %s | %s |", v.Number, v.Name, cell(v.Text), claimOf(v.Claim))
		}
		w.f("")
	}
	w.f("## Golden files\n")
	w.f("`vectors/golden/wire` holds fields and bytes side by side: `headers.txt`, `packets.txt` (whole UDP payloads), `records.txt`, and for")
	w.f("`$readmemh` the same in `mem/`. The Go codec, the gopacket layers, the SystemVerilog structs (Icarus and Verilator), the C header and")
	w.f("tshark with `docs/dissector/metaroce.lua` are all held against them. They are made bit by bit, without the generated codec.")
	return []output{{"docs/wire.md", []byte(w.String())}}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func docHeader(w *source, h *spec.Header) {
	w.f("### %s, %d bytes\n\n%s (%s).\n\n```", h.Name, h.Bytes, capital(h.Text), claimOf(h.Claim))
	w.f("%s```\n", diagram(h))
	w.f("| bits | field | width | what | status, source |\n|---|---|---|---|---|")
	for _, f := range h.Fields {
		text := cell(f.Text)
		if f.Enum != "" {
			text += fmt.Sprintf(" ([%s](#%s))", f.Enum, f.Enum)
		}
		name := "`" + f.Name + "`"
		if f.Reserved {
			name, text = "reserved", "sent as zero, ignored"
		}
		w.f("| %s | %s | %d | %s | %s |", bitRange(f.Offset, f.Width), name, f.Width, text, claimOf(f.Claim))
	}
	w.f("")
}

func bitRange(first, width int) string {
	if width == 1 {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d..%d", first, first+width-1)
}

// diagram draws a header, 32 bits a row, two characters a bit. Words that belong to one field alone are drawn once.
func diagram(h *spec.Header) string {
	var b strings.Builder
	b.WriteString(" 0                   1                   2                   3\n")
	b.WriteString(" 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1\n")
	line := "+" + strings.Repeat("-+", 32) + "\n"
	b.WriteString(line)
	for row := 0; row < 8*h.Bytes; row += 32 {
		f := fieldAt(h, row)
		if f.Offset == row && f.Width > 64 { // the vector: many rows say nothing more
			b.WriteString("|" + centre(fmt.Sprintf("%s (%d bits)", f.Name, f.Width), 63) + "|\n")
			b.WriteString("/" + centre("...", 63) + "/\n" + line)
			row += f.Width - 32
			continue
		}
		b.WriteString(diagramRow(h, row) + "\n" + line)
	}
	return b.String()
}

func fieldAt(h *spec.Header, bit int) *spec.Field {
	for i := range h.Fields {
		f := &h.Fields[i]
		if bit >= f.Offset && bit < f.Offset+f.Width {
			return f
		}
	}
	panic("wiregen BUG: no field at a bit of the header")
}

func diagramRow(h *spec.Header, row int) string {
	var b strings.Builder
	for bit := row; bit < row+32; {
		f := fieldAt(h, bit)
		end := min(f.Offset+f.Width, row+32)
		name := f.Name
		switch {
		case f.Reserved:
			name = "0"
		case f.Offset < row:
			name = ""
			if f.Width > 32 {
				name = f.Name + " (low half)"
			}
		}
		b.WriteString("|" + centre(name, 2*(end-bit)-1))
		bit = end
	}
	return b.String() + "|"
}

// centre fits a name into n characters; what does not fit is cut: flag_a becomes its last letter.
func centre(name string, n int) string {
	if len(name) > n {
		if n == 1 {
			name = name[len(name)-1:]
		} else {
			name = name[:n]
		}
	}
	left := (n - len(name)) / 2
	return strings.Repeat(" ", left) + name + strings.Repeat(" ", n-len(name)-left)
}
