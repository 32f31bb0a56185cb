// mr_coalesce_step: does this wish for an acknowledgement become a request, start a timer, or only count.
// Model twin: model/coalesce.Step. Rule: R-COALESCE. Combinational.
// `seen` differs from `builds` once an acknowledgement left since the count began: it covered everything counted.
`include "mr_types.svh"
`default_nettype none
module mr_coalesce_step (
  input  wire mr_coalesce_path_t row_i,
  input  wire logic [7:0]        op_i,
  input  wire mr_coalesce_in_t   in_i,
  output      mr_coalesce_path_t row_o,
  output      mr_coalesce_out_t  out_o
);
  wire [2:0] base  = (row_i.seen == in_i.builds) ? row_i.count : 3'd0;
  wire [2:0] count = (base == 3'd7) ? 3'd7 : base + 3'd1;
  wire       want  = in_i.ack_now || (count >= 3'(mr_pkg::AckEvery));

  mr_coalesce_path_t row_d;
  mr_coalesce_out_t  out_d;
  always @* begin
    row_d      = row_i;
    row_d.seen = in_i.builds;
    out_d      = '0;
    if (op_i == mr_pkg::CoalesceOpSet) begin
      row_d.count = 3'd0;
    end else begin
      row_d.count = count;
      out_d.push  = want && !in_i.pending;
      out_d.arm   = !want && (count == 3'd1) && !in_i.pending;
    end
  end
  assign row_o = row_d;
  assign out_o = out_d;

  wire unused = &{1'b0, in_i.path_row};   // chose the row
endmodule
`default_nettype wire
