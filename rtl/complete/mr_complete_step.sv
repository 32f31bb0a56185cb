// mr_complete_step: completions of one stream leave in the order of msn.
// Model twin: model/complete.Step. Rule: R-COMPLETE. Combinational.
// Invariants: bit (msn mod 64) of `done` stands for one msn in completed .. completed+63, since admit lets nothing
// beyond the message window through; one notice of a stream waits at a time.
`include "mr_types.svh"
`default_nettype none
module mr_complete_step (
  input  wire mr_complete_stream_t row_i,
  input  wire logic [7:0]          op_i,
  input  wire mr_complete_in_t     in_i,
  output      mr_complete_stream_t row_o,
  output      mr_complete_out_t    out_o
);
  wire [63:0] done    = row_i.done;
  wire [63:0] this_bit = 64'd1 << in_i.msn[5:0];
  wire [31:0] behind  = in_i.msn - row_i.completed;        // signed: below 0 if released already
  wire [31:0] next    = in_i.msn + 32'd1;
  wire [31:0] taken   = row_i.notice_seq - in_i.notice_head; // signed: below 0 if its notice was taken
  wire        marked  = done[in_i.msn[5:0]];
  wire        alive   = row_i.open && (in_i.life == row_i.life);
  wire        turn    = (behind == 32'd0);
  wire        mark    = (op_i == mr_pkg::CompleteOpDone) && alive && !behind[31] && !marked;
  wire        go_on   = (op_i == mr_pkg::CompleteOpRun) && alive && turn && marked;
  wire        release_now = (mark && turn) || go_on;
  wire        waiting = row_i.noticed && !taken[31];

  mr_complete_stream_t row_d;
  mr_complete_out_t    out_d;
  always @* begin
    row_d = row_i;
    out_d = '0;
    if (op_i == mr_pkg::CompleteOpSet) begin
      row_d           = '0;
      row_d.open      = 1'b1;
      row_d.life      = in_i.life;
      row_d.completed = in_i.msn;
    end else if (op_i == mr_pkg::CompleteOpClose) begin
      row_d.open = 1'b0;
    end else if (release_now) begin
      row_d.done      = done & ~this_bit;
      row_d.completed = next;
      out_d.release_f   = 1'b1;
      out_d.run_next  = done[next[5:0]];
      if (!waiting) begin
        row_d.noticed    = 1'b1;
        row_d.notice_seq = in_i.notice_tail;
        out_d.notice     = 1'b1;
        out_d.notice_seq = in_i.notice_tail;
      end
    end else if (mark) begin
      row_d.done = done | this_bit;
    end
  end
  assign row_o = row_d;
  assign out_o = out_d;

  // goes into the completion, or chose the row
  wire unused = &{1'b0, in_i.stream_row, in_i.path_row, in_i.conn, in_i.stream, in_i.opcode, in_i.length,
                  in_i.imm_value, in_i.wr_id, taken[30:0]};
endmodule
`default_nettype wire
