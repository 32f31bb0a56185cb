// mr_skid: a stage that registers valid, ready and data.
// Model twin: none. Rules: none of its own.
// Latency: 1 cycle, full rate.
// Back-pressure: s_ready_o comes from a register; the word that arrives in the cycle after m_ready_i fell waits in the
// second register. Place for a planted fault: s_ready_o one cycle late.
`default_nettype none
module mr_skid #(
  parameter int Width = 8
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic             s_valid_i,
  output      logic             s_ready_o,
  input  wire logic [Width-1:0] s_data_i,
  output      logic             m_valid_o,
  input  wire logic             m_ready_i,
  output      logic [Width-1:0] m_data_o
);
  logic             out_valid_q;
  logic             skid_valid_q;
  logic [Width-1:0] out_q;
  logic [Width-1:0] skid_q;

  wire out_free = !out_valid_q || m_ready_i;
  wire push     = s_valid_i && s_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q  <= 1'b0;
      skid_valid_q <= 1'b0;
    end else if (out_free) begin
      out_valid_q  <= skid_valid_q || push;
      skid_valid_q <= 1'b0;
    end else if (push) begin
      skid_valid_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (out_free) out_q <= skid_valid_q ? skid_q : s_data_i;
    if (push) skid_q <= s_data_i;
  end

  assign s_ready_o = !skid_valid_q;
  assign m_valid_o = out_valid_q;
  assign m_data_o  = out_q;
endmodule
`default_nettype wire
