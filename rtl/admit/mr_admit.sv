// mr_admit: admit engine: packets and commands become one stream; connection row, then stream row; admitted or dropped.
// Model twin: model/admit. Rule: R-ADMIT. Latency: 2 * RamLatency.
// Back-pressure: waits for m_desc; never for a hazard. Packets and commands are taken in turn (told by the record).
// The connection table is written where its row was read, ahead of the record: only this engine reads it, and in order,
// so no step can see the difference. The stream row is complete's, as it stands in the cycle of the record.
// Dropped frames go on with their reason, so that their beats are released in order.
`include "mr_types.svh"
`default_nettype none
module mr_admit #(
  parameter int Conns      = 4,
  parameter int Paths      = 4,
  parameter int Streams    = 16,
  parameter int MsgSlots   = 64,
  parameter int Keys       = 16,
  parameter int RamLatency = 1,
  localparam int StreamRowW = (Streams > 1) ? $clog2(Streams) : 1
) (
  input  wire logic                            clk_i,
  input  wire logic                            rst_ni,
  output      logic                            ready_o,
  output      logic                            idle_o,
  input  wire logic                            start_i,        // all tables are initialised: descriptors may enter
  input  wire logic                            s_desc_valid_i,
  output      logic                            s_desc_ready_o,
  input  wire logic [mr_pkg::DescW-1:0]        s_desc_data_i,
  input  wire logic                            s_cmd_valid_i,
  output      logic                            s_cmd_ready_o,
  input  wire logic [mr_pkg::DescW-1:0]        s_cmd_data_i,
  output      logic                            m_desc_valid_o,
  input  wire logic                            m_desc_ready_i,
  output      logic [mr_pkg::DescW-1:0]        m_desc_data_o,
  output      logic                            drop_valid_o,   // a frame was decided on
  output      logic [4:0]                      drop_reason_o,  // 0: admitted
  // complete.stream: read port and write stream
  output      logic                            stream_re_o,
  output      logic [StreamRowW-1:0]           stream_addr_o,
  input  wire logic [mr_pkg::CompleteStreamW-1:0] stream_data_i,
  input  wire logic                            stream_we_i,
  input  wire logic [StreamRowW-1:0]           stream_waddr_i,
  input  wire logic [mr_pkg::CompleteStreamW-1:0] stream_wdata_i,
  output      logic                            trace_valid_o,
  output      logic [mr_pkg::AdmitCommitW-1:0] trace_o
);
  initial if ((Paths & (Paths - 1)) != 0 || Paths > 16) $fatal(1, "mr_admit: Paths is a power of two, 16 at most");

  localparam int ConnRowW = (Conns > 1) ? $clog2(Conns) : 1;
  localparam int ConnW    = mr_pkg::AdmitConnW;
  localparam int DescW    = mr_pkg::DescW;

  // ---- packets and commands
  logic             arb_valid;
  logic             arb_ready;
  logic [DescW-1:0] arb_data;
  logic [1:0]       arb_sready;
  logic             pick_unused;
  mr_arb #(.N(2), .Width(DescW)) u_arb (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i({s_cmd_valid_i, s_desc_valid_i}), .s_ready_o(arb_sready), .s_data_i({s_cmd_data_i, s_desc_data_i}),
    .m_valid_o(arb_valid), .m_ready_i(arb_ready && start_i), .m_pick_o(pick_unused), .m_data_o(arb_data)
  );
  assign s_desc_ready_o = arb_sready[0];
  assign s_cmd_ready_o  = arb_sready[1];

  // ---- connection row
  mr_desc_t s_desc;
  assign s_desc = arb_data;

  logic                c_valid;
  logic                c_ready;
  logic                c_busy;
  logic [DescW-1:0]    c_item;
  logic [ConnW-1:0]    c_row;
  logic                c_write;
  mr_admit_conn_t      c_row_after;
  logic [ConnRowW-1:0] addr_unused;
  logic                we_unused;
  logic [ConnRowW-1:0] waddr_unused;
  logic [ConnW-1:0]    wdata_unused;
  logic [ConnW-1:0]    foreign_unused;
  mr_rmw #(
    .Width(ConnW), .Depth(Conns), .ItemW(DescW), .RamLatency(RamLatency)
  ) u_conn (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(ready_o), .busy_o(c_busy),
    .s_valid_i(arb_valid && start_i), .s_ready_o(arb_ready), .s_addr_i(s_desc.dst_conn[ConnRowW-1:0]), .s_item_i(arb_data),
    .step_valid_o(c_valid), .step_ready_i(c_ready), .step_addr_o(addr_unused), .step_item_o(c_item),
    .step_row_o(c_row), .step_write_i(c_write), .step_row_i(c_row_after),
    .we_o(we_unused), .waddr_o(waddr_unused), .wdata_o(wdata_unused),
    .foreign_re_i(1'b0), .foreign_addr_i({ConnRowW{1'b0}}), .foreign_data_o(foreign_unused)
  );

  mr_desc_t       c_desc;
  mr_admit_conn_t c_conn;
  mr_admit_in_t   c_in;
  logic [4:0]     c_reason;
  logic           c_has_stream;
  logic [15:0]    c_stream_row;
  logic           c_void;
  assign c_desc = c_item;
  wire inside_table = (32'(c_desc.dst_conn[15:0]) < 32'(Conns));
  assign c_conn = inside_table ? c_row : '0;
  mr_admit_fields u_c_fields (.desc_i(c_item), .open_i(1'b0), .completed_i(32'd0), .in_o(c_in));
  mr_admit_conn #(.Conns(Conns), .Paths(Paths), .Streams(Streams), .Keys(Keys)) u_c_conn (
    .row_i(c_conn), .in_i(c_in), .row_o(c_row_after), .reason_o(c_reason), .has_stream_o(c_has_stream),
    .stream_row_o(c_stream_row), .void_o(c_void)
  );
  assign c_write = (c_desc.op != 4'd0) && !c_void && inside_table;
  wire   c_look  = (c_desc.op == 4'd0) && (c_reason == mr_pkg::ReasonNone) && c_has_stream;

  // ---- stream row
  localparam int ItemW = 1 + ConnW + DescW;
  logic                  l_valid;
  logic                  l_busy;
  logic [ItemW-1:0]      l_item;
  logic [StreamRowW-1:0] l_addr_unused;
  logic [mr_pkg::CompleteStreamW-1:0] l_row;
  mr_lookup #(
    .Width(mr_pkg::CompleteStreamW), .Depth(Streams), .ItemW(ItemW), .RamLatency(RamLatency)
  ) u_stream (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(c_valid), .s_ready_o(c_ready), .s_addr_i(c_stream_row[StreamRowW-1:0]), .s_item_i({c_look, c_conn, c_item}),
    .m_valid_o(l_valid), .m_ready_i(m_desc_ready_i), .m_addr_o(l_addr_unused), .m_item_o(l_item), .m_row_o(l_row),
    .busy_o(l_busy),
    .ram_re_o(stream_re_o), .ram_addr_o(stream_addr_o), .ram_data_i(stream_data_i),
    .we_i(stream_we_i), .waddr_i(stream_waddr_i), .wdata_i(stream_wdata_i)
  );

  // ---- step
  mr_desc_t            desc;
  mr_admit_conn_t      row;
  mr_admit_conn_t      row_after;
  mr_complete_stream_t stream;
  mr_admit_in_t        step_in;
  mr_admit_out_t       step_out;
  wire look = l_item[ItemW-1];
  assign desc   = l_item[DescW-1:0];
  assign row    = l_item[DescW +: ConnW];
  assign stream = l_row;
  wire is_command = (desc.op != 4'd0);
  wire [7:0] step_op = is_command ? mr_pkg::AdmitOpCommand : mr_pkg::AdmitOpPacket;
  mr_admit_fields u_fields (
    .desc_i(l_item[DescW-1:0]), .open_i(look && stream.open), .completed_i(look ? stream.completed : 32'd0), .in_o(step_in)
  );
  mr_admit_step #(.Conns(Conns), .Paths(Paths), .Streams(Streams), .MsgSlots(MsgSlots), .Keys(Keys)) u_step (
    .row_i(row), .op_i(step_op), .in_i(step_in), .row_o(row_after), .out_o(step_out)
  );

  mr_desc_t desc_after;
  always @* begin
    desc_after            = desc;
    desc_after.reason     = step_out.reason;
    desc_after.conn       = step_out.conn;
    desc_after.path_row   = step_out.path_row;
    desc_after.stream_row = step_out.stream_row;
    desc_after.old        = step_out.old;
  end
  assign m_desc_valid_o = l_valid;
  assign m_desc_data_o  = desc_after;
  assign drop_valid_o   = l_valid && m_desc_ready_i && !is_command;
  assign drop_reason_o  = step_out.reason;

  assign trace_valid_o = l_valid && m_desc_ready_i;
  assign trace_o = {row_after, step_in, step_out, desc.stream, desc.path, step_out.conn, desc.xid, step_op};
  assign idle_o  = !c_busy && !l_busy;

  wire unused = &{1'b0, s_desc, c_desc, stream, c_stream_row, pick_unused, addr_unused, we_unused, waddr_unused,
                  wdata_unused, foreign_unused, l_addr_unused};
endmodule
`default_nettype wire
