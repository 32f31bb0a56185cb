// mr_coalesce: merges the wishes of window for an acknowledgement into requests and timers, one a cycle.
// Model twin: model/coalesce. Rule: R-COALESCE. Latency: RamLatency.
// Back-pressure: waits for m_request (which has room for every path) and for m_timer (the armed timers, mr_ctimer); full
// timers hold back window. That cannot last: they leave by time alone.
`include "mr_types.svh"
`include "mr_link.svh"
`default_nettype none
module mr_coalesce #(
  parameter int Conns      = 4,
  parameter int Paths      = 4,
  parameter int RamLatency = 1,
  localparam int Rows      = Conns * Paths,
  localparam int RowW      = (Rows > 1) ? $clog2(Rows) : 1
) (
  input  wire logic                             clk_i,
  input  wire logic                             rst_ni,
  output      logic                             ready_o,
  output      logic                             idle_o,
  input  wire logic                             s_want_valid_i,
  output      logic                             s_want_ready_o,
  input  wire logic [`MR_WANT_W-1:0]            s_want_data_i,
  output      logic                             m_request_valid_o,
  input  wire logic                             m_request_ready_i,
  output      logic [15:0]                      m_request_row_o,
  output      logic                             m_timer_valid_o,
  input  wire logic                             m_timer_ready_i,
  output      logic [15:0]                      m_timer_row_o,
  output      logic [7:0]                       m_timer_builds_o,
  // pending bit of the path in the step
  output      logic [RowW-1:0]                  pending_row_o,
  input  wire logic                             pending_i,
  // ack.path: read port and write stream
  output      logic                             builds_re_o,
  output      logic [RowW-1:0]                  builds_addr_o,
  input  wire logic [mr_pkg::AckPathW-1:0]      builds_data_i,
  input  wire logic                             builds_we_i,
  input  wire logic [RowW-1:0]                  builds_waddr_i,
  input  wire logic [mr_pkg::AckPathW-1:0]      builds_wdata_i,
  output      logic                             trace_valid_o,
  output      logic [mr_pkg::CoalesceCommitW-1:0] trace_o
);
  mr_want_t s_want;
  assign s_want = s_want_data_i;

  logic                             step_valid;
  logic                             step_ready;
  logic                             s_ready;
  logic                             busy;
  logic [`MR_WANT_W-1:0]            step_item;
  logic [RowW-1:0]                  step_addr;
  logic [mr_pkg::CoalescePathW-1:0] step_row;
  mr_coalesce_path_t                row_after;
  logic                             we_unused;
  logic [RowW-1:0]                  waddr_unused;
  logic [mr_pkg::CoalescePathW-1:0] wdata_unused;
  logic [mr_pkg::CoalescePathW-1:0] foreign_unused;
  mr_rmw #(
    .Width(mr_pkg::CoalescePathW), .Depth(Rows), .ItemW(`MR_WANT_W), .RamLatency(RamLatency)
  ) u_path (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(ready_o), .busy_o(busy),
    .s_valid_i(s_want_valid_i), .s_ready_o(s_ready), .s_addr_i(s_want.path_row[RowW-1:0]), .s_item_i(s_want_data_i),
    .step_valid_o(step_valid), .step_ready_i(step_ready), .step_addr_o(step_addr), .step_item_o(step_item),
    .step_row_o(step_row), .step_write_i(1'b1), .step_row_i(row_after),
    .we_o(we_unused), .waddr_o(waddr_unused), .wdata_o(wdata_unused),
    .foreign_re_i(1'b0), .foreign_addr_i({RowW{1'b0}}), .foreign_data_o(foreign_unused)
  );
  assign s_want_ready_o = s_ready;

  logic                        b_ready_unused;
  logic                        b_valid_unused;
  logic                        b_item_unused;
  logic                        b_busy_unused;
  logic [RowW-1:0]             b_addr_unused;
  logic [mr_pkg::AckPathW-1:0] b_row;
  mr_lookup #(.Width(mr_pkg::AckPathW), .Depth(Rows), .ItemW(1), .RamLatency(RamLatency)) u_builds (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(s_want_valid_i && s_ready), .s_ready_o(b_ready_unused), .s_addr_i(s_want.path_row[RowW-1:0]),
    .s_item_i(1'b0),
    .m_valid_o(b_valid_unused), .m_ready_i(step_ready), .m_addr_o(b_addr_unused), .m_item_o(b_item_unused),
    .m_row_o(b_row), .busy_o(b_busy_unused),
    .ram_re_o(builds_re_o), .ram_addr_o(builds_addr_o), .ram_data_i(builds_data_i),
    .we_i(builds_we_i), .waddr_i(builds_waddr_i), .wdata_i(builds_wdata_i)
  );

  mr_want_t          want;
  mr_coalesce_path_t row;
  mr_ack_path_t      ack_row;
  mr_coalesce_in_t   step_in;
  mr_coalesce_out_t  step_out;
  assign want    = step_item;
  assign row     = step_row;
  assign ack_row = b_row;
  wire [7:0] step_op = want.is_set ? mr_pkg::CoalesceOpSet : mr_pkg::CoalesceOpPacket;

  always @* begin
    step_in          = '0;
    step_in.path_row = want.path_row;
    step_in.ack_now  = want.ack_now;
    step_in.builds   = ack_row.builds;
    step_in.pending  = pending_i;
  end

  mr_coalesce_step u_step (.row_i(row), .op_i(step_op), .in_i(step_in), .row_o(row_after), .out_o(step_out));

  assign step_ready        = (!step_out.push || m_request_ready_i) && (!step_out.arm || m_timer_ready_i);
  assign m_request_valid_o = step_valid && step_out.push;   // push and arm exclude each other
  assign m_timer_valid_o   = step_valid && step_out.arm;
  assign m_request_row_o   = want.path_row;
  assign m_timer_row_o     = want.path_row;
  assign m_timer_builds_o  = ack_row.builds;
  assign pending_row_o     = step_addr;

  assign trace_valid_o = step_valid && step_ready;
  assign trace_o = {row_after, step_in, step_out, want.stream, want.path, want.conn, want.xid, step_op};
  assign idle_o  = !busy;

  wire unused = &{1'b0, s_want, we_unused, waddr_unused, wdata_unused, foreign_unused, b_ready_unused, b_valid_unused,
                  b_item_unused, b_busy_unused, b_addr_unused};
endmodule
`default_nettype wire
