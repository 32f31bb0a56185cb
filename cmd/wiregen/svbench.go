package main

import (
	"fmt"
	"strings"

	"metaroce/tandem/model/spec"
)

// digits is the number of bits of a value in whole hex digits.
func digits(width int) int { return (width + 3) / 4 * 4 }

// memLines counts the data lines of a generated .mem file.
func memLines(outs []output, name string) int {
	for _, o := range outs {
		if o.path == goldenDir+"mem/"+name {
			n := 0
			for _, l := range strings.Split(string(o.data), "\n") {
				if l != "" && !strings.HasPrefix(l, "//") {
					n++
				}
			}
			return n
		}
	}
	panic("wiregen BUG: no " + name)
}

// benchHead starts a bench: file scope, golden folder, the check task.
func benchHead(w *source, name, purpose string, includes ...string) {
	w.f("// %s", marker)
	w.f("// %s", purpose)
	w.f("// +golden=DIR names vectors/golden/wire/mem. Prints \"FAIL ...\" lines, then one line PASS or FAILED with counts.")
	w.f("/* verilator lint_off WIDTH */\n/* verilator lint_off UNUSEDSIGNAL */\n/* verilator lint_off BLKSEQ */\n/* verilator lint_off INITIALDLY */")
	for _, i := range includes {
		w.f("`include \"%s\"", i)
	}
	w.f("module %s;", name)
	w.f("  string dir;\n  integer i, k, checks, failures;\n")
	w.f("  // 1 where the values differ. Called from hundreds of places: copied into each, it would take a minute to compile,")
	w.f("  // so it touches nothing of the module.")
	w.f("  function automatic integer check(input string what, input integer line, input [2047:0] got, input [2047:0] want);")
	w.f("    /* verilator no_inline_task */\n    begin\n      check = 0;\n      if (got !== want) begin\n        check = 1;")
	w.f("        $display(\"FAIL %%0s case %%0d: got %%0h want %%0h\", what, line, got, want);")
	w.f("      end\n    end\n  endfunction\n")
	w.f("`define MR_TB_CHECK(WHAT, LINE, GOT, WANT) checks = checks + 1; failures = failures + check(WHAT, LINE, GOT, WANT)\n")
}

func benchTail(w *source) {
	w.f("    if (failures == 0 && checks > 0) $display(\"PASS %%0d checks\", checks);")
	w.f("    else $display(\"FAILED %%0d of %%0d checks\", failures, checks);")
	w.f("    $finish;\n  end\nendmodule")
}

func benchStart(w *source) {
	w.f("  initial begin\n    checks = 0;\n    failures = 0;")
	w.f("    if (!$value$plusargs(\"golden=%%s\", dir)) begin\n      $display(\"FAILED: +golden=DIR is missing\");\n      $finish;\n    end")
}

// genBench writes the bench that holds structs, field places and functions of rtl/gen against the golden files, in the
// portable subset of benches: Icarus runs it.
func genBench(s *spec.Spec) []output {
	mems := genGolden(s)
	var w source
	benchHead(&w, "mr_wire_tb", "Slices golden headers with the generated structs and places, and runs the generated functions.", "mr_types.svh")
	for i := range s.Headers {
		h := &s.Headers[i]
		width := 8 * h.Bytes
		for _, f := range h.Fields {
			if !f.Reserved {
				width += digits(f.Width)
			}
		}
		w.f("  reg [%d:0] %s_mem [0:%d];\n  reg [%d:0] %s_line;\n  reg [%d:0] %s_hdr;\n  mr_hdr_%s_t %s_got, %s_put;",
			width-1, h.Name, memLines(mems, "hdr_"+h.Name+".mem")-1, width-1, h.Name, 8*h.Bytes-1, h.Name, h.Name, h.Name, h.Name)
	}
	w.f("  reg [%d:0] packet_mem [0:%d];\n  reg [%d:0] packet_data;", 16+8*goldenPacketBytes-1, memLines(mems, "packets.mem")-1, 8*goldenPacketBytes-1)
	w.f("  reg [35:0] kind_mem [0:255];\n  reg [31:0] crc, crc2;\n  integer len, beats;")
	argsW, descW := 32*len(argRegs(s)), sumWidth(s.Struct("desc").Fields)
	cmdW := 4 + 32 + argsW + digits(descW)
	w.f("  reg [%d:0] cmd_mem [0:%d];\n  reg [%d:0] cmd_line;\n", cmdW-1, memLines(mems, "commands.mem")-1, cmdW-1)
	benchStart(&w)
	for i := range s.Headers {
		benchHeader(&w, &s.Headers[i], memLines(mems, "hdr_"+s.Headers[i].Name+".mem"))
	}
	benchCrc(&w, memLines(mems, "packets.mem"))
	benchKinds(&w)
	w.f("    $readmemh({dir, \"/commands.mem\"}, cmd_mem);")
	w.f("    for (i = 0; i < %d; i = i + 1) begin\n      cmd_line = cmd_mem[i];", memLines(mems, "commands.mem"))
	w.f("      `MR_TB_CHECK(\"cmd_desc\", i, mr_pkg::cmd_desc(cmd_line[%d +: 4], cmd_line[%d +: 32], cmd_line[%d +: %d]), cmd_line[0 +: %d]);",
		cmdW-4, cmdW-36, digits(descW), argsW, descW)
	w.f("    end")
	benchTail(&w)
	return []output{{"rtl/gen/tb/mr_wire_tb.sv", []byte(w.String())}}
}

