// mr_window: window engine: table of the receive windows, one packet with psn, flush or path_set a cycle.
// Model twin: model/window. Rule: R-WINDOW. Latency: RamLatency.
// Back-pressure: waits for m_desc, and for m_want where the step counts towards an acknowledgement; never for a hazard.
// Descriptors without a step pass in their place. now_i is the cycle of the commit.
`include "mr_types.svh"
`include "mr_link.svh"
`default_nettype none
module mr_window #(
  parameter int Conns      = 4,
  parameter int Paths      = 4,
  parameter int RamLatency = 1,
  localparam int Rows      = Conns * Paths,
  localparam int RowW      = (Rows > 1) ? $clog2(Rows) : 1
) (
  input  wire logic                            clk_i,
  input  wire logic                            rst_ni,
  output      logic                            ready_o,
  output      logic                            idle_o,
  input  wire logic [31:0]                     now_i,
  input  wire logic                            s_desc_valid_i,
  output      logic                            s_desc_ready_o,
  input  wire logic [mr_pkg::DescW-1:0]        s_desc_data_i,
  output      logic                            m_desc_valid_o,
  input  wire logic                            m_desc_ready_i,
  output      logic [mr_pkg::DescW-1:0]        m_desc_data_o,
  output      logic                            m_want_valid_o,
  input  wire logic                            m_want_ready_i,
  output      logic [`MR_WANT_W-1:0]           m_want_data_o,
  // window.path for ack: read port and write stream
  input  wire logic                            path_re_i,
  input  wire logic [RowW-1:0]                 path_addr_i,
  output      logic [mr_pkg::WindowPathW-1:0]  path_data_o,
  output      logic                            path_we_o,
  output      logic [RowW-1:0]                 path_waddr_o,
  output      logic [mr_pkg::WindowPathW-1:0]  path_wdata_o,
  output      logic                            trace_valid_o,
  output      logic [mr_pkg::WindowCommitW-1:0] trace_o
);
  mr_desc_t s_desc;
  assign s_desc = s_desc_data_i;

  logic                           step_valid;
  logic                           step_ready;
  logic [RowW-1:0]                step_addr;
  logic [mr_pkg::DescW-1:0]       step_item;
  logic [mr_pkg::WindowPathW-1:0] step_row;
  logic                           is_step;
  logic                           busy;
  mr_window_path_t                row_after;

  mr_rmw #(
    .Width(mr_pkg::WindowPathW), .Depth(Rows), .ItemW(mr_pkg::DescW), .Foreign(1), .RamLatency(RamLatency)
  ) u_path (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(ready_o), .busy_o(busy),
    .s_valid_i(s_desc_valid_i), .s_ready_o(s_desc_ready_o), .s_addr_i(s_desc.path_row[RowW-1:0]), .s_item_i(s_desc_data_i),
    .step_valid_o(step_valid), .step_ready_i(step_ready), .step_addr_o(step_addr), .step_item_o(step_item),
    .step_row_o(step_row), .step_write_i(is_step), .step_row_i(row_after),
    .we_o(path_we_o), .waddr_o(path_waddr_o), .wdata_o(path_wdata_o),
    .foreign_re_i(path_re_i), .foreign_addr_i(path_addr_i), .foreign_data_o(path_data_o)
  );

  mr_desc_t        desc;
  mr_window_path_t row;
  mr_window_in_t   step_in;
  mr_window_out_t  step_out;
  logic [7:0]      step_op;
  logic            is_packet;
  logic            is_set;
  assign desc = step_item;
  assign row  = step_row;

  wire is_psn = (mr_pkg::kind_psn(desc.opcode) == 1'b1);
  always @* begin
    is_packet = (desc.op == 4'd0) && (desc.reason == mr_pkg::ReasonNone) &&
                (is_psn || (desc.opcode == mr_pkg::OpcodeFlush));
    is_set    = (desc.op == mr_pkg::CommandPathSet) && !desc.old;   // old of a command: void
    is_step   = is_packet || is_set;
    step_op   = is_set ? mr_pkg::WindowOpSet : (is_psn ? mr_pkg::WindowOpPacket : mr_pkg::WindowOpFlush);
  end

  always @* begin
    step_in             = '0;
    step_in.psn         = desc.psn;
    step_in.tsn         = desc.tsn;
    step_in.epoch       = desc.epoch;
    step_in.flag_a      = desc.flag_a;
    step_in.flag_d      = desc.flag_d;
    step_in.flag_l      = desc.flag_l;
    step_in.ce          = desc.ce;
    step_in.payload_len = desc.payload_len;
    step_in.tx_time     = desc.tx_time;
    step_in.sport       = desc.sport;
    step_in.now         = now_i;
  end

  mr_window_step u_step (.row_i(row), .op_i(step_op), .in_i(step_in), .row_o(row_after), .out_o(step_out));

  wire is_want = is_step && (is_set || step_out.ack_now || step_out.ack_count);
  assign step_ready     = m_desc_ready_i && (!is_want || m_want_ready_i);
  assign m_desc_valid_o = step_valid && (!is_want || m_want_ready_i);
  assign m_want_valid_o = step_valid && is_want && m_desc_ready_i;

  mr_desc_t desc_after;
  mr_want_t want;
  always @* begin
    desc_after = desc;
    if (is_packet && (step_out.class_f == mr_pkg::ClassNew)) desc_after.place = 1'b1;
    want          = '0;
    want.is_set   = is_set;
    want.ack_now  = step_out.ack_now;
    want.path_row = desc.path_row;
    want.xid      = desc.xid;
    want.conn     = desc.conn;
    want.path     = desc.path;
    want.stream   = desc.stream;
  end
  assign m_desc_data_o = desc_after;
  assign m_want_data_o = want;

  assign trace_valid_o = step_valid && step_ready && is_step;
  assign trace_o = {row_after, step_in, step_out, desc.stream, desc.path, desc.conn, desc.xid, step_op};
  assign idle_o  = !busy;

  wire unused = &{1'b0, s_desc, step_addr};
endmodule
`default_nettype wire
