// Packet buffer: 64-byte beats, one write port, one read port.
//
// Model twin: none (a frame's bytes stay with its descriptor). Latency: read data one cycle after the address; they stay
// until the next read. Neither port stalls. Beats are a ring that mr_parse fills and mr_place empties in order; the read of
// a beat is over in the cycle in which its release is given, so a write never meets the read of the same beat.
`default_nettype none

module mr_pbuf #(
    parameter int BufBeats = 512
) (
    input  wire logic         clk_i,
    input  wire logic         s_write_valid_i,
    input  wire logic [ 15:0] s_write_addr_i,
    input  wire logic [511:0] s_write_data_i,
    input  wire logic         s_read_valid_i,
    input  wire logic [ 15:0] s_read_addr_i,
    output      logic [511:0] m_read_data_o
);

  initial if (BufBeats < 2 || BufBeats > 65536) $fatal(1, "mr_pbuf: BufBeats is 2 to 65536");

  localparam int AddrW = $clog2(BufBeats);

  logic [511:0] beats[0:BufBeats-1];

  always_ff @(posedge clk_i) begin
    if (s_write_valid_i) beats[s_write_addr_i[AddrW-1:0]] <= s_write_data_i;
    if (s_read_valid_i) m_read_data_o <= beats[s_read_addr_i[AddrW-1:0]];
  end

  wire unused = &{1'b0, s_write_addr_i, s_read_addr_i};  // high bits beyond the ring

endmodule

`default_nettype wire
