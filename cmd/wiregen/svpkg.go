package main

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/spec"
)

// svVector is a named bundle of values that travels as a vector.
type svVector struct {
	name   string // UpperCamel: WindowIn
	text   string
	fields []spec.Var
}

// svVectors lists every bundle: descriptor, then per engine in, out, rows.
func svVectors(s *spec.Spec) []svVector {
	var out []svVector
	for _, st := range s.Structs {
		out = append(out, svVector{camel(st.Name), st.Text, st.Fields})
	}
	for i := range s.Engines {
		e := &s.Engines[i]
		if !e.Built {
			continue
		}
		out = append(out, svVector{camel(e.Name) + "In", "input of " + e.Name, e.In})
		if len(e.Out) > 0 {
			out = append(out, svVector{camel(e.Name) + "Out", "decision of " + e.Name, e.Out})
		}
		for _, r := range e.Rows {
			out = append(out, svVector{camel(e.Name) + camel(r.Name), "row of " + e.Name + ": " + r.Text, r.Fields})
		}
	}
	return out
}

func sumWidth(vars []spec.Var) int {
	n := 0
	for _, v := range vars {
		n += v.Width
	}
	return n
}

// commitHeadW are the bits of op, xid, conn, path and stream in front of every commit vector.
const commitHeadW = 8 + 32 + 16 + 8 + 16

func genPkg(s *spec.Spec) []output {
	var w source
	w.f("// %s", marker)
	w.f("// Constants, widths and functions of the definition. Use as mr_pkg::NAME; no import (portable subset).")
	w.f("`default_nettype none\n/* verilator lint_off UNUSEDPARAM */\n/* verilator lint_off UNUSEDSIGNAL */\npackage mr_pkg;\n")
	w.f("  localparam logic [63:0] SchemaHash = 64'h%016x;\n", s.Hash)
	w.f("  // constant.tbl")
	for _, c := range s.Consts {
		w.f("  localparam int %s = %d; // %s", camel(c.Name), c.Value, c.Unit)
	}
	svEnums(&w, s)
	svOps(&w, s)
	w.f("\n  // register.tbl: byte offsets")
	for _, r := range s.Regs {
		w.f("  localparam logic [11:0] Reg%s = 12'h%03x;", camel(strings.ToLower(r.Name)), r.Offset)
		if r.Count > 1 {
			w.f("  localparam int Reg%sCount = %d;", camel(strings.ToLower(r.Name)), r.Count)
		}
	}
	svWidths(&w, s)
	svHeaderPlaces(&w, s)
	svKindFunctions(&w, s)
	svCommandFunction(&w, s)
	svCrc(&w)
	w.f("endpackage\n/* verilator lint_on UNUSEDSIGNAL */\n/* verilator lint_on UNUSEDPARAM */\n`default_nettype wire")
	return []output{{"rtl/gen/mr_pkg.sv", []byte(w.String())}}
}

func svEnums(w *source, s *spec.Spec) {
	for _, e := range s.Enums {
		w.f("\n  // %s: %s", e.Name, e.Text)
		w.f("  localparam int %sW = %d;", camel(e.Name), e.Width)
		last := uint64(0)
		for _, v := range e.Values {
			w.f("  localparam logic [%d:0] %s%s = %d'd%d;", e.Width-1, camel(e.Name), camel(v.Name), e.Width, v.Number)
			last = max(last, uint64(v.Number))
		}
		w.f("  localparam int %sLast = %d; // the highest that has a name", camel(e.Name), last)
	}
}

func svOps(w *source, s *spec.Spec) {
	w.f("\n  // event.tbl: ids of engines and boundaries, operations")
	for i := range s.Engines {
		e := &s.Engines[i]
		w.f("  localparam logic [7:0] Kind%s = 8'd%d;", camel(e.Name), e.ID)
		for _, op := range e.Ops {
			w.f("  localparam logic [7:0] %sOp%s = 8'd%d;", camel(e.Name), camel(op.Name), op.Number)
		}
	}
}

