// Raw 64-byte beats of frames -> beats of the UDP payload, its first byte in lane 0.
//
// Model twin: none (admit.Parse indexes the frame). Rules: R-FRAME (docs/receive.md section 2).
// Latency 2 cycles; one beat a cycle forever, a frame a beat possible; never stalls, so it has no ready.
// Each raw beat gives exactly one slot, once the beat behind it is known: the payload starts in byte 42, 46 or 62 of the
// first beat, or (VLAN and IPv6) in byte 2 of the second. Slots behind the UDP payload (Ethernet padding, bytes that no
// length counts) are empty and only carry the end of the frame. Words behind the payload are zero.
`default_nettype none

module mr_parse_align (
    input  wire logic         clk_i,
    input  wire logic         rst_ni,
    input  wire logic         s_frame_valid_i,
    input  wire logic         s_frame_last_i,
    input  wire logic [  6:0] s_frame_bytes_i,
    input  wire logic [511:0] s_frame_data_i,
    input  wire logic [ 15:0] udp_port_i,       // as it stands when the last beat is taken
    output      logic         slot_valid_o,
    output      logic         slot_head_o,      // first beat of the UDP payload
    output      logic         slot_last_o,      // last slot of the frame; the fields below it hold in this cycle
    output      logic [  4:0] slot_words_o,     // words of the UDP payload in this slot, 0..16
    output      logic [511:0] slot_data_o,
    output      logic [ 15:0] slot_payload_o,   // bytes of the whole UDP payload, as the UDP length has it
    output      logic [ 15:0] slot_sport_o,
    output      logic         slot_ce_o,
    output      logic [ 15:0] slot_frame_len_o, // saturates at 65,535
    output      logic [  4:0] slot_reason_o,    // reasons above the UDP payload
    output      logic         busy_o            // something is inside, or a frame has begun
);

  // What mr_parse_link found, kept for the frame.
  typedef struct packed {
    logic        vlan, v4, v6, head_ok, udp, ce;
    logic [15:0] ip_len, sport, dport, udp_len;
  } link_t;

  // r0: the beat as it came in. len counts the frame's bytes up to its end.
  logic         r0_valid_q, r0_first_q, r0_last_q, open_q;
  logic [ 16:0] r0_len_q;
  logic [ 15:0] r0_port_q;
  logic [511:0] r0_data_q;
  wire  [ 16:0] len_before = open_q ? r0_len_q : 17'd0;
  wire  [ 17:0] len_after = {1'b0, len_before} + {11'd0, s_frame_bytes_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      r0_valid_q <= 1'b0;
      open_q <= 1'b0;
    end else begin
      r0_valid_q <= s_frame_valid_i;
      if (s_frame_valid_i) open_q <= !s_frame_last_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (s_frame_valid_i) begin
      r0_first_q <= !open_q;
      r0_last_q <= s_frame_last_i;
      r0_len_q <= len_after[17] ? 17'h1ffff : len_after[16:0];
      r0_port_q <= udp_port_i;
      r0_data_q <= s_frame_data_i;
    end
  end

  wire         vlan, v4, v6, head_ok, udp, ce;
  wire  [15:0] ip_len, sport, dport, udp_len;
  mr_parse_link u_link (
      .data_i(r0_data_q), .vlan_o(vlan), .v4_o(v4), .v6_o(v6), .head_ok_o(head_ok), .ip_len_o(ip_len), .udp_o(udp),
      .sport_o(sport), .dport_o(dport), .udp_len_o(udp_len), .ce_o(ce));
  link_t        r0_link;
  assign r0_link = {vlan, v4, v6, head_ok, udp, ce, ip_len, sport, dport, udp_len};

  // r1: the beat whose slot is next; it waits for the one behind it unless it is the last.
  logic         r1_valid_q, r1_first_q, r1_second_q, r1_last_q;
  logic [ 16:0] r1_len_q;
  logic [ 15:0] r1_port_q;
  logic [511:0] r1_data_q;
  link_t        r1_link_q;
  wire          emit = r1_valid_q && (r1_last_q || r0_valid_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r1_valid_q <= 1'b0;
    else r1_valid_q <= r0_valid_q || (r1_valid_q && !emit);
  end

  always_ff @(posedge clk_i) begin
    if (r0_valid_q) begin
      r1_first_q <= r0_first_q;
      r1_second_q <= r1_first_q && !r0_first_q;
      r1_last_q <= r0_last_q;
      r1_len_q <= r0_len_q;
      r1_port_q <= r0_port_q;
      r1_data_q <= r0_data_q;
      if (r0_first_q) r1_link_q <= r0_link;
    end
  end

  // Payload starts behind the first beat only with VLAN and IPv6 (byte 66).
  wire          far = r1_link_q.vlan && !r1_link_q.v4;
  wire          head = far ? r1_second_q : r1_first_q;
  wire  [ 15:0] payload = r1_link_q.udp_len < 16'd8 ? 16'd0 : r1_link_q.udp_len - 16'd8;

  // left: bytes of the payload from this slot on.
  logic [ 15:0] left_q, left;
  always_comb begin
    if (head) left = payload;
    else if (r1_first_q) left = 16'd0;
    else left = left_q;
  end
  always_ff @(posedge clk_i) begin
    if (emit) left_q <= left > 16'd64 ? left - 16'd64 : 16'd0;
  end
  wire  [  4:0] words = left > 16'd63 ? 5'd16 : {1'b0, left[5:2]};

  wire  [495:0] above = r1_last_q ? 496'd0 : r0_data_q[495:0];
  logic [511:0] shifted, data;
  always_comb begin
    case ({r1_link_q.vlan, r1_link_q.v4})
      2'b01: shifted = {above[8*42-1:0], r1_data_q[511:8*42]};
      2'b11: shifted = {above[8*46-1:0], r1_data_q[511:8*46]};
      2'b00: shifted = {above[8*62-1:0], r1_data_q[511:8*62]};
      default: shifted = {above[8*2-1:0], r1_data_q[511:8*2]};
    endcase
    data = '0;
    for (int w = 0; w < 16; w++) if (5'(w) < words) data[32*w +: 32] = shifted[32*w +: 32];
  end

  wire  [  4:0] reason;
  mr_parse_reason u_reason (
      .frame_len_i(r1_len_q), .vlan_i(r1_link_q.vlan), .v4_i(r1_link_q.v4), .v6_i(r1_link_q.v6),
      .head_ok_i(r1_link_q.head_ok), .ip_len_i(r1_link_q.ip_len), .udp_i(r1_link_q.udp), .dport_i(r1_link_q.dport),
      .udp_len_i(r1_link_q.udp_len), .udp_port_i(r1_port_q), .reason_o(reason));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) slot_valid_o <= 1'b0;
    else slot_valid_o <= emit;
  end

  always_ff @(posedge clk_i) begin
    slot_head_o <= head;
    slot_last_o <= r1_last_q;
    slot_words_o <= words;
    slot_data_o <= data;
    slot_payload_o <= payload;
    slot_sport_o <= r1_link_q.sport;
    slot_ce_o <= r1_link_q.ce;
    slot_frame_len_o <= r1_len_q[16] ? 16'hffff : r1_len_q[15:0];
    slot_reason_o <= reason;
  end

  wire unused = &{1'b0, r1_data_q[15:0]};  // the payload starts behind them in every case

  assign busy_o = open_q || r0_valid_q || r1_valid_q || slot_valid_o;

endmodule

`default_nettype wire
