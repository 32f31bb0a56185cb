package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	root       = "../.."
	goldenPath = root + "/vectors/golden/wire"
)

// need names the Debian package of a tool that is missing: a check that cannot run has failed.
func need(t *testing.T, tool, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		t.Fatalf("%s is not installed; on Debian: apt-get install %s", tool, pkg)
	}
}

func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
	return string(out)
}

func lastLine(out string) string {
	verdict := ""
	for _, l := range strings.Split(out, "\n") {
		if strings.HasPrefix(l, "PASS") || strings.HasPrefix(l, "FAILED") {
			verdict = l
		}
	}
	return verdict
}

// spoilt copies the .mem files with one digit of one of them changed.
func spoilt(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	files, err := filepath.Glob(goldenPath + "/mem/*.mem")
	require.NoError(t, err)
	hit := false
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		if filepath.Base(f) == name {
			at := len(data) - 2 // last digit of the last line
			if data[at] == '0' {
				data[at] = '1'
			} else {
				data[at] = '0'
			}
			hit = true
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(f)), data, 0o644))
	}
	require.True(t, hit, name)
	return dir
}

func TestWireBenchInIcarus(t *testing.T) {
	need(t, "iverilog", "iverilog")
	vvp := filepath.Join(t.TempDir(), "tb.vvp")
	tool(t, "iverilog", "-g2012", "-I"+root+"/rtl/gen", "-o", vvp, root+"/rtl/gen/mr_pkg.sv", root+"/rtl/gen/tb/mr_wire_tb.sv")
	run := func(dir string) string { return tool(t, "vvp", "-n", vvp, "+golden="+dir) }
	out := run(goldenPath + "/mem")
	require.True(t, strings.HasPrefix(lastLine(out), "PASS"), out)
	for _, name := range []string{"hdr_base.mem", "hdr_ack.mem", "packets.mem", "kinds.mem", "commands.mem"} {
		require.True(t, strings.HasPrefix(lastLine(run(spoilt(t, name))), "FAILED"), "a wrong digit in %s went unnoticed", name)
	}
	require.Equal(t, "FAILED: +golden=DIR is missing", lastLine(tool(t, "vvp", "-n", vvp)))
}

// verilate builds a bench; unoptimised, since it runs for milliseconds.
func verilate(t *testing.T, top, file string) string {
	t.Helper()
	need(t, "verilator", "verilator")
	need(t, "g++", "g++")
	dir := t.TempDir()
	tool(t, "verilator", "--binary", "-O0", "--unroll-count", "1", "-CFLAGS", "-O0", "-Wall", "-Wno-DECLFILENAME", "--Mdir", dir, "-I"+root+"/rtl/gen", "-I"+root+"/cosim/dpi/gen",
		root+"/rtl/gen/mr_pkg.sv", file, "--top-module", top)
	return filepath.Join(dir, "V"+top)
}

func TestWireBenchInVerilator(t *testing.T) {
	t.Parallel()
	bin := verilate(t, "mr_wire_tb", root+"/rtl/gen/tb/mr_wire_tb.sv")
	out := tool(t, bin, "+golden="+goldenPath+"/mem")
	require.True(t, strings.HasPrefix(lastLine(out), "PASS"), out)
}

func TestMonitorsInVerilator(t *testing.T) {
	t.Parallel()
	bin := verilate(t, "mr_record_tb", root+"/cosim/dpi/gen/tb/mr_record_tb.sv")
	out := tool(t, bin, "+golden="+goldenPath+"/mem")
	require.True(t, strings.HasPrefix(lastLine(out), "PASS"), out)
	require.True(t, strings.HasPrefix(lastLine(tool(t, bin, "+golden="+spoilt(t, "rec_window.mem"))), "FAILED"))
}

func TestRecordsInC(t *testing.T) {
	need(t, "gcc", "gcc")
	bin := filepath.Join(t.TempDir(), "records")
	tool(t, "gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I"+root+"/cosim/dpi/gen", "testdata/records.c", "-o", bin)
	data, err := os.ReadFile(goldenPath + "/records.txt")
	require.NoError(t, err)
	run := func(in []byte) (string, error) {
		cmd := exec.Command(bin)
		cmd.Stdin = bytes.NewReader(in)
		out, err := cmd.Output()
		return string(out), err
	}
	out, err := run(data)
	require.NoError(t, err, out)
	require.True(t, strings.HasPrefix(lastLine(out), "PASS"), out)
	for _, change := range [][2]string{{"path.cum 0\n", "path.cum 1\n"}, {"head.op ff\n", "head.op fe\n"}, {"  out.reason 0\n", "  out.reasom 0\n"}} {
		bad := strings.Replace(string(data), change[0], change[1], 1)
		require.NotEqual(t, string(data), bad)
		out, err := run([]byte(bad))
		require.Error(t, err, change)
		require.Contains(t, out, "FAIL ")
	}
	_, err = run(nil)
	require.Error(t, err, "nothing compared must fail")
}

// TestGeneratedSystemVerilogLints: the package and the structs as the other sources see them, in all three tools.
func TestGeneratedSystemVerilogLints(t *testing.T) {
	need(t, "verilator", "verilator")
	need(t, "iverilog", "iverilog")
	need(t, "yosys", "yosys")
	dut := filepath.Join(t.TempDir(), "dut.sv")
	require.NoError(t, os.WriteFile(dut, []byte(lintModule), 0o644))
	inc, pkg := "-I"+root+"/rtl/gen", root+"/rtl/gen/mr_pkg.sv"
	require.Empty(t, tool(t, "verilator", "--lint-only", "-Wall", "-Wno-DECLFILENAME", "-Wno-UNUSEDSIGNAL", inc, pkg, dut, "--top-module", "dut"))
	tool(t, "iverilog", "-g2012", inc, "-o", dut+".vvp", pkg, dut)
	tool(t, "yosys", "-q", "-p", "read_verilog -sv "+inc+" "+pkg+" "+dut+"; hierarchy -check -top dut; proc; check -assert")
}

const lintModule = "`include \"mr_types.svh\"\n" + `module dut (
    input  wire  [mr_pkg::WindowCommitW-1:0] c_i,
    input  wire  [511:0]                     d_i,
    input  wire  [mr_pkg::CmdArgsW-1:0]      a_i,
    output logic [31:0]                      crc_o,
    output logic [255:0]                     vector_o,
    output logic [mr_pkg::DescW-1:0]         desc_o,
    output logic [7:0]                       len_o
);
  mr_window_commit_t c;
  assign c = c_i;
  always_comb begin
    crc_o    = mr_pkg::crc32_512(c.xid, d_i) ^ mr_pkg::crc32_residue(d_i[3:0]);
    vector_o = c.row_path.vector;
    len_o    = mr_pkg::kind_hdr_len(c.op) ^ {5'd0, c.out.class_f};
    desc_o   = mr_pkg::cmd_desc(d_i[3:0], c.xid, a_i);
  end
endmodule
`
