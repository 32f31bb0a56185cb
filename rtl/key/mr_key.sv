// mr_key: key engine: table of the memory regions; checks a Write, a Write with immediate, or changes a key, one a cycle.
// Model twin: model/key. Rule: R-KEY. Latency: RamLatency.
// Back-pressure: waits for m_desc; never for a hazard. Descriptors without a step pass in their place.
// An index beyond the table reads a zero row and writes none.
`include "mr_types.svh"
`default_nettype none
module mr_key #(
  parameter int Keys       = 16,
  parameter int RamLatency = 1
) (
  input  wire logic                         clk_i,
  input  wire logic                         rst_ni,
  output      logic                         ready_o,
  output      logic                         idle_o,
  input  wire logic                         s_desc_valid_i,
  output      logic                         s_desc_ready_o,
  input  wire logic [mr_pkg::DescW-1:0]     s_desc_data_i,
  output      logic                         m_desc_valid_o,
  input  wire logic                         m_desc_ready_i,
  output      logic [mr_pkg::DescW-1:0]     m_desc_data_o,
  output      logic                         trace_valid_o,
  output      logic [mr_pkg::KeyCommitW-1:0] trace_o
);
  localparam int RowW = (Keys > 1) ? $clog2(Keys) : 1;

  mr_desc_t s_desc;
  assign s_desc = s_desc_data_i;

  logic                        step_valid;
  logic [RowW-1:0]             step_addr;
  logic [mr_pkg::DescW-1:0]    step_item;
  logic [mr_pkg::KeyKeyW-1:0]  step_row;
  logic                        is_step;
  logic                        inside_table;
  logic                        busy;
  mr_key_key_t                 row_after;
  logic [mr_pkg::KeyKeyW-1:0]  foreign_data_unused;
  logic                        we_unused;
  logic [RowW-1:0]             waddr_unused;
  logic [mr_pkg::KeyKeyW-1:0]  wdata_unused;

  mr_rmw #(
    .Width(mr_pkg::KeyKeyW), .Depth(Keys), .ItemW(mr_pkg::DescW), .RamLatency(RamLatency)
  ) u_key (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(ready_o), .busy_o(busy),
    .s_valid_i(s_desc_valid_i), .s_ready_o(s_desc_ready_o), .s_addr_i(s_desc.rkey[8+:RowW]), .s_item_i(s_desc_data_i),
    .step_valid_o(step_valid), .step_ready_i(m_desc_ready_i), .step_addr_o(step_addr), .step_item_o(step_item),
    .step_row_o(step_row), .step_write_i(is_step && inside_table), .step_row_i(row_after),
    .we_o(we_unused), .waddr_o(waddr_unused), .wdata_o(wdata_unused),
    .foreign_re_i(1'b0), .foreign_addr_i({RowW{1'b0}}), .foreign_data_o(foreign_data_unused)
  );

  mr_desc_t    desc;
  mr_desc_t    desc_after;
  mr_key_key_t row;
  mr_key_in_t  step_in;
  mr_key_out_t step_out;
  logic [7:0]  step_op;
  assign desc         = step_item;
  assign inside_table = (32'(desc.rkey[31:8]) < 32'(Keys));
  assign row          = inside_table ? step_row : '0;

  wire is_check = (desc.op == 4'd0) && (desc.reason == mr_pkg::ReasonNone) && desc.place &&
                  ((desc.opcode == mr_pkg::OpcodeWrite) || (desc.opcode == mr_pkg::OpcodeWriteImm));
  wire is_set   = (desc.op == mr_pkg::CommandKeySet) && !desc.old;
  wire is_clear = (desc.op == mr_pkg::CommandKeyClear) && !desc.old;
  assign is_step = is_check || is_set || is_clear;
  assign step_op = is_set ? mr_pkg::KeyOpSet : (is_clear ? mr_pkg::KeyOpClear : mr_pkg::KeyOpCheck);

  always @* begin
    step_in             = '0;
    step_in.rkey        = desc.rkey;
    step_in.addr        = desc.addr;
    step_in.payload_len = desc.payload_len;
    step_in.length      = desc.length;
    step_in.length_hi   = is_set ? desc.offset : 32'd0;
    step_in.conn        = desc.conn;
    step_in.perm        = is_set ? desc.txn[2:0] : 3'd0;
  end

  mr_key_step u_step (.row_i(row), .op_i(step_op), .in_i(step_in), .row_o(row_after), .out_o(step_out));

  always @* begin
    desc_after = desc;
    if (is_check) desc_after.syndrome = step_out.syndrome;
  end
  assign m_desc_valid_o = step_valid;
  assign m_desc_data_o  = desc_after;

  assign trace_valid_o = step_valid && m_desc_ready_i && is_step;
  assign trace_o = {row_after, step_in, step_out, desc.stream, desc.path, desc.conn, desc.xid, step_op};
  assign idle_o  = !busy;

  wire unused = &{1'b0, s_desc, step_addr, foreign_data_unused, we_unused, waddr_unused, wdata_unused};
endmodule
`default_nettype wire
