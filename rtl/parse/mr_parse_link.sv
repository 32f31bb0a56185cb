// First 64 bytes of a frame -> what Ethernet, IP and UDP say. Combinational.
//
// Model twin: admit.Parse, its part above the UDP payload (docs/receive.md section 2; R-FRAME).
// Everything up to the UDP length lies in the first 64 bytes, also behind a VLAN tag and IPv6 (byte 63 is its last).
// Nothing is judged here that needs the frame's length: bytes behind a short frame's end are garbage, so
// mr_parse_reason looks at a field only after the length says that it is there.
`default_nettype none

module mr_parse_link (
    input  wire logic [511:0] data_i,      // byte 0 of the frame in bits 7:0
    output      logic vlan_o,      // one 0x8100 tag
    output      logic v4_o,        // ethertype IPv4
    output      logic v6_o,        // ethertype IPv6
    output      logic head_ok_o,   // version, IHL, fragment bits and checksum of the IP header
    output      logic [ 15:0] ip_len_o,    // IPv4: total length; IPv6: payload length
    output      logic udp_o,       // next protocol is UDP
    output      logic [ 15:0] sport_o,
    output      logic [ 15:0] dport_o,
    output      logic [ 15:0] udp_len_o,
    output      logic ce_o         // ECN field is 3
);

  localparam logic [15:0] TypeVlan = 16'h8100;
  localparam logic [15:0] TypeV4 = 16'h0800;
  localparam logic [15:0] TypeV6 = 16'h86dd;
  localparam logic [7:0] ProtoUdp = 8'd17;

  // The tag is cut out, so that every offset below is that of an untagged frame.
  // tail begins with the ethertype, byte 12.
  wire [383:0] tail = vlan_o ? data_i[8*16 +: 384] : data_i[8*12 +: 384];
  wire [159:0] ip = tail[8*2 +: 160];
  wire [ 15:0] ethertype = {tail[7:0], tail[15:8]};
  assign vlan_o = {data_i[8*12 +: 8], data_i[8*13 +: 8]} == TypeVlan;
  assign v4_o = ethertype == TypeV4;
  assign v6_o = ethertype == TypeV6;

  // One's complement sum over the ten words of the header, checksum included: 0xffff when it is right.
  logic [19:0] sum;
  logic [16:0] fold;
  always_comb begin
    sum = 20'd0;
    for (int i = 0; i < 10; i++) sum = sum + {4'd0, ip[16*i +: 8], ip[16*i+8 +: 8]};
    fold = {1'b0, sum[15:0]} + {13'd0, sum[19:16]};
  end
  // fold's carry, added once more, cannot carry again: fold <= 0xffff + 9.
  wire sum_ok = (fold[15:0] + {15'd0, fold[16]}) == 16'hffff;

  wire [ 3:0] version = ip[7:4];
  wire [ 3:0] ihl = ip[3:0];
  wire        fragment = ip[8*6+5] || ip[8*6 +: 5] != 5'd0 || ip[8*7 +: 8] != 8'd0;
  wire        v4_ok = version == 4'd4 && ihl == 4'd5 && !fragment && sum_ok;
  wire        v6_ok = version == 4'd6;
  assign head_ok_o = v4_o ? v4_ok : v6_ok;

  assign ip_len_o = v4_o ? {ip[8*2 +: 8], ip[8*3 +: 8]} : {ip[8*4 +: 8], ip[8*5 +: 8]};
  assign udp_o = (v4_o ? ip[8*9 +: 8] : ip[8*6 +: 8]) == ProtoUdp;
  assign ce_o = (v4_o ? ip[8*1 +: 2] : ip[8*1+4 +: 2]) == 2'd3;

  wire [47:0] udp = v4_o ? tail[8*22 +: 48] : tail[8*42 +: 48];
  assign sport_o = {udp[7:0], udp[15:8]};
  assign dport_o = {udp[23:16], udp[31:24]};
  assign udp_len_o = {udp[39:32], udp[47:40]};

  wire unused = &{1'b0, data_i[8*12-1:0], tail[8*48-1:8*22]};  // addresses

endmodule

`default_nettype wire
