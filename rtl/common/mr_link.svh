// Streams between the receive blocks that are no record of an engine. First field is the most significant.
// Widths are macros because Yosys 0.23 knows no $bits(type); a wrong one is a width warning in lint.
`ifndef MR_LINK_SVH
`define MR_LINK_SVH

// window -> coalesce: one for every window step that counts towards an acknowledgement, and for path_set.
`define MR_WANT_W 90
typedef struct packed {
  logic        is_set;
  logic        ack_now;
  logic [15:0] path_row;
  logic [31:0] xid;
  logic [15:0] conn;
  logic [ 7:0] path;
  logic [15:0] stream;
} mr_want_t;

// complete -> notice queue of ack. now: low half of the cycle of the commit that queued it.
`define MR_NOTICE_W 104
typedef struct packed {
  logic [15:0] stream_row;
  logic [15:0] stream;
  logic [15:0] conn;
  logic [15:0] path_row;
  logic [ 7:0] life;
  logic [31:0] now;
} mr_notice_t;

// message -> NAK queue and answer queue of ack. A NAK leaves port, new_epoch, query, txn, tx_time zero.
`define MR_REPLY_W 221
typedef struct packed {
  logic [31:0] xid;
  logic [15:0] conn;
  logic [ 7:0] path;
  logic [15:0] path_row;
  logic [15:0] stream;
  logic [15:0] stream_row;
  logic [15:0] sport;
  logic [31:0] tx_time;
  logic [15:0] port;
  logic [ 3:0] new_epoch;
  logic        query;
  logic [ 7:0] txn;
  logic [ 3:0] syndrome;
  logic [ 3:0] syn_attempt;
  logic [31:0] syn_msn;
} mr_reply_t;

// ack -> mr_ack_packet: everything of one packet out. op is the op of the ack record (path, timer, notice: an ACK).
// sport is the port it leaves with; completed is that of reply.stream_row for an answer to a query, else 0.
// The window row sits beside it on the stream (m_build_window), so that this struct needs no generated width.
`define MR_BUILD_W 466
typedef struct packed {
  mr_reply_t   reply;
  logic [ 7:0] op;
  logic [31:0] xid;
  logic [15:0] conn;
  logic [ 7:0] path;
  logic [15:0] sport;
  logic [31:0] now;
  logic [23:0] held;
  logic [19:0] hint;
  logic [ 7:0] hint_gen;
  logic        notice_valid;
  logic [15:0] notice_stream;
  logic [31:0] notice_msn;
  logic [31:0] completed;
} mr_build_t;

`endif
