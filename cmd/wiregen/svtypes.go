package main

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/spec"
)

// snake makes WindowIn into window_in.
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

func svMember(w *source, width int, name, text string) {
	typ := "logic"
	if width > 1 {
		typ = fmt.Sprintf("logic [%d:0]", width-1)
	}
	w.f("  %-14s %s; // %s", typ, svName(name), text)
}

func genTypes(s *spec.Spec) []output {
	var w source
	w.f("// %s", marker)
	w.f("// Packed structs at file scope (portable subset). The first field of the table is the least significant, so it stands")
	w.f("// last here; header structs are in wire order, so a big-endian slice of the wire assigns directly. A field whose name")
	w.f("// SystemVerilog reserves has _f behind it (class_f, release_f).")
	w.f("`ifndef MR_TYPES_SVH\n`define MR_TYPES_SVH\n")
	// A member called vector only meets a C++ word; Verilator renames it.
	w.f("/* verilator lint_off SYMRSVDWORD */\n")
	for _, h := range s.Headers {
		w.f("// header %s, %d bytes: %s", h.Name, h.Bytes, h.Text)
		w.f("typedef struct packed {")
		for _, f := range h.Fields {
			svMember(&w, f.Width, f.Name, f.Text)
		}
		w.f("} mr_hdr_%s_t;\n", h.Name)
	}
	for _, v := range svVectors(s) {
		w.f("// %s", v.text)
		w.f("typedef struct packed {")
		for i := len(v.fields) - 1; i >= 0; i-- {
			f := v.fields[i]
			svMember(&w, f.Width, f.Name, f.Text)
		}
		w.f("} mr_%s_t;\n", vecType(v.name))
	}
	for i := range s.Engines {
		if e := &s.Engines[i]; e.Built && !e.Boundary {
			svCommit(&w, e)
		}
	}
	w.f("/* verilator lint_on SYMRSVDWORD */\n`endif")
	return []output{{"rtl/gen/mr_types.svh", []byte(w.String())}}
}

func vecType(name string) string { return snake(name) }

// svCommit writes what an engine shows in its commit cycle. Rows have row_ before their name, since a row may be
// called like a field of the head (path, conn, stream).
func svCommit(w *source, e *spec.Engine) {
	w.f("// commit of %s", e.Name)
	w.f("typedef struct packed {")
	for i := len(e.Rows) - 1; i >= 0; i-- {
		w.f("  mr_%s_%s_t row_%s; // as the step leaves it", e.Name, e.Rows[i].Name, e.Rows[i].Name)
	}
	w.f("  mr_%s_in_t in;", e.Name)
	if len(e.Out) > 0 {
		w.f("  mr_%s_out_t out;", e.Name)
	}
	w.f("  logic [15:0] stream;\n  logic [7:0] path;\n  logic [15:0] conn;\n  logic [31:0] xid;\n  logic [7:0] op;")
	w.f("} mr_%s_commit_t;\n", e.Name)
}
