// Frames -> descriptors, and their payload -> packet buffer. Store and forward: a descriptor leaves when its frame's
// ICRC is known.
//
// Model twin: admit.Parse, and room and overrun of the admit engine. Rules: R-FRAME, R-ICRC, R-ADMIT (docs/receive.md
// section 2, docs/blocks/parse.md).
// Latency: 5 cycles from the last beat to the push into the descriptor queue, 1 more to m_desc_valid_o.
// The frame input never stalls: one beat a cycle forever, a frame a beat possible. Back-pressure of m_desc fills the
// queue; a frame that ends while the queue is full is lost: its beats are rolled back, its number is kept, and an empty
// descriptor with room 2 takes its place. While lost numbers wait for room, frames that end are lost too (order).
//
// stage  what
// r0,r1  mr_parse_align: raw beats, link headers           s2  aligned slot
// s3     slot, its share of the CRC, kind of the packet    s4  CRC up to this slot; write, judge, push
`include "mr_types.svh"
`default_nettype none

module mr_parse #(
    parameter int BufBeats = 512,   // power of two; ring of the packet buffer
    parameter int QueueDepth = 16   // descriptors
) (
    input  wire logic         clk_i,
    input  wire logic         rst_ni,
    input  wire logic         s_frame_valid_i,
    input  wire logic         s_frame_last_i,
    input  wire logic [  6:0] s_frame_bytes_i,
    input  wire logic [511:0] s_frame_data_i,
    input  wire logic [ 15:0] udp_port_i,
    output      logic         m_desc_valid_o,
    input  wire logic         m_desc_ready_i,
    output      logic [mr_pkg::DescW-1:0] m_desc_data_o,
    output      logic         m_pbuf_valid_o,     // write; never stalls
    output      logic [ 15:0] m_pbuf_addr_o,
    output      logic [511:0] m_pbuf_data_o,
    input  wire logic         s_release_valid_i,  // the oldest beats are read: the room they held is free
    input  wire logic [  7:0] s_release_beats_i,
    output      logic         idle_o
);

  initial if (BufBeats < 256 || BufBeats > 65536 || (BufBeats & (BufBeats - 1)) != 0)
    $fatal(1, "mr_parse: BufBeats is a power of two from 256 (a longest frame fits) to 65536");
  initial if (QueueDepth < 2) $fatal(1, "mr_parse: QueueDepth is at least 2");

  localparam int AddrW = $clog2(BufBeats);

  wire         s2_valid, s2_head, s2_last, s2_ce, align_busy;
  wire [  4:0] s2_words, s2_reason;
  wire [511:0] s2_data;
  wire [ 15:0] s2_payload, s2_sport, s2_frame_len;
  mr_parse_align u_align (
      .clk_i, .rst_ni, .s_frame_valid_i, .s_frame_last_i, .s_frame_bytes_i, .s_frame_data_i, .udp_port_i,
      .slot_valid_o(s2_valid), .slot_head_o(s2_head), .slot_last_o(s2_last), .slot_words_o(s2_words),
      .slot_data_o(s2_data), .slot_payload_o(s2_payload), .slot_sport_o(s2_sport), .slot_ce_o(s2_ce),
      .slot_frame_len_o(s2_frame_len), .slot_reason_o(s2_reason), .busy_o(align_busy));

  // The CRC is linear: the share of the data is made one stage ahead of the state, which keeps the loop short.
  logic         s3_valid_q, s3_head_q, s3_last_q, s3_ce_q;
  logic [  4:0] s3_words_q, s3_reason_q;
  logic [511:0] s3_data_q;
  logic [ 31:0] s3_share_q;
  logic [ 15:0] s3_payload_q, s3_sport_q, s3_frame_len_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) s3_valid_q <= 1'b0;
    else s3_valid_q <= s2_valid;
  end
  always_ff @(posedge clk_i) begin
    if (s2_valid) begin
      s3_head_q <= s2_head;
      s3_last_q <= s2_last;
      s3_words_q <= s2_words;
      s3_data_q <= s2_data;
      s3_share_q <= mr_pkg::crc32_512(32'd0, s2_data);
      s3_payload_q <= s2_payload;
      s3_sport_q <= s2_sport;
      s3_ce_q <= s2_ce;
      s3_frame_len_q <= s2_frame_len;
      s3_reason_q <= s2_reason;
    end
  end

  wire         s3_known, s3_receiver, s3_bad_length;
  wire [  7:0] s3_hdr_len, s3_beats;
  wire [ 15:0] s3_payload_len;
  mr_parse_kind u_kind (
      .opcode_i(s3_data_q[15:8]), .pad_i(s3_data_q[17:16]), .udp_payload_i(s3_payload_q),
      .known_o(s3_known), .receiver_o(s3_receiver), .bad_length_o(s3_bad_length), .hdr_len_o(s3_hdr_len),
      .payload_len_o(s3_payload_len), .beats_o(s3_beats));

  // s4: the slot, and what is held from the head slot to the last one: headers, kind, CRC state.
  logic         s4_valid_q, s4_head_q, s4_last_q, s4_ce_q, s4_any_q;
  logic [  4:0] s4_reason_q;
  logic [511:0] s4_data_q;
  logic [ 15:0] s4_sport_q, s4_frame_len_q;
  logic         known_q, receiver_q, bad_length_q;
  logic [  7:0] hdr_len_q, beats_q;
  logic [ 15:0] payload_len_q;
  logic [447:0] head_q;
  logic [ 31:0] crc_q;
  logic [  3:0] blank_q;  // zero words behind the payload in its last slot
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) s4_valid_q <= 1'b0;
    else s4_valid_q <= s3_valid_q;
  end
  always_ff @(posedge clk_i) begin
    if (s3_valid_q) begin
      s4_head_q <= s3_head_q;
      s4_last_q <= s3_last_q;
      s4_any_q <= s3_words_q != 5'd0;
      s4_data_q <= s3_data_q;
      s4_sport_q <= s3_sport_q;
      s4_ce_q <= s3_ce_q;
      s4_frame_len_q <= s3_frame_len_q;
      s4_reason_q <= s3_reason_q;
    end
    if (s3_valid_q && s3_head_q) begin
      known_q <= s3_known;
      receiver_q <= s3_receiver;
      bad_length_q <= s3_bad_length;
      hdr_len_q <= s3_hdr_len;
      beats_q <= s3_beats;
      payload_len_q <= s3_payload_len;
      head_q <= s3_data_q[447:0];
    end
    if (s3_valid_q && s3_words_q != 5'd0) begin
      crc_q <= mr_pkg::crc32_512(s3_head_q ? mr_pkg::Crc32Init : crc_q, 512'd0) ^ s3_share_q;
      blank_q <= 4'd0 - s3_words_q[3:0];  // 16 - words
    end
  end

  // Room for the whole frame is judged at its head, against what is taken and not yet released.
  logic [AddrW-1:0] start_q;   // first beat of the frame that is coming in
  logic [AddrW:0]   used_q;
  logic [      7:0] beat_q, beat;
  logic             fits_q;
  wire  [AddrW:0]   free = (AddrW+1)'(BufBeats) - used_q;
  wire              fits = s4_head_q ? (AddrW+1)'(beats_q) <= free : fits_q;
  wire              write = s4_valid_q && s4_any_q && fits && beat < beats_q;
  assign beat = s4_head_q ? 8'd0 : beat_q;
  always_ff @(posedge clk_i) begin
    if (s4_valid_q) begin
      fits_q <= fits;
      beat_q <= write ? beat + 8'd1 : beat;
    end
  end
  assign m_pbuf_valid_o = write;
  wire  [AddrW-1:0] write_beat = start_q + AddrW'(beat);
  assign m_pbuf_addr_o = 16'(write_beat);
  assign m_pbuf_data_o = s4_data_q;

  logic [31:0] xid_q;     // of the next descriptor to be queued: frames and overruns leave in order, so it counts
  logic [31:0] lost_q;    // numbers that wait for an empty descriptor
  wire         keep, queue_ready, queue_valid;
  wire  [$clog2(QueueDepth+1)-1:0] queue_count;
  wire [mr_pkg::DescW-1:0] desc;
  mr_parse_desc u_desc (
      .xid_i(xid_q), .frame_len_i(s4_frame_len_q), .reason_i(s4_reason_q),
      .crc_ok_i(crc_q == mr_pkg::crc32_residue(blank_q)), .known_i(known_q), .bad_length_i(bad_length_q),
      .receiver_i(receiver_q), .hdr_len_i(hdr_len_q), .payload_len_i(payload_len_q), .beats_i(beats_q), .fits_i(fits),
      .beat_i(16'(start_q)), .sport_i(s4_sport_q), .ce_i(s4_ce_q), .head_i(head_q), .keep_o(keep), .desc_o(desc));

  mr_desc_t    overrun;
  always_comb begin
    overrun = '0;
    overrun.xid = xid_q;
    overrun.room = 2'd2;
  end

  wire         ends = s4_valid_q && s4_last_q;
  wire         push_frame = ends && queue_ready && lost_q == 32'd0;
  wire         push_lost = queue_ready && lost_q != 32'd0;
  wire         lose = ends && !push_frame;
  mr_fifo #(.Width(mr_pkg::DescW), .Depth(QueueDepth)) u_queue (
      .clk_i, .rst_ni, .s_valid_i(push_frame || push_lost), .s_ready_o(queue_ready),
      .s_data_i(push_frame ? desc : overrun), .m_valid_o(queue_valid), .m_ready_i(m_desc_ready_i),
      .m_data_o(m_desc_data_o), .count_o(queue_count));
  assign m_desc_valid_o = queue_valid;

  wire [AddrW:0] taken = push_frame && keep ? (AddrW+1)'(beats_q) : '0;
  wire [AddrW:0] released = s_release_valid_i ? (AddrW+1)'(s_release_beats_i) : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q <= '0;
      used_q <= '0;
      xid_q <= 32'd1;
      lost_q <= 32'd0;
    end else begin
      start_q <= start_q + taken[AddrW-1:0];
      used_q <= used_q + taken - released;
      if (push_frame || push_lost) xid_q <= xid_q + 32'd1;
      lost_q <= lost_q + {31'd0, lose} - {31'd0, push_lost};
    end
  end

  wire unused = &{1'b0, queue_count};

  assign idle_o = !align_busy && !s3_valid_q && !s4_valid_q && lost_q == 32'd0 && !queue_valid;

endmodule

`default_nettype wire
