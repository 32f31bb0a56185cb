// mr_rx_top: the receive side of the NIC: frames and commands in; memory writes, completions, acknowledgements out.
// Model twin: model/conn and model/pipe. Rules: docs/receive.md, docs/rtl.md, docs/memory-port.md.
// Back-pressure: the frame input and the answers of the memory port never wait; all other streams are valid/ready.
// Parameters are those of a preset (model/spec/constant.tbl), defaults: tiny. QueueDepth is behind the parser: frames of one
// or two beats come faster than a command, a fault or a stall lets descriptors go on, and are lost when it is full.
`include "mr_link.svh"
`default_nettype none
module mr_rx_top #(
  parameter int Conns      = 4,
  parameter int Paths      = 4,
  parameter int Streams    = 16,
  parameter int MsgSlots   = 64,
  parameter int Recvs      = 16,
  parameter int Keys       = 16,
  parameter int BufBeats   = 512,
  parameter int RamLatency = 1,
  parameter int DescDepth  = 4,
  parameter int QueueDepth = 4 * DescDepth
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  // frames; never stalls
  input  wire logic         s_frame_valid_i,
  input  wire logic         s_frame_last_i,
  input  wire logic [  6:0] s_frame_bytes_i,    // 1..64, 64 unless last
  input  wire logic [511:0] s_frame_data_i,     // first byte in bits 7:0
  // registers
  input  wire logic         s_reg_valid_i,
  output      logic         s_reg_ready_o,
  input  wire logic         s_reg_write_i,
  input  wire logic [ 11:0] s_reg_addr_i,
  input  wire logic [ 31:0] s_reg_wdata_i,
  output      logic         m_reg_valid_o,      // answer to a read, one cycle after it was taken
  output      logic [ 31:0] m_reg_rdata_o,
  // memory writes and their answers
  output      logic         m_mem_valid_o,
  input  wire logic         m_mem_ready_i,
  output      logic         m_mem_first_o,
  output      logic         m_mem_last_o,
  output      logic [ 31:0] m_mem_xid_o,
  output      logic [ 63:0] m_mem_addr_o,
  output      logic [ 15:0] m_mem_len_o,
  output      logic [511:0] m_mem_data_o,
  input  wire logic         s_mem_rsp_valid_i,
  input  wire logic         s_mem_rsp_error_i,
  // completions
  output      logic         m_cpl_valid_o,
  input  wire logic         m_cpl_ready_i,
  output      logic [mr_pkg::CompletionInW-1:0] m_cpl_data_o,
  output      logic [ 31:0] m_cpl_xid_o,
  // ACK, NAK, answer
  output      logic         m_ack_valid_o,
  input  wire logic         m_ack_ready_i,
  output      logic         m_ack_first_o,
  output      logic         m_ack_last_o,
  output      logic [  6:0] m_ack_bytes_o,
  output      logic [511:0] m_ack_data_o,
  output      logic [ 15:0] m_ack_conn_o,
  output      logic [  7:0] m_ack_path_o,
  output      logic [ 15:0] m_ack_sport_o,
  output      logic [ 31:0] m_ack_xid_o,
  // commands confirmed
  output      logic         cmd_done_valid_o,
  output      logic [  3:0] cmd_done_op_o,
  output      logic [ 31:0] cmd_done_xid_o,
  // one commit a cycle of each engine, and register accesses
  output      logic         trace_admit_valid_o,
  output      logic [mr_pkg::AdmitCommitW-1:0] trace_admit_o,
  output      logic         trace_window_valid_o,
  output      logic [mr_pkg::WindowCommitW-1:0] trace_window_o,
  output      logic         trace_key_valid_o,
  output      logic [mr_pkg::KeyCommitW-1:0] trace_key_o,
  output      logic         trace_recv_valid_o,
  output      logic [mr_pkg::RecvCommitW-1:0] trace_recv_o,
  output      logic         trace_message_valid_o,
  output      logic [mr_pkg::MessageCommitW-1:0] trace_message_o,
  output      logic         trace_place_valid_o,
  output      logic [mr_pkg::PlaceCommitW-1:0] trace_place_o,
  output      logic         trace_complete_valid_o,
  output      logic [mr_pkg::CompleteCommitW-1:0] trace_complete_o,
  output      logic         trace_coalesce_valid_o,
  output      logic [mr_pkg::CoalesceCommitW-1:0] trace_coalesce_o,
  output      logic         trace_ctimer_valid_o,
  output      logic [mr_pkg::CtimerCommitW-1:0] trace_ctimer_o,
  output      logic         trace_ack_valid_o,
  output      logic [mr_pkg::AckCommitW-1:0] trace_ack_o,
  output      logic         trace_register_valid_o,
  output      logic [mr_pkg::RegisterInW-1:0] trace_register_o,
  output      logic         ready_o,            // all tables are initialised; before that frames wait, or overrun
  output      logic         idle_o,
  output      logic [ 63:0] cycle_o             // 0 in the first cycle after reset
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cycle_o <= 64'd0;
    else cycle_o <= cycle_o + 64'd1;
  end

  // ---- frames
  logic         desc_valid, desc_ready, parse_idle;
  logic [mr_pkg::DescW-1:0] desc;
  logic         write_valid, read_valid, release_valid;
  logic [ 15:0] write_addr, read_addr;
  logic [511:0] write_data, read_data;
  logic [  7:0] release_beats;
  logic [ 15:0] udp_port;
  mr_parse #(.BufBeats(BufBeats), .QueueDepth(QueueDepth)) u_parse (
    .clk_i, .rst_ni, .s_frame_valid_i, .s_frame_last_i, .s_frame_bytes_i, .s_frame_data_i, .udp_port_i(udp_port),
    .m_desc_valid_o(desc_valid), .m_desc_ready_i(desc_ready), .m_desc_data_o(desc),
    .m_pbuf_valid_o(write_valid), .m_pbuf_addr_o(write_addr), .m_pbuf_data_o(write_data),
    .s_release_valid_i(release_valid), .s_release_beats_i(release_beats), .idle_o(parse_idle)
  );
  mr_pbuf #(.BufBeats(BufBeats)) u_pbuf (
    .clk_i, .s_write_valid_i(write_valid), .s_write_addr_i(write_addr), .s_write_data_i(write_data),
    .s_read_valid_i(read_valid), .s_read_addr_i(read_addr), .m_read_data_o(read_data)
  );

  // ---- registers and commands
  logic        cmd_valid, cmd_ready, regs_idle;
  logic [mr_pkg::DescW-1:0] cmd;
  logic [19:0] hint;
  logic [ 7:0] hint_gen;
  logic        drop_valid, verdict_valid;
  // VERDICTS counts packets: queries, faults and commands have no verdict. The op stands lowest in a commit.
  wire         verdict_packet = verdict_valid && (trace_message_o[7:0] == mr_pkg::MessageOpPacket);
  logic [ 4:0] drop_reason;
  logic [ 3:0] verdict;
  mr_regs u_regs (
    .clk_i, .rst_ni, .s_reg_valid_i, .s_reg_ready_o, .s_reg_write_i, .s_reg_addr_i, .s_reg_wdata_i,
    .m_reg_valid_o, .m_reg_rdata_o, .m_cmd_valid_o(cmd_valid), .m_cmd_ready_i(cmd_ready), .m_cmd_data_o(cmd),
    .udp_port_o(udp_port), .hint_o(hint), .hint_gen_o(hint_gen),
    .drop_valid_i(drop_valid), .drop_reason_i(drop_reason), .verdict_valid_i(verdict_packet), .verdict_i(verdict),
    .cmd_done_i(cmd_done_valid_o), .trace_valid_o(trace_register_valid_o), .trace_o(trace_register_o), .idle_o(regs_idle)
  );

  // ---- engines
  logic core_idle, build_valid, build_ready, packet_idle;
  logic [`MR_BUILD_W-1:0] build;
  logic [mr_pkg::WindowPathW-1:0] build_window;
  mr_rx_core #(
    .Conns(Conns), .Paths(Paths), .Streams(Streams), .MsgSlots(MsgSlots), .Recvs(Recvs), .Keys(Keys),
    .RamLatency(RamLatency), .DescDepth(DescDepth)
  ) u_core (
    .clk_i, .rst_ni, .now_i(cycle_o),
    .s_desc_valid_i(desc_valid), .s_desc_ready_o(desc_ready), .s_desc_data_i(desc),
    .s_cmd_valid_i(cmd_valid), .s_cmd_ready_o(cmd_ready), .s_cmd_data_i(cmd),
    .s_hint_i(hint), .s_hint_gen_i(hint_gen),
    .drop_valid_o(drop_valid), .drop_reason_o(drop_reason), .verdict_valid_o(verdict_valid), .verdict_o(verdict),
    .m_pbuf_valid_o(read_valid), .m_pbuf_addr_o(read_addr), .s_pbuf_data_i(read_data),
    .m_release_valid_o(release_valid), .m_release_beats_o(release_beats),
    .m_mem_valid_o, .m_mem_ready_i, .m_mem_first_o, .m_mem_last_o, .m_mem_xid_o, .m_mem_addr_o, .m_mem_len_o,
    .m_mem_data_o, .s_mem_rsp_valid_i, .s_mem_rsp_error_i,
    .m_cpl_valid_o, .m_cpl_ready_i, .m_cpl_data_o, .m_cpl_xid_o,
    .m_build_valid_o(build_valid), .m_build_ready_i(build_ready), .m_build_data_o(build), .m_build_window_o(build_window),
    .cmd_done_valid_o, .cmd_done_op_o, .cmd_done_xid_o,
    .trace_admit_valid_o, .trace_admit_o, .trace_window_valid_o, .trace_window_o,
    .trace_key_valid_o, .trace_key_o, .trace_recv_valid_o, .trace_recv_o,
    .trace_message_valid_o, .trace_message_o, .trace_place_valid_o, .trace_place_o,
    .trace_complete_valid_o, .trace_complete_o, .trace_coalesce_valid_o, .trace_coalesce_o,
    .trace_ctimer_valid_o, .trace_ctimer_o, .trace_ack_valid_o, .trace_ack_o,
    .ready_o, .idle_o(core_idle)
  );

  mr_ack_packet u_packet (
    .clk_i, .rst_ni, .s_build_valid_i(build_valid), .s_build_ready_o(build_ready), .s_build_data_i(build),
    .s_build_window_i(build_window), .m_ack_valid_o, .m_ack_ready_i, .m_ack_first_o, .m_ack_last_o, .m_ack_bytes_o,
    .m_ack_data_o, .m_ack_conn_o, .m_ack_path_o, .m_ack_sport_o, .m_ack_xid_o, .idle_o(packet_idle)
  );

  assign idle_o = ready_o && parse_idle && regs_idle && core_idle && packet_idle;
endmodule
`default_nettype wire
