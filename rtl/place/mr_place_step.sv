// mr_place_step: bytes of a message that the memory port has accepted.
// Model twin: model/place.Step. Rule: R-PLACE. Combinational.
// Counting begins with the first packet of an entry of message (fresh); all until the next such one are of the same attempt,
// since writes are answered in the order message let them through. A failed write counts nothing.
`include "mr_types.svh"
`default_nettype none
module mr_place_step (
  input  wire mr_place_tally_t row_i,
  input  wire logic [7:0]      op_i,
  input  wire mr_place_in_t    in_i,
  output      mr_place_tally_t row_o,
  output      mr_place_out_t   out_o
);
  wire [31:0] counted = in_i.fresh ? 32'd0 : row_i.bytes;
  wire [31:0] bytes   = counted + 32'(in_i.payload_len);
  wire        failed  = (op_i == mr_pkg::PlaceOpWrite) && in_i.error;

  mr_place_tally_t row_d;
  mr_place_out_t   out_d;
  always_comb begin
    row_d         = '0;
    row_d.bytes   = failed ? counted : bytes;
    out_d         = '0;
    out_d.fault   = failed;
    out_d.done    = !failed && (bytes == in_i.length);
  end
  assign row_o = row_d;
  assign out_o = out_d;

  wire unused = &{1'b0, in_i.stream_row, in_i.addr, in_i.life, in_i.msn,
                  in_i.attempt};   // chose the row; stand in the record only
endmodule
`default_nettype wire
