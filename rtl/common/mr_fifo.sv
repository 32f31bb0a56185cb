// mr_fifo: queue of any depth over a synchronous-read memory; the output is a register.
// Model twin: a Go slice used first in, first out. Rules: none of its own.
// Latency: 1 cycle. Full rate, at Depth 1 half of it.
// Back-pressure: s_ready_o is low while Depth entries are inside; it comes from a register.
// Place for a planted fault: the order of the read pointer.
`default_nettype none
module mr_fifo #(
  parameter int Width  = 8,
  parameter int Depth  = 4,
  localparam int AddrW = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int CountW = $clog2(Depth + 1)
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  input  wire logic              s_valid_i,
  output      logic              s_ready_o,
  input  wire logic [Width-1:0]  s_data_i,
  output      logic              m_valid_o,
  input  wire logic              m_ready_i,
  output      logic [Width-1:0]  m_data_o,
  output      logic [CountW-1:0] count_o
);
  initial if (Depth < 1 || Width < 1) $fatal(1, "mr_fifo: Depth and Width are at least 1");

  localparam logic [AddrW-1:0]  Last = AddrW'(Depth - 1);
  localparam logic [CountW-1:0] Full = CountW'(Depth);

  logic [Width-1:0]  mem [0:Depth-1];
  logic [Width-1:0]  data_q;
  logic [AddrW-1:0]  wptr_q;
  logic [AddrW-1:0]  rptr_q;
  logic [AddrW-1:0]  rptr_d;
  logic [CountW-1:0] count_q;

  wire push = s_valid_i && s_ready_o;
  wire pop  = m_valid_o && m_ready_i;

  always @* begin
    rptr_d = rptr_q;
    if (pop) rptr_d = (rptr_q == Last) ? '0 : rptr_q + 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wptr_q  <= '0;
      rptr_q  <= '0;
      count_q <= '0;
    end else begin
      if (push) wptr_q <= (wptr_q == Last) ? '0 : wptr_q + 1'b1;
      rptr_q <= rptr_d;
      if (push && !pop) count_q <= count_q + 1'b1;
      if (pop && !push) count_q <= count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem[wptr_q] <= s_data_i;
    // the next head: what is written just now if the queue runs empty, else from the memory
    if (push && (wptr_q == rptr_d)) data_q <= s_data_i;
    else data_q <= mem[rptr_d];
  end

  assign s_ready_o = (count_q != Full);
  assign m_valid_o = (count_q != '0);
  assign m_data_o  = data_q;
  assign count_o   = count_q;
endmodule
`default_nettype wire
