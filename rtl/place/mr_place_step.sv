// mr_place_step: bytes of a message that the memory port has accepted.
// Model twin: model/place.Step. Rule: R-PLACE. Combinational.
// A tally of another life, message or attempt is an old one: counting begins anew. A failed write counts nothing.
`include "mr_types.svh"
`default_nettype none
module mr_place_step (
  input  wire mr_place_tally_t row_i,
  input  wire logic [7:0]      op_i,
  input  wire mr_place_in_t    in_i,
  output      mr_place_tally_t row_o,
  output      mr_place_out_t   out_o
);
  wire        cont   = row_i.valid && (row_i.life == in_i.life) && (row_i.msn == in_i.msn) &&
                       (row_i.attempt == in_i.attempt);
  wire [31:0] counted = cont ? row_i.bytes : 32'd0;
  wire [31:0] bytes  = counted + 32'(in_i.payload_len);
  wire        failed = (op_i == mr_pkg::PlaceOpWrite) && in_i.error;

  mr_place_tally_t row_d;
  mr_place_out_t   out_d;
  always_comb begin
    row_d         = '0;
    row_d.valid   = 1'b1;
    row_d.life    = in_i.life;
    row_d.msn     = in_i.msn;
    row_d.attempt = in_i.attempt;
    row_d.bytes   = failed ? counted : bytes;
    out_d         = '0;
    out_d.fault   = failed;
    out_d.done    = !failed && (bytes == in_i.length);
  end
  assign row_o = row_d;
  assign out_o = out_d;

  wire unused = &{1'b0, in_i.stream_row, in_i.addr};   // chose the row; stand in the record only
endmodule
`default_nettype wire
