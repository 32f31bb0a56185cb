// Opcode, pad and length of the UDP payload -> lengths of headers and payload, beats needed. Combinational.
//
// Model twin: admit.Parse (docs/receive.md section 2; R-ADMIT): reasons opcode, header_length, not_receiver.
// All headers of a kind lie in the first 64 bytes of the UDP payload (the longest are write_imm, read_request and
// atomic_request with 56 bytes), so that a packet is known from the first beat of the packet buffer.
`default_nettype none

module mr_parse_kind (
    input  wire logic [ 7:0] opcode_i,
    input  wire logic [ 1:0] pad_i,
    input  wire logic [15:0] udp_payload_i,   // bytes, ICRC included; judged before: at least base header and ICRC
    output      logic known_o,
    output      logic receiver_o,      // for this side
    output      logic bad_length_o,
    output      logic [ 7:0] hdr_len_o,
    output      logic [15:0] payload_len_o,   // 0 where bad_length
    output      logic [ 7:0] beats_o          // of the packet buffer; 0 without payload
);

  assign known_o = mr_pkg::kind_known(opcode_i);
  assign receiver_o = mr_pkg::kind_receiver(opcode_i);
  assign hdr_len_o = mr_pkg::kind_hdr_len(opcode_i);
  wire has_payload = mr_pkg::kind_payload(opcode_i);

  // left: payload and padding. The subtraction is looked at only if it did not borrow.
  wire [16:0] left = {1'b0, udp_payload_i} - 17'(hdr_len_o) - 17'(mr_pkg::IcrcBytes);
  wire        cut = left[16];
  wire [15:0] payload = left[15:0] - {14'd0, pad_i};
  wire        pad_long = {14'd0, pad_i} > left[15:0];
  wire        unasked = !has_payload && left[15:0] != 16'd0;
  assign bad_length_o = cut || pad_long || unasked || payload > 16'(mr_pkg::MaxPayload);

  wire [15:0] last = payload + 16'(hdr_len_o) + 16'd63;
  wire        holds = !bad_length_o && payload != 16'd0;
  assign payload_len_o = holds ? payload : 16'd0;
  assign beats_o = holds ? last[13:6] : 8'd0;

  wire unused = &{1'b0, last[15:14], last[5:0]};

endmodule

`default_nettype wire
