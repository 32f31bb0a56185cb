// mr_ack_packet: what ack decided to say -> UDP payload with its ICRC, in beats.
// Model twin: model/ack.Build. Rules: R-ACK (docs/receive.md section 3).
// Latency: 3 cycles from the take of a build to its first beat. A packet in two cycles: an ACK (108 bytes) has two beats.
// Back-pressure: m_ack_ready_i low holds the packet at the output and one behind it.
// The CRC has one 64-byte step a cycle. So that every length ends with the second step, the bytes stand at the end of 128,
// with zeros before them: zeros do not change a CRC register of 0, and the register's start value is moved into the first
// four bytes of the packet.
`include "mr_types.svh"
`include "mr_link.svh"
`default_nettype none
module mr_ack_packet (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         s_build_valid_i,
  output      logic         s_build_ready_o,
  input  wire logic [`MR_BUILD_W-1:0] s_build_data_i,
  input  wire logic [mr_pkg::WindowPathW-1:0] s_build_window_i,
  output      logic         m_ack_valid_o,
  input  wire logic         m_ack_ready_i,
  output      logic         m_ack_first_o,
  output      logic         m_ack_last_o,
  output      logic [  6:0] m_ack_bytes_o,   // of this beat
  output      logic [511:0] m_ack_data_o,    // first byte in bits 7:0, zero behind the last
  output      logic [ 15:0] m_ack_conn_o,
  output      logic [  7:0] m_ack_path_o,
  output      logic [ 15:0] m_ack_sport_o,
  output      logic [ 31:0] m_ack_xid_o,
  output      logic         idle_o
);
  localparam int AckAll    = mr_pkg::BaseBytes + mr_pkg::AckBytes;      // without ICRC
  localparam int NakAll    = mr_pkg::BaseBytes + mr_pkg::NakBytes;
  localparam int AnswerAll = mr_pkg::BaseBytes + mr_pkg::AnswerBytes;
  localparam int MetaW     = 72;

  mr_build_t       build;
  mr_reply_t       reply;
  mr_window_path_t window;
  assign build  = s_build_data_i;
  assign reply  = build.reply;
  assign window = s_build_window_i;
  wire is_nak    = (build.op == mr_pkg::AckOpNak);
  wire is_answer = (build.op == mr_pkg::AckOpAnswer);
  wire is_ack    = !is_nak && !is_answer;

  mr_hdr_base_t   base;
  mr_hdr_ack_t    ack;
  mr_hdr_nak_t    nak;
  mr_hdr_answer_t answer;
  always_comb begin
    base          = '0;
    base.version  = 4'(mr_pkg::Version);
    base.epoch    = window.epoch;
    base.path     = build.path;
    base.dst_conn = window.peer;
    base.tx_time  = build.now;
    base.flag_d   = is_ack && window.last_d;
    if (is_nak)         base.opcode = mr_pkg::OpcodeNak;
    else if (is_answer) base.opcode = mr_pkg::OpcodeAnswer;
    else                base.opcode = mr_pkg::OpcodeAck;

    ack               = '0;
    ack.echo_psn      = window.last_psn;
    ack.echo_time     = window.last_time;
    ack.held          = build.held;
    ack.high_valid    = window.high_valid;
    ack.notice_valid  = build.notice_valid;
    ack.cum           = window.cum;
    ack.vector        = window.vector;
    ack.high_tsn      = window.high_tsn;
    ack.packets       = window.packets;
    ack.bytes         = {16'd0, window.bytes};
    ack.ce            = window.ce;
    ack.dups          = window.dups;
    ack.hint          = build.hint;
    ack.hint_gen      = build.hint_gen;
    ack.notice_stream = build.notice_valid ? build.notice_stream : 16'd0;
    ack.notice_msn    = build.notice_valid ? build.notice_msn : 32'd0;

    nak          = '0;
    nak.stream   = reply.stream;
    nak.attempt  = reply.syn_attempt;
    nak.syndrome = reply.syndrome;
    nak.msn      = reply.syn_msn;

    answer           = '0;
    answer.port      = reply.port;
    answer.new_epoch = reply.new_epoch;
    answer.query     = reply.query;
    answer.txn       = reply.txn;
    answer.stream    = reply.stream;
    answer.attempt   = reply.syn_attempt;
    answer.syndrome  = reply.syndrome;
    answer.completed = build.completed;
    answer.msn       = reply.syn_msn;
    answer.echo_time = reply.tx_time;
  end

  // Wire order, first byte at the top of the used part.
  logic [8*AckAll-1:0] text;
  always_comb begin
    if (is_nak)         text = {{8*(AckAll-NakAll){1'b0}}, base, nak};
    else if (is_answer) text = {{8*(AckAll-AnswerAll){1'b0}}, base, answer};
    else                text = {base, ack};
  end
  // Lanes: the last byte of the packet is byte AckAll-1.
  logic [8*AckAll-1:0] lanes;
  always_comb begin
    for (int i = 0; i < AckAll; i++) lanes[8*i +: 8] = text[8*(AckAll-1-i) +: 8];
  end

  // ---- a: the packet, two steps of the CRC
  logic                a_valid_q, a_second_q, a_nak_q, a_answer_q;
  logic [8*AckAll-1:0] a_lanes_q;
  logic [MetaW-1:0]    a_meta_q;
  logic [31:0]         crc_q;
  logic                b_ready;
  wire                 a_leaves = a_valid_q && a_second_q && b_ready;
  assign s_build_ready_o = !a_valid_q || a_leaves;
  wire                 a_takes = s_build_valid_i && s_build_ready_o;

  // where the register's start value goes in
  logic [8*AckAll-1:0] seeded;
  always_comb begin
    seeded = a_lanes_q;
    if (a_nak_q)         seeded[8*(AckAll-NakAll) +: 32] = ~a_lanes_q[8*(AckAll-NakAll) +: 32];
    else if (a_answer_q) seeded[8*(AckAll-AnswerAll) +: 32] = ~a_lanes_q[8*(AckAll-AnswerAll) +: 32];
    else                 seeded[31:0] = ~a_lanes_q[31:0];
  end
  localparam int FirstW = 8 * AckAll - 512;   // bits of the packet in the first step
  wire [511:0] block = a_second_q ? seeded[8*AckAll-1 -: 512] : {seeded[FirstW-1:0], {512-FirstW{1'b0}}};
  wire [ 31:0] crc   = mr_pkg::crc32_512(a_second_q ? crc_q : 32'd0, block);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      a_valid_q  <= 1'b0;
      a_second_q <= 1'b0;
    end else begin
      if (a_takes) a_valid_q <= 1'b1;
      else if (a_leaves) a_valid_q <= 1'b0;
      if (a_takes || a_leaves) a_second_q <= 1'b0;
      else if (a_valid_q) a_second_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (a_takes) begin
      a_lanes_q  <= lanes;
      a_nak_q    <= is_nak;
      a_answer_q <= is_answer;
      a_meta_q   <= {build.xid, build.conn, build.path, build.sport};
    end
    if (a_valid_q && !a_second_q) crc_q <= crc;
  end

  // ---- b: beats
  localparam int AllW = 8 * (AckAll + mr_pkg::IcrcBytes);
  logic            b_valid_q, b_second_q, b_long_q;
  logic [AllW-1:0] b_data_q;
  logic [6:0]      b_bytes_q;    // of the last beat
  logic [MetaW-1:0] b_meta_q;
  wire [AllW-1:0]  sealed = {~crc, a_lanes_q};
  wire             b_sent = b_valid_q && m_ack_ready_i && m_ack_last_o;
  assign b_ready = !b_valid_q || b_sent;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_valid_q  <= 1'b0;
      b_second_q <= 1'b0;
    end else begin
      if (a_leaves) b_valid_q <= 1'b1;
      else if (b_sent) b_valid_q <= 1'b0;
      if (a_leaves || b_sent) b_second_q <= 1'b0;
      else if (b_valid_q && m_ack_ready_i) b_second_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (a_leaves) begin
      b_long_q <= !a_nak_q && !a_answer_q;
      b_meta_q <= a_meta_q;
      if (a_nak_q) begin
        b_data_q  <= sealed >> 8*(AckAll-NakAll);
        b_bytes_q <= 7'(NakAll + mr_pkg::IcrcBytes);
      end else if (a_answer_q) begin
        b_data_q  <= sealed >> 8*(AckAll-AnswerAll);
        b_bytes_q <= 7'(AnswerAll + mr_pkg::IcrcBytes);
      end else begin
        b_data_q  <= sealed;
        b_bytes_q <= 7'(AckAll + mr_pkg::IcrcBytes - 64);
      end
    end
  end

  assign m_ack_valid_o = b_valid_q;
  assign m_ack_first_o = !b_second_q;
  assign m_ack_last_o  = !b_long_q || b_second_q;
  assign m_ack_bytes_o = m_ack_last_o ? b_bytes_q : 7'd64;
  assign m_ack_data_o  = b_second_q ? {{1024-AllW{1'b0}}, b_data_q[AllW-1:512]} : b_data_q[511:0];
  assign {m_ack_xid_o, m_ack_conn_o, m_ack_path_o, m_ack_sport_o} = b_meta_q;

  assign idle_o = !s_build_valid_i && !a_valid_q && !b_valid_q;

  // The rest of the build is of use for records only.
  wire unused = &{1'b0, build, reply, window};
endmodule
`default_nettype wire
