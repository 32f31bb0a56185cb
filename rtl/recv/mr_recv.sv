// mr_recv: posted receives: finds the place of a Send or takes the receive of a Write with immediate, one a cycle.
// Model twin: model/recv. Rule: R-RECV (ann:send-match). Latency: RamLatency.
// Back-pressure: waits for m_desc; never for a hazard. Descriptors without a step pass in their place.
`include "mr_types.svh"
`default_nettype none
module mr_recv #(
  parameter int Streams    = 16,
  parameter int Recvs      = 16,
  parameter int RamLatency = 1
) (
  input  wire logic                          clk_i,
  input  wire logic                          rst_ni,
  output      logic                          ready_o,
  output      logic                          idle_o,
  input  wire logic                          s_desc_valid_i,
  output      logic                          s_desc_ready_o,
  input  wire logic [mr_pkg::DescW-1:0]      s_desc_data_i,
  output      logic                          m_desc_valid_o,
  input  wire logic                          m_desc_ready_i,
  output      logic [mr_pkg::DescW-1:0]      m_desc_data_o,
  output      logic                          trace_valid_o,
  output      logic [mr_pkg::RecvCommitW-1:0] trace_o
);
  initial if ((Recvs & (Recvs - 1)) != 0) $fatal(1, "mr_recv: Recvs is a power of two");

  localparam int Rows = Streams * Recvs;
  localparam int RowW = (Rows > 1) ? $clog2(Rows) : 1;

  mr_desc_t s_desc;
  assign s_desc = s_desc_data_i;
  wire [31:0] s_row = 32'(s_desc.stream_row) * 32'(Recvs) + (s_desc.recv_index & 32'(Recvs - 1));

  logic                         step_valid;
  logic [RowW-1:0]              step_addr;
  logic [mr_pkg::DescW-1:0]     step_item;
  logic [mr_pkg::RecvRecvW-1:0] step_row;
  logic                         is_step;
  logic                         busy;
  mr_recv_recv_t                row_after;
  logic [mr_pkg::RecvRecvW-1:0] foreign_data_unused;
  logic                         we_unused;
  logic [RowW-1:0]              waddr_unused;
  logic [mr_pkg::RecvRecvW-1:0] wdata_unused;

  mr_rmw #(
    .Width(mr_pkg::RecvRecvW), .Depth(Rows), .ItemW(mr_pkg::DescW), .RamLatency(RamLatency)
  ) u_recv (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(ready_o), .busy_o(busy),
    .s_valid_i(s_desc_valid_i), .s_ready_o(s_desc_ready_o), .s_addr_i(s_row[RowW-1:0]), .s_item_i(s_desc_data_i),
    .step_valid_o(step_valid), .step_ready_i(m_desc_ready_i), .step_addr_o(step_addr), .step_item_o(step_item),
    .step_row_o(step_row), .step_write_i(is_step), .step_row_i(row_after),
    .we_o(we_unused), .waddr_o(waddr_unused), .wdata_o(wdata_unused),
    .foreign_re_i(1'b0), .foreign_addr_i({RowW{1'b0}}), .foreign_data_o(foreign_data_unused)
  );

  mr_desc_t      desc;
  mr_desc_t      desc_after;
  mr_recv_recv_t row;
  mr_recv_in_t   step_in;
  mr_recv_out_t  step_out;
  logic [7:0]    step_op;
  assign desc = step_item;
  assign row  = step_row;

  wire is_match = (desc.op == 4'd0) && (desc.reason == mr_pkg::ReasonNone) && desc.place &&
                  ((desc.opcode == mr_pkg::OpcodeSend) || (desc.opcode == mr_pkg::OpcodeSendImm) ||
                   (desc.opcode == mr_pkg::OpcodeWriteImm));
  wire is_post  = (desc.op == mr_pkg::CommandRecvPost) && !desc.old;
  wire is_clear = (desc.op == mr_pkg::CommandRecvClear) && !desc.old;
  assign is_step = is_match || is_post || is_clear;
  assign step_op = is_post ? mr_pkg::RecvOpPost : (is_clear ? mr_pkg::RecvOpClear : mr_pkg::RecvOpMatch);

  always @* begin
    step_in             = '0;
    step_in.recv_index  = desc.recv_index;
    step_in.stream_row  = desc.stream_row;
    step_in.write       = (desc.opcode == mr_pkg::OpcodeWriteImm);
    step_in.length      = desc.length;
    step_in.offset      = desc.offset;
    step_in.addr        = desc.addr;
    step_in.wr_id       = is_post ? desc.wr_id : 32'd0;
    step_in.syndrome_in = desc.syndrome;
  end

  mr_recv_step u_step (.row_i(row), .op_i(step_op), .in_i(step_in), .row_o(row_after), .out_o(step_out));

  always @* begin
    desc_after = desc;
    if (is_match) begin
      desc_after.syndrome = step_out.syndrome;
      desc_after.addr     = step_out.addr_out;
      desc_after.wr_id    = step_out.wr_id_out;
    end
  end
  assign m_desc_valid_o = step_valid;
  assign m_desc_data_o  = desc_after;

  assign trace_valid_o = step_valid && m_desc_ready_i && is_step;
  assign trace_o = {row_after, step_in, step_out, desc.stream, desc.path, desc.conn, desc.xid, step_op};
  assign idle_o  = !busy;

  wire unused = &{1'b0, s_desc, s_row[31:RowW], step_addr, foreign_data_unused, we_unused, waddr_unused, wdata_unused};
endmodule
`default_nettype wire
