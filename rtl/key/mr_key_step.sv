// mr_key_step: memory key, permission and bounds of one packet; key_set, key_clear.
// Model twin: model/key.Step. Rule: R-KEY. Combinational.
// row_i is zero for an index beyond the table. Ends are compared as 65-bit sums, so that a region may end at 2^64.
`include "mr_types.svh"
`default_nettype none
module mr_key_step (
  input  wire mr_key_key_t row_i,
  input  wire logic [7:0]  op_i,
  input  wire mr_key_in_t  in_i,
  output      mr_key_key_t row_o,
  output      mr_key_out_t out_o
);
  wire [64:0] last  = {1'b0, in_i.addr} + 65'(in_i.payload_len);
  wire [64:0] limit = {1'b0, row_i.base} + {1'b0, row_i.length};
  wire        owned = row_i.valid && (row_i.tag == in_i.rkey[7:0]) && (row_i.conn == in_i.conn);
  wire        fits  = (in_i.addr >= row_i.base) && (last <= limit);

  mr_key_key_t row_d;
  mr_key_out_t out_d;
  always @* begin
    row_d = row_i;
    out_d = '0;
    if (op_i == mr_pkg::KeyOpSet) begin
      row_d.valid  = 1'b1;
      row_d.tag    = in_i.rkey[7:0];
      row_d.conn   = in_i.conn;
      row_d.perm   = in_i.perm;
      row_d.base   = in_i.addr;
      row_d.length = {in_i.length_hi, in_i.length};
    end else if (op_i == mr_pkg::KeyOpClear) begin
      row_d = '0;
    end else if (in_i.length == 32'd0) begin
      out_d.syndrome = mr_pkg::SyndromeNone;   // touches no memory and needs no key
    end else if (!owned) begin
      out_d.syndrome = mr_pkg::SyndromeKey;
    end else if (!row_i.perm[0]) begin
      out_d.syndrome = mr_pkg::SyndromePermission;
    end else if (!fits) begin
      out_d.syndrome = mr_pkg::SyndromeBounds;
    end
  end
  assign row_o = row_d;
  assign out_o = out_d;

  wire unused = &{1'b0, in_i.rkey[31:8]};   // the index chose the row
endmodule
`default_nettype wire
