// Headers of a whole frame -> descriptor. Combinational.
//
// Model twin: admit.Parse (docs/receive.md section 2; R-ICRC, R-ADMIT): reasons icrc to not_receiver behind those above
// the UDP payload, then the fields. A frame with a reason shows xid, reason, room and frame_len, all else zero; a field
// that the kind of the packet does not carry is zero.
`include "mr_types.svh"
`default_nettype none

module mr_parse_desc (
    input  wire logic [ 31:0] xid_i,
    input  wire logic [ 15:0] frame_len_i,
    input  wire logic [  4:0] reason_i,        // found above the UDP payload
    input  wire logic crc_ok_i,
    input  wire logic known_i,         // mr_parse_kind
    input  wire logic bad_length_i,
    input  wire logic receiver_i,
    input  wire logic [  7:0] hdr_len_i,
    input  wire logic [ 15:0] payload_len_i,
    input  wire logic [  7:0] beats_i,
    input  wire logic fits_i,          // the packet buffer has taken the beats
    input  wire logic [ 15:0] beat_i,          // the first of them
    input  wire logic [ 15:0] sport_i,
    input  wire logic ce_i,
    input  wire logic [447:0] head_i,          // first 56 bytes of the UDP payload, byte 0 in bits 7:0
    output      logic keep_o,          // the beats stay in the packet buffer
    output      logic [mr_pkg::DescW-1:0] desc_o
);

  // Big-endian view: wire order is from the most significant bit down.
  logic [447:0] wire_order;
  always_comb begin
    for (int i = 0; i < 56; i++) wire_order[8*(55-i) +: 8] = head_i[8*i +: 8];
  end

  localparam int BaseW = 8 * mr_pkg::BaseBytes;
  localparam int MessageW = 8 * mr_pkg::MessageBytes;
  localparam int TargetW = 8 * mr_pkg::TargetBytes;
  localparam int MatchW = 8 * mr_pkg::MatchBytes;
  localparam int ImmW = 8 * mr_pkg::ImmBytes;
  localparam int ExtTop = 448 - BaseW - 1;
  localparam int TargetTop = ExtTop - MessageW;
  localparam int SendTop = TargetTop;
  localparam int WriteTop = TargetTop - TargetW;

  mr_hdr_base_t base;
  mr_hdr_message_t message;
  mr_hdr_target_t target;
  mr_hdr_match_t match_send, match_write;
  mr_hdr_imm_t imm_send, imm_write;
  mr_hdr_read_t read;
  mr_hdr_atomic_t atomic;
  mr_hdr_probe_t probe;
  assign base = wire_order[447 -: BaseW];
  assign message = wire_order[ExtTop -: MessageW];
  assign target = wire_order[TargetTop -: TargetW];
  assign match_send = wire_order[SendTop -: MatchW];
  assign match_write = wire_order[WriteTop -: MatchW];
  assign imm_send = wire_order[SendTop-MatchW -: ImmW];
  assign imm_write = wire_order[WriteTop-MatchW -: ImmW];
  assign read = wire_order[ExtTop -: 8*mr_pkg::ReadBytes];
  assign atomic = wire_order[ExtTop -: 8*mr_pkg::AtomicBytes];
  assign probe = wire_order[ExtTop -: 8*mr_pkg::ProbeBytes];

  logic [4:0] reason;
  always_comb begin
    if (reason_i != mr_pkg::ReasonNone) reason = reason_i;
    else if (!crc_ok_i) reason = mr_pkg::ReasonIcrc;
    else if (base.version != 4'(mr_pkg::Version)) reason = mr_pkg::ReasonVersion;
    else if (!known_i) reason = mr_pkg::ReasonOpcode;
    else if (bad_length_i) reason = mr_pkg::ReasonHeaderLength;
    else if (!receiver_i) reason = mr_pkg::ReasonNotReceiver;
    else reason = mr_pkg::ReasonNone;
  end

  wire good = reason == mr_pkg::ReasonNone;
  wire taken = good && fits_i && beats_i != 8'd0;
  assign keep_o = taken;

  wire is_write = base.opcode == mr_pkg::OpcodeWrite || base.opcode == mr_pkg::OpcodeWriteImm;
  wire is_send = base.opcode == mr_pkg::OpcodeSend || base.opcode == mr_pkg::OpcodeSendImm;
  wire is_read = base.opcode == mr_pkg::OpcodeReadRequest;
  wire is_atomic = base.opcode == mr_pkg::OpcodeAtomicRequest;
  wire is_probe = base.opcode == mr_pkg::OpcodeProbe;
  wire is_message = is_write || is_send;

  mr_desc_t desc;
  assign desc_o = desc;
  always_comb begin
    desc = '0;
    desc.xid = xid_i;
    desc.reason = reason;
    desc.room = {1'b0, !good || fits_i};
    desc.frame_len = frame_len_i;
    if (good) begin
      desc.sport = sport_i;
      desc.ce = ce_i;
      desc.opcode = base.opcode;
      desc.epoch = base.epoch;
      desc.flag_a = base.flag_a;
      desc.flag_d = base.flag_d;
      desc.flag_l = base.flag_l;
      desc.dst_conn = base.dst_conn;
      desc.path = base.path;
      desc.psn = base.psn;
      desc.tsn = base.tsn;
      desc.tx_time = base.tx_time;
      desc.payload_len = payload_len_i;
      desc.hdr_len = hdr_len_i;
      desc.buf_beat = taken ? beat_i : 16'd0;
      desc.buf_beats = taken ? beats_i : 8'd0;
    end
    if (good && is_message) begin
      desc.stream = message.stream;
      desc.attempt = message.attempt;
      desc.msn = message.msn;
      desc.length = message.length;
      desc.offset = message.offset;
    end
    if (good && is_write) begin
      desc.rkey = target.rkey;
      desc.addr = target.addr;
    end
    if (good && is_send) desc.recv_index = match_send.recv_index;
    if (good && base.opcode == mr_pkg::OpcodeWriteImm) begin
      desc.recv_index = match_write.recv_index;
      desc.imm_value = imm_write.imm_value;
    end
    if (good && base.opcode == mr_pkg::OpcodeSendImm) desc.imm_value = imm_send.imm_value;
    if (good && is_read) begin
      desc.stream = read.stream;
      desc.msn = read.msn;
    end
    if (good && is_atomic) begin
      desc.stream = atomic.stream;
      desc.msn = atomic.msn;
    end
    if (good && is_probe) begin
      desc.stream = probe.stream;
      desc.msn = probe.msn;
      desc.port = probe.port;
      desc.new_epoch = probe.new_epoch;
      desc.query = probe.query;
      desc.txn = probe.txn;
    end
  end

  // reserved bits and fields that the receiver does not look at
  wire unused = &{1'b0, base.flag_r, base.flag_b, base.rsv0, base.pad, base.rsv1, message.rsv0, read.slot, read.rsv0, read.rkey,
                  read.addr, read.length, read.local_key, read.local_addr, atomic.slot, atomic.fetch_add, atomic.rsv0,
                  atomic.rkey, atomic.addr, atomic.compare, atomic.operand, probe.rsv0, probe.rsv1};

endmodule

`default_nettype wire
