// mr_admit_fields: inputs of the admit step from the descriptor and the stream row. Rule: R-ADMIT. Combinational.
`include "mr_types.svh"
`default_nettype none
module mr_admit_fields (
  input  wire mr_desc_t     desc_i,
  input  wire logic         open_i,
  input  wire logic [31:0]  completed_i,
  output      mr_admit_in_t in_o
);
  mr_admit_in_t in_d;
  always @* begin
    in_d               = '0;
    in_d.cmd           = desc_i.op;
    in_d.reason_in     = desc_i.reason;
    in_d.frame_len     = desc_i.frame_len;
    in_d.room          = desc_i.room;
    in_d.opcode        = desc_i.opcode;
    in_d.dst_conn      = desc_i.dst_conn;
    in_d.path          = desc_i.path;
    in_d.stream        = desc_i.stream;
    in_d.msn           = desc_i.msn;
    in_d.length        = desc_i.length;
    in_d.payload_len   = desc_i.payload_len;
    in_d.query         = desc_i.query;
    in_d.stream_row_in = desc_i.stream_row;
    in_d.txn           = desc_i.txn;
    in_d.rkey          = desc_i.rkey;
    in_d.open          = open_i;
    in_d.completed     = completed_i;
  end
  assign in_o = in_d;

  wire unused = &{1'b0, desc_i};   // the rest of the descriptor passes beside the step
endmodule
`default_nettype wire
