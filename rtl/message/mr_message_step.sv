// mr_message_step: verdict over one packet of a message; status query; stream_set, stream_close; fault of a memory write.
// Model twin: model/message.Step. Rule: R-MESSAGE. Combinational.
// A slot that was not used since stream_set (touched) reads as empty: a kept life could not tell, lives come round. A refusal is kept in the slot (rnr, until a newer attempt) or in
// the stream (sticky, until stream_set): the NAK is only a hint, the query tells the truth.
`include "mr_types.svh"
`default_nettype none
module mr_message_step (
  input  wire mr_message_slot_t   slot_i,
  input  wire mr_message_stream_t stream_i,
  input  wire logic [7:0]         op_i,
  input  wire mr_message_in_t     in_i,
  output      mr_message_slot_t   slot_o,
  output      mr_message_stream_t stream_o,
  output      mr_message_out_t    out_o
);
  wire [63:0] touched = stream_i.touched;
  wire [63:0] this_bit = 64'd1 << in_i.msn[5:0];
  wire        live    = ((touched & this_bit) != 64'd0);
  wire [31:0] newer   = slot_i.msn - in_i.msn;             // signed: above 0 if the slot serves a newer message
  wire        same    = live && (newer == 32'd0);
  wire [3:0]  tries   = in_i.attempt - slot_i.attempt;     // 8..15: older, 1..7: newer
  wire        cont    = same && (tries == 4'd0);
  wire [31:0] arrived = cont ? slot_i.arrived : 32'd0;
  wire [32:0] end_at  = {1'b0, in_i.offset} + 33'(in_i.payload_len);
  wire [32:0] total   = {1'b0, arrived} + 33'(in_i.payload_len);
  wire [32:0] length  = {1'b0, in_i.length};
  wire        remote  = (in_i.opcode == mr_pkg::OpcodeReadRequest) || (in_i.opcode == mr_pkg::OpcodeAtomicRequest);
  wire        differs = cont && ((in_i.opcode != slot_i.opcode) || (in_i.length != slot_i.length));
  wire        beyond  = (end_at > length) || (total > length) || (cont && (in_i.length == 32'd0));
  wire        sticky  = (stream_i.error != mr_pkg::SyndromeNone);

  logic [3:0] verdict;
  logic [3:0] fatal;       // syndrome of a fatal verdict
  // always @*: Icarus 11 spins for ever on three always_comb in a row whose variables are set twice on the way
  always @* begin
    verdict = mr_pkg::VerdictFatalNow;
    fatal   = in_i.syndrome_in;
    if (!stream_i.open) verdict = mr_pkg::VerdictClosed;
    else if (sticky) verdict = mr_pkg::VerdictStreamError;
    else if (in_i.old || (live && !newer[31] && (newer != 32'd0))) verdict = mr_pkg::VerdictOldMessage;
    else if (same && tries[3]) verdict = mr_pkg::VerdictOldAttempt;
    else if (cont && slot_i.refused) verdict = mr_pkg::VerdictRefusedBefore;
    else if (remote) fatal = mr_pkg::SyndromeUnsupported;
    else if (differs || beyond) fatal = mr_pkg::SyndromeMalformed;
    else if (in_i.syndrome_in == mr_pkg::SyndromeRnr) verdict = mr_pkg::VerdictRefusedNow;
    else if (in_i.syndrome_in == mr_pkg::SyndromeNone) verdict = mr_pkg::VerdictPlace;
  end

  wire fault = stream_i.open && (in_i.life_in == stream_i.life) && !sticky;

  mr_message_slot_t   slot_new;
  mr_message_slot_t   slot_d;
  mr_message_stream_t stream_d;
  mr_message_out_t    out_d;

  always @* begin
    slot_new         = '0;
    slot_new.msn     = in_i.msn;
    slot_new.attempt = in_i.attempt;
    slot_new.opcode  = in_i.opcode;
    slot_new.length  = in_i.length;
    slot_new.refused = (verdict == mr_pkg::VerdictRefusedNow);
    slot_new.arrived = (verdict == mr_pkg::VerdictRefusedNow) ? 32'd0 : total[31:0];
  end

  always @* begin
    slot_d   = slot_i;
    stream_d = stream_i;
    out_d    = '0;
    if (op_i == mr_pkg::MessageOpSet) begin
      stream_d      = '0;
      stream_d.open = 1'b1;
      stream_d.life = in_i.life_in;
    end else if (op_i == mr_pkg::MessageOpClose) begin
      stream_d.open = 1'b0;
    end else if (op_i == mr_pkg::MessageOpFault) begin
      if (fault) begin
        stream_d.error       = mr_pkg::SyndromeRemoteOp;
        stream_d.err_msn     = in_i.msn;
        stream_d.err_attempt = in_i.attempt;
        out_d.nak         = 1'b1;
        out_d.syndrome    = mr_pkg::SyndromeRemoteOp;
        out_d.syn_msn     = in_i.msn;
        out_d.syn_attempt = in_i.attempt;
      end
    end else if (op_i == mr_pkg::MessageOpQuery) begin
      out_d.life = stream_i.life;
      if (stream_i.open && sticky) begin
        out_d.syndrome    = stream_i.error;
        out_d.syn_msn     = stream_i.err_msn;
        out_d.syn_attempt = stream_i.err_attempt;
      end else if (stream_i.open && same && slot_i.refused) begin
        out_d.syndrome    = mr_pkg::SyndromeRnr;
        out_d.syn_msn     = in_i.msn;
        out_d.syn_attempt = slot_i.attempt;
      end
    end else begin
      out_d.life    = stream_i.life;
      out_d.verdict = verdict;
      out_d.fresh   = (verdict == mr_pkg::VerdictPlace) && !cont;
      if ((verdict == mr_pkg::VerdictPlace) || (verdict == mr_pkg::VerdictRefusedNow)) begin
        slot_d           = slot_new;
        stream_d.touched = touched | this_bit;
      end
      if (verdict == mr_pkg::VerdictRefusedNow) out_d.syndrome = mr_pkg::SyndromeRnr;
      if (verdict == mr_pkg::VerdictFatalNow) begin
        stream_d.error       = fatal;
        stream_d.err_msn     = in_i.msn;
        stream_d.err_attempt = in_i.attempt;
        out_d.syndrome       = fatal;
      end
      if ((verdict == mr_pkg::VerdictRefusedNow) || (verdict == mr_pkg::VerdictFatalNow)) begin
        out_d.nak         = 1'b1;
        out_d.syn_msn     = in_i.msn;
        out_d.syn_attempt = in_i.attempt;
      end
    end
  end
  assign slot_o   = slot_d;
  assign stream_o = stream_d;
  assign out_o    = out_d;

  wire unused = &{1'b0, in_i.stream_row};   // chose the rows
endmodule
`default_nettype wire
