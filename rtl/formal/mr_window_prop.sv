// mr_window_prop: the receive window step is right, in every state and for every input. Proven with Yosys by prove.sh.
// Rules: R-WINDOW, R-GAP (ann:sack), under the assumption R-HORIZON. Formal only.
//
// One path, one transaction: any state, any operation, any input. The state is the row, and what a bystander
// remembers: a watched psn (any one, chosen anew at path_set), whether it came, and how many packets were new.
// The proof is by induction, written out, each group of it a SAT problem of its own, which takes the solver a small
// part of the time of one large one:
//   START   the invariants (mr_window_inv.sv) hold of the row after reset
//   CAME RANGE TOP MARK NEWS   if they hold of a state, those of the group hold of the next one
//   STEP    if they hold of a state, the step does in it what the rule says, in the simplest way to say it:
//     p_new_once   the watched psn is new exactly the first time it comes inside the window
//     p_class      the class is that of the rule
//     p_grows      cum only grows, by at most the window, and only when psn cum comes
//     p_too_new    a packet beyond the window changes its counter and nothing else
//     p_count_*    packets, bytes, CE, duplicates are counted as the rule says, and never otherwise
//     p_order_*    highest tsn and epoch: never from a detour or an old epoch, taken over by the next, only growing within one
//     p_high       high_psn follows the highest new psn
//     p_gap_*      a gap is shown where psn - 1 did not come and only there, never by a detour or an old epoch; filled only below high_psn
//     p_ack*       at once and counted are exclusive; too new wants none; all else wants one of them
//     p_last*      what the acknowledgement echoes is the newest packet's
//     p_set        path_set leaves exactly the row of the rule
//
// R-HORIZON: no packet and no watched psn is further from cum than a quarter of the serial space, no tsn further from
// high_tsn. Lockstep counts what breaks it.
`include "mr_types.svh"
module mr_window_prop (
    input logic [7:0]                     op_i,
    input logic [mr_pkg::WindowInW-1:0]   in_i,
    input logic [mr_pkg::WindowPathW-1:0] row_i,
    input logic [31:0]                    watch_i,
    input logic                           seen_i,
    input logic                           started_i,
    input logic [31:0]                    news_i,
    input logic [31:0]                    any_i       // psn that is watched after a path_set
);
  localparam logic [31:0] Horizon = 32'h4000_0000;
  localparam logic [31:0] Window  = mr_pkg::WindowBits;

  mr_window_in_t   in;
  mr_window_path_t row;
  mr_window_path_t nxt;
  mr_window_out_t  out;
  logic [mr_pkg::WindowPathW-1:0] nxt_flat;
  logic [mr_pkg::WindowOutW-1:0]  out_flat;
  assign in  = in_i;
  assign row = row_i;
  assign nxt = nxt_flat;
  assign out = out_flat;

  mr_window_step u_step (
      .op_i (op_i),
      .in_i (in),
      .row_i(row),
      .row_o(nxt_flat),
      .out_o(out_flat)
  );

  // ---- the rule, said a second time
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

  wire [3:0]  rel      = in.epoch - row.epoch;
  wire        ordered  = (flush || is_new || is_again) && !in.flag_d;
  wire        current  = rel == 4'd0;
  wire        next     = rel == 4'd1;
  wire        evidence = is_new && !in.flag_d && (current || next);

  wire [31:0] marks     = row.high_psn + 32'd1 - row.cum;
  wire [31:0] above     = in.psn - row.high_psn;
  wire        higher    = above != 32'd0 && !above[31];
  wire [31:0] prev_off  = in.psn - 32'd1 - row.cum;
  wire        prev_came = prev_off[31] || (prev_off < Window && |((row.vector >> prev_off) & 1));
  wire [31:0] tsn_step  = nxt.high_tsn - row.high_tsn;
  wire [31:0] cum_step  = nxt.cum - row.cum;

  // ---- the bystander
  wire        watched_came = packet && in.psn == watch_i && inside;
  wire        seen_d       = !set && (seen_i || watched_came);
  wire        started_d    = started_i || set;
  wire [31:0] watch_d      = set ? any_i : watch_i;
  wire [31:0] news_d       = set ? 32'd0 : news_i + {31'd0, is_new};

  // ---- invariants of the state, of the next one, and of the state after reset
  wire now_near, now_bit0, now_came, now_range, now_top, now_mark, now_news;
  mr_window_inv u_now (
      .row_i(row_i), .watch_i(watch_i), .seen_i(seen_i), .started_i(started_i), .news_i(news_i), .near_o(now_near),
      .bit0_o(now_bit0), .came_o(now_came), .range_o(now_range), .top_o(now_top), .mark_o(now_mark), .news_o(now_news)
  );
  wire p_near, p_bit0, p_came, p_range, p_top, p_mark, p_news;
  mr_window_inv u_next (
      .row_i(nxt_flat), .watch_i(watch_d), .seen_i(seen_d), .started_i(started_d), .news_i(news_d), .near_o(p_near),
      .bit0_o(p_bit0), .came_o(p_came), .range_o(p_range), .top_o(p_top), .mark_o(p_mark), .news_o(p_news)
  );
  wire p_reset_near, p_reset_bit0, p_reset_came, p_reset_range, p_reset_top, p_reset_mark, p_reset_news;
  mr_window_inv u_reset (
      .row_i('0), .watch_i(watch_i), .seen_i(1'b0), .started_i(1'b0), .news_i(32'd0), .near_o(p_reset_near), .bit0_o(p_reset_bit0),
      .came_o(p_reset_came), .range_o(p_reset_range), .top_o(p_reset_top), .mark_o(p_reset_mark), .news_o(p_reset_news)
  );

  // ---- assumptions: an operation that exists, and the horizon
  always @* begin
    assume (packet || flush || set);
    assume (!packet || off < Horizon || off >= -Horizon);
    assume (now_near && p_near);
    assume (!set || any_i - in.psn < Horizon);
    assume (!ordered || !current || !row.high_valid || in.tsn - row.high_tsn < Horizon || in.tsn - row.high_tsn >= -Horizon);
  end

  // ---- properties of the step
  wire p_new_once = !(packet && in.psn == watch_i) || (out.class_f == mr_pkg::ClassNew) == (watched_came && !seen_i);
  wire p_class    = out.class_f == (set ? mr_pkg::ClassSet : flush ? mr_pkg::ClassFlush : is_new ? mr_pkg::ClassNew :
                                    is_beyond ? mr_pkg::ClassTooNew : behind ? mr_pkg::ClassTooOld : mr_pkg::ClassDuplicate);
  wire p_grows    = set || (cum_step <= Window && (cum_step != 32'd0) == (is_new && off == 32'd0));

  mr_window_path_t beyond;
  always @* begin
    beyond         = row;
    beyond.too_new = row.too_new + 32'd1;
  end
  wire p_too_new = !is_beyond || nxt == beyond;

  wire p_count_packets = set || nxt.packets == row.packets + {31'd0, is_new || is_again};
  wire p_count_bytes   = set || nxt.bytes == row.bytes + (is_new ? {32'd0, in.payload_len} : 48'd0);
  wire p_count_ce      = set || nxt.ce == row.ce + {31'd0, in.ce && (is_new || is_again)};
  wire p_count_dups    = set || nxt.dups == row.dups + {31'd0, is_again};
  wire p_count_beyond  = set || nxt.too_new == row.too_new + {31'd0, is_beyond};

  wire p_order_epoch = set || nxt.epoch == (ordered && next ? in.epoch : row.epoch);
  wire p_order_keep  = set || (ordered && (current || next)) || (nxt.high_tsn == row.high_tsn && nxt.high_valid == row.high_valid);
  wire p_order_next  = !(ordered && next) || (nxt.high_tsn == in.tsn && nxt.high_valid);
  wire p_order_first = !(ordered && current && !row.high_valid) || (nxt.high_tsn == in.tsn && nxt.high_valid);
  wire p_order_grows = !(ordered && current && row.high_valid) ||
                       (nxt.high_valid && tsn_step < Horizon && (tsn_step == 32'd0 || nxt.high_tsn == in.tsn));
  wire p_order_max   = !(ordered && current) || nxt.high_tsn - in.tsn <= Horizon;

  wire p_high       = set || nxt.high_psn == (is_new && higher ? in.psn : row.high_psn);
  wire p_gap_shown  = !(started_i && out.gap_shown) || (evidence && !prev_came);
  wire p_gap_missed = !(started_i && evidence && higher && !prev_came) || out.gap_shown;
  wire p_gap_filled = !started_i || out.gap_filled == (is_new && off + 32'd1 < marks);

  wire change      = in.ce != row.last_ce;
  wire p_ack       = out.ack_now == (flush || is_again || (is_new && (out.gap_shown || out.gap_filled || change || in.flag_a || in.flag_l)));
  wire p_ack_count = out.ack_count == (is_new && !out.ack_now);

  wire p_last     = !(flush || is_new || is_again) ||
                    (nxt.last_time == in.tx_time && nxt.last_now == in.now && nxt.last_sport == in.sport && nxt.last_d == in.flag_d);
  wire p_last_psn = set || nxt.last_psn == (is_new || is_again ? in.psn : row.last_psn);
  wire p_last_ce  = set || nxt.last_ce == (is_new || is_again ? in.ce : row.last_ce);
  wire p_peer     = set || nxt.peer == row.peer;

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

  // ---- the groups
  always @* begin
`ifdef PROVE_START
    assume (p_reset_near && !watch_i[31]);   // nothing is acknowledged yet: the watched psn lies ahead
    assert (p_reset_bit0);
    assert (p_reset_came);
    assert (p_reset_range);
    assert (p_reset_top);
    assert (p_reset_mark);
    assert (p_reset_news);
`else
    assume (now_bit0 && now_came && now_range && now_top && now_mark && now_news);
`endif
`ifdef PROVE_CAME
    assert (p_bit0);
    assert (p_came);
`endif
`ifdef PROVE_RANGE
    assert (p_range);
`endif
`ifdef PROVE_TOP
    assert (p_top);
`endif
`ifdef PROVE_MARK
    assert (p_mark);
`endif
`ifdef PROVE_NEWS
    assert (p_news);
`endif
`ifdef PROVE_STEP
    assert (p_new_once);
    assert (p_class);
    assert (p_grows);
    assert (p_too_new);
    assert (p_count_packets);
    assert (p_count_bytes);
    assert (p_count_ce);
    assert (p_count_dups);
    assert (p_count_beyond);
    assert (p_order_epoch);
    assert (p_order_keep);
    assert (p_order_next);
    assert (p_order_first);
    assert (p_order_grows);
    assert (p_order_max);
    assert (p_high);
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
`endif
  end
endmodule
