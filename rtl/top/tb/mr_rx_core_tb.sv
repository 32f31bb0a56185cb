// mr_rx_core_tb: descriptors straight into mr_rx_core: four commands, then Writes of which two messages come swapped.
// Shows that the wiring carries a packet from end to end; values are the business of lockstep. Runs in Icarus and Verilator;
// override RamLatency with -P or -G. Ends in $fatal on a difference or if the core does not become idle.
// Judged: commands confirmed, all admitted and placed, completions in the order of msn, all packets acknowledged, a
// notice of the last completion, a repeated packet, now below cum, is too old and completes nothing, idle.
`include "mr_types.svh"
`include "mr_link.svh"
`timescale 1ns / 1ps
`default_nettype none
module mr_rx_core_tb #(
  parameter int RamLatency = 1
);
  localparam int Writes = 40;
  localparam int Items  = 4 + Writes + 1;    // commands, Writes, the repeated packet

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic [63:0] now;
  always #1 clk = !clk;

  logic desc_valid, desc_ready, cmd_valid, cmd_ready, ready, idle, drop_valid, verdict_valid, pbuf_valid, release_valid;
  logic mem_valid, mem_first, mem_last, rsp_valid, cpl_valid, build_valid, build_ready, done_valid;
  logic [4:0] drop_reason;
  logic [3:0] verdict, done_op;
  logic [15:0] pbuf_addr, mem_len;
  logic [7:0] release_beats;
  logic [31:0] mem_xid, cpl_xid, done_xid;
  logic [63:0] mem_addr;
  logic [511:0] mem_data, pbuf_data;
  logic [mr_pkg::CompletionInW-1:0] cpl_data;
  logic [`MR_BUILD_W-1:0] build_data;
  logic [mr_pkg::WindowPathW-1:0] build_window;
  logic window_valid;
  logic [mr_pkg::WindowCommitW-1:0] window_trace;
  mr_desc_t d;
  mr_completion_in_t cpl;
  mr_build_t build;
  mr_window_path_t window;
  mr_window_commit_t commit;
  assign cpl    = cpl_data;
  assign build  = build_data;
  assign window = build_window;
  assign commit = window_trace;

  mr_rx_core #(.RamLatency(RamLatency)) dut (
    .clk_i(clk), .rst_ni(rst_n), .now_i(now), .ready_o(ready), .idle_o(idle),
    .s_desc_valid_i(desc_valid), .s_desc_ready_o(desc_ready), .s_desc_data_i(d),
    .s_cmd_valid_i(cmd_valid), .s_cmd_ready_o(cmd_ready), .s_cmd_data_i(d), .s_hint_i(20'd5), .s_hint_gen_i(8'd1),
    .drop_valid_o(drop_valid), .drop_reason_o(drop_reason), .verdict_valid_o(verdict_valid), .verdict_o(verdict),
    .m_pbuf_valid_o(pbuf_valid), .m_pbuf_addr_o(pbuf_addr), .s_pbuf_data_i(pbuf_data),
    .m_release_valid_o(release_valid), .m_release_beats_o(release_beats),
    .m_mem_valid_o(mem_valid), .m_mem_ready_i(1'b1), .m_mem_first_o(mem_first), .m_mem_last_o(mem_last),
    .m_mem_xid_o(mem_xid), .m_mem_addr_o(mem_addr), .m_mem_len_o(mem_len), .m_mem_data_o(mem_data),
    .s_mem_rsp_valid_i(rsp_valid), .s_mem_rsp_error_i(1'b0),
    .m_cpl_valid_o(cpl_valid), .m_cpl_ready_i(1'b1), .m_cpl_data_o(cpl_data), .m_cpl_xid_o(cpl_xid),
    .m_build_valid_o(build_valid), .m_build_ready_i(build_ready), .m_build_data_o(build_data),
    .m_build_window_o(build_window),
    .cmd_done_valid_o(done_valid), .cmd_done_op_o(done_op), .cmd_done_xid_o(done_xid),
    .trace_admit_valid_o(), .trace_admit_o(), .trace_window_valid_o(window_valid), .trace_window_o(window_trace),
    .trace_key_valid_o(), .trace_key_o(), .trace_recv_valid_o(), .trace_recv_o(), .trace_message_valid_o(),
    .trace_message_o(), .trace_place_valid_o(), .trace_place_o(), .trace_complete_valid_o(), .trace_complete_o(),
    .trace_coalesce_valid_o(), .trace_coalesce_o(), .trace_ctimer_valid_o(), .trace_ctimer_o(), .trace_ack_valid_o(),
    .trace_ack_o()
  );

  // Item n of the run: messages 2 and 3 come swapped, the last item repeats the first packet.
  int n;
  logic [31:0] psn;
  always @* begin
    d   = '0;
    psn = (n == Items - 1) ? 32'd0 : 32'(n) - 32'd4;
    d.xid = 32'(n) + 32'd1;
    if (n == 0) begin
      d.op = mr_pkg::CommandConnSet; d.dst_conn = 24'h07_0001; d.path = 8'd2; d.txn = 8'd1;
    end else if (n == 1) begin
      d.op = mr_pkg::CommandPathSet; d.dst_conn = 24'h00_0001; d.path = 8'd1; d.tx_time = 32'h55;
    end else if (n == 2) begin
      d.op = mr_pkg::CommandStreamSet; d.stream_row = 16'd1; d.txn = 8'd9;
    end else if (n == 3) begin
      d.op = mr_pkg::CommandKeySet; d.dst_conn = 24'h00_0001; d.rkey = 32'h0000_0203; d.addr = 64'h1000; d.length = 32'h10000;
      d.txn = 8'd1;
    end else begin
      d.room = 2'd1; d.opcode = mr_pkg::OpcodeWrite; d.dst_conn = 24'h07_0001; d.path = 8'd1; d.stream = 16'd1;
      d.psn = psn; d.tsn = 32'(n) - 32'd4; d.tx_time = now[31:0];
      d.msn = ((psn == 32'd2) || (psn == 32'd3)) ? psn ^ 32'd1 : psn;
      d.length = 32'd64; d.payload_len = 16'd64; d.hdr_len = 8'd48; d.buf_beats = 8'd2; d.buf_beat = {7'd0, psn[7:0], 1'b0};
      d.rkey = 32'h0000_0203; d.addr = 64'h1000 + {26'd0, psn, 6'd0};
    end
  end

  int confirmed, admitted, placed, completed, built, dups, released, answers;
  logic [31:0] covered, noticed;

  task automatic check(input logic ok, input int what);
    if (!ok) $fatal(1, "mr_rx_core_tb: RamLatency %0d, item %0d, cycle %0d: rule %0d broken (1 dropped, 2 verdict, 3 completion order, 4 write length, 5 peer, 6 totals: %0d confirmed %0d admitted %0d placed %0d completed %0d too old %0d released, cum %0d, notice %0d, 7 never idle)",
                    RamLatency, n, now, what, confirmed, admitted, placed, completed, dups, released, covered, noticed);
  endtask

  initial begin
    n = 0; now = '0; confirmed = 0; admitted = 0; placed = 0; completed = 0; built = 0; dups = 0; released = 0; answers = 0;
    covered = '0; noticed = '0; desc_valid = 1'b0; cmd_valid = 1'b0; rsp_valid = 1'b0; build_ready = 1'b0; pbuf_data = '0;
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
  end

  always @(posedge clk) if (rst_n) begin
    now       <= now + 64'd1;
    pbuf_data <= {496'd0, pbuf_addr};
    rsp_valid <= (answers > 0) && now[0];
    if ((answers > 0) && now[0]) answers = answers - 1;
    build_ready <= now[1];
    if (mem_valid && mem_last) answers = answers + 1;
    if (mem_valid && mem_first) check(mem_len == 16'd64, 4);
    if (drop_valid) begin check(drop_reason == mr_pkg::ReasonNone, 1); admitted = admitted + 1; end
    if (verdict_valid && (verdict != mr_pkg::VerdictNone)) begin
      check(verdict == mr_pkg::VerdictPlace, 2);
      placed = placed + 1;
    end
    if (window_valid && (commit.out.class_f == mr_pkg::ClassTooOld)) dups = dups + 1;
    if (release_valid) released = released + int'(release_beats);
    if (done_valid) confirmed = confirmed + 1;
    if (cpl_valid) begin check(cpl.msn == 32'(completed), 3); completed = completed + 1; end
    if (build_valid && build_ready) begin
      check(window.peer == 24'h55, 5);
      built   = built + 1;
      covered = window.cum;
      if (build.notice_valid) noticed = build.notice_msn;
    end
    // next item: a command first waits until the one before is confirmed, the first Write until all are
    if ((desc_valid && desc_ready) || (cmd_valid && cmd_ready)) n = n + 1;
    desc_valid <= ready && (n >= 4) && (n < Items) && (confirmed == 4);
    cmd_valid  <= ready && (n < 4) && (confirmed == n);
    if ((n == Items) && idle && (answers == 0) && (now > 64'd1500)) begin
      check((confirmed == 4) && (admitted == Writes + 1) && (placed == Writes) && (completed == Writes) && (dups == 1) &&
            (released == 2 * (Writes + 1)) && (covered == 32'(Writes)) && (noticed == 32'(Writes)) && (built > 1), 6);
      $display("PASS mr_rx_core_tb RamLatency %0d: %0d writes, %0d completions in order, %0d acknowledgements, idle at %0d",
               RamLatency, placed, completed, built, now);
      $finish;
    end
    check(now < 64'd20000, 7);
  end

  wire unused = &{1'b0, pbuf_valid, mem_xid, mem_addr, mem_data, cpl_xid, cpl, build, window, commit, done_op, done_xid};
endmodule
`default_nettype wire