func benchHeader(w *source, h *spec.Header, lines int) {
	n := h.Name
	total := 0
	for _, f := range h.Fields {
		if !f.Reserved {
			total += digits(f.Width)
		}
	}
	w.f("\n    $readmemh({dir, \"/hdr_%s.mem\"}, %s_mem);", n, n)
	w.f("    for (i = 0; i < %d; i = i + 1) begin", lines)
	w.f("      %s_line = %s_mem[i];\n      %s_hdr = %s_line[%d +: %d];\n      %s_got = %s_hdr;\n      %s_put = '0;", n, n, n, n, total, 8*h.Bytes, n, n, n)
	at := total
	for _, f := range h.Fields {
		if f.Reserved {
			continue
		}
		at -= digits(f.Width)
		want := fmt.Sprintf("%s_line[%d +: %d]", n, at, f.Width)
		w.f("      `MR_TB_CHECK(\"%s.%s\", i, %s_got.%s, %s);", n, f.Name, n, svName(f.Name), want)
		w.f("      `MR_TB_CHECK(\"%s.%s place\", i, %s_hdr[mr_pkg::%s%sLsb +: %d], %s);", n, f.Name, n, camel(n), camel(f.Name), f.Width, want)
		w.f("      %s_put.%s = %s;", n, svName(f.Name), want)
	}
	w.f("      `MR_TB_CHECK(\"%s built\", i, %s_put, %s_hdr);\n    end", n, n, n)
}

// benchCrc runs whole packets through the widest function and compares with the register that must be left, and the
// narrower functions with it.
func benchCrc(w *source, lines int) {
	w.f("\n    $readmemh({dir, \"/packets.mem\"}, packet_mem);")
	w.f("    for (i = 0; i < %d; i = i + 1) begin", lines)
	w.f("      packet_data = packet_mem[i][0 +: %d];\n      len = packet_mem[i][%d +: 16];\n      beats = (len + 63) / 64;", 8*goldenPacketBytes, 8*goldenPacketBytes)
	w.f("      crc = mr_pkg::Crc32Init;")
	w.f("      for (k = 0; k < beats; k = k + 1) crc = mr_pkg::crc32_512(crc, packet_data[512*k +: 512]);")
	w.f("      `MR_TB_CHECK(\"crc over beats\", i, crc, mr_pkg::crc32_residue((64*beats - len) / 4));")
	w.f("      crc = mr_pkg::Crc32Init;")
	w.f("      for (k = 0; k < (len - 4) / 4; k = k + 1) crc = mr_pkg::crc32_32(crc, packet_data[32*k +: 32]);")
	w.f("      `MR_TB_CHECK(\"crc over words\", i, crc ^ 32'hffffffff, packet_data[8*(len-4) +: 32]);")
	w.f("      crc = mr_pkg::crc32_32(crc, packet_data[8*(len-4) +: 32]);")
	w.f("      `MR_TB_CHECK(\"crc with its own\", i, crc, mr_pkg::Crc32Good);")
	w.f("      crc = mr_pkg::crc32_512(mr_pkg::Crc32Init, packet_data[0 +: 512]);")
	for _, n := range []int{256, 128, 64} {
		w.f("      crc2 = mr_pkg::Crc32Init;")
		w.f("      for (k = 0; k < %d; k = k + 1) crc2 = mr_pkg::crc32_%d(crc2, packet_data[%d*k +: %d]);", 512/n, n, n, n)
		w.f("      `MR_TB_CHECK(\"crc32_%d\", i, crc2, crc);", n)
	}
	w.f("    end")
}

