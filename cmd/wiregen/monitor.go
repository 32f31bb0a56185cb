package main

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/spec"
)

// piece is a run of bits of a record that comes from one place.
type piece struct {
	at, width int    // bits of the record
	from      string // SystemVerilog vector, "" for a constant
	lsb       int
	constant  uint64
}

// headPieces are the fixed part of a head. Sequence and digest stay zero: the shim fills them.
func headPieces(e *spec.Engine, commit bool) []piece {
	parts := e.Layout.Parts
	ps := []piece{
		{at: 0, width: 8, constant: 1},
		{at: 8, width: 8, constant: uint64(e.ID)},
		{at: 24, width: 8, constant: uint64(parts)},
		{at: 64, width: 64, from: "cycle"},
		{at: 184, width: 8, constant: 2<<parts - 1},
	}
	if commit {
		return append(ps,
			piece{at: 16, width: 8, from: "c", lsb: 0},
			piece{at: 128, width: 32, from: "c", lsb: 8},
			piece{at: 160, width: 16, from: "c", lsb: 40},
			piece{at: 176, width: 8, from: "c", lsb: 56},
			piece{at: 192, width: 16, from: "c", lsb: 64})
	}
	return append(ps,
		piece{at: 128, width: 32, from: "xid"},
		piece{at: 160, width: 16, from: "conn"},
		piece{at: 176, width: 8, from: "path"},
		piece{at: 192, width: 16, from: "stream"})
}

// recordPieces maps every value of a record.
func recordPieces(e *spec.Engine) []piece {
	base := 0
	if !e.Boundary {
		base = commitHeadW
	}
	ps := headPieces(e, !e.Boundary)
	for _, f := range e.Layout.Fields {
		ps = append(ps, piece{at: 8 * f.Offset, width: f.Width, from: "c", lsb: base + f.Lsb})
	}
	return ps
}

// svWord writes word k of a record as a concatenation. Words are narrow, so no simulator makes wide temporaries of it.
func svWord(ps []piece, k int) string {
	var terms []string // most significant first
	at := 32*k + 32
	for at > 32*k {
		best := piece{at: -1}
		for _, p := range ps {
			if p.at < at && p.at+p.width > 32*k && p.at > best.at {
				best = p
			}
		}
		if best.at < 0 {
			terms = append(terms, fmt.Sprintf("%d'd0", at-32*k))
			break
		}
		top := min(best.at+best.width, at)
		if top < at {
			terms = append(terms, fmt.Sprintf("%d'd0", at-top))
		}
		low := max(best.at, 32*k)
		if best.from == "" {
			terms = append(terms, fmt.Sprintf("%d'd%d", top-low, best.constant))
		} else {
			terms = append(terms, fmt.Sprintf("%s[%d +: %d]", best.from, best.lsb+low-best.at, top-low))
		}
		at = low
	}
	if len(terms) == 1 {
		return terms[0]
	}
	return "{" + strings.Join(terms, ", ") + "}"
}

func genMonitor(s *spec.Spec) []output {
	var w source
	w.f("// %s", marker)
	w.f("// Records of the bridge from commit vectors (Verilator and other simulators with DPI; not part of the portable subset).")
	w.f("// Byte 0 of a record is in bits 7:0. Sequence and digest are left 0: the shim fills them.")
	w.f("`ifndef MR_MONITOR_GEN_SVH\n`define MR_MONITOR_GEN_SVH\n")
	for i := range s.Engines {
		e := &s.Engines[i]
		if !e.Built {
			continue
		}
		width := 512 * (1 + e.Layout.Parts)
		if e.Boundary {
			w.f("// %s: %s", e.Name, e.Text)
			w.f("function automatic bit [%d:0] mr_record_%s(input bit [63:0] cycle, input bit [31:0] xid, input bit [15:0] conn,", width-1, e.Name)
			w.f("    input bit [7:0] path, input bit [15:0] stream, input bit [mr_pkg::%sInW-1:0] c);", camel(e.Name))
		} else {
			w.f("// %s: commit vector is mr_%s_commit_t", e.Name, e.Name)
			w.f("function automatic bit [%d:0] mr_record_%s(input bit [63:0] cycle, input bit [mr_pkg::%sCommitW-1:0] c);", width-1, e.Name, camel(e.Name))
		}
		ps := recordPieces(e)
		for k := range width / 32 {
			w.f("  mr_record_%s[%d +: 32] = %s;", e.Name, 32*k, svWord(ps, k))
		}
		w.f("endfunction\n")
	}
	w.f("`endif")
	return []output{{"cosim/dpi/gen/mr_monitor_gen.svh", []byte(w.String())}}
}
