// mr_ack_packet_tb: builds from a file through mr_ack_packet; beats against a file, in order, with stalls on both sides.
// cosim/edge writes the files and starts it; expectations are those of model/ack. +builds=N +beats=N +stall=P (of 16 cycles)
// builds.hex {window row, mr_build_t}   beats.hex {xid, conn, path, sport, first, last, bytes[7:0], data}
`include "mr_types.svh"
`include "mr_link.svh"
`timescale 1ns / 1ps
`default_nettype none
module mr_ack_packet_tb;
  localparam int Most   = 1 << 14;
  localparam int BuildW = mr_pkg::WindowPathW + `MR_BUILD_W;
  localparam int BeatW  = 72 + 10 + 512;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #1 clk = !clk;

  logic [BuildW-1:0] builds[0:Most-1];
  logic [BeatW-1:0]  beats [0:Most-1];
  int build_count, beat_count, stall;

  logic              valid_q, ready, out_valid, out_ready, first, last, idle;
  logic [BuildW-1:0] build_q;
  logic [  6:0]      bytes;
  logic [511:0]      data;
  logic [ 15:0]      conn, sport;
  logic [  7:0]      path;
  logic [ 31:0]      xid;
  mr_ack_packet dut (
    .clk_i(clk), .rst_ni(rst_n), .s_build_valid_i(valid_q), .s_build_ready_o(ready),
    .s_build_data_i(build_q[`MR_BUILD_W-1:0]), .s_build_window_i(build_q[BuildW-1:`MR_BUILD_W]),
    .m_ack_valid_o(out_valid), .m_ack_ready_i(out_ready), .m_ack_first_o(first), .m_ack_last_o(last),
    .m_ack_bytes_o(bytes), .m_ack_data_o(data), .m_ack_conn_o(conn), .m_ack_path_o(path), .m_ack_sport_o(sport),
    .m_ack_xid_o(xid), .idle_o(idle)
  );

  initial begin
    if (!$value$plusargs("builds=%d", build_count)) $fatal(1, "+builds is missing");
    if (!$value$plusargs("beats=%d", beat_count)) $fatal(1, "+beats is missing");
    if (!$value$plusargs("stall=%d", stall)) stall = 0;
    if (build_count >= Most || beat_count >= Most) $fatal(1, "more lines than the bench holds");
    $readmemh("builds.hex", builds, 0, build_count);
    $readmemh("beats.hex", beats, 0, beat_count);
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
  end

  function automatic logic pick(input int of16);
    pick = (($urandom & 32'd15) >= of16);
  endfunction

  int at = 0, seen = 0, cycles = 0, quiet = 0;
  logic [BeatW-1:0] got, held;
  logic             held_valid = 1'b0;
  initial valid_q = 1'b0;
  initial out_ready = 1'b0;
  always @(posedge clk) if (rst_n) begin
    cycles    <= cycles + 1;
    out_ready <= pick(stall);
    if (valid_q && ready) at = at + 1;
    if (!valid_q || ready) begin
      build_q <= builds[at];
      valid_q <= at < build_count && pick(stall);
    end
    got = {xid, conn, path, sport, first, last, 1'b0, bytes, data};
    if (held_valid && (!out_valid || got !== held)) $fatal(1, "beat %0d changed while it waited", seen);
    held       = got;
    held_valid = out_valid && !out_ready;
    if (out_valid && out_ready) begin
      if (seen == beat_count) $fatal(1, "a beat more than expected: %h", got);
      if (got !== beats[seen]) $fatal(1, "beat %0d is %h, not %h", seen, got, beats[seen]);
      seen = seen + 1;
    end
    quiet <= (seen == beat_count && !out_valid) ? quiet + 1 : 0;
    if (quiet == 20) begin
      if (!idle) $fatal(1, "idle_o stays low");
      $display("PASS beats=%0d cycles=%0d", seen, cycles - 20);
      $finish;
    end
    if (cycles == 200000) $fatal(1, "no end: %0d of %0d beats", seen, beat_count);
  end
endmodule
`default_nettype wire
