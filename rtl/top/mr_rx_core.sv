// mr_rx_core: all receive engines and place, wired: descriptors and commands in; memory writes, completions and builds out.
// Model twin: model/conn, receive side. Rules: docs/receive.md section 1. Latency of a packet: 6 tables and 6 queues in a row.
// s_desc is behind the parser: the injection point of benches that leave out frames.
// Back-pressure: between two engines stand DescDepth descriptors; what holds the end (memory port, completions, m_build)
// is felt at s_desc. Nothing enters before ready_o. now_i is the cycle counter, its low half goes into the records.
// Order in a queue is arrival order. Place for planted faults: see the cells.
`include "mr_types.svh"
`include "mr_link.svh"
`default_nettype none
module mr_rx_core #(
  parameter int Conns      = 4,
  parameter int Paths      = 4,
  parameter int Streams    = 16,
  parameter int MsgSlots   = 64,
  parameter int Recvs      = 16,
  parameter int Keys       = 16,
  parameter int RamLatency = 1,
  parameter int DescDepth  = 4
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [ 63:0] now_i,
  output      logic         ready_o,
  output      logic         idle_o,
  input  wire logic         s_desc_valid_i,
  output      logic         s_desc_ready_o,
  input  wire logic [mr_pkg::DescW-1:0] s_desc_data_i,
  input  wire logic         s_cmd_valid_i,
  output      logic         s_cmd_ready_o,
  input  wire logic [mr_pkg::DescW-1:0] s_cmd_data_i,
  input  wire logic [ 19:0] s_hint_i,
  input  wire logic [  7:0] s_hint_gen_i,
  output      logic         drop_valid_o,
  output      logic [  4:0] drop_reason_o,
  output      logic         verdict_valid_o,   // every message record
  output      logic [  3:0] verdict_o,
  output      logic         m_pbuf_valid_o,
  output      logic [ 15:0] m_pbuf_addr_o,
  input  wire logic [511:0] s_pbuf_data_i,
  output      logic         m_release_valid_o,
  output      logic [  7:0] m_release_beats_o,
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
  output      logic         m_cpl_valid_o,
  input  wire logic         m_cpl_ready_i,
  output      logic [mr_pkg::CompletionInW-1:0] m_cpl_data_o,
  output      logic [ 31:0] m_cpl_xid_o,
  output      logic         m_build_valid_o,
  input  wire logic         m_build_ready_i,
  output      logic [`MR_BUILD_W-1:0] m_build_data_o,
  output      logic [mr_pkg::WindowPathW-1:0] m_build_window_o,
  output      logic         cmd_done_valid_o,
  output      logic [  3:0] cmd_done_op_o,
  output      logic [ 31:0] cmd_done_xid_o,
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
  output      logic [mr_pkg::AckCommitW-1:0] trace_ack_o
);
  localparam int DescW    = mr_pkg::DescW;
  localparam int Rows     = Conns * Paths;
  localparam int PathRowW = (Rows > 1) ? $clog2(Rows) : 1;
  localparam int RowW     = (Streams > 1) ? $clog2(Streams) : 1;
  localparam int StreamW  = mr_pkg::CompleteStreamW;
  localparam int WindowW  = mr_pkg::WindowPathW;
  localparam int AckW     = mr_pkg::AckPathW;
  localparam int CountW   = $clog2(DescDepth + 1);
  initial if (Rows > 65536 || Streams > 65536) $fatal(1, "mr_rx_core: Conns*Paths and Streams are 65536 at most");
  initial if (Streams < 2 || (Streams & (Streams - 1)) != 0) $fatal(1, "mr_rx_core: Streams is a power of two, 2 at least");
  initial if (MsgSlots > mr_pkg::MsgWindow) $fatal(1, "mr_rx_core: MsgSlots is MsgWindow (bits of done and touched) at most");

  wire [31:0] now = now_i[31:0];

  // ---- tables that others read: read ports and write streams
  logic [2:0]            stream_re;      // complete.stream: 0 admit, 1 ack notices, 2 ack answers
  logic [3*RowW-1:0]     stream_addr;
  logic [3*StreamW-1:0]  stream_data;
  logic                  stream_we;
  logic [RowW-1:0]       stream_waddr;
  logic [StreamW-1:0]    stream_wdata;
  logic                  window_re;      // window.path: ack
  logic [PathRowW-1:0]   window_addr;
  logic [WindowW-1:0]    window_data;
  logic                  window_we;
  logic [PathRowW-1:0]   window_waddr;
  logic [WindowW-1:0]    window_wdata;
  logic [1:0]            builds_re;      // ack.path: 0 coalesce, 1 ctimer
  logic [2*PathRowW-1:0] builds_addr;
  logic [2*AckW-1:0]     builds_data;
  logic                  builds_we;
  logic [PathRowW-1:0]   builds_waddr;
  logic [AckW-1:0]       builds_wdata;
  logic [31:0]           notice_head;

  // ---- descriptors: <engine>_* leaves the engine, to_<engine>_* enters it, a queue between
  logic             admit_valid;
  logic             admit_ready;
  logic [DescW-1:0] admit_data;
  logic             window_valid;
  logic             window_ready;
  logic [DescW-1:0] window_data_out;
  logic             key_valid;
  logic             key_ready;
  logic [DescW-1:0] key_data;
  logic             recv_valid;
  logic             recv_ready;
  logic [DescW-1:0] recv_data;
  logic              to_window_valid;
  logic              to_window_ready;
  logic [DescW-1:0]  to_window_data;
  logic [CountW-1:0] to_window_count;
  mr_fifo #(.Width(DescW), .Depth(DescDepth)) u_to_window (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(admit_valid), .s_ready_o(admit_ready), .s_data_i(admit_data),
    .m_valid_o(to_window_valid), .m_ready_i(to_window_ready), .m_data_o(to_window_data), .count_o(to_window_count)
  );
  logic              to_key_valid;
  logic              to_key_ready;
  logic [DescW-1:0]  to_key_data;
  logic [CountW-1:0] to_key_count;
  mr_fifo #(.Width(DescW), .Depth(DescDepth)) u_to_key (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(window_valid), .s_ready_o(window_ready), .s_data_i(window_data_out),
    .m_valid_o(to_key_valid), .m_ready_i(to_key_ready), .m_data_o(to_key_data), .count_o(to_key_count)
  );
  logic              to_recv_valid;
  logic              to_recv_ready;
  logic [DescW-1:0]  to_recv_data;
  logic [CountW-1:0] to_recv_count;
  mr_fifo #(.Width(DescW), .Depth(DescDepth)) u_to_recv (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(key_valid), .s_ready_o(key_ready), .s_data_i(key_data),
    .m_valid_o(to_recv_valid), .m_ready_i(to_recv_ready), .m_data_o(to_recv_data), .count_o(to_recv_count)
  );
  logic              to_message_valid;
  logic              to_message_ready;
  logic [DescW-1:0]  to_message_data;
  logic [CountW-1:0] to_message_count;
  mr_fifo #(.Width(DescW), .Depth(DescDepth)) u_to_message (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(recv_valid), .s_ready_o(recv_ready), .s_data_i(recv_data),
    .m_valid_o(to_message_valid), .m_ready_i(to_message_ready), .m_data_o(to_message_data), .count_o(to_message_count)
  );

  logic admit_init, window_init, key_init, recv_init, message_init, place_init, complete_init, coalesce_init, pending_init,
        ack_init;
  logic admit_idle, window_idle, key_idle, recv_idle, message_idle, place_idle, complete_idle, coalesce_idle, ctimer_idle,
        ack_idle;
  assign ready_o = admit_init && window_init && key_init && recv_init && message_init && place_init && complete_init &&
                   coalesce_init && pending_init && ack_init;

  mr_admit #(
    .Conns(Conns), .Paths(Paths), .Streams(Streams), .MsgSlots(MsgSlots), .Keys(Keys), .RamLatency(RamLatency)
  ) u_admit (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(admit_init), .idle_o(admit_idle), .start_i(ready_o),
    .s_desc_valid_i(s_desc_valid_i), .s_desc_ready_o(s_desc_ready_o), .s_desc_data_i(s_desc_data_i),
    .s_cmd_valid_i(s_cmd_valid_i), .s_cmd_ready_o(s_cmd_ready_o), .s_cmd_data_i(s_cmd_data_i),
    .m_desc_valid_o(admit_valid), .m_desc_ready_i(admit_ready), .m_desc_data_o(admit_data),
    .drop_valid_o(drop_valid_o), .drop_reason_o(drop_reason_o),
    .stream_re_o(stream_re[0]), .stream_addr_o(stream_addr[RowW-1:0]), .stream_data_i(stream_data[StreamW-1:0]),
    .stream_we_i(stream_we), .stream_waddr_i(stream_waddr), .stream_wdata_i(stream_wdata),
    .trace_valid_o(trace_admit_valid_o), .trace_o(trace_admit_o)
  );

  logic                  window_want_valid;
  logic                  window_want_ready;
  logic [`MR_WANT_W-1:0] window_want_data;
  mr_window #(.Conns(Conns), .Paths(Paths), .RamLatency(RamLatency)) u_window (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(window_init), .idle_o(window_idle), .now_i(now),
    .s_desc_valid_i(to_window_valid), .s_desc_ready_o(to_window_ready), .s_desc_data_i(to_window_data),
    .m_desc_valid_o(window_valid), .m_desc_ready_i(window_ready), .m_desc_data_o(window_data_out),
    .m_want_valid_o(window_want_valid), .m_want_ready_i(window_want_ready), .m_want_data_o(window_want_data),
    .path_re_i(window_re), .path_addr_i(window_addr), .path_data_o(window_data),
    .path_we_o(window_we), .path_waddr_o(window_waddr), .path_wdata_o(window_wdata),
    .trace_valid_o(trace_window_valid_o), .trace_o(trace_window_o)
  );

  mr_key #(.Keys(Keys), .RamLatency(RamLatency)) u_key (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(key_init), .idle_o(key_idle),
    .s_desc_valid_i(to_key_valid), .s_desc_ready_o(to_key_ready), .s_desc_data_i(to_key_data),
    .m_desc_valid_o(key_valid), .m_desc_ready_i(key_ready), .m_desc_data_o(key_data),
    .trace_valid_o(trace_key_valid_o), .trace_o(trace_key_o)
  );

  mr_recv #(.Streams(Streams), .Recvs(Recvs), .RamLatency(RamLatency)) u_recv (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(recv_init), .idle_o(recv_idle),
    .s_desc_valid_i(to_recv_valid), .s_desc_ready_o(to_recv_ready), .s_desc_data_i(to_recv_data),
    .m_desc_valid_o(recv_valid), .m_desc_ready_i(recv_ready), .m_desc_data_o(recv_data),
    .trace_valid_o(trace_recv_valid_o), .trace_o(trace_recv_o)
  );

  logic                   fault_valid;
  logic                   fault_ready;
  logic [DescW-1:0]       fault_data;
  logic                   message_valid;
  logic                   message_ready;
  logic [DescW-1:0]       message_data;
  logic [3:0]             message_verdict;
  logic                   nak_valid;
  logic                   nak_ready;
  logic                   answer_valid;
  logic                   answer_ready;
  logic [`MR_REPLY_W-1:0] reply_data;
  mr_message_commit_t     message_commit;
  mr_message #(.Streams(Streams), .MsgSlots(MsgSlots), .RamLatency(RamLatency), .DescDepth(DescDepth)) u_message (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(message_init), .idle_o(message_idle),
    .s_desc_valid_i(to_message_valid), .s_desc_ready_o(to_message_ready), .s_desc_data_i(to_message_data),
    .s_fault_valid_i(fault_valid), .s_fault_ready_o(fault_ready), .s_fault_data_i(fault_data),
    .m_desc_valid_o(message_valid), .m_desc_ready_i(message_ready), .m_desc_data_o(message_data),
    .m_desc_verdict_o(message_verdict),
    .m_nak_valid_o(nak_valid), .m_nak_ready_i(nak_ready), .m_answer_valid_o(answer_valid), .m_answer_ready_i(answer_ready),
    .m_reply_data_o(reply_data),
    .trace_valid_o(trace_message_valid_o), .trace_o(trace_message_o)
  );
  assign message_commit  = trace_message_o;
  assign verdict_valid_o = trace_message_valid_o;
  assign verdict_o       = message_commit.out.verdict;

  logic             done_valid;
  logic             done_ready;
  logic [7:0]       done_op;
  logic [DescW-1:0] done_data;
  logic             settled;
  mr_place #(.Streams(Streams), .MsgSlots(MsgSlots), .RamLatency(RamLatency)) u_place (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(place_init), .idle_o(place_idle),
    .s_desc_valid_i(message_valid), .s_desc_ready_o(message_ready), .s_desc_data_i(message_data),
    .s_desc_verdict_i(message_verdict),
    .m_pbuf_valid_o(m_pbuf_valid_o), .m_pbuf_addr_o(m_pbuf_addr_o), .s_pbuf_data_i(s_pbuf_data_i),
    .m_release_valid_o(m_release_valid_o), .m_release_beats_o(m_release_beats_o),
    .m_mem_valid_o(m_mem_valid_o), .m_mem_ready_i(m_mem_ready_i), .m_mem_first_o(m_mem_first_o),
    .m_mem_last_o(m_mem_last_o), .m_mem_xid_o(m_mem_xid_o), .m_mem_addr_o(m_mem_addr_o), .m_mem_len_o(m_mem_len_o),
    .m_mem_data_o(m_mem_data_o), .s_mem_rsp_valid_i(s_mem_rsp_valid_i), .s_mem_rsp_error_i(s_mem_rsp_error_i),
    .m_done_valid_o(done_valid), .m_done_ready_i(done_ready), .m_done_op_o(done_op), .m_done_data_o(done_data),
    .s_settled_i(settled),
    .m_fault_valid_o(fault_valid), .m_fault_ready_i(fault_ready), .m_fault_data_o(fault_data),
    .cmd_done_valid_o(cmd_done_valid_o), .cmd_done_op_o(cmd_done_op_o), .cmd_done_xid_o(cmd_done_xid_o),
    .trace_valid_o(trace_place_valid_o), .trace_o(trace_place_o)
  );

  logic                    notice_valid;
  logic                    notice_ready;
  logic [`MR_NOTICE_W-1:0] notice_data;
  mr_complete #(.Paths(Paths), .Streams(Streams), .MsgSlots(MsgSlots), .RamLatency(RamLatency)) u_complete (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(complete_init), .idle_o(complete_idle), .now_i(now),
    .s_done_valid_i(done_valid), .s_done_ready_o(done_ready), .s_done_op_i(done_op), .s_done_data_i(done_data),
    .settled_o(settled),
    .m_cpl_valid_o(m_cpl_valid_o), .m_cpl_ready_i(m_cpl_ready_i), .m_cpl_data_o(m_cpl_data_o), .m_cpl_xid_o(m_cpl_xid_o),
    .m_notice_valid_o(notice_valid), .m_notice_ready_i(notice_ready), .m_notice_data_o(notice_data),
    .notice_head_i(notice_head),
    .stream_re_i(stream_re), .stream_addr_i(stream_addr), .stream_data_o(stream_data),
    .stream_we_o(stream_we), .stream_waddr_o(stream_waddr), .stream_wdata_o(stream_wdata),
    .trace_valid_o(trace_complete_valid_o), .trace_o(trace_complete_o)
  );

  // ---- acknowledgements
  logic                  want_valid;
  logic                  want_ready;
  logic [`MR_WANT_W-1:0] want_data;
  logic [CountW-1:0]     want_count;
  mr_fifo #(.Width(`MR_WANT_W), .Depth(DescDepth)) u_want (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(window_want_valid), .s_ready_o(window_want_ready), .s_data_i(window_want_data),
    .m_valid_o(want_valid), .m_ready_i(want_ready), .m_data_o(want_data), .count_o(want_count)
  );

  logic                request_valid;
  logic                request_ready;
  logic [15:0]         request_row;
  logic                arm_valid;
  logic                arm_ready;
  logic [15:0]         arm_row;
  logic [7:0]          arm_builds;
  logic                timer_valid;
  logic                timer_ready;
  logic [15:0]         timer_row;
  logic [PathRowW-1:0] coalesce_row;
  logic                coalesce_pending;
  logic [PathRowW-1:0] ctimer_row;
  logic                ctimer_pending;
  logic                clear;
  logic [PathRowW-1:0] clear_row;
  mr_coalesce #(.Conns(Conns), .Paths(Paths), .RamLatency(RamLatency)) u_coalesce (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(coalesce_init), .idle_o(coalesce_idle),
    .s_want_valid_i(want_valid), .s_want_ready_o(want_ready), .s_want_data_i(want_data),
    .m_request_valid_o(request_valid), .m_request_ready_i(request_ready), .m_request_row_o(request_row),
    .m_timer_valid_o(arm_valid), .m_timer_ready_i(arm_ready), .m_timer_row_o(arm_row), .m_timer_builds_o(arm_builds),
    .pending_row_o(coalesce_row), .pending_i(coalesce_pending),
    .builds_re_o(builds_re[0]), .builds_addr_o(builds_addr[PathRowW-1:0]), .builds_data_i(builds_data[AckW-1:0]),
    .builds_we_i(builds_we), .builds_waddr_i(builds_waddr), .builds_wdata_i(builds_wdata),
    .trace_valid_o(trace_coalesce_valid_o), .trace_o(trace_coalesce_o)
  );
  mr_ctimer #(.Conns(Conns), .Paths(Paths), .RamLatency(RamLatency)) u_ctimer (
    .clk_i(clk_i), .rst_ni(rst_ni), .idle_o(ctimer_idle), .now_i(now),
    .s_timer_valid_i(arm_valid), .s_timer_ready_o(arm_ready), .s_timer_row_i(arm_row), .s_timer_builds_i(arm_builds),
    .m_timer_valid_o(timer_valid), .m_timer_ready_i(timer_ready), .m_timer_row_o(timer_row),
    .pending_row_o(ctimer_row), .pending_i(ctimer_pending),
    .builds_re_o(builds_re[1]), .builds_addr_o(builds_addr[2*PathRowW-1:PathRowW]),
    .builds_data_i(builds_data[2*AckW-1:AckW]),
    .builds_we_i(builds_we), .builds_waddr_i(builds_waddr), .builds_wdata_i(builds_wdata),
    .trace_valid_o(trace_ctimer_valid_o), .trace_o(trace_ctimer_o)
  );
  mr_pending #(.Rows(Rows)) u_pending (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(pending_init),
    .coalesce_set_i(request_valid && request_ready), .coalesce_row_i(coalesce_row), .coalesce_pending_o(coalesce_pending),
    .ctimer_set_i(timer_valid && timer_ready), .ctimer_row_i(ctimer_row), .ctimer_pending_o(ctimer_pending),
    .clear_i(clear), .clear_row_i(clear_row)
  );
  mr_ack #(
    .Conns(Conns), .Paths(Paths), .Streams(Streams), .RamLatency(RamLatency), .ReplyDepth(DescDepth)
  ) u_ack (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(ack_init), .idle_o(ack_idle), .now_i(now),
    .hint_i(s_hint_i), .hint_gen_i(s_hint_gen_i),
    .s_request_valid_i(request_valid), .s_request_ready_o(request_ready), .s_request_row_i(request_row),
    .s_timer_valid_i(timer_valid), .s_timer_ready_o(timer_ready), .s_timer_row_i(timer_row),
    .s_notice_valid_i(notice_valid), .s_notice_ready_o(notice_ready), .s_notice_data_i(notice_data),
    .s_nak_valid_i(nak_valid), .s_nak_ready_o(nak_ready), .s_answer_valid_i(answer_valid), .s_answer_ready_o(answer_ready),
    .s_reply_data_i(reply_data),
    .m_build_valid_o(m_build_valid_o), .m_build_ready_i(m_build_ready_i), .m_build_data_o(m_build_data_o),
    .m_build_window_o(m_build_window_o),
    .notice_head_o(notice_head), .clear_o(clear), .clear_row_o(clear_row),
    .path_re_i(builds_re), .path_addr_i(builds_addr), .path_data_o(builds_data),
    .path_we_o(builds_we), .path_waddr_o(builds_waddr), .path_wdata_o(builds_wdata),
    .window_re_o(window_re), .window_addr_o(window_addr), .window_data_i(window_data),
    .window_we_i(window_we), .window_waddr_i(window_waddr), .window_wdata_i(window_wdata),
    .stream_re_o(stream_re[2:1]), .stream_addr_o(stream_addr[3*RowW-1:RowW]),
    .stream_data_i(stream_data[3*StreamW-1:StreamW]),
    .stream_we_i(stream_we), .stream_waddr_i(stream_waddr), .stream_wdata_i(stream_wdata),
    .trace_valid_o(trace_ack_valid_o), .trace_o(trace_ack_o)
  );

  assign idle_o = ready_o && admit_idle && window_idle && key_idle && recv_idle && message_idle && place_idle &&
                  complete_idle && coalesce_idle && ctimer_idle && ack_idle && !to_window_valid && !to_key_valid &&
                  !to_recv_valid && !to_message_valid && !want_valid && !s_desc_valid_i && !s_cmd_valid_i;

  wire unused = &{1'b0, now_i[63:32], message_commit, to_window_count, to_key_count, to_recv_count, to_message_count,
                  want_count};
endmodule
`default_nettype wire
