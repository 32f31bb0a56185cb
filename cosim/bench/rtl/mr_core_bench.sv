// mr_bench, in the place of cosim/dpi/mr_bench.sv: mr_rx_core alone, with a descriptor offered in every cycle behind where
// the parser would be. Counts what every engine commits in a window of cycles in which the pipeline is full.
// Every descriptor is a Write with immediate of one packet: the one kind that has a step in every engine of the way. Its
// 64-byte beat takes one cycle at the memory port, which is always ready and answers 4 cycles later.
// +tandem_pattern: 0 one path, 1 two paths in turn, 2 paths at random, 3 connections, paths and streams at random.
// No DPI is called: a line of JSON on stdout, then the end.
`include "mr_types.svh"
`include "mr_link.svh"
`default_nettype none
module mr_bench #(
  parameter     Preset     = "tiny",
  parameter int Conns      = 4,
  parameter int Paths      = 4,
  parameter int Streams    = 16,
  parameter int MsgSlots   = 64,
  parameter int Recvs      = 16,
  parameter int Keys       = 16,
  parameter int BufBeats   = 512,
  parameter int RamLatency = 1,
  parameter int DescDepth  = 4
) (
  input  wire logic        clk_i,
  output      logic [63:0] cycle_o
);
  localparam int Warm    = 400;     // cycles until the pipeline is full
  localparam int Window  = 20000;   // cycles that are counted
  localparam int Drain   = 2000;    // cycles in which everything must have left
  localparam int Used    = 4;       // connections in use
  localparam int PerConn = 4;       // streams of each
  localparam int Rows    = Used * Paths;

  initial if (Conns < Used || Streams < Used * PerConn || Keys < Used) $fatal(1, "mr_core_bench: the preset is too small");

  int pattern;
  initial if (!$value$plusargs("tandem_pattern=%d", pattern)) pattern = 0;

  bit [3:0] reset_q = 4'd0;
  wire logic rst_n = reset_q[3];
  always @(posedge clk_i) if (!rst_n) reset_q <= reset_q + 4'd1;
  bit [63:0] cycle_q = 64'd0;
  assign cycle_o = cycle_q;
  always @(posedge clk_i) if (rst_n) cycle_q <= cycle_q + 64'd1;

  // ---- set-up: commands one behind the other
  localparam int Setup = Used * (1 + Paths + PerConn + PerConn + 1);
  int       step_q = 0;
  mr_desc_t cmd;
  int       part, conn_n;
  always_comb begin
    cmd          = '0;
    cmd.xid      = 32'h8000_0001 + step_q;
    conn_n       = step_q % Used;
    part         = step_q / Used;
    cmd.dst_conn = {8'd1, 16'(conn_n)};
    if (part == 0) begin
      cmd.op         = mr_pkg::CommandConnSet;
      cmd.path       = 8'(Paths);
      cmd.stream_row = 16'(conn_n * PerConn);
      cmd.txn        = 8'($clog2(PerConn));
    end else if (part < 1 + Paths) begin
      cmd.op   = mr_pkg::CommandPathSet;
      cmd.path = 8'(part - 1);
    end else if (part < 1 + Paths + PerConn) begin
      cmd.op         = mr_pkg::CommandStreamSet;
      cmd.stream_row = 16'(conn_n * PerConn + part - 1 - Paths);
      cmd.txn        = 8'd1;
    end else if (part < 1 + Paths + 2 * PerConn) begin
      cmd.op         = mr_pkg::CommandRecvPost;
      cmd.stream_row = 16'(conn_n * PerConn + part - 1 - Paths - PerConn);
      cmd.length     = 32'd64;
    end else begin
      cmd.op     = mr_pkg::CommandKeySet;
      cmd.rkey   = {24'(conn_n), 8'ha5};
      cmd.length = 32'hffff_ffff;
      cmd.txn    = 8'd1;
    end
  end

  // ---- descriptors: serial numbers of each path and stream, in order
  logic [31:0] psn[0:Rows-1];
  logic [31:0] msn[0:Used*PerConn-1];
  initial for (int i = 0; i < Rows; i++) psn[i] = 32'd0;
  initial for (int i = 0; i < Used * PerConn; i++) msn[i] = 32'd0;

  logic [63:0] random_q = 64'h1234_5678_9abc_def1;   // xorshift
  logic [63:0] next_random;
  always_comb begin
    next_random = random_q ^ (random_q << 13);
    next_random = next_random ^ (next_random >> 7);
    next_random = next_random ^ (next_random << 17);
  end

  int       sent_q = 0;
  int       conn, path, stream;
  mr_desc_t desc;
  always_comb begin
    conn   = (pattern == 3) ? int'(random_q[9:8]) : 0;
    stream = (pattern == 3) ? int'(random_q[17:16]) : sent_q % PerConn;
    case (pattern)
      0:       path = 0;
      1:       path = sent_q % 2;
      default: path = int'(random_q[39:32]) % Paths;
    endcase
    desc             = '0;
    desc.xid         = 32'd1 + sent_q;
    desc.room        = 2'd1;
    desc.frame_len   = 16'd110;
    desc.opcode      = mr_pkg::OpcodeWriteImm;
    desc.dst_conn    = {8'd1, 16'(conn)};
    desc.path        = 8'(path);
    desc.psn         = psn[conn * Paths + path];
    desc.tsn         = desc.psn;
    desc.stream      = 16'(stream);
    desc.msn         = msn[conn * PerConn + stream];
    desc.length      = 32'd8;
    desc.rkey        = {24'(conn), 8'ha5};
    desc.addr        = 64'(8 * sent_q);
    desc.payload_len = 16'd8;
    desc.hdr_len     = 8'd56;
    desc.buf_beats   = 8'd1;
  end

  // ---- device
  wire logic ready, idle, desc_ready, cmd_ready, drop_valid, mem_valid, mem_last, cpl_valid, build_valid, done_valid;
  wire logic [4:0] drop_reason;
  wire logic [9:0] commit;   // in the order of the ids of the engines
  logic setting = 1'b0, running = 1'b0, build_ready_q = 1'b0;
  logic [3:0] answer_q = 4'd0;
  mr_rx_core #(
    .Conns(Conns), .Paths(Paths), .Streams(Streams), .MsgSlots(MsgSlots), .Recvs(Recvs), .Keys(Keys), .RamLatency(RamLatency),
    .DescDepth(DescDepth)
  ) u_dut (
    .clk_i, .rst_ni(rst_n), .now_i(cycle_o), .ready_o(ready), .idle_o(idle),
    .s_desc_valid_i(running), .s_desc_ready_o(desc_ready), .s_desc_data_i(desc),
    .s_cmd_valid_i(setting), .s_cmd_ready_o(cmd_ready), .s_cmd_data_i(cmd), .s_hint_i(20'd0), .s_hint_gen_i(8'd0),
    .drop_valid_o(drop_valid), .drop_reason_o(drop_reason), .verdict_valid_o(), .verdict_o(),
    .m_pbuf_valid_o(), .m_pbuf_addr_o(), .s_pbuf_data_i(512'd0), .m_release_valid_o(), .m_release_beats_o(),
    .m_mem_valid_o(mem_valid), .m_mem_ready_i(1'b1), .m_mem_first_o(), .m_mem_last_o(mem_last), .m_mem_xid_o(), .m_mem_addr_o(),
    .m_mem_len_o(), .m_mem_data_o(), .s_mem_rsp_valid_i(answer_q[3]), .s_mem_rsp_error_i(1'b0),
    .m_cpl_valid_o(cpl_valid), .m_cpl_ready_i(1'b1), .m_cpl_data_o(), .m_cpl_xid_o(),
    .m_build_valid_o(build_valid), .m_build_ready_i(build_ready_q), .m_build_data_o(), .m_build_window_o(),
    .cmd_done_valid_o(done_valid), .cmd_done_op_o(), .cmd_done_xid_o(),
    .trace_admit_valid_o(commit[0]), .trace_admit_o(), .trace_window_valid_o(commit[1]), .trace_window_o(),
    .trace_key_valid_o(commit[2]), .trace_key_o(), .trace_recv_valid_o(commit[3]), .trace_recv_o(),
    .trace_message_valid_o(commit[4]), .trace_message_o(), .trace_place_valid_o(commit[5]), .trace_place_o(),
    .trace_complete_valid_o(commit[6]), .trace_complete_o(), .trace_coalesce_valid_o(commit[7]), .trace_coalesce_o(),
    .trace_ctimer_valid_o(commit[8]), .trace_ctimer_o(), .trace_ack_valid_o(commit[9]), .trace_ack_o()
  );

  // ---- course of the bench
  int counts[0:9];
  int confirmed_q = 0, since_q = 0, dropped_q = 0, completed_q = 0, held_q = 0;
  initial for (int i = 0; i < 10; i++) counts[i] = 0;
  wire logic counting = running && since_q >= Warm && since_q < Warm + Window;
  always @(posedge clk_i) begin
    build_ready_q <= !build_ready_q;   // a packet out takes two beats
    answer_q      <= {answer_q[2:0], mem_valid && mem_last};
    random_q      <= next_random;
    if (setting && cmd_ready) step_q <= step_q + 1;
    if (done_valid) confirmed_q <= confirmed_q + 1;
    setting <= rst_n && ready && (step_q + int'(setting && cmd_ready) < Setup);
    if (rst_n && confirmed_q == Setup) since_q <= since_q + 1;
    running <= (since_q > 0) && (since_q < Warm + Window);
    if (running && desc_ready) begin
      sent_q                        <= sent_q + 1;
      psn[conn * Paths + path]      <= psn[conn * Paths + path] + 32'd1;
      msn[conn * PerConn + stream]  <= msn[conn * PerConn + stream] + 32'd1;
    end
    if (drop_valid && drop_reason != mr_pkg::ReasonNone) dropped_q <= dropped_q + 1;
    if (cpl_valid) completed_q <= completed_q + 1;
    if (counting) begin
      for (int i = 0; i < 10; i++) if (commit[i]) counts[i] <= counts[i] + 1;
      if (!desc_ready) held_q <= held_q + 1;
    end
    if (since_q == Warm + Window + Drain || cycle_o > 64'd4000000) begin
      $display("{\"cycles\":%0d,\"sent\":%0d,\"held\":%0d,\"dropped\":%0d,\"completed\":%0d,\"idle\":%0d,\"commits\":[%0d,%0d,%0d,%0d,%0d,%0d,%0d,%0d,%0d,%0d]}",
               Window, sent_q, held_q, dropped_q, completed_q, idle, counts[0], counts[1], counts[2], counts[3], counts[4],
               counts[5], counts[6], counts[7], counts[8], counts[9]);
      $finish;
    end
  end
endmodule
`default_nettype wire
