// mr_ctimer: armed timers, first in, first out, since all run equally long; the oldest asks for an acknowledgement when due.
// Model twin: model/coalesce, timer step. Rule: R-CTIMER. Latency: RamLatency from due to step.
// Back-pressure: s_timer_ready_o falls when TimerDepth timers are armed; at one a cycle and ack_timer cycles of life the
// queue has room for all unless the timer queue, with room for every path, were full. So coalesce is never held back by it
// at the default depth. pending_i is combinational: coalesce's push of this cycle is in (docs/receive.md section 1).
`include "mr_types.svh"
`default_nettype none
module mr_ctimer #(
  parameter int Conns      = 4,
  parameter int Paths      = 4,
  parameter int RamLatency = 1,
  parameter int TimerDepth = mr_pkg::AckTimer + 16,
  localparam int Rows      = Conns * Paths,
  localparam int RowW      = (Rows > 1) ? $clog2(Rows) : 1
) (
  input  wire logic                           clk_i,
  input  wire logic                           rst_ni,
  output      logic                           idle_o,
  input  wire logic [31:0]                    now_i,
  input  wire logic                           s_timer_valid_i,
  output      logic                           s_timer_ready_o,
  input  wire logic [15:0]                    s_timer_row_i,
  input  wire logic [7:0]                     s_timer_builds_i,
  output      logic                           m_timer_valid_o,
  input  wire logic                           m_timer_ready_i,
  output      logic [15:0]                    m_timer_row_o,
  output      logic [RowW-1:0]                pending_row_o,
  input  wire logic                           pending_i,
  // ack.path: read port and write stream
  output      logic                           builds_re_o,
  output      logic [RowW-1:0]                builds_addr_o,
  input  wire logic [mr_pkg::AckPathW-1:0]    builds_data_i,
  input  wire logic                           builds_we_i,
  input  wire logic [RowW-1:0]                builds_waddr_i,
  input  wire logic [mr_pkg::AckPathW-1:0]    builds_wdata_i,
  output      logic                           trace_valid_o,
  output      logic [mr_pkg::CtimerCommitW-1:0] trace_o
);
  localparam int TimerW = 56;
  typedef struct packed {
    logic [15:0] path_row;
    logic [ 7:0] builds;
    logic [31:0] armed;
  } timer_t;

  logic              head_valid;
  logic [TimerW-1:0] head_data;
  timer_t            head;
  logic              head_ready;
  logic [$clog2(TimerDepth + 1)-1:0] count_unused;
  mr_fifo #(.Width(TimerW), .Depth(TimerDepth)) u_armed (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(s_timer_valid_i), .s_ready_o(s_timer_ready_o), .s_data_i({s_timer_row_i, s_timer_builds_i, now_i}),
    .m_valid_o(head_valid), .m_ready_i(head_ready), .m_data_o(head_data), .count_o(count_unused)
  );
  assign head = head_data;
  wire [31:0] age = now_i - head.armed;
  wire        due = head_valid && (age >= 32'(mr_pkg::AckTimer));

  logic                        l_ready;
  logic                        step_valid;
  logic                        step_ready;
  logic                        busy;
  logic [RowW-1:0]             step_addr;
  logic [23:0]                 step_item;
  logic [mr_pkg::AckPathW-1:0] step_row;
  mr_lookup #(.Width(mr_pkg::AckPathW), .Depth(Rows), .ItemW(24), .RamLatency(RamLatency)) u_builds (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(due), .s_ready_o(l_ready), .s_addr_i(head.path_row[RowW-1:0]), .s_item_i({head.path_row, head.builds}),
    .m_valid_o(step_valid), .m_ready_i(step_ready), .m_addr_o(step_addr), .m_item_o(step_item), .m_row_o(step_row),
    .busy_o(busy),
    .ram_re_o(builds_re_o), .ram_addr_o(builds_addr_o), .ram_data_i(builds_data_i),
    .we_i(builds_we_i), .waddr_i(builds_waddr_i), .wdata_i(builds_wdata_i)
  );
  assign head_ready = due && l_ready;

  mr_ack_path_t   ack_row;
  mr_ctimer_in_t  step_in;
  mr_ctimer_out_t step_out;
  assign ack_row = step_row;
  wire [15:0] path_row = step_item[23:8];
  wire [15:0] conn     = path_row >> $clog2(Paths);
  wire [15:0] path     = path_row & 16'(Paths - 1);
  always @* begin
    step_in              = '0;
    step_in.path_row     = path_row;
    step_in.armed_builds = step_item[7:0];
    step_in.builds       = ack_row.builds;
    step_in.pending      = pending_i;
    step_in.now          = now_i;
  end
  mr_ctimer_step u_step (.op_i(mr_pkg::CtimerOpFire), .in_i(step_in), .out_o(step_out));

  assign step_ready      = !step_out.push || m_timer_ready_i;
  assign m_timer_valid_o = step_valid && step_out.push;
  assign m_timer_row_o   = path_row;
  assign pending_row_o   = step_addr;

  assign trace_valid_o = step_valid && step_ready;
  assign trace_o = {step_in, step_out, 16'd0, path[7:0], conn, 32'd0, mr_pkg::CtimerOpFire};
  assign idle_o  = !head_valid && !busy;

  wire unused = &{1'b0, count_unused, path[15:8], head.path_row};
endmodule
`default_nettype wire
