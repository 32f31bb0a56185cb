// mr_ack: ack engine: queues, arbiter, table of the builds, one ACK, NAK or answer a cycle to mr_ack_packet.
// Model twin: model/ack. Rule: R-ACK (ann:sack, ann:cc-receiver). Latency: RamLatency from grant to step.
// Back-pressure: waits for m_build, and, where an ACK could take a notice along, RamLatency + 1 cycles for the head of a
// notice queue that was empty (mr_ack_sources). Nothing else holds it; NAK and answer queues hold back message in turn.
// notice_head_o counts the notices taken, this cycle's included; complete's step of this cycle uses it.
`include "mr_types.svh"
`include "mr_link.svh"
`default_nettype none
module mr_ack #(
  parameter int Conns      = 4,
  parameter int Paths      = 4,
  parameter int Streams    = 16,
  parameter int RamLatency = 1,
  parameter int ReplyDepth = 4,
  localparam int Rows      = Conns * Paths,
  localparam int PathRowW  = (Rows > 1) ? $clog2(Rows) : 1,
  localparam int RowW      = (Streams > 1) ? $clog2(Streams) : 1,
  localparam int StreamW   = mr_pkg::CompleteStreamW,
  localparam int AckW      = mr_pkg::AckPathW,
  localparam int WindowW   = mr_pkg::WindowPathW
) (
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  output      logic                    ready_o,
  output      logic                    idle_o,
  input  wire logic [31:0]             now_i,
  input  wire logic [19:0]             hint_i,
  input  wire logic [7:0]              hint_gen_i,
  input  wire logic                    s_request_valid_i,
  output      logic                    s_request_ready_o,
  input  wire logic [15:0]             s_request_row_i,
  input  wire logic                    s_timer_valid_i,
  output      logic                    s_timer_ready_o,
  input  wire logic [15:0]             s_timer_row_i,
  input  wire logic                    s_notice_valid_i,
  output      logic                    s_notice_ready_o,
  input  wire logic [`MR_NOTICE_W-1:0] s_notice_data_i,
  input  wire logic                    s_nak_valid_i,
  output      logic                    s_nak_ready_o,
  input  wire logic                    s_answer_valid_i,
  output      logic                    s_answer_ready_o,
  input  wire logic [`MR_REPLY_W-1:0]  s_reply_data_i,
  output      logic                    m_build_valid_o,
  input  wire logic                    m_build_ready_i,
  output      logic [`MR_BUILD_W-1:0]  m_build_data_o,
  output      logic [WindowW-1:0]      m_build_window_o,
  output      logic [31:0]             notice_head_o,
  output      logic                    clear_o,        // a build of a pending path committed
  output      logic [PathRowW-1:0]     clear_row_o,
  // ack.path for coalesce (0) and ctimer (1): read ports and write stream
  input  wire logic [1:0]              path_re_i,
  input  wire logic [2*PathRowW-1:0]   path_addr_i,
  output      logic [2*AckW-1:0]       path_data_o,
  output      logic                    path_we_o,
  output      logic [PathRowW-1:0]     path_waddr_o,
  output      logic [AckW-1:0]         path_wdata_o,
  // window.path: read port and write stream
  output      logic                    window_re_o,
  output      logic [PathRowW-1:0]     window_addr_o,
  input  wire logic [WindowW-1:0]      window_data_i,
  input  wire logic                    window_we_i,
  input  wire logic [PathRowW-1:0]     window_waddr_i,
  input  wire logic [WindowW-1:0]      window_wdata_i,
  // complete.stream: read ports (0: head of the notices, 1: answers) and write stream
  output      logic [1:0]              stream_re_o,
  output      logic [2*RowW-1:0]       stream_addr_o,
  input  wire logic [2*StreamW-1:0]    stream_data_i,
  input  wire logic                    stream_we_i,
  input  wire logic [RowW-1:0]         stream_waddr_i,
  input  wire logic [StreamW-1:0]      stream_wdata_i,
  output      logic                    trace_valid_o,
  output      logic [mr_pkg::AckCommitW-1:0] trace_o
);
  localparam int ReplyW = `MR_REPLY_W;
  localparam int ItemW  = 8 + ReplyW;

  // ---- sources
  logic                    op_valid;
  logic                    op_ready;
  logic [7:0]              op_op;
  logic [ReplyW-1:0]       op_data;
  mr_reply_t               op_reply;
  logic                    busy;
  logic                    sources_idle;
  logic                    head_valid;
  logic                    head_wait;
  logic [`MR_NOTICE_W-1:0] head_data;
  logic [31:0]             head_completed;
  logic                    head_open;
  logic [7:0]              head_life;
  logic                    take;
  mr_ack_sources #(
    .Conns(Conns), .Paths(Paths), .Streams(Streams), .RamLatency(RamLatency), .ReplyDepth(ReplyDepth)
  ) u_sources (
    .clk_i(clk_i), .rst_ni(rst_ni), .idle_o(sources_idle), .now_i(now_i),
    .s_request_valid_i(s_request_valid_i), .s_request_ready_o(s_request_ready_o), .s_request_row_i(s_request_row_i),
    .s_timer_valid_i(s_timer_valid_i), .s_timer_ready_o(s_timer_ready_o), .s_timer_row_i(s_timer_row_i),
    .s_notice_valid_i(s_notice_valid_i), .s_notice_ready_o(s_notice_ready_o), .s_notice_data_i(s_notice_data_i),
    .s_nak_valid_i(s_nak_valid_i), .s_nak_ready_o(s_nak_ready_o),
    .s_answer_valid_i(s_answer_valid_i), .s_answer_ready_o(s_answer_ready_o), .s_reply_data_i(s_reply_data_i),
    .m_op_valid_o(op_valid), .m_op_ready_i(op_ready), .m_op_o(op_op), .m_op_reply_o(op_data), .pipe_busy_i(busy),
    .notice_valid_o(head_valid), .notice_wait_o(head_wait), .notice_data_o(head_data),
    .notice_completed_o(head_completed), .notice_open_o(head_open), .notice_life_o(head_life),
    .notice_take_i(take),
    .stream_re_o(stream_re_o[0]), .stream_addr_o(stream_addr_o[RowW-1:0]), .stream_data_i(stream_data_i[StreamW-1:0]),
    .stream_we_i(stream_we_i), .stream_waddr_i(stream_waddr_i), .stream_wdata_i(stream_wdata_i)
  );
  assign op_reply = op_data;

  // ---- the three rows, in step with each other
  logic                step_valid;
  logic                step_ready;
  logic [PathRowW-1:0] step_addr;
  logic [ItemW-1:0]    step_item;
  logic [AckW-1:0]     step_row;
  mr_ack_path_t        row_after;
  mr_rmw #(
    .Width(AckW), .Depth(Rows), .ItemW(ItemW), .Foreign(2), .RamLatency(RamLatency)
  ) u_path (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(ready_o), .busy_o(busy),
    .s_valid_i(op_valid), .s_ready_o(op_ready), .s_addr_i(op_reply.path_row[PathRowW-1:0]), .s_item_i({op_op, op_data}),
    .step_valid_o(step_valid), .step_ready_i(step_ready), .step_addr_o(step_addr), .step_item_o(step_item),
    .step_row_o(step_row), .step_write_i(1'b1), .step_row_i(row_after),
    .we_o(path_we_o), .waddr_o(path_waddr_o), .wdata_o(path_wdata_o),
    .foreign_re_i(path_re_i), .foreign_addr_i(path_addr_i), .foreign_data_o(path_data_o)
  );

  wire                 op_take = op_valid && op_ready;
  logic [WindowW-1:0]  window_row;
  logic [StreamW-1:0]  stream_row;
  logic                w_ready_unused;
  logic                w_valid_unused;
  logic                w_item_unused;
  logic                w_busy_unused;
  logic [PathRowW-1:0] w_addr_unused;
  mr_lookup #(.Width(WindowW), .Depth(Rows), .ItemW(1), .RamLatency(RamLatency)) u_window (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(op_take), .s_ready_o(w_ready_unused), .s_addr_i(op_reply.path_row[PathRowW-1:0]), .s_item_i(1'b0),
    .m_valid_o(w_valid_unused), .m_ready_i(step_ready), .m_addr_o(w_addr_unused), .m_item_o(w_item_unused),
    .m_row_o(window_row), .busy_o(w_busy_unused),
    .ram_re_o(window_re_o), .ram_addr_o(window_addr_o), .ram_data_i(window_data_i),
    .we_i(window_we_i), .waddr_i(window_waddr_i), .wdata_i(window_wdata_i)
  );
  logic                r_ready_unused;
  logic                r_valid_unused;
  logic                r_item_unused;
  logic                r_busy_unused;
  logic [RowW-1:0]     r_addr_unused;
  mr_lookup #(.Width(StreamW), .Depth(Streams), .ItemW(1), .RamLatency(RamLatency)) u_answer (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(op_take), .s_ready_o(r_ready_unused), .s_addr_i(op_reply.stream_row[RowW-1:0]), .s_item_i(1'b0),
    .m_valid_o(r_valid_unused), .m_ready_i(step_ready), .m_addr_o(r_addr_unused), .m_item_o(r_item_unused),
    .m_row_o(stream_row), .busy_o(r_busy_unused),
    .ram_re_o(stream_re_o[1]), .ram_addr_o(stream_addr_o[2*RowW-1:RowW]), .ram_data_i(stream_data_i[2*StreamW-1:StreamW]),
    .we_i(stream_we_i), .waddr_i(stream_waddr_i), .wdata_i(stream_wdata_i)
  );

  // ---- step
  mr_reply_t           reply;
  mr_notice_t          head;
  mr_window_path_t     window;
  mr_complete_stream_t stream;
  mr_ack_path_t        row;
  mr_ack_in_t          step_in;
  mr_ack_out_t         step_out;
  wire [7:0] step_op = step_item[ItemW-1 -: 8];
  assign reply  = step_item[ReplyW-1:0];
  assign head   = head_data;
  assign window = window_row;
  assign stream = stream_row;
  assign row    = step_row;

  wire        is_reply  = (step_op == mr_pkg::AckOpNak) || (step_op == mr_pkg::AckOpAnswer);
  wire [15:0] row_conn  = reply.path_row >> $clog2(Paths);
  wire [15:0] row_path  = reply.path_row & 16'(Paths - 1);
  wire [15:0] conn      = is_reply ? reply.conn : row_conn;
  wire [7:0]  path      = is_reply ? reply.path : row_path[7:0];
  wire        has_notice = !is_reply && head_valid && (head.conn == row_conn);

  always @* begin
    step_in              = '0;
    step_in.path_row     = reply.path_row;
    step_in.grant        = step_op[2:0];
    step_in.now          = now_i;
    step_in.hint         = hint_i;
    step_in.hint_gen     = hint_gen_i;
    step_in.last_now     = window.last_now;
    step_in.notice_valid = has_notice;
    if (has_notice) begin
      step_in.notice_stream_row = head.stream_row;
      step_in.notice_life       = head.life;
      step_in.notice_completed  = head_completed;
      step_in.stream_open       = head_open;
      step_in.stream_life       = head_life;
    end
  end
  mr_ack_step u_step (.row_i(row), .op_i(step_op), .in_i(step_in), .row_o(row_after), .out_o(step_out));

  wire go = is_reply || !head_wait;
  assign step_ready      = m_build_ready_i && go;
  assign m_build_valid_o = step_valid && go;
  wire commit            = step_valid && step_ready;
  assign take            = commit && (step_out.notice || step_out.notice_stale);
  assign clear_o         = commit && ((step_op == mr_pkg::AckOpRequest) || (step_op == mr_pkg::AckOpTimer));
  assign clear_row_o     = step_addr;

  logic [31:0] taken_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) taken_q <= '0;
    else if (take) taken_q <= notice_head_o;
  end
  assign notice_head_o = taken_q + 32'(take);

  mr_build_t build;
  always @* begin
    build               = '0;
    build.reply         = reply;
    build.op            = step_op;
    build.xid           = reply.xid;   // 0 for an ACK
    build.conn          = conn;
    build.path          = path;
    build.sport         = is_reply ? reply.sport : window.last_sport;
    build.now           = now_i;
    build.held          = step_out.held;
    build.hint          = hint_i;
    build.hint_gen      = hint_gen_i;
    build.notice_valid  = step_out.notice;
    build.notice_stream = step_out.notice ? head.stream : 16'd0;
    build.notice_msn    = step_out.notice ? head_completed : 32'd0;
    build.completed     = reply.query ? stream.completed : 32'd0;
  end
  assign m_build_data_o   = build;
  assign m_build_window_o = window_row;

  assign trace_valid_o = commit;
  assign trace_o = {row_after, step_in, step_out, reply.stream, path, conn, reply.xid, step_op};
  assign idle_o  = sources_idle && !busy;

  wire unused = &{1'b0, op_reply, head, window, stream, row_path[15:8], w_ready_unused, w_valid_unused, w_item_unused,
                  w_busy_unused, w_addr_unused, r_ready_unused, r_valid_unused, r_item_unused, r_busy_unused,
                  r_addr_unused};
endmodule
`default_nettype wire
