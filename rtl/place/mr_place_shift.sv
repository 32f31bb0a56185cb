// mr_place_shift: payload from the packet buffer to the memory port, its first byte moved from hdr_len to lane 0.
// Model twin: the payload slice of the frame. Rule: R-PLACE (docs/memory-port.md).
// Latency: 3 cycles from the take of a write to its first beat (read, align, output), 4 where that beat needs a second
// beat of the buffer. A buffer beat is read in each cycle; so writes of one buffer beat leave one a cycle.
// Back-pressure: m_mem_ready_i low holds all stages, and read data stay in the buffer's output register meanwhile.
// s_take_ready_o is high in the cycle in which the last beat of the write is read: its beats may be released then.
`default_nettype none
module mr_place_shift (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         s_take_valid_i,
  output      logic         s_take_ready_o,
  input  wire logic [ 31:0] s_take_xid_i,
  input  wire logic [ 63:0] s_take_addr_i,
  input  wire logic [ 15:0] s_take_len_i,     // bytes of payload, at least 1
  input  wire logic [  7:0] s_take_hdr_i,     // offset of the payload in the first beat, below 64, a multiple of 4
  input  wire logic [ 15:0] s_take_beat_i,    // first beat in the buffer
  input  wire logic [  7:0] s_take_beats_i,   // beats in the buffer, at least 1
  output      logic         m_pbuf_valid_o,
  output      logic [ 15:0] m_pbuf_addr_o,
  input  wire logic [511:0] s_pbuf_data_i,
  output      logic         m_mem_valid_o,
  input  wire logic         m_mem_ready_i,
  output      logic         m_mem_first_o,
  output      logic         m_mem_last_o,
  output      logic [ 31:0] m_mem_xid_o,
  output      logic [ 63:0] m_mem_addr_o,     // xid, addr and len stand beside every beat of the write
  output      logic [ 15:0] m_mem_len_o,
  output      logic [511:0] m_mem_data_o,     // zero behind the last byte
  output      logic         busy_o
);
  // All stages move together.
  wire adv = !m_mem_valid_o || m_mem_ready_i;

  // read: one beat a cycle
  logic [7:0] index_q;
  wire  final_beat = (index_q + 8'd1 == s_take_beats_i);
  wire  read       = s_take_valid_i && adv;
  assign m_pbuf_valid_o = read;
  assign m_pbuf_addr_o  = s_take_beat_i + 16'(index_q);
  assign s_take_ready_o = adv && final_beat;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) index_q <= 8'd0;
    else if (read) index_q <= final_beat ? 8'd0 : index_q + 8'd1;
  end

  // s1: the beat is at the output of the buffer
  logic        s1_valid_q, s1_first_q, s1_last_q;
  logic [31:0] s1_xid_q;
  logic [63:0] s1_addr_q;
  logic [15:0] s1_len_q;
  logic [ 3:0] s1_skip_q;   // words of header
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) s1_valid_q <= 1'b0;
    else if (adv) s1_valid_q <= s_take_valid_i;
  end
  always_ff @(posedge clk_i) begin
    if (read) begin
      s1_first_q <= (index_q == 8'd0);
      s1_last_q  <= final_beat;
      s1_xid_q   <= s_take_xid_i;
      s1_addr_q  <= s_take_addr_i;
      s1_len_q   <= s_take_len_i;
      s1_skip_q  <= s_take_hdr_i[5:2];
    end
  end

  // s2: the beat whose bytes are next; it waits for the one behind it unless it is the last of its write
  logic         s2_valid_q, s2_first_q, s2_last_q;
  logic [ 31:0] s2_xid_q;
  logic [ 63:0] s2_addr_q;
  logic [ 15:0] s2_len_q;
  logic [  3:0] s2_skip_q;
  logic [511:0] s2_data_q;
  logic [ 15:0] left_q;     // bytes of the write behind the slot of s2
  wire          slot = s2_valid_q && (s2_last_q || s1_valid_q);
  wire  [ 15:0] left = s2_first_q ? s2_len_q : left_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) s2_valid_q <= 1'b0;
    else if (adv) s2_valid_q <= s1_valid_q || (s2_valid_q && !slot);
  end
  always_ff @(posedge clk_i) begin
    if (adv && s1_valid_q) begin
      s2_first_q <= s1_first_q;
      s2_last_q  <= s1_last_q;
      s2_xid_q   <= s1_xid_q;
      s2_addr_q  <= s1_addr_q;
      s2_len_q   <= s1_len_q;
      s2_skip_q  <= s1_skip_q;
      s2_data_q  <= s_pbuf_data_i;
    end
    if (adv && slot) left_q <= (left > 16'd64) ? left - 16'd64 : 16'd0;
  end

  wire  [447:0] above = s2_last_q ? 448'd0 : s_pbuf_data_i[447:0];
  logic [511:0] shifted;
  logic [511:0] data;
  always_comb begin
    // The four header lengths of kinds with payload for the receiver; mr_parse_kind knows no other.
    case (s2_skip_q)
      4'd10:   shifted = {above[319:0], s2_data_q[511:320]};
      4'd11:   shifted = {above[351:0], s2_data_q[511:352]};
      4'd12:   shifted = {above[383:0], s2_data_q[511:384]};
      default: shifted = {above, s2_data_q[511:448]};
    endcase
    data = shifted;
    if (left < 16'd64) begin
      for (int b = 0; b < 64; b++) if (16'(b) >= left) data[8*b +: 8] = 8'd0;
    end
  end

  // output; a last buffer beat that held no more than the end of the slot before has no slot of its own
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) m_mem_valid_o <= 1'b0;
    else if (adv) m_mem_valid_o <= slot && (left != 16'd0);
  end
  always_ff @(posedge clk_i) begin
    if (adv && slot) begin
      m_mem_first_o <= s2_first_q;
      m_mem_last_o  <= (left <= 16'd64);
      m_mem_xid_o   <= s2_xid_q;
      m_mem_addr_o  <= s2_addr_q;
      m_mem_len_o   <= s2_len_q;
      m_mem_data_o  <= data;
    end
  end

  assign busy_o = s1_valid_q || s2_valid_q || m_mem_valid_o;

  wire unused = &{1'b0, s_take_hdr_i[7:6], s_take_hdr_i[1:0], s2_data_q[319:0]};
endmodule
`default_nettype wire