func svWidths(w *source, s *spec.Spec) {
	w.f("\n  // widths of the structs of mr_types.svh, and the lowest bit of each field")
	for _, v := range svVectors(s) {
		w.f("  localparam int %sW = %d;", v.name, sumWidth(v.fields))
		at := 0
		for _, f := range v.fields {
			w.f("  localparam int %s%sLsb = %d;", v.name, camel(f.Name), at)
			at += f.Width
		}
	}
	w.f("\n  // commit vectors: op, xid, conn, path, stream, out, in, rows")
	w.f("  localparam int CommitHeadW = %d;", commitHeadW)
	for i := range s.Engines {
		if e := &s.Engines[i]; e.Built && !e.Boundary {
			w.f("  localparam int %sCommitW = %d;", camel(e.Name), commitHeadW+e.Layout.Bits)
		}
	}
}

func svHeaderPlaces(w *source, s *spec.Spec) {
	w.f("\n  // wire.tbl: a header of N bytes is a vector of 8*N bits whose bit 8*N-1 goes first on the wire")
	for _, h := range s.Headers {
		name := camel(h.Name)
		w.f("  localparam int %sBytes = %d;", name, h.Bytes)
		w.f("  localparam int %sHdrW = %d;", name, 8*h.Bytes)
		for _, f := range h.Fields {
			if !f.Reserved {
				w.f("  localparam int %s%sLsb = %d;", name, camel(f.Name), 8*h.Bytes-f.Offset-f.Width)
			}
		}
	}
}

// svFunction writes an 8-bit opcode look-up. Kinds for which value gives "" are left to the default.
func svFunction(w *source, s *spec.Spec, name, text string, width int, fallback string, value func(*spec.Packet) string) {
	w.f("\n  // %s", text)
	w.f("  function automatic logic [%d:0] %s(input logic [7:0] opcode);", width-1, name)
	w.f("    case (opcode)")
	for i := range s.Packets {
		if v := value(&s.Packets[i]); v != "" {
			w.f("      8'h%02x: %s = %s; // %s", s.Packets[i].Number, name, v, s.Packets[i].Name)
		}
	}
	w.f("      default: %s = %s;", name, fallback)
	w.f("    endcase\n  endfunction")
}

func svKindFunctions(w *source, s *spec.Spec) {
	yes := func(cond func(*spec.Packet) bool) func(*spec.Packet) string {
		return func(p *spec.Packet) string {
			if cond(p) {
				return "1'b1"
			}
			return ""
		}
	}
	w.f("\n  // Packet kinds by opcode. Functions of one bit return a vector of one bit.")
	svFunction(w, s, "kind_known", "a packet kind has this opcode", 1, "1'b0", yes(func(*spec.Packet) bool { return true }))
	svFunction(w, s, "kind_hdr_len", "bytes of all headers, 0 if unknown", 8, "8'd0", func(p *spec.Packet) string {
		return fmt.Sprintf("8'd%d", s.HeaderBytes(p))
	})
	svFunction(w, s, "kind_payload", "payload may follow the headers", 1, "1'b0", yes(func(p *spec.Packet) bool { return p.Payload }))
	svFunction(w, s, "kind_psn", "takes a psn (and a tsn)", 1, "1'b0", yes(func(p *spec.Packet) bool { return p.Psn == "yes" }))
	svFunction(w, s, "kind_tsn", "takes a tsn", 1, "1'b0", yes(func(p *spec.Packet) bool { return p.Psn != "no" }))
	svFunction(w, s, "kind_receiver", "is for the receiver", 1, "1'b0", yes(func(p *spec.Packet) bool { return p.Side != "sender" }))
	svFunction(w, s, "kind_has_stream", "names a message of a stream at the receiver; a probe does only with query", 1, "1'b0", yes(s.HasStream))
	svFunction(w, s, "kind_carries_message", "has the message header", 1, "1'b0", yes(func(p *spec.Packet) bool { return p.HasHeader("message") }))
	for _, h := range s.Headers {
		if h.Name == "base" {
			continue
		}
		svFunction(w, s, "kind_at_"+h.Name, "byte at which header "+h.Name+" starts, 0: not there", 8, "8'd0", func(p *spec.Packet) string {
			at := 0
			for _, name := range p.Headers {
				if name == h.Name {
					return fmt.Sprintf("8'd%d", at)
				}
				at += s.Header(name).Bytes
			}
			return ""
		})
	}
}

