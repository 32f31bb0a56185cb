// mr_rx_core_rate_tb: how many descriptors a cycle pass each engine when they are injected behind the parser, one a cycle.
// Zero-length Writes with immediate visit every engine of the pipeline and complete with every packet; nothing is held back.
// Pattern 0: one path and stream, so every step needs the row of the step before; 1: two in turn; 2: random.
// Prints one line an engine, "RATE <engine> <commits> <cycles>", cycles from its first to its last commit; PASS when all
// descriptors were placed and completed. tandem bench rtl reads it. Runs in Icarus and Verilator.
`include "mr_types.svh"
`include "mr_link.svh"
`timescale 1ns / 1ps
`default_nettype none
module mr_rx_core_rate_tb #(
  parameter int Pattern    = 0,
  parameter int Packets    = 2000,
  parameter int Conns      = 64,
  parameter int Paths      = 8,
  parameter int Streams    = 256,
  parameter int MsgSlots   = 64,
  parameter int Recvs      = 64,
  parameter int Keys       = 256,
  parameter int RamLatency = 2,
  parameter int DescDepth  = 8
);
  localparam int Used     = 16;                    // streams of the connection
  localparam int Commands = 1 + Paths + 2 * Used;  // conn_set, path_set, stream_set, recv_post
  localparam int Engines  = 8;
  localparam logic [15:0] Conn = 16'd1;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic [63:0] now;
  always #1 clk = !clk;

  logic desc_valid, desc_ready, cmd_valid, cmd_ready, ready, idle, verdict_valid, cpl_valid, done_valid;
  logic [3:0] verdict;
  logic [Engines-1:0] commit;   // admit, window, key, recv, message, place, complete, coalesce
  mr_desc_t d;

  mr_rx_core #(
    .Conns(Conns), .Paths(Paths), .Streams(Streams), .MsgSlots(MsgSlots), .Recvs(Recvs), .Keys(Keys),
    .RamLatency(RamLatency), .DescDepth(DescDepth)
  ) dut (
    .clk_i(clk), .rst_ni(rst_n), .now_i(now), .ready_o(ready), .idle_o(idle),
    .s_desc_valid_i(desc_valid), .s_desc_ready_o(desc_ready), .s_desc_data_i(d),
    .s_cmd_valid_i(cmd_valid), .s_cmd_ready_o(cmd_ready), .s_cmd_data_i(d), .s_hint_i(20'd0), .s_hint_gen_i(8'd0),
    .drop_valid_o(), .drop_reason_o(), .verdict_valid_o(verdict_valid), .verdict_o(verdict),
    .m_pbuf_valid_o(), .m_pbuf_addr_o(), .s_pbuf_data_i(512'd0), .m_release_valid_o(), .m_release_beats_o(),
    .m_mem_valid_o(), .m_mem_ready_i(1'b1), .m_mem_first_o(), .m_mem_last_o(), .m_mem_xid_o(), .m_mem_addr_o(),
    .m_mem_len_o(), .m_mem_data_o(), .s_mem_rsp_valid_i(1'b0), .s_mem_rsp_error_i(1'b0),
    .m_cpl_valid_o(cpl_valid), .m_cpl_ready_i(1'b1), .m_cpl_data_o(), .m_cpl_xid_o(),
    .m_build_valid_o(), .m_build_ready_i(1'b1), .m_build_data_o(), .m_build_window_o(),
    .cmd_done_valid_o(done_valid), .cmd_done_op_o(), .cmd_done_xid_o(),
    .trace_admit_valid_o(commit[0]), .trace_admit_o(), .trace_window_valid_o(commit[1]), .trace_window_o(),
    .trace_key_valid_o(commit[2]), .trace_key_o(), .trace_recv_valid_o(commit[3]), .trace_recv_o(),
    .trace_message_valid_o(commit[4]), .trace_message_o(), .trace_place_valid_o(commit[5]), .trace_place_o(),
    .trace_complete_valid_o(commit[6]), .trace_complete_o(), .trace_coalesce_valid_o(commit[7]), .trace_coalesce_o(),
    .trace_ctimer_valid_o(), .trace_ctimer_o(), .trace_ack_valid_o(), .trace_ack_o()
  );

  // The next descriptor. Serial numbers of paths and streams count in memories; a path's is taken when it is accepted.
  int n;
  logic [31:0] lfsr;
  logic [31:0] psn [0:Paths-1];
  logic [31:0] msn [0:Used-1];
  logic [7:0]  path;
  logic [15:0] stream;
  assign path   = (Pattern == 0) ? 8'd0 : (Pattern == 1) ? {7'd0, lfsr[0]} : 8'(lfsr[15:0] % 16'(Paths));
  assign stream = (Pattern == 0) ? 16'd0 : (Pattern == 1) ? {15'd0, lfsr[0]} : 16'(lfsr[31:16] % 16'(Used));

  always @* begin
    d     = '0;
    d.xid = 32'(n) + 32'd1;
    if (n == 0) begin
      d.op = mr_pkg::CommandConnSet; d.dst_conn = {8'h07, Conn}; d.path = 8'(Paths); d.txn = 8'd4;
    end else if (n < 1 + Paths) begin
      d.op = mr_pkg::CommandPathSet; d.dst_conn = {8'h07, Conn}; d.path = 8'(n - 1);
    end else if (n < 1 + Paths + Used) begin
      d.op = mr_pkg::CommandStreamSet; d.stream_row = 16'(n - 1 - Paths); d.txn = 8'd1;
    end else if (n < Commands) begin
      d.op = mr_pkg::CommandRecvPost; d.stream_row = 16'(n - 1 - Paths - Used); d.length = 32'd64;
    end else begin
      d.room = 2'd1; d.opcode = mr_pkg::OpcodeWriteImm; d.dst_conn = {8'h07, Conn}; d.path = path; d.stream = stream;
      d.psn = psn[path]; d.tsn = psn[path]; d.msn = msn[stream]; d.hdr_len = 8'd56;
    end
  end

  int first [0:Engines-1];
  int last  [0:Engines-1];
  int count [0:Engines-1];
  int confirmed, placed, completed, cycle, i;
  logic measuring;

  task automatic report;
    $display("RATE admit %0d %0d", count[0], last[0] - first[0] + 1);
    $display("RATE window %0d %0d", count[1], last[1] - first[1] + 1);
    $display("RATE key %0d %0d", count[2], last[2] - first[2] + 1);
    $display("RATE recv %0d %0d", count[3], last[3] - first[3] + 1);
    $display("RATE message %0d %0d", count[4], last[4] - first[4] + 1);
    $display("RATE place %0d %0d", count[5], last[5] - first[5] + 1);
    $display("RATE complete %0d %0d", count[6], last[6] - first[6] + 1);
    $display("RATE coalesce %0d %0d", count[7], last[7] - first[7] + 1);
  endtask

  initial begin
    n = 0; now = '0; confirmed = 0; placed = 0; completed = 0; cycle = 0; measuring = 1'b0; desc_valid = 1'b0; cmd_valid = 1'b0;
    lfsr = 32'h1234_5679;
    for (i = 0; i < Paths; i = i + 1) psn[i] = '0;
    for (i = 0; i < Used; i = i + 1) msn[i] = '0;
    for (i = 0; i < Engines; i = i + 1) begin first[i] = 0; last[i] = 0; count[i] = 0; end
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
  end

  always @(posedge clk) if (rst_n) begin
    now   <= now + 64'd1;
    cycle = cycle + 1;
    for (i = 0; i < Engines; i = i + 1)
      if (commit[i] && measuring) begin
        if (count[i] == 0) first[i] = cycle;
        last[i]  = cycle;
        count[i] = count[i] + 1;
      end
    if (done_valid) confirmed = confirmed + 1;
    if (verdict_valid && measuring && (verdict == mr_pkg::VerdictPlace)) placed = placed + 1;
    if (cpl_valid) completed = completed + 1;
    if (cmd_valid && cmd_ready) n = n + 1;
    if (desc_valid && desc_ready) begin
      psn[path]   = psn[path] + 32'd1;
      msn[stream] = msn[stream] + 32'd1;
      lfsr        = (Pattern == 1) ? {lfsr[31:1], !lfsr[0]} : {lfsr[30:0], lfsr[31] ^ lfsr[21] ^ lfsr[1] ^ lfsr[0]};
      n = n + 1;
    end
    if (!measuring && (confirmed == Commands) && idle) measuring = 1'b1;
    cmd_valid  <= ready && (n < Commands);
    desc_valid <= measuring && (n >= Commands) && (n < Commands + Packets);
    if (measuring && (n == Commands + Packets) && idle) begin
      report;
      if ((placed != Packets) || (completed != Packets))
        $fatal(1, "mr_rx_core_rate_tb: of %0d packets %0d were placed and %0d completed", Packets, placed, completed);
      $display("PASS mr_rx_core_rate_tb Pattern %0d RamLatency %0d: %0d packets", Pattern, RamLatency, Packets);
      $finish;
    end
    if (cycle > 20 * Packets + 20000) $fatal(1, "mr_rx_core_rate_tb: not done after %0d cycles: %0d of %0d packets in", cycle, n - Commands, Packets);
  end

  wire unused = &{1'b0, now};
endmodule
`default_nettype wire
