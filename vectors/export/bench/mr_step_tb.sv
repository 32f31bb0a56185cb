// mr_step_tb: vectors of one step against its source or its netlist. Runs in Icarus and Verilator.
// A line of the file is {out, row after, in, op, row before} (vectors/block). Ports are joined by flat vectors, so the
// same bench takes a netlist, whose structs are gone. Macros come from the command line (scripts/step_vectors.sh) or from
// step_sizes.svh beside the vectors (vectors/export):
//   STEP            module                  IN_W OUT_W ROW_W   widths; ROW_W 0: the step has no row
//   ROW2_W          width of a second row, of slot and stream in message; not defined: one row
//   LINES           how many lines the file has
//   FILE            the file
// Exits through $fatal at the first difference; an X is one. Prints how many vectors held.
`ifndef STEP
`include "step_sizes.svh"
`endif
`timescale 1ns / 1ps
`default_nettype none
module mr_step_tb;
`ifdef ROW2_W
  localparam int RowW = `ROW_W + `ROW2_W;
`else
  localparam int RowW = `ROW_W;
`endif
  localparam int LineW = `OUT_W + RowW + `IN_W + 8 + RowW;
  // where each part of a line begins
  localparam int OpLsb    = RowW;
  localparam int InLsb    = OpLsb + 8;
  localparam int AfterLsb = InLsb + `IN_W;
  localparam int OutLsb   = AfterLsb + RowW;

  logic [LineW-1:0]  lines[0:`LINES-1];
  logic [LineW-1:0]  now;
  wire  [`OUT_W-1:0] out;

`ifdef ROW2_W
  wire [RowW-1:0] row;
  `STEP dut (
      .slot_i(now[0 +: `ROW_W]), .stream_i(now[`ROW_W +: `ROW2_W]), .op_i(now[OpLsb +: 8]), .in_i(now[InLsb +: `IN_W]),
      .slot_o(row[0 +: `ROW_W]), .stream_o(row[`ROW_W +: `ROW2_W]), .out_o(out)
  );
`elsif NO_ROW
  `STEP dut (.op_i(now[OpLsb +: 8]), .in_i(now[InLsb +: `IN_W]), .out_o(out));
`else
  wire [RowW-1:0] row;
  `STEP dut (
      .row_i(now[0 +: RowW]), .op_i(now[OpLsb +: 8]), .in_i(now[InLsb +: `IN_W]), .row_o(row), .out_o(out)
  );
`endif

  integer i;
  initial begin
    $readmemh(`FILE, lines);
    for (i = 0; i < `LINES; i = i + 1) begin
      now = lines[i];
      #1;
      if ((^now) === 1'bx) $fatal(1, "vector %0d: the file has no such line", i);
      if (out !== now[OutLsb +: `OUT_W]) begin
        $fatal(1, "vector %0d: op %0d: out %h, expected %h", i, now[OpLsb +: 8], out, now[OutLsb +: `OUT_W]);
      end
`ifndef NO_ROW
      if (row !== now[AfterLsb +: RowW]) begin
        $fatal(1, "vector %0d: op %0d: row %h, expected %h", i, now[OpLsb +: 8], row, now[AfterLsb +: RowW]);
      end
`endif
    end
    $display("%0d vectors held", `LINES);
    $finish;
  end
endmodule
`default_nettype wire
