// mr_window_step: the receive window of one path and its counters, one transaction.
// Model twin: model/window.Step. Rule: R-WINDOW (ann:sack). Combinational.
// The run of ones is taken from the old vector, in parallel with the look-up of the bit, because bit 0 is known to be
// 0 and becomes 1 exactly when off is 0: the vector is then only shifted, else one bit is only set. Setting first and
// counting after would put both in series on the loop of the table.
`include "mr_types.svh"
`default_nettype none
module mr_window_step (
  input  wire mr_window_path_t row_i,
  input  wire logic [7:0]      op_i,
  input  wire mr_window_in_t   in_i,
  output      mr_window_path_t row_o,
  output      mr_window_out_t  out_o
);
  localparam int Bits = mr_pkg::WindowBits;
  localparam int OffW = $clog2(Bits);

  wire [31:0]     off     = in_i.psn - row_i.cum;
  wire [31:0]     ahead   = in_i.psn - row_i.high_psn;    // signed: beyond the highest new psn
  wire [31:0]     tsn_gap = in_i.tsn - row_i.high_tsn;    // signed: above 0 if tsn is newer
  wire [3:0]      rel     = in_i.epoch - row_i.epoch;     // 0 current, 1 next, else old
  wire [Bits-1:0] seen    = row_i.vector;
  wire            head    = (off == 32'd0);
  wire            too_old = off[31];
  wire            too_new = !off[31] && (off[30:OffW] != '0);
  wire            dup     = seen[off[OffW-1:0]];
  wire            fresh   = !too_old && !too_new && !dup;
  wire            is_set  = (op_i == mr_pkg::WindowOpSet);
  wire            is_flush = (op_i == mr_pkg::WindowOpFlush);

  logic [OffW:0]   run;
  logic [Bits-1:0] shifted;
  mr_window_run #(.Bits(Bits)) u_run (.vector_i(seen), .run_o(run), .shifted_o(shifted));

  wire evidence   = !in_i.flag_d && (rel[3:1] == 3'd0);
  wire gap_shown  = evidence && !ahead[31] && (ahead > 32'd1);
  wire gap_filled = ahead[31];
  wire ack_now    = gap_shown || gap_filled || (in_i.ce != row_i.last_ce) || in_i.flag_a || in_i.flag_l;

  mr_window_path_t row_set;
  mr_window_path_t row_d;
  mr_window_out_t  out_d;

  always @* begin
    row_set          = '0;
    row_set.cum      = in_i.psn;
    row_set.high_psn = in_i.psn - 32'd1;   // the first packet in order shows no gap
    row_set.high_tsn = in_i.tsn - 32'd1;
    row_set.epoch    = in_i.epoch;
    row_set.peer     = in_i.tx_time[23:0];
  end

  always @* begin
    row_d = row_i;
    if (is_set) begin
      row_d = row_set;
    end else if (!is_flush && too_new) begin
      row_d.too_new = row_i.too_new + 32'd1;   // not even its tsn counts: it will be sent again
    end else begin
      if (!in_i.flag_d && (rel == 4'd0)) begin
        row_d.high_valid = 1'b1;
        if (!row_i.high_valid || (!tsn_gap[31] && (tsn_gap != 32'd0))) row_d.high_tsn = in_i.tsn;
      end
      if (!in_i.flag_d && (rel == 4'd1)) begin
        row_d.high_valid = 1'b1;
        row_d.high_tsn   = in_i.tsn;
        row_d.epoch      = in_i.epoch;
      end
      row_d.last_time  = in_i.tx_time;
      row_d.last_now   = in_i.now;
      row_d.last_sport = in_i.sport;
      row_d.last_d     = in_i.flag_d;
      if (!is_flush) begin
        row_d.last_psn = in_i.psn;
        row_d.last_ce  = in_i.ce;
        row_d.packets  = row_i.packets + 32'd1;
        row_d.ce       = row_i.ce + 32'(in_i.ce);
        if (fresh) begin
          row_d.bytes  = row_i.bytes + 48'(in_i.payload_len);
          if (head) row_d.cum = row_i.cum + 32'(run);
          row_d.vector = head ? shifted : (seen | (Bits'(1) << off[OffW-1:0]));
          if (!ahead[31] && (ahead != 32'd0)) row_d.high_psn = in_i.psn;
        end else begin
          row_d.dups = row_i.dups + 32'd1;
        end
      end
    end
  end

  always @* begin
    out_d = '0;
    if (is_set) begin
      out_d.class_f = mr_pkg::ClassSet;
    end else if (is_flush) begin
      out_d.class_f = mr_pkg::ClassFlush;
      out_d.ack_now = 1'b1;
    end else if (too_old || (!too_new && dup)) begin
      out_d.class_f = too_old ? mr_pkg::ClassTooOld : mr_pkg::ClassDuplicate;
      out_d.ack_now = 1'b1;
    end else if (too_new) begin
      out_d.class_f = mr_pkg::ClassTooNew;
    end else begin
      out_d.class_f     = mr_pkg::ClassNew;
      out_d.ack_now    = ack_now;
      out_d.ack_count  = !ack_now;
      out_d.gap_shown  = gap_shown;
      out_d.gap_filled = gap_filled;
    end
  end

  assign row_o = row_d;
  assign out_o = out_d;
endmodule
`default_nettype wire
