// mr_bench_clock: top for simulators with time; Verilator takes sim_main.cpp instead. 4 ns is the tick of constant.tbl.
`timescale 1ns / 1ps
module mr_bench_clock;
  bit clk = 1'b0;
  always #2 clk = ~clk;
  wire [63:0] cycle;
  mr_bench u_bench (.clk_i(clk), .cycle_o(cycle));
endmodule
