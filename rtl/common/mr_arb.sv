// mr_arb: round robin over N inputs.
// Model twin: none; which input was taken is told (docs/receive.md section 1). Rule: R-ARBITER.
// Latency: 0. Work-conserving: some valid input is offered in every cycle; an input that stays valid is taken at the
// latest after N-1 others.
// Back-pressure: m_ready_i low holds all inputs; the turn moves on only with a transfer, so the offer may change while it
// waits if an input nearer to the turn becomes valid. Place for a planted fault: the turn.
`default_nettype none
module mr_arb #(
  parameter int N      = 2,
  parameter int Width  = 8,
  localparam int PickW = (N > 1) ? $clog2(N) : 1
) (
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic [N-1:0]       s_valid_i,
  output      logic [N-1:0]       s_ready_o,
  input  wire logic [N*Width-1:0] s_data_i,
  output      logic               m_valid_o,
  input  wire logic               m_ready_i,
  output      logic [PickW-1:0]   m_pick_o,
  output      logic [Width-1:0]   m_data_o
);
  initial if (N < 1) $fatal(1, "mr_arb: N is at least 1");

  logic [PickW-1:0] last_q;   // input taken last
  logic [PickW-1:0] pick;
  logic [Width-1:0] data;

  // The lowest valid input behind the one taken last; if there is none, the lowest of all.
  logic [PickW-1:0] low;
  logic [PickW-1:0] behind;
  logic             some_behind;
  always @* begin
    low         = '0;
    behind      = '0;
    some_behind = 1'b0;
    for (int i = N - 1; i >= 0; i--) begin
      if (s_valid_i[i]) low = PickW'(i);
      if (s_valid_i[i] && (PickW'(i) > last_q)) begin
        behind      = PickW'(i);
        some_behind = 1'b1;
      end
    end
  end
  assign pick = some_behind ? behind : low;

  always @* begin
    data      = s_data_i[Width-1:0];
    s_ready_o = '0;
    for (int i = 0; i < N; i++) begin
      if (pick == PickW'(i)) begin
        data         = s_data_i[i*Width +: Width];
        s_ready_o[i] = m_ready_i && s_valid_i[i];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= PickW'(N - 1);
    else if (m_valid_o && m_ready_i) last_q <= pick;
  end

  assign m_valid_o = |s_valid_i;
  assign m_pick_o  = pick;
  assign m_data_o  = data;
endmodule
`default_nettype wire
