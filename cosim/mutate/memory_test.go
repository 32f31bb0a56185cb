package mutate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"metaroce/tandem/cosim/mutate/circuit"
	"metaroce/tandem/cosim/rtl"
)

// A table and a queue, with mutants by hand: 1 and 3 spoil what they are given, 2 and 4 what they give; 5 does nothing.
const withMemories = `module mr_rx_netlist (input clk_i, input we_i, input [1:0] addr_i, input [39:0] data_i, input [15:0] mutsel,
                      output [39:0] table_o, output [39:0] queue_o);
  wire [39:0] row;
  mr_ram #(.Width(40), .Depth(4)) u_ram (.clk_i(clk_i), .we_i(we_i), .waddr_i(addr_i), .wdata_i(data_i ^ {mutsel == 1, 39'd0}),
                                         .re_i(1'b1), .raddr_i(addr_i), .rdata_o(row));
  assign table_o = row & {mutsel != 2, 39'h7f_ffff_ffff};
  reg [39:0] mem [0:3];
  reg [39:0] head_q;
  always @(posedge clk_i) begin
    if (we_i) mem[addr_i] <= data_i ^ {mutsel == 3, 39'd0};
    head_q <= mem[addr_i];
  end
  assign queue_o = head_q & {mutsel != 4, 39'h7f_ffff_ffff} | {39'd0, mutsel == 5 && head_q[0]};
endmodule
`

// A proof knows nothing of what a memory holds: whatever goes in is seen, and what comes out may be anything, in its last bit too.
func TestProofsSeeThroughMemories(t *testing.T) {
	root, err := rtl.FindRoot()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "design.v"), []byte(withMemories), 0o644))
	base := strings.ReplaceAll("read_verilog -sv -lib -Irtl/gen -Irtl/common "+ramFile+"\nread_verilog DIR/design.v\nproc\nopt\nwrite_ilang DIR/plain.il\ndesign -reset\n", "DIR", dir)
	proof := strings.NewReplacer("SCRIPTS\n", "", "BASE", dir, "DIR", dir).Replace(proofScript)
	cmd := exec.CommandContext(t.Context(), "yosys", "-q", "-p", base+proof)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	f, err := os.Open(filepath.Join(dir, "netlist.aig"))
	require.NoError(t, err)
	defer f.Close()
	c, err := circuit.Read(f)
	require.NoError(t, err)
	for mutant := 1; mutant <= 4; mutant++ {
		assert.Equal(t, circuit.Differs, c.Compare(t.Context(), mutant, nil, time.Minute).Verdict, "mutant %d", mutant)
		assert.Equal(t, circuit.Differs, c.CompareCycles(t.Context(), mutant, 3, time.Minute).Verdict, "mutant %d", mutant)
	}
	assert.Equal(t, circuit.Equal, c.Compare(t.Context(), 5, nil, time.Minute).Verdict)
}
