// mr_rmw: read, step, write back. The step is combinational and sits outside, between step_row_o and step_row_i.
// Model twin: `row, out = Step(row, in)` on a slice. Rule: R-VISIBLE.
// Latency: RamLatency cycles from s_* to the step; the commit cycle is step_valid_o && step_ready_i. One item a cycle,
// back to back on one row too (mr_lookup forwards the commits of the table it reads).
// Back-pressure: s_ready_o falls while the step is held or the table is being cleared; no hazard ever stalls.
// After reset every row is written 0, one a cycle; ready_o rises when that is done. Foreign readers use the `Foreign`
// read ports with an mr_lookup fed by we_o/waddr_o/wdata_o. Place for a planted fault: the bound of the sweep.
`default_nettype none
module mr_rmw #(
  parameter int Width      = 32,
  parameter int Depth      = 16,
  parameter int ItemW      = 8,
  parameter int Foreign    = 0,
  parameter int RamLatency = 1,
  localparam int AddrW     = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int ForeignP  = (Foreign > 0) ? Foreign : 1
) (
  input  wire logic                      clk_i,
  input  wire logic                      rst_ni,
  output      logic                      ready_o,
  output      logic                      busy_o,
  input  wire logic                      s_valid_i,
  output      logic                      s_ready_o,
  input  wire logic [AddrW-1:0]          s_addr_i,
  input  wire logic [ItemW-1:0]          s_item_i,
  output      logic                      step_valid_o,
  input  wire logic                      step_ready_i,
  output      logic [AddrW-1:0]          step_addr_o,
  output      logic [ItemW-1:0]          step_item_o,
  output      logic [Width-1:0]          step_row_o,
  input  wire logic                      step_write_i,   // the item has a step; else it only passes
  input  wire logic [Width-1:0]          step_row_i,
  // write stream, for foreign look-ups
  output      logic                      we_o,
  output      logic [AddrW-1:0]          waddr_o,
  output      logic [Width-1:0]          wdata_o,
  // foreign read ports; tie to 0 where Foreign is 0
  input  wire logic [ForeignP-1:0]       foreign_re_i,
  input  wire logic [ForeignP*AddrW-1:0] foreign_addr_i,
  output      logic [ForeignP*Width-1:0] foreign_data_o
);
  localparam int Reads = ForeignP + 1;
  localparam logic [AddrW-1:0] LastRow = AddrW'(Depth - 1);

  logic             ready_q;
  logic [AddrW-1:0] sweep_q;
  logic             own_re;
  logic [AddrW-1:0] own_addr;
  logic [Reads*Width-1:0] rdata;
  logic             lookup_ready;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q <= 1'b0;
      sweep_q <= '0;
    end else if (!ready_q) begin
      sweep_q <= sweep_q + 1'b1;
      ready_q <= (sweep_q == LastRow);
    end
  end

  wire commit = step_valid_o && step_ready_i && step_write_i;
  assign we_o    = !ready_q || commit;
  assign waddr_o = ready_q ? step_addr_o : sweep_q;
  assign wdata_o = ready_q ? step_row_i : '0;

  mr_ram #(
    .Width(Width), .Depth(Depth), .Reads(Reads), .RamLatency(RamLatency)
  ) u_ram (
    .clk_i(clk_i),
    .we_i(we_o), .waddr_i(waddr_o), .wdata_i(wdata_o),
    .re_i({foreign_re_i, own_re}),
    .raddr_i({foreign_addr_i, own_addr}),
    .rdata_o(rdata)
  );
  assign foreign_data_o = rdata[Reads*Width-1:Width];

  mr_lookup #(
    .Width(Width), .Depth(Depth), .ItemW(ItemW), .RamLatency(RamLatency)
  ) u_lookup (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(s_valid_i && ready_q), .s_ready_o(lookup_ready), .s_addr_i(s_addr_i), .s_item_i(s_item_i),
    .m_valid_o(step_valid_o), .m_ready_i(step_ready_i), .m_addr_o(step_addr_o), .m_item_o(step_item_o),
    .m_row_o(step_row_o), .busy_o(busy_o),
    .ram_re_o(own_re), .ram_addr_o(own_addr), .ram_data_i(rdata[Width-1:0]),
    .we_i(we_o), .waddr_i(waddr_o), .wdata_i(wdata_o)
  );

  assign ready_o   = ready_q;
  assign s_ready_o = lookup_ready && ready_q;
endmodule
`default_nettype wire
