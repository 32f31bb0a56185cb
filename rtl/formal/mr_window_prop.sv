// Properties of the receive window, for proof by induction with Yosys (prove.sh beside this file).
//
// One path: a register holds its row, mr_window_step computes the next one from any operation and any input. What is
// proven holds in every reachable state, for every input, at full serial width (32 bit).
//
// R-WINDOW, ann:sack. Proven, by the name of the assertion:
//   p_watched   a watched psn (any one) is acknowledged exactly if it came inside the window: nothing is acknowledged
//               that did not come, nothing that came is forgotten
//   p_new_once  that psn is new exactly the first time it comes inside the window
//   p_class     the class is that of the rule
//   p_bit0      bit 0 of the vector is 0: psn cum has not come
//   p_grows     cum only grows, by at most the window, and only when psn cum comes
//   p_too_new   a packet beyond the window changes its counter and nothing else
//   p_count_*   packets, bytes, CE, duplicates are counted as the rule says, and never otherwise
//   p_news      packets - dups is the number of packets that were new
//   p_order_*   highest tsn and epoch: never from a detour or an old epoch, taken over by the next, only growing within one
//   p_high_*    high_psn is the highest new psn, and the vector is empty above it
//   p_gap_*     a gap is shown only if psn - 1 did not come, never by a detour or an old epoch; filled only below high_psn
//   p_ack       at once and counted are exclusive; too new wants none; all else wants one of them
//   p_last      what the acknowledgement echoes is the newest packet's
//   p_set       path_set leaves exactly the row of the rule
//
// Horizon assumption: no packet and no watched psn is further from cum than a quarter of the serial space, no tsn
// further from high_tsn. The lockstep asserts the same of all traffic (rule R-HORIZON).
//
// Assertions stand in always @*, not in a clocked block, where Yosys would check them one step late.
`include "mr_types.svh"
module mr_window_prop (
    input logic                            clk_i,
    input logic [7:0]                      op_i,
    input logic [mr_pkg::WindowInW-1:0]    in_i,
    input logic [31:0]                     any_i   // which psn is watched from the next path_set on
);
  localparam logic [31:0] Horizon = 32'h4000_0000;
  localparam logic [31:0] Window  = mr_pkg::WindowBits;

  mr_window_in_t   in;
  mr_window_path_t row;
  mr_window_path_t nxt;
  mr_window_out_t  out;

  // state: the row, and what a bystander remembers
  logic [mr_pkg::WindowPathW-1:0] row_q;
  logic [31:0] watch_q;    // any psn, chosen at path_set
  logic        seen_q;     // it came inside the window since path_set
  logic        started_q;  // path_set happened
  logic [31:0] news_q;     // packets that were new since path_set

  logic [mr_pkg::WindowPathW-1:0] row_d;
  logic [mr_pkg::WindowOutW-1:0]  out_flat;

  assign in  = in_i;
  assign row = row_q;
  assign nxt = row_d;
  assign out = out_flat;

  mr_window_step u_step (
      .op_i (op_i),
      .in_i (in),
      .row_i(row),
      .row_o(row_d),
      .out_o(out_flat)
  );

  // the rule, said a second time and in the simplest way
  wire packet = op_i == mr_pkg::WindowOpPacket;
  wire flush  = op_i == mr_pkg::WindowOpFlush;
  wire set    = op_i == mr_pkg::WindowOpSet;

  wire [31:0] off       = in.psn - row.cum;
  wire        inside    = off < Window;
  wire        behind    = off[31];
  wire        marked    = inside && |((row.vector >> off) & 1);
  wire        is_new    = packet && inside && !marked;
  wire        is_again  = packet && (behind || marked);
  wire        is_beyond = packet && !behind && !inside;

  wire [3:0] rel     = in.epoch - row.epoch;
  wire       ordered = (flush || is_new || is_again) && !in.flag_d;
  wire       current = rel == 4'd0;
  wire       next    = rel == 4'd1;

  // acknowledged: behind cum, or its bit is set
  wire [31:0] watch_off = watch_q - row.cum;
  wire acked = watch_off[31] || (watch_off < Window && |((row.vector >> watch_off) & 1));
  wire watched_came = packet && in.psn == watch_q && inside;

  wire [31:0] high_off = row.high_psn - row.cum;   // -1 with an empty vector, else its highest bit
  wire [31:0] above    = in.psn - row.high_psn;
  wire [31:0] prev_off = in.psn - 32'd1 - row.cum;
  wire prev_came = prev_off[31] || (prev_off < Window && |((row.vector >> prev_off) & 1));
  wire [31:0] tsn_step = nxt.high_tsn - row.high_tsn;
  wire [31:0] cum_step = nxt.cum - row.cum;

  initial begin
    row_q     = '0;
    watch_q   = 32'd0;
    seen_q    = 1'b0;
    started_q = 1'b0;
    news_q    = 32'd0;
  end

  always @(posedge clk_i) begin
    row_q     <= row_d;
    watch_q   <= set ? any_i : watch_q;
    seen_q    <= !set && (seen_q || watched_came);
    started_q <= started_q || set;
    news_q    <= set ? 32'd0 : news_q + {31'd0, is_new};
  end

  // quarter of the serial space on both sides of `from`
  function automatic logic near(input logic [31:0] distance);
    near = distance < Horizon || distance >= -Horizon;
  endfunction

  always @* begin
    assume (packet || flush || set);
    assume (!packet || near(off));
    assume (near(watch_off));
    assume (!set || any_i - in.psn < Horizon);
    assume (!ordered || !current || !row.high_valid || near(in.tsn - row.high_tsn));
  end

  wire p_watched = acked == seen_q;
  wire p_new_once = !(packet && in.psn == watch_q) || (out.class_f == mr_pkg::ClassNew) == (watched_came && !seen_q);
  wire p_class = out.class_f == (set ? mr_pkg::ClassSet : flush ? mr_pkg::ClassFlush : is_new ? mr_pkg::ClassNew :
                                        is_beyond ? mr_pkg::ClassTooNew : behind ? mr_pkg::ClassTooOld : mr_pkg::ClassDuplicate);
  wire p_bit0 = !row.vector[0];
  wire p_grows = set || (cum_step <= Window && (cum_step != 32'd0) == (is_new && off == 32'd0));

  // a too new packet may touch one field
  mr_window_path_t beyond;
  always @* begin
    beyond = row;
    beyond.too_new = row.too_new + 32'd1;
  end
  wire p_too_new = !is_beyond || nxt == beyond;

  wire p_count_packets = set || nxt.packets == row.packets + {31'd0, is_new || is_again};
  wire p_count_bytes = set || nxt.bytes == row.bytes + (is_new ? {32'd0, in.payload_len} : 48'd0);
  wire p_count_ce = set || nxt.ce == row.ce + {31'd0, in.ce && (is_new || is_again)};
  wire p_count_dups = set || nxt.dups == row.dups + {31'd0, is_again};
  wire p_count_beyond = set || nxt.too_new == row.too_new + {31'd0, is_beyond};
  wire p_news = row.packets - row.dups == news_q;

  wire p_order_epoch = set || nxt.epoch == (ordered && next ? in.epoch : row.epoch);
  wire p_order_keep = set || (ordered && (current || next)) || (nxt.high_tsn == row.high_tsn && nxt.high_valid == row.high_valid);
  wire p_order_next = !(ordered && next) || (nxt.high_tsn == in.tsn && nxt.high_valid);
  wire p_order_first = !(ordered && current && !row.high_valid) || (nxt.high_tsn == in.tsn && nxt.high_valid);
  wire p_order_grows = !(ordered && current && row.high_valid) ||
                            (nxt.high_valid && tsn_step < Horizon && (tsn_step == 32'd0 || nxt.high_tsn == in.tsn));
  wire p_order_max = !(ordered && current) || nxt.high_tsn - in.tsn <= Horizon;

  wire p_high_range = !started_q || high_off == 32'hffff_ffff || (high_off != 32'd0 && high_off < Window && |((row.vector >> high_off) & 1));
  wire p_high_top = !started_q || (row.vector >> (high_off + 32'd1)) == '0;
  wire p_gap_shown = !(started_q && out.gap_shown) || (is_new && !in.flag_d && (current || next) && !prev_came);
  wire p_gap_missed = !(started_q && is_new && !in.flag_d && (current || next) && !above[31] && !prev_came && above != 0) || out.gap_shown;
  wire p_gap_filled = !started_q || out.gap_filled == (is_new && high_off != 32'hffff_ffff && off < high_off);

  wire change = in.ce != row.last_ce;
  wire p_ack = out.ack_now == (flush || is_again || (is_new && (out.gap_shown || out.gap_filled || change || in.flag_a || in.flag_l)));
  wire p_ack_count = out.ack_count == (is_new && !out.ack_now);
  wire p_last = !(flush || is_new || is_again) ||
                     (nxt.last_time == in.tx_time && nxt.last_now == in.now && nxt.last_sport == in.sport && nxt.last_d == in.flag_d);
  wire p_last_psn = set || nxt.last_psn == (is_new || is_again ? in.psn : row.last_psn);
  wire p_last_ce = set || nxt.last_ce == (is_new || is_again ? in.ce : row.last_ce);
  wire p_peer = set || nxt.peer == row.peer;

  mr_window_path_t fresh;
  always @* begin
    fresh          = '0;
    fresh.cum      = in.psn;
    fresh.high_psn = in.psn - 32'd1;
    fresh.high_tsn = in.tsn - 32'd1;
    fresh.epoch    = in.epoch;
    fresh.peer     = in.tx_time[23:0];
  end
  wire p_set = !set || nxt == fresh;

  always @* begin
    assert (p_watched);
    assert (p_new_once);
    assert (p_class);
    assert (p_bit0);
    assert (p_grows);
    assert (p_too_new);
    assert (p_count_packets);
    assert (p_count_bytes);
    assert (p_count_ce);
    assert (p_count_dups);
    assert (p_count_beyond);
    assert (p_news);
    assert (p_order_epoch);
    assert (p_order_keep);
    assert (p_order_next);
    assert (p_order_first);
    assert (p_order_grows);
    assert (p_order_max);
    assert (p_high_range);
    assert (p_high_top);
    assert (p_gap_shown);
    assert (p_gap_missed);
    assert (p_gap_filled);
    assert (p_ack);
    assert (p_ack_count);
    assert (p_last);
    assert (p_last_psn);
    assert (p_last_ce);
    assert (p_peer);
    assert (p_set);
  end
endmodule