func benchKinds(w *source) {
	w.f("\n    $readmemh({dir, \"/kinds.mem\"}, kind_mem);")
	w.f("    for (i = 0; i < 256; i = i + 1) begin")
	for _, k := range []struct {
		fn     string
		lsb, w int
	}{{"kind_known", 32, 1}, {"kind_hdr_len", 24, 8}, {"kind_payload", 20, 1}, {"kind_psn", 16, 1}, {"kind_tsn", 12, 1}, {"kind_receiver", 8, 1}, {"kind_has_stream", 4, 1}, {"kind_carries_message", 0, 1}} {
		w.f("      `MR_TB_CHECK(\"%s\", i, mr_pkg::%s(i[7:0]), kind_mem[i][%d +: %d]);", k.fn, k.fn, k.lsb, k.w)
	}
	w.f("    end\n")
}

// genRecordBench writes the bench of the monitor functions (Verilator: they use two-state types and DPI-side widths).
func genRecordBench(s *spec.Spec) []output {
	mems := genGolden(s)
	var w source
	benchHead(&w, "mr_record_tb", "Runs the monitor functions over golden commits and compares every bit of the records.", "mr_types.svh", "mr_monitor_gen.svh")
	for i := range s.Engines {
		if e := &s.Engines[i]; e.Built {
			width, shown := recordLine(e)
			w.f("  reg [%d:0] %s_mem [0:%d];\n  reg [%d:0] %s_line;\n  reg [%d:0] %s_c;", width-1, e.Name, memLines(mems, "rec_"+e.Name+".mem")-1, width-1, e.Name, shown-1, e.Name)
		}
	}
	w.f("")
	benchStart(&w)
	for i := range s.Engines {
		if e := &s.Engines[i]; e.Built {
			benchRecord(&w, e, memLines(mems, "rec_"+e.Name+".mem"))
		}
	}
	benchTail(&w)
	return []output{{"cosim/dpi/gen/tb/mr_record_tb.sv", []byte(w.String())}}
}

// recordLine gives the bits of a line of rec_NAME.mem and of what the monitor sees.
func recordLine(e *spec.Engine) (line, shown int) {
	shown = e.Layout.Bits + 32 + 16 + 8 + 16
	if !e.Boundary {
		shown += 8
	}
	return 64 + digits(shown) + 512*(1+e.Layout.Parts), shown
}

func benchRecord(w *source, e *spec.Engine, lines int) {
	n := e.Name
	width, shown := recordLine(e)
	rec := 512 * (1 + e.Layout.Parts)
	w.f("    $readmemh({dir, \"/rec_%s.mem\"}, %s_mem);", n, n)
	w.f("    for (i = 0; i < %d; i = i + 1) begin\n      %s_line = %s_mem[i];\n      %s_c = %s_line[%d +: %d];", lines, n, n, n, n, rec, shown)
	call := fmt.Sprintf("mr_record_%s(%s_line[%d +: 64], %s_c)", n, n, width-64, n)
	if e.Boundary {
		call = fmt.Sprintf("mr_record_%s(%s_line[%d +: 64], %s_c[0 +: 32], %s_c[32 +: 16], %s_c[48 +: 8], %s_c[56 +: 16], %s_c[72 +: %d])",
			n, n, width-64, n, n, n, n, n, shown-72)
	}
	w.f("      `MR_TB_CHECK(\"record %s\", i, %s, %s_line[0 +: %d]);\n    end", n, call, n, rec)
}
