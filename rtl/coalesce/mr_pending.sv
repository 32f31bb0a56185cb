// mr_pending: one bit a path: it stands in the request or the timer queue, or its acknowledgement is being built.
// Model twin: the pending flag of model/coalesce. Rules: R-COALESCE, R-CTIMER. Latency: a change is seen one cycle later.
// Set by a push of coalesce or ctimer, cleared by the build; reads are combinational. Invariant: no two of the three
// writers name one path in one cycle: a push needs the bit clear, a build needs it set, and ctimer sees coalesce's push.
// The invariant is what bounds the two queues: each path stands in them once. Place for a planted fault: either set.
`default_nettype none
module mr_pending #(
  parameter int Rows  = 16,
  localparam int RowW = (Rows > 1) ? $clog2(Rows) : 1
) (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,
  output      logic            ready_o,
  input  wire logic            coalesce_set_i,
  input  wire logic [RowW-1:0] coalesce_row_i,
  output      logic            coalesce_pending_o,
  input  wire logic            ctimer_set_i,
  input  wire logic [RowW-1:0] ctimer_row_i,
  output      logic            ctimer_pending_o,   // coalesce's push of this cycle included
  input  wire logic            clear_i,
  input  wire logic [RowW-1:0] clear_row_i
);
  logic            bits [0:Rows-1];
  logic            ready_q;
  logic [RowW-1:0] sweep_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q <= 1'b0;
      sweep_q <= '0;
    end else if (!ready_q) begin
      sweep_q <= sweep_q + 1'b1;
      ready_q <= (sweep_q == RowW'(Rows - 1));
    end
  end

  always_ff @(posedge clk_i) begin
    if (!ready_q) begin
      bits[sweep_q] <= 1'b0;
    end else begin
      if (clear_i) bits[clear_row_i] <= 1'b0;
      if (ctimer_set_i) bits[ctimer_row_i] <= 1'b1;
      if (coalesce_set_i) bits[coalesce_row_i] <= 1'b1;
    end
  end

  assign ready_o            = ready_q;
  assign coalesce_pending_o = bits[coalesce_row_i];
  assign ctimer_pending_o   = bits[ctimer_row_i] || (coalesce_set_i && (coalesce_row_i == ctimer_row_i));
endmodule
`default_nettype wire