// svCommandFunction writes the descriptor of a command from the argument registers, side by side in one vector.
func svCommandFunction(w *source, s *spec.Spec) {
	w.f("\n  // Argument registers side by side: %s first in bits 31:0.", "CMD_CONN")
	at := map[string]int{}
	n := 0
	for _, r := range argRegs(s) {
		w.f("  localparam int CmdArg%sLsb = %d;", camel(strings.ToLower(strings.TrimPrefix(r.Name, "CMD_"))), n)
		at[r.Name] = n
		n += 32
	}
	w.f("  localparam int CmdArgsW = %d;", n)
	w.f("\n  // Descriptor of a command: arguments in the fields that register.tbl names, op and xid as given, the rest 0.")
	d := s.Struct("desc")
	lsb, total := map[string]int{}, 0
	for _, f := range d.Fields {
		lsb[f.Name] = total
		total += f.Width
	}
	w.f("  function automatic logic [%d:0] cmd_desc(input logic [3:0] op, input logic [31:0] xid, input logic [%d:0] args);", total-1, n-1)
	w.f("    cmd_desc = '0;")
	w.f("    cmd_desc[DescOpLsb +: 4] = op;")
	w.f("    cmd_desc[DescXidLsb +: 32] = xid;")
	w.f("    case (op)")
	for _, c := range s.Commands {
		w.f("      Command%s: begin", camel(c.Name))
		for _, a := range c.Args {
			width := a.RegHi - a.RegLo + 1
			w.f("        cmd_desc[%d +: %d] = args[%d +: %d]; // %s = %s", lsb[a.Desc]+a.DescLo, width, at[a.Reg]+a.RegLo, width, a.Desc, a.Reg)
		}
		w.f("      end")
	}
	w.f("      default: cmd_desc[DescOpLsb +: 4] = '0;")
	w.f("    endcase\n  endfunction")
}

func svCrc(w *source) {
	w.f("\n  // CRC-32 (IEEE 802.3, reflected). Register before the first word: Crc32Init; the CRC is the inverted register and goes")
	w.f("  // out with bits 7:0 first. data[7:0] is the first byte. After a message and its own CRC the register is Crc32Good.")
	w.f("  localparam logic [31:0] Crc32Init = 32'hffffffff;")
	w.f("  localparam logic [31:0] Crc32Good = 32'h%08x;", crcGood)
	w.f("\n  // Register when k zero words (32 bits) stand behind a message and its CRC: the padding of a last beat.")
	w.f("  function automatic logic [31:0] crc32_residue(input logic [3:0] k);")
	w.f("    case (k)")
	for k := range 16 {
		w.f("      4'd%d: crc32_residue = 32'h%08x;", k, crcResidue(k))
	}
	w.f("      default: crc32_residue = 32'h%08x;", crcResidue(0))
	w.f("    endcase\n  endfunction")
	for _, n := range []int{32, 64, 128, 256, 512} {
		w.f("\n  // Register %d bits later: each bit is the parity of those bits of {data, state} that its mask names.", n)
		w.f("  function automatic logic [31:0] crc32_%d(input logic [31:0] state, input logic [%d:0] data);", n, n-1)
		for i, m := range crcMasks(n) {
			w.f("    crc32_%d[%d] = ^({data, state} & %d'h%0*x);", n, i, n+32, (n+32)/4, m)
		}
		w.f("  endfunction")
	}
}
