// mr_ctimer_step: does the due timer of a path still ask for an acknowledgement.
// Model twin: model/coalesce, timer step. Rule: R-CTIMER. Combinational, no row.
// An acknowledgement built since it was armed, or one on its way, has served it.
`include "mr_types.svh"
`default_nettype none
module mr_ctimer_step (
  input  wire logic [7:0]     op_i,
  input  wire mr_ctimer_in_t  in_i,
  output      mr_ctimer_out_t out_o
);
  mr_ctimer_out_t out_d;
  always @* begin
    out_d      = '0;
    out_d.push = (op_i == mr_pkg::CtimerOpFire) && (in_i.armed_builds == in_i.builds) && !in_i.pending;
  end
  assign out_o = out_d;

  wire unused = &{1'b0, in_i.path_row, in_i.now};   // named in the record, not needed for the decision
endmodule
`default_nettype wire
