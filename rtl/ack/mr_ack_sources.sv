// mr_ack_sources: the five queues of ack and their arbiter; the head of the notice queue stays visible for the steps.
// Model twin: the queues of model/ack; which one was taken is told. Rule: R-ACK. Latency: 1 from a push to an offer.
// Queues that cannot fill up: request and timer (each path stands once in both, mr_pending). The notice queue holds one of each
// stream (complete's `noticed`), and more when a stream is opened again while its notice waits, since stream_set forgets it; a
// full queue holds back complete. That ends: a head is taken with a build or alone, and builds wait for m_build only. A head
// that outlived its stream is taken without leaving (notice_stale). NAK and answer hold ReplyDepth and then hold back message.
// Round robin. A notice is offered to the pipeline only while no build is on its way (pipe_busy_i), so that its head is
// still there in its step; until the pipeline has run empty the turn stays with it. Place for a planted fault: that wait.
// Notice head: the entry and, beside it, complete.stream of its stream, kept up to date by an mr_lookup that holds it. An
// entry is queued and not yet there for some cycles: notice_wait_o tells the step to wait, so that it decides on the queue
// as it stands.
`include "mr_types.svh"
`include "mr_link.svh"
`default_nettype none
module mr_ack_sources #(
  parameter int Conns      = 4,
  parameter int Paths      = 4,
  parameter int Streams    = 16,
  parameter int RamLatency = 1,
  parameter int ReplyDepth = 4,
  localparam int RowW      = (Streams > 1) ? $clog2(Streams) : 1,
  localparam int StreamW   = mr_pkg::CompleteStreamW
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  output      logic                   idle_o,
  input  wire logic [31:0]            now_i,
  input  wire logic                   s_request_valid_i,
  output      logic                   s_request_ready_o,
  input  wire logic [15:0]            s_request_row_i,
  input  wire logic                   s_timer_valid_i,
  output      logic                   s_timer_ready_o,
  input  wire logic [15:0]            s_timer_row_i,
  input  wire logic                   s_notice_valid_i,
  output      logic                   s_notice_ready_o,
  input  wire logic [`MR_NOTICE_W-1:0] s_notice_data_i,
  input  wire logic                   s_nak_valid_i,
  output      logic                   s_nak_ready_o,
  input  wire logic                   s_answer_valid_i,
  output      logic                   s_answer_ready_o,
  input  wire logic [`MR_REPLY_W-1:0] s_reply_data_i,
  // one grant: op of the ack record and what it names; the reply holds only path_row for an ACK
  output      logic                   m_op_valid_o,
  input  wire logic                   m_op_ready_i,
  output      logic [7:0]             m_op_o,
  output      logic [`MR_REPLY_W-1:0] m_op_reply_o,
  input  wire logic                   pipe_busy_i,
  // head of the notice queue
  output      logic                   notice_valid_o,
  output      logic                   notice_wait_o,
  output      logic [`MR_NOTICE_W-1:0] notice_data_o,
  output      logic [31:0]            notice_completed_o,
  output      logic                   notice_open_o,      // complete.stream as it stands
  output      logic [7:0]             notice_life_o,
  input  wire logic                   notice_take_i,
  // complete.stream: read port and write stream
  output      logic                   stream_re_o,
  output      logic [RowW-1:0]        stream_addr_o,
  input  wire logic [StreamW-1:0]     stream_data_i,
  input  wire logic                   stream_we_i,
  input  wire logic [RowW-1:0]        stream_waddr_i,
  input  wire logic [StreamW-1:0]     stream_wdata_i
);
  localparam int Rows   = Conns * Paths;
  localparam int ReplyW = `MR_REPLY_W;

  // ---- queues
  logic              request_valid;
  logic              timer_valid;
  logic              nak_valid;
  logic              answer_valid;
  logic [4:0]        take;              // in the order of the ops
  logic [15:0]       request_row;
  logic [15:0]       timer_row;
  logic [ReplyW-1:0] nak_data;
  logic [ReplyW-1:0] answer_data;
  logic [$clog2(Rows + 1)-1:0]       request_count_unused;
  logic [$clog2(Rows + 1)-1:0]       timer_count_unused;
  logic [$clog2(ReplyDepth + 1)-1:0] nak_count_unused;
  logic [$clog2(ReplyDepth + 1)-1:0] answer_count_unused;
  mr_fifo #(.Width(16), .Depth(Rows)) u_request (
    .clk_i(clk_i), .rst_ni(rst_ni), .s_valid_i(s_request_valid_i), .s_ready_o(s_request_ready_o), .s_data_i(s_request_row_i),
    .m_valid_o(request_valid), .m_ready_i(take[0]), .m_data_o(request_row), .count_o(request_count_unused)
  );
  mr_fifo #(.Width(16), .Depth(Rows)) u_timer (
    .clk_i(clk_i), .rst_ni(rst_ni), .s_valid_i(s_timer_valid_i), .s_ready_o(s_timer_ready_o), .s_data_i(s_timer_row_i),
    .m_valid_o(timer_valid), .m_ready_i(take[1]), .m_data_o(timer_row), .count_o(timer_count_unused)
  );
  mr_fifo #(.Width(ReplyW), .Depth(ReplyDepth)) u_nak (
    .clk_i(clk_i), .rst_ni(rst_ni), .s_valid_i(s_nak_valid_i), .s_ready_o(s_nak_ready_o), .s_data_i(s_reply_data_i),
    .m_valid_o(nak_valid), .m_ready_i(take[3]), .m_data_o(nak_data), .count_o(nak_count_unused)
  );
  mr_fifo #(.Width(ReplyW), .Depth(ReplyDepth)) u_answer (
    .clk_i(clk_i), .rst_ni(rst_ni), .s_valid_i(s_answer_valid_i), .s_ready_o(s_answer_ready_o), .s_data_i(s_reply_data_i),
    .m_valid_o(answer_valid), .m_ready_i(take[4]), .m_data_o(answer_data), .count_o(answer_count_unused)
  );

  // ---- notices
  logic                    entry_valid;
  logic                    entry_ready;
  logic [`MR_NOTICE_W-1:0] entry_data;
  mr_notice_t              entry;
  logic [$clog2(Streams + 1)-1:0] entry_count_unused;
  mr_fifo #(.Width(`MR_NOTICE_W), .Depth(Streams)) u_notice (
    .clk_i(clk_i), .rst_ni(rst_ni), .s_valid_i(s_notice_valid_i), .s_ready_o(s_notice_ready_o), .s_data_i(s_notice_data_i),
    .m_valid_o(entry_valid), .m_ready_i(entry_ready), .m_data_o(entry_data), .count_o(entry_count_unused)
  );
  assign entry = entry_data;

  logic [RowW-1:0]     head_addr_unused;
  logic [StreamW-1:0]  head_row;
  logic                head_busy;
  mr_complete_stream_t head_stream;
  mr_notice_t          head;
  mr_lookup #(.Width(StreamW), .Depth(Streams), .ItemW(`MR_NOTICE_W), .RamLatency(RamLatency)) u_head (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(entry_valid), .s_ready_o(entry_ready), .s_addr_i(entry.stream_row[RowW-1:0]), .s_item_i(entry_data),
    .m_valid_o(notice_valid_o), .m_ready_i(notice_take_i), .m_addr_o(head_addr_unused), .m_item_o(notice_data_o),
    .m_row_o(head_row), .busy_o(head_busy),
    .ram_re_o(stream_re_o), .ram_addr_o(stream_addr_o), .ram_data_i(stream_data_i),
    .we_i(stream_we_i), .waddr_i(stream_waddr_i), .wdata_i(stream_wdata_i)
  );
  assign head               = notice_data_o;
  assign head_stream        = head_row;
  assign notice_completed_o = head_stream.completed;
  assign notice_open_o      = head_stream.open;
  assign notice_life_o      = head_stream.life;
  assign notice_wait_o      = !notice_valid_o && (entry_valid || head_busy);

  // ---- arbiter
  wire [31:0] age = now_i - head.now;
  wire        old = notice_valid_o && (age >= 32'(mr_pkg::AckTimer));
  wire [4:0]  offer = {answer_valid, nak_valid, old, timer_valid, request_valid};
  logic       arb_valid;
  logic [2:0] pick;
  wire        hold = (pick == mr_pkg::AckOpNotice[2:0]) && pipe_busy_i;
  wire        data_unused;
  mr_arb #(.N(5), .Width(1)) u_arb (
    .clk_i(clk_i), .rst_ni(rst_ni), .s_valid_i(offer), .s_ready_o(take), .s_data_i(5'd0),
    .m_valid_o(arb_valid), .m_ready_i(m_op_ready_i && !hold), .m_pick_o(pick), .m_data_o(data_unused)
  );

  mr_reply_t reply;
  always @* begin
    reply = '0;
    case (pick)
      mr_pkg::AckOpRequest[2:0]: reply.path_row = request_row;
      mr_pkg::AckOpTimer[2:0]:   reply.path_row = timer_row;
      mr_pkg::AckOpNotice[2:0]:  reply.path_row = head.path_row;
      mr_pkg::AckOpNak[2:0]:     reply = nak_data;
      default:                   reply = answer_data;
    endcase
  end
  assign m_op_valid_o = arb_valid && !hold;
  assign m_op_o       = 8'(pick);
  assign m_op_reply_o = reply;

  assign idle_o = !request_valid && !timer_valid && !nak_valid && !answer_valid && !entry_valid && !head_busy;

  wire unused = &{1'b0, request_count_unused, timer_count_unused, nak_count_unused, answer_count_unused,
                  entry_count_unused, entry, head_addr_unused, head_stream, head, data_unused, take[2]};
endmodule
`default_nettype wire
