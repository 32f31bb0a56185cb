// mr_ram: the memory under every table. One write port, `Reads` read ports, no reset.
// Model twin: none, a Go table is a slice. Rules: none of its own; R-* of the engine that owns the table.
// Latency: RamLatency cycles from address to data (1: the array, further ones: output registers).
// Back-pressure: a read port holds all its stages while its enable is low.
// A read in the cycle of a write to the same row gives the old row: mr_lookup snoops that write.
`default_nettype none
module mr_ram #(
  parameter int Width      = 32,
  parameter int Depth      = 16,
  parameter int Reads      = 1,
  parameter int RamLatency = 1,
  localparam int AddrW     = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  wire logic                   clk_i,
  input  wire logic                   we_i,
  input  wire logic [AddrW-1:0]       waddr_i,
  input  wire logic [Width-1:0]       wdata_i,
  input  wire logic [Reads-1:0]       re_i,
  input  wire logic [Reads*AddrW-1:0] raddr_i,
  output      logic [Reads*Width-1:0] rdata_o
);
  initial if (RamLatency < 1 || RamLatency > 3) $fatal(1, "mr_ram: RamLatency is 1, 2 or 3");
  initial if (Depth < 1 || Width < 1 || Reads < 1) $fatal(1, "mr_ram: Depth, Width and Reads are at least 1");

  logic [Width-1:0] mem [0:Depth-1];

  always_ff @(posedge clk_i) begin
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  for (genvar r = 0; r < Reads; r++) begin : g_read
    logic [Width-1:0] s1_q;
    always_ff @(posedge clk_i) begin
      if (re_i[r]) s1_q <= mem[raddr_i[r*AddrW +: AddrW]];
    end
    if (RamLatency == 1) begin : g_1
      assign rdata_o[r*Width +: Width] = s1_q;
    end else begin : g_n
      logic [Width-1:0] s2_q;
      always_ff @(posedge clk_i) begin
        if (re_i[r]) s2_q <= s1_q;
      end
      if (RamLatency == 2) begin : g_2
        assign rdata_o[r*Width +: Width] = s2_q;
      end else begin : g_3
        logic [Width-1:0] s3_q;
        always_ff @(posedge clk_i) begin
          if (re_i[r]) s3_q <= s2_q;
        end
        assign rdata_o[r*Width +: Width] = s3_q;
      end
    end
  end
endmodule
`default_nettype wire
