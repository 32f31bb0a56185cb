// mr_ctimer_tb: timers of mr_ctimer while the time passes 2^32, which no run from reset reaches. The model is the rule R-CTIMER:
// first in, first out, never before armed + ack_timer, and within Slack cycles of it while the queue behind takes all.
// cosim/edge starts it. PASS armed=N wrapped=N (timers that were armed before the wrap and fired behind it)
`include "mr_types.svh"
`timescale 1ns / 1ps
`default_nettype none
module mr_ctimer_tb;
  localparam int Timers = 400;
  localparam int Slack  = 8;
  localparam int Depth  = 64;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #1 clk = !clk;

  logic [31:0] now = 32'hffff_f800;   // passes 2^32 after 2048 cycles
  logic        arm = 1'b0;
  logic [15:0] row = 16'd0;
  wire logic   ready, fired, idle, trace;
  wire logic [15:0] fired_row;
  wire logic [3:0]  pending_row, builds_addr;
  wire logic        builds_re;
  wire logic [mr_pkg::CtimerCommitW-1:0] trace_data;
  mr_ctimer #(.Conns(4), .Paths(4), .RamLatency(1), .TimerDepth(Depth)) dut (
    .clk_i(clk), .rst_ni(rst_n), .idle_o(idle), .now_i(now),
    .s_timer_valid_i(arm), .s_timer_ready_o(ready), .s_timer_row_i(row), .s_timer_builds_i(8'd0),
    .m_timer_valid_o(fired), .m_timer_ready_i(1'b1), .m_timer_row_o(fired_row), .pending_row_o(pending_row), .pending_i(1'b0),
    .builds_re_o(builds_re), .builds_addr_o(builds_addr), .builds_data_i({mr_pkg::AckPathW{1'b0}}),
    .builds_we_i(1'b0), .builds_waddr_i(4'd0), .builds_wdata_i({mr_pkg::AckPathW{1'b0}}), .trace_valid_o(trace), .trace_o(trace_data)
  );

  logic [31:0] armed [0:Timers-1];
  logic [15:0] rows  [0:Timers-1];
  int in_count = 0, out_count = 0, wrapped = 0, cycles = 0;
  logic [31:0] age;
  always @(posedge clk) begin
    cycles <= cycles + 1;
    if (cycles == 3) rst_n <= 1'b1;
    if (rst_n) now <= now + 32'd1;
    if (rst_n && arm && ready) begin
      armed[in_count] <= now;
      rows[in_count]  <= row;
      in_count        <= in_count + 1;
    end
    if (arm && ready) begin
      arm <= 1'b0;
      row <= 16'(32'(row) * 5 + 3) & 16'd15;
    end
    if (rst_n && !arm && in_count < Timers - 1 && $urandom_range(9) == 0) arm <= 1'b1;
    if (rst_n && fired) begin
      age = now - armed[out_count];
      if (out_count >= in_count || fired_row !== rows[out_count])
        $fatal(1, "timer %0d fired for row %0d, armed %0d", out_count, fired_row, in_count);
      if (age < 32'(mr_pkg::AckTimer) || age > 32'(mr_pkg::AckTimer) + 32'(Slack))
        $fatal(1, "timer %0d armed at %h fired at %h", out_count, armed[out_count], now);
      if (now < armed[out_count]) wrapped <= wrapped + 1;
      out_count <= out_count + 1;
    end
    if (out_count == Timers - 1) begin
      if (!idle) $fatal(1, "not idle behind the last timer");
      $display("PASS armed=%0d wrapped=%0d", in_count, wrapped);
      $finish;
    end
    if (cycles > 40000) $fatal(1, "%0d of %0d timers fired", out_count, in_count);
  end
  wire unused = &{1'b0, pending_row, builds_addr, builds_re, trace, trace_data};
endmodule
`default_nettype wire
