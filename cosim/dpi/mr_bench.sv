// mr_bench: mr_rx_top with the bench on every port. The decisions are the shim's (tandem_cycle); this module only
// samples at the edge and drives after it, so that every port of the device sees registers. No delays: the clock comes
// from outside (sim_main.cpp, or mr_bench_clock.sv in simulators with time).
`include "mr_types.svh"
`include "tandem_dpi.svh"
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
  parameter int DescDepth  = 4,
  parameter int Monitor    = 1     // 0: none is built, for the speed of the bare design
) (
  input  wire logic        clk_i,
  output      logic [63:0] cycle_o
);
`ifdef VERILATOR
  localparam Simulator = "Verilator";
`else
  localparam Simulator = "DPI simulator";
`endif

  // ---- reset: a few cycles, counted from the first edge ----
  bit [3:0] reset_q = 4'd0;
  wire logic rst_n = reset_q[3];
  always @(posedge clk_i) if (!rst_n) reset_q <= reset_q + 4'd1;

  // ---- handshake, before the first edge ----
  string socket_path, plain;
  longint seed;
  int opened;
  bit on_q = 1'b0;
  initial begin
    if (!$value$plusargs("tandem_socket=%s", socket_path)) socket_path = "";
    if (!$value$plusargs("tandem_plain=%s", plain)) plain = "";
    if (!$value$plusargs("tandem_seed=%h", seed)) seed = 0;
    tandem_param("conns", Conns);
    tandem_param("paths", Paths);
    tandem_param("streams", Streams);
    tandem_param("msg_slots", MsgSlots);
    tandem_param("recvs", Recvs);
    tandem_param("keys", Keys);
    tandem_param("buf_beats", BufBeats);
    tandem_param("ram_latency", RamLatency);
    tandem_param("desc_depth", DescDepth);
    opened = tandem_open(socket_path, plain, Preset, Simulator, mr_pkg::SchemaHash, seed, longint'(mr_pkg::TickPs));
    on_q = (opened == 1);
    if (opened < 0) $finish;
  end

  // ---- what the bench drives ----
  logic         frame_valid_q = 1'b0, frame_last_q = 1'b0;
  logic [6:0]   frame_bytes_q = 7'd0;
  logic [511:0] frame_data_q = '0;
  logic         reg_valid_q = 1'b0, reg_write_q = 1'b0;
  logic [11:0]  reg_addr_q = 12'd0;
  logic [31:0]  reg_wdata_q = 32'd0;
  logic         mem_ready_q = 1'b0, rsp_valid_q = 1'b0, rsp_error_q = 1'b0, cpl_ready_q = 1'b0, ack_ready_q = 1'b0;

  // ---- what the device drives ----
  wire logic         reg_ready, reg_answer, mem_valid, mem_first, mem_last, cpl_valid, ack_valid, ack_first, ack_last;
  wire logic         cmd_done, idle, ready;
  wire logic [31:0]  reg_rdata, mem_xid, cpl_xid, ack_xid, cmd_done_xid;
  wire logic [63:0]  mem_addr, cycle;
  wire logic [15:0]  mem_len, ack_conn, ack_sport;
  wire logic [511:0] mem_data, ack_data;
  wire logic [6:0]   ack_bytes;
  wire logic [7:0]   ack_path;
  wire logic [3:0]   cmd_done_op;
  wire logic [mr_pkg::CompletionInW-1:0] cpl_data;
  assign cycle_o = cycle;

  wire logic trace_admit, trace_window, trace_key, trace_recv, trace_message, trace_place, trace_complete, trace_coalesce;
  wire logic trace_ctimer, trace_ack, trace_register;
  wire logic [mr_pkg::RegisterInW-1:0]     trace_register_data;
  wire logic [mr_pkg::AdmitCommitW-1:0]    trace_admit_data;
  wire logic [mr_pkg::WindowCommitW-1:0]   trace_window_data;
  wire logic [mr_pkg::KeyCommitW-1:0]      trace_key_data;
  wire logic [mr_pkg::RecvCommitW-1:0]     trace_recv_data;
  wire logic [mr_pkg::MessageCommitW-1:0]  trace_message_data;
  wire logic [mr_pkg::PlaceCommitW-1:0]    trace_place_data;
  wire logic [mr_pkg::CompleteCommitW-1:0] trace_complete_data;
  wire logic [mr_pkg::CoalesceCommitW-1:0] trace_coalesce_data;
  wire logic [mr_pkg::CtimerCommitW-1:0]   trace_ctimer_data;
  wire logic [mr_pkg::AckCommitW-1:0]      trace_ack_data;

  mr_rx_top #(
    .Conns(Conns), .Paths(Paths), .Streams(Streams), .MsgSlots(MsgSlots), .Recvs(Recvs), .Keys(Keys), .BufBeats(BufBeats),
    .RamLatency(RamLatency), .DescDepth(DescDepth)
  ) u_dut (
    .clk_i, .rst_ni(rst_n),
    .s_frame_valid_i(frame_valid_q), .s_frame_last_i(frame_last_q), .s_frame_bytes_i(frame_bytes_q),
    .s_frame_data_i(frame_data_q),
    .s_reg_valid_i(reg_valid_q), .s_reg_ready_o(reg_ready), .s_reg_write_i(reg_write_q), .s_reg_addr_i(reg_addr_q),
    .s_reg_wdata_i(reg_wdata_q), .m_reg_valid_o(reg_answer), .m_reg_rdata_o(reg_rdata),
    .m_mem_valid_o(mem_valid), .m_mem_ready_i(mem_ready_q), .m_mem_first_o(mem_first), .m_mem_last_o(mem_last),
    .m_mem_addr_o(mem_addr), .m_mem_len_o(mem_len), .m_mem_data_o(mem_data), .m_mem_xid_o(mem_xid),
    .s_mem_rsp_valid_i(rsp_valid_q), .s_mem_rsp_error_i(rsp_error_q),
    .m_cpl_valid_o(cpl_valid), .m_cpl_ready_i(cpl_ready_q), .m_cpl_data_o(cpl_data), .m_cpl_xid_o(cpl_xid),
    .m_ack_valid_o(ack_valid), .m_ack_ready_i(ack_ready_q), .m_ack_first_o(ack_first), .m_ack_last_o(ack_last),
    .m_ack_bytes_o(ack_bytes), .m_ack_data_o(ack_data), .m_ack_conn_o(ack_conn), .m_ack_path_o(ack_path),
    .m_ack_sport_o(ack_sport), .m_ack_xid_o(ack_xid),
    .cmd_done_valid_o(cmd_done), .cmd_done_op_o(cmd_done_op), .cmd_done_xid_o(cmd_done_xid),
    .ready_o(ready), .idle_o(idle), .cycle_o(cycle),
    .trace_register_valid_o(trace_register), .trace_register_o(trace_register_data),
    .trace_admit_valid_o(trace_admit), .trace_admit_o(trace_admit_data),
    .trace_window_valid_o(trace_window), .trace_window_o(trace_window_data),
    .trace_key_valid_o(trace_key), .trace_key_o(trace_key_data),
    .trace_recv_valid_o(trace_recv), .trace_recv_o(trace_recv_data),
    .trace_message_valid_o(trace_message), .trace_message_o(trace_message_data),
    .trace_place_valid_o(trace_place), .trace_place_o(trace_place_data),
    .trace_complete_valid_o(trace_complete), .trace_complete_o(trace_complete_data),
    .trace_coalesce_valid_o(trace_coalesce), .trace_coalesce_o(trace_coalesce_data),
    .trace_ctimer_valid_o(trace_ctimer), .trace_ctimer_o(trace_ctimer_data),
    .trace_ack_valid_o(trace_ack), .trace_ack_o(trace_ack_data)
  );

  wire logic reg_taken = reg_valid_q && reg_ready;
  wire logic mem_beat  = mem_valid && mem_ready_q;

  generate if (Monitor != 0) begin : g_monitor
    mr_monitor u_monitor (
      .clk_i, .rst_ni(rst_n), .on_i(on_q), .cycle_i(cycle),
      .frame_valid_i(frame_valid_q), .frame_last_i(frame_last_q), .frame_bytes_i(frame_bytes_q), .frame_data_i(frame_data_q),
      .reg_write_i(reg_taken && reg_write_q), .reg_addr_i(reg_addr_q), .reg_wdata_i(reg_wdata_q),
      .reg_read_i(trace_register && !reg_write_q), .reg_read_data_i(trace_register_data),
      .reg_answer_i(reg_answer), .reg_rdata_i(reg_rdata),
      .mem_beat_i(mem_beat), .mem_first_i(mem_first), .mem_last_i(mem_last), .mem_addr_i(mem_addr), .mem_len_i(mem_len),
      .mem_data_i(mem_data), .mem_xid_i(mem_xid),
      .cpl_i(cpl_valid && cpl_ready_q), .cpl_data_i(cpl_data), .cpl_xid_i(cpl_xid),
      .ack_beat_i(ack_valid && ack_ready_q), .ack_first_i(ack_first), .ack_last_i(ack_last), .ack_bytes_i(ack_bytes),
      .ack_data_i(ack_data), .ack_conn_i(ack_conn), .ack_path_i(ack_path), .ack_sport_i(ack_sport), .ack_xid_i(ack_xid),
      .cmd_done_i(cmd_done), .cmd_done_op_i(cmd_done_op), .cmd_done_xid_i(cmd_done_xid),
      .admit_i(trace_admit), .admit_data_i(trace_admit_data),
      .coalesce_i(trace_coalesce), .coalesce_data_i(trace_coalesce_data),
      .ctimer_i(trace_ctimer), .ctimer_data_i(trace_ctimer_data),
      .ack_i(trace_ack), .ack_data_commit_i(trace_ack_data),
      .window_i(trace_window), .window_data_i(trace_window_data),
      .key_i(trace_key), .key_data_i(trace_key_data),
      .recv_i(trace_recv), .recv_data_i(trace_recv_data),
      .message_i(trace_message), .message_data_i(trace_message_data),
      .place_i(trace_place), .place_data_i(trace_place_data),
      .complete_i(trace_complete), .complete_data_i(trace_complete_data)
    );
  end endgenerate

  // ---- the bench's step. Address and length of a write stand with its first beat. ----
  longint mem_addr_q = 0;
  int     mem_len_q = 0;
  bit [31:0]  drive, reg_data;
  bit [511:0] frame;
  int         finish;
  always @(posedge clk_i) begin
    if (mem_beat && mem_first) begin
      mem_addr_q <= mem_addr;
      mem_len_q  <= {16'd0, mem_len};
    end
    if (rst_n && opened >= 0) begin
      finish = tandem_cycle(cycle, {27'd0, ready, mem_beat && mem_last, reg_answer, reg_taken, idle},
                            mem_first ? mem_addr : mem_addr_q, mem_first ? {16'd0, mem_len} : mem_len_q,
                            drive, reg_data, frame);
      frame_valid_q <= drive[0];
      frame_last_q  <= drive[1];
      frame_bytes_q <= drive[8:2];
      if (drive[0]) frame_data_q <= frame;
      reg_valid_q   <= drive[9];
      reg_write_q   <= drive[10];
      mem_ready_q   <= drive[11];
      rsp_valid_q   <= drive[12];
      rsp_error_q   <= drive[13];
      cpl_ready_q   <= drive[14];
      ack_ready_q   <= drive[15];
      reg_addr_q    <= drive[27:16];
      reg_wdata_q   <= reg_data;
      if (finish != 0) $finish;
    end
  end
endmodule
`default_nettype wire
