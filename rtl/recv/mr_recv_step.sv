// mr_recv_step: the posted receive of one packet; recv_post, recv_clear.
// Model twin: model/recv.Step. Rule: R-RECV (ann:send-match). Combinational.
// A row stays valid when it is used: its index is the guard. A Write with immediate keeps its own address.
`include "mr_types.svh"
`default_nettype none
module mr_recv_step (
  input  wire mr_recv_recv_t row_i,
  input  wire logic [7:0]    op_i,
  input  wire mr_recv_in_t   in_i,
  output      mr_recv_recv_t row_o,
  output      mr_recv_out_t  out_o
);
  mr_recv_recv_t row_d;
  mr_recv_out_t  out_d;
  always @* begin
    row_d = row_i;
    out_d = '0;
    if (op_i == mr_pkg::RecvOpPost) begin
      row_d.valid  = 1'b1;
      row_d.index  = in_i.recv_index;
      row_d.addr   = in_i.addr;
      row_d.length = in_i.length;
      row_d.wr_id  = in_i.wr_id;
    end else if (op_i == mr_pkg::RecvOpClear) begin
      row_d = '0;
    end else begin
      out_d.addr_out = in_i.addr;
      if (in_i.syndrome_in != mr_pkg::SyndromeNone) begin
        out_d.syndrome = in_i.syndrome_in;
      end else if (!row_i.valid || (row_i.index != in_i.recv_index)) begin
        out_d.syndrome = mr_pkg::SyndromeRnr;
      end else if (!in_i.write && (in_i.length > row_i.length)) begin
        out_d.syndrome = mr_pkg::SyndromeLength;
      end else begin
        out_d.wr_id_out = row_i.wr_id;
        if (!in_i.write) out_d.addr_out = row_i.addr + 64'(in_i.offset);
      end
    end
  end
  assign row_o = row_d;
  assign out_o = out_d;

  wire unused = &{1'b0, in_i.stream_row};   // chose the row
endmodule
`default_nettype wire
