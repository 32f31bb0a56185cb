// mr_lookup: an item and the row it asks for. The item leaves with the row as it stands in the cycle it leaves: all
// commits of earlier cycles are in, the one of this cycle is not (docs/receive.md section 1).
// Model twin: the query of the owner's table in commit order. Rule: R-VISIBLE.
// Latency: RamLatency cycles. One item a cycle; never stalls on a hazard.
// Back-pressure: all stages hold together while the last one is held; held items go on snooping.
// How: every stage compares the owner's write stream with its row number, also in the cycle in which an item enters or
// moves; the last hit replaces what the RAM gave. Place for a planted fault: `match` of one stage.
`default_nettype none
module mr_lookup #(
  parameter int Width      = 32,
  parameter int Depth      = 16,
  parameter int ItemW      = 8,
  parameter int RamLatency = 1,
  localparam int AddrW     = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic             s_valid_i,
  output      logic             s_ready_o,
  input  wire logic [AddrW-1:0] s_addr_i,
  input  wire logic [ItemW-1:0] s_item_i,
  output      logic             m_valid_o,
  input  wire logic             m_ready_i,
  output      logic [AddrW-1:0] m_addr_o,
  output      logic [ItemW-1:0] m_item_o,
  output      logic [Width-1:0] m_row_o,
  output      logic             busy_o,      // an item is inside
  // read port of the owner's RAM
  output      logic             ram_re_o,
  output      logic [AddrW-1:0] ram_addr_o,
  input  wire logic [Width-1:0] ram_data_i,
  // write stream of the owner
  input  wire logic             we_i,
  input  wire logic [AddrW-1:0] waddr_i,
  input  wire logic [Width-1:0] wdata_i
);
  initial if (RamLatency < 1 || RamLatency > 3) $fatal(1, "mr_lookup: RamLatency is 1, 2 or 3");

  logic [RamLatency-1:0]       valid_q;
  logic [RamLatency-1:0]       hit_q;
  logic [RamLatency*AddrW-1:0] addr_q;
  logic [RamLatency*ItemW-1:0] item_q;
  logic [RamLatency*Width-1:0] fwd_q;

  wire adv = !valid_q[RamLatency-1] || m_ready_i;

  for (genvar k = 0; k < RamLatency; k++) begin : g_stage
    logic             in_valid;
    logic             in_hit;
    logic [AddrW-1:0] in_addr;
    logic [ItemW-1:0] in_item;
    logic [Width-1:0] in_fwd;
    if (k == 0) begin : g_first
      assign in_valid = s_valid_i;
      assign in_hit   = 1'b0;
      assign in_addr  = s_addr_i;
      assign in_item  = s_item_i;
      assign in_fwd   = wdata_i;
    end else begin : g_next
      assign in_valid = valid_q[k-1];
      assign in_hit   = hit_q[k-1];
      assign in_addr  = addr_q[(k-1)*AddrW +: AddrW];
      assign in_item  = item_q[(k-1)*ItemW +: ItemW];
      assign in_fwd   = fwd_q[(k-1)*Width +: Width];
    end

    wire [AddrW-1:0] here_addr = adv ? in_addr : addr_q[k*AddrW +: AddrW];
    wire             here_hit  = adv ? in_hit : hit_q[k];
    wire             match     = we_i && (waddr_i == here_addr);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q[k] <= 1'b0;
      else if (adv) valid_q[k] <= in_valid;
    end
    always_ff @(posedge clk_i) begin
      hit_q[k] <= here_hit || match;
      if (adv) begin
        addr_q[k*AddrW +: AddrW] <= in_addr;
        item_q[k*ItemW +: ItemW] <= in_item;
      end
      if (match) fwd_q[k*Width +: Width] <= wdata_i;
      else if (adv) fwd_q[k*Width +: Width] <= in_fwd;
    end
  end

  assign s_ready_o  = adv;
  assign ram_re_o   = adv;
  assign ram_addr_o = s_addr_i;
  assign busy_o     = |valid_q;
  assign m_valid_o  = valid_q[RamLatency-1];
  assign m_addr_o   = addr_q[(RamLatency-1)*AddrW +: AddrW];
  assign m_item_o   = item_q[(RamLatency-1)*ItemW +: ItemW];
  assign m_row_o    = hit_q[RamLatency-1] ? fwd_q[(RamLatency-1)*Width +: Width] : ram_data_i;
endmodule
`default_nettype wire
