// mr_ack_step: one packet out: an ACK (request, timer, notice), a NAK or an answer.
// Model twin: model/ack.Step. Rule: R-ACK (ann:sack, ann:cc-receiver). Combinational.
`include "mr_types.svh"
`default_nettype none
module mr_ack_step (
  input  wire mr_ack_path_t row_i,
  input  wire logic [7:0]   op_i,
  input  wire mr_ack_in_t   in_i,
  output      mr_ack_path_t row_o,
  output      mr_ack_out_t  out_o
);
  wire        is_ack = (op_i == mr_pkg::AckOpRequest) || (op_i == mr_pkg::AckOpTimer) || (op_i == mr_pkg::AckOpNotice);
  wire [31:0] age    = in_i.now - in_i.last_now;
  // the stream of the head is still the one that queued it: not closed, not opened again for another
  wire        alive  = in_i.stream_open && (in_i.stream_life == in_i.notice_life);

  mr_ack_path_t row_d;
  mr_ack_out_t  out_d;
  always @* begin
    row_d = row_i;
    out_d = '0;
    if (is_ack) begin
      row_d.builds = row_i.builds + 8'd1;
      out_d.held   = (age[31:24] != 8'd0) ? 24'hff_ffff : age[23:0];
      out_d.notice       = in_i.notice_valid && alive;
      out_d.notice_stale = in_i.notice_valid && !alive;
    end
  end
  assign row_o = row_d;
  assign out_o = out_d;

  wire unused = &{1'b0, in_i.path_row, in_i.grant, in_i.hint, in_i.hint_gen, in_i.notice_stream_row,
                  in_i.notice_completed};   // go into the packet as they are
endmodule
`default_nettype wire
