// Length of the frame and what its link headers say -> first drop reason above the UDP payload. Combinational.
//
// Model twin: admit.Parse (docs/receive.md section 2; R-FRAME): reasons runt to short, in the order of their numbers.
`default_nettype none

module mr_parse_reason (
    input  wire logic [16:0] frame_len_i,  // saturated
    input  wire logic vlan_i,
    input  wire logic v4_i,
    input  wire logic v6_i,
    input  wire logic head_ok_i,
    input  wire logic [15:0] ip_len_i,
    input  wire logic udp_i,
    input  wire logic [15:0] dport_i,
    input  wire logic [15:0] udp_len_i,
    input  wire logic [15:0] udp_port_i,
    output      logic [4:0] reason_o
);

  localparam logic [16:0] EthBytes = 17'd14;
  localparam logic [16:0] TaggedBytes = 17'd18;
  localparam logic [15:0] V4Bytes = 16'd20;
  localparam logic [16:0] V6Bytes = 17'd40;
  localparam logic [15:0] UdpBytes = 16'd8;
  localparam logic [15:0] LeastPayload = 16'(mr_pkg::BaseBytes + mr_pkg::IcrcBytes);

  wire [16:0] left = frame_len_i - (vlan_i ? TaggedBytes : EthBytes);  // from the IP header on
  wire [16:0] ip_total = v4_i ? {1'b0, ip_len_i} : {1'b0, ip_len_i} + V6Bytes;
  wire [15:0] ip_payload = v4_i ? ip_len_i - V4Bytes : ip_len_i;
  wire [15:0] payload = udp_len_i - UdpBytes;

  wire        no_type = (vlan_i && frame_len_i < TaggedBytes) || !(v4_i || v6_i);
  wire        no_head = left < (v4_i ? {1'b0, V4Bytes} : V6Bytes) || !head_ok_i;
  wire        bad_ip_len = (v4_i && ip_len_i < V4Bytes) || ip_total > left;
  wire        bad_udp_len = ip_payload < UdpBytes || udp_len_i != ip_payload;

  always_comb begin
    if (frame_len_i < EthBytes) reason_o = mr_pkg::ReasonRunt;
    else if (frame_len_i > 17'(mr_pkg::MaxFrame)) reason_o = mr_pkg::ReasonTooLong;
    else if (no_type) reason_o = mr_pkg::ReasonEthertype;
    else if (no_head) reason_o = mr_pkg::ReasonIpHeader;
    else if (bad_ip_len) reason_o = mr_pkg::ReasonIpLength;
    else if (!udp_i) reason_o = mr_pkg::ReasonNotUdp;
    else if (bad_udp_len) reason_o = mr_pkg::ReasonUdpLength;
    else if (dport_i != udp_port_i) reason_o = mr_pkg::ReasonUdpPort;
    else if (payload < LeastPayload || payload[1:0] != 2'd0) reason_o = mr_pkg::ReasonShort;
    else reason_o = mr_pkg::ReasonNone;
  end

endmodule

`default_nettype wire
