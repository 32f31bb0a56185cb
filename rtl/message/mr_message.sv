// mr_message: message engine: slots of the messages being received and sticky state of the streams, one packet, query,
// command or fault a cycle. Model twin: model/message. Rule: R-MESSAGE. Latency: RamLatency, and 1 of the output queue.
// Back-pressure: a descriptor enters only with a place reserved for it in the output queue, so that the pipeline never
// waits for place: a fault that place reports always gets through, whatever place holds back (else the two could wait for
// each other). Inside, a step waits only for the NAK and answer queues, which ack empties without this pipeline.
// A fault goes before the next descriptor.
`include "mr_types.svh"
`include "mr_link.svh"
`default_nettype none
module mr_message #(
  parameter int Streams    = 16,
  parameter int MsgSlots   = 64,
  parameter int RamLatency = 1,
  parameter int DescDepth  = 4
) (
  input  wire logic                             clk_i,
  input  wire logic                             rst_ni,
  output      logic                             ready_o,
  output      logic                             idle_o,
  input  wire logic                             s_desc_valid_i,
  output      logic                             s_desc_ready_o,
  input  wire logic [mr_pkg::DescW-1:0]         s_desc_data_i,
  input  wire logic                             s_fault_valid_i,
  output      logic                             s_fault_ready_o,
  input  wire logic [mr_pkg::DescW-1:0]         s_fault_data_i,
  output      logic                             m_desc_valid_o,
  input  wire logic                             m_desc_ready_i,
  output      logic [mr_pkg::DescW-1:0]         m_desc_data_o,
  output      logic [3:0]                       m_desc_verdict_o,   // 0 where the descriptor had no step
  output      logic                             m_nak_valid_o,
  input  wire logic                             m_nak_ready_i,
  output      logic                             m_answer_valid_o,
  input  wire logic                             m_answer_ready_i,
  output      logic [`MR_REPLY_W-1:0]           m_reply_data_o,     // of m_nak and m_answer
  output      logic                             trace_valid_o,
  output      logic [mr_pkg::MessageCommitW-1:0] trace_o
);
  initial if (MsgSlots > 64 || (MsgSlots & (MsgSlots - 1)) != 0) $fatal(1, "mr_message: MsgSlots is a power of two, 64 at most");
  initial if (Streams < 2 || (Streams & (Streams - 1)) != 0) $fatal(1, "mr_message: Streams is a power of two, 2 at least");

  localparam int Slots   = Streams * MsgSlots;
  localparam int SlotW   = $clog2(Slots);
  localparam int RowW    = (Streams > 1) ? $clog2(Streams) : 1;
  localparam int ItemW   = mr_pkg::DescW + 1;
  localparam int OutDepth = DescDepth + RamLatency + 1;
  localparam int OutW    = $clog2(OutDepth + 1);

  // ---- entrance: fault first, descriptor only with a place reserved
  logic [OutW-1:0] used_q;      // descriptors in the pipeline and in the output queue
  logic            slot_ready;
  logic            stream_ready;
  wire             table_ready = slot_ready && stream_ready;
  wire             room        = (used_q != OutW'(OutDepth));
  wire             take_desc   = s_desc_valid_i && s_desc_ready_o;
  wire             leave       = m_desc_valid_o && m_desc_ready_i;
  assign s_fault_ready_o = table_ready;
  assign s_desc_ready_o  = table_ready && room && !s_fault_valid_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) used_q <= '0;
    else if (take_desc && !leave) used_q <= used_q + 1'b1;
    else if (leave && !take_desc) used_q <= used_q - 1'b1;
  end

  mr_desc_t s_desc;
  assign s_desc = s_fault_valid_i ? s_fault_data_i : s_desc_data_i;
  wire [ItemW-1:0] s_item  = {s_fault_valid_i, s_fault_valid_i ? s_fault_data_i : s_desc_data_i};
  wire             s_valid = (s_fault_valid_i || (s_desc_valid_i && room)) && table_ready;
  wire [31:0]      s_slot  = 32'(s_desc.stream_row) * 32'(MsgSlots) + (s_desc.msn & 32'(MsgSlots - 1));

  // ---- the two tables, in step with each other
  logic                                step_valid;
  logic                                step_ready;
  logic                                is_step;
  logic                                slot_busy;
  logic [ItemW-1:0]                    step_item;
  logic [mr_pkg::MessageSlotW-1:0]     slot_row;
  logic [mr_pkg::MessageStreamW-1:0]   stream_row;
  mr_message_slot_t                    slot_after;
  mr_message_stream_t                  stream_after;
  logic                                slot_init;
  logic                                stream_init;

  logic [SlotW-1:0]                    slot_addr_unused;
  logic                                slot_we_unused;
  logic [SlotW-1:0]                    slot_waddr_unused;
  logic [mr_pkg::MessageSlotW-1:0]     slot_wdata_unused;
  logic [mr_pkg::MessageSlotW-1:0]     slot_foreign_unused;
  mr_rmw #(
    .Width(mr_pkg::MessageSlotW), .Depth(Slots), .ItemW(ItemW), .RamLatency(RamLatency)
  ) u_slot (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(slot_init), .busy_o(slot_busy),
    .s_valid_i(s_valid), .s_ready_o(slot_ready), .s_addr_i(s_slot[SlotW-1:0]), .s_item_i(s_item),
    .step_valid_o(step_valid), .step_ready_i(step_ready), .step_addr_o(slot_addr_unused), .step_item_o(step_item),
    .step_row_o(slot_row), .step_write_i(is_step), .step_row_i(slot_after),
    .we_o(slot_we_unused), .waddr_o(slot_waddr_unused), .wdata_o(slot_wdata_unused),
    .foreign_re_i(1'b0), .foreign_addr_i({SlotW{1'b0}}), .foreign_data_o(slot_foreign_unused)
  );

  logic                                stream_valid_unused;
  logic                                stream_busy_unused;
  logic [RowW-1:0]                     stream_addr_unused;
  logic                                stream_item_unused;
  logic                                stream_we_unused;
  logic [RowW-1:0]                     stream_waddr_unused;
  logic [mr_pkg::MessageStreamW-1:0]   stream_wdata_unused;
  logic [mr_pkg::MessageStreamW-1:0]   stream_foreign_unused;
  mr_rmw #(
    .Width(mr_pkg::MessageStreamW), .Depth(Streams), .ItemW(1), .RamLatency(RamLatency)
  ) u_stream (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(stream_init), .busy_o(stream_busy_unused),
    .s_valid_i(s_valid), .s_ready_o(stream_ready), .s_addr_i(s_desc.stream_row[RowW-1:0]), .s_item_i(1'b0),
    .step_valid_o(stream_valid_unused), .step_ready_i(step_ready), .step_addr_o(stream_addr_unused),
    .step_item_o(stream_item_unused),
    .step_row_o(stream_row), .step_write_i(is_step), .step_row_i(stream_after),
    .we_o(stream_we_unused), .waddr_o(stream_waddr_unused), .wdata_o(stream_wdata_unused),
    .foreign_re_i(1'b0), .foreign_addr_i({RowW{1'b0}}), .foreign_data_o(stream_foreign_unused)
  );
  assign ready_o = slot_init && stream_init;

  // ---- step
  mr_desc_t           desc;
  mr_message_slot_t   slot;
  mr_message_stream_t stream;
  mr_message_in_t     step_in;
  mr_message_out_t    step_out;
  logic [7:0]         step_op;
  assign desc   = step_item[mr_pkg::DescW-1:0];
  assign slot   = slot_row;
  assign stream = stream_row;

  wire is_fault  = step_item[ItemW-1];
  wire is_frame  = !is_fault && (desc.op == 4'd0) && (desc.reason == mr_pkg::ReasonNone);
  wire is_packet = is_frame && desc.place;
  wire is_probe  = is_frame && (desc.opcode == mr_pkg::OpcodeProbe);
  wire is_query  = is_probe && desc.query;
  wire is_set    = !is_fault && (desc.op == mr_pkg::CommandStreamSet) && !desc.old;
  wire is_close  = !is_fault && (desc.op == mr_pkg::CommandStreamClose) && !desc.old;
  assign is_step = is_fault || is_packet || is_query || is_set || is_close;

  always @* begin
    step_op = mr_pkg::MessageOpPacket;
    if (is_fault) step_op = mr_pkg::MessageOpFault;
    else if (is_set) step_op = mr_pkg::MessageOpSet;
    else if (is_close) step_op = mr_pkg::MessageOpClose;
    else if (is_query) step_op = mr_pkg::MessageOpQuery;
  end

  always @* begin
    step_in            = '0;
    step_in.stream_row = desc.stream_row;
    step_in.msn        = desc.msn;
    step_in.attempt    = desc.attempt;
    if (is_fault) begin
      step_in.life_in = desc.life;
    end else begin
      step_in.opcode      = desc.opcode;
      step_in.length      = desc.length;
      step_in.offset      = desc.offset;
      step_in.payload_len = desc.payload_len;
      step_in.old         = desc.old;
      step_in.syndrome_in = desc.syndrome;
      step_in.life_in     = is_set ? desc.txn : 8'd0;
    end
  end

  mr_message_step u_step (
    .slot_i(slot), .stream_i(stream), .op_i(step_op), .in_i(step_in),
    .slot_o(slot_after), .stream_o(stream_after), .out_o(step_out)
  );

  // ---- exits
  wire is_nak    = is_step && step_out.nak;
  wire out_ready;
  assign step_ready = (!is_nak || m_nak_ready_i) && (!is_probe || m_answer_ready_i);
  wire commit       = step_valid && step_ready;
  assign m_nak_valid_o    = step_valid && is_nak;
  assign m_answer_valid_o = step_valid && is_probe;

  mr_reply_t reply;
  always @* begin
    reply            = '0;
    reply.xid        = desc.xid;
    reply.conn       = desc.conn;
    reply.path       = desc.path;
    reply.path_row   = desc.path_row;
    reply.stream     = desc.stream;
    reply.stream_row = desc.stream_row;
    reply.sport      = desc.sport;
    if (is_probe) begin
      reply.tx_time   = desc.tx_time;
      reply.port      = desc.port;
      reply.new_epoch = desc.new_epoch;
      reply.query     = desc.query;
      reply.txn       = desc.txn;
    end
    if (is_step) begin
      reply.syndrome    = step_out.syndrome;
      reply.syn_attempt = step_out.syn_attempt;
      reply.syn_msn     = step_out.syn_msn;
    end
  end
  assign m_reply_data_o = reply;

  mr_desc_t   desc_after;
  logic [3:0] verdict;
  always @* begin
    desc_after = desc;
    verdict    = mr_pkg::VerdictNone;
    if (is_packet || is_query) desc_after.life = step_out.life;
    if (is_packet) begin
      verdict          = step_out.verdict;
      desc_after.fresh = step_out.fresh;
    end
  end

  logic [OutW-1:0] count_unused;
  mr_fifo #(.Width(mr_pkg::DescW + 4), .Depth(OutDepth)) u_out (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(commit && !is_fault), .s_ready_o(out_ready), .s_data_i({verdict, desc_after}),
    .m_valid_o(m_desc_valid_o), .m_ready_i(m_desc_ready_i), .m_data_o({m_desc_verdict_o, m_desc_data_o}),
    .count_o(count_unused)
  );

  assign trace_valid_o = commit && is_step;
  assign trace_o = {stream_after, slot_after, step_in, step_out, desc.stream, desc.path, desc.conn, desc.xid, step_op};
  assign idle_o  = (used_q == '0) && !slot_busy;

  wire unused = &{1'b0, s_slot[31:SlotW], s_desc, out_ready, count_unused,
                  slot_addr_unused, slot_we_unused, slot_waddr_unused, slot_wdata_unused, slot_foreign_unused,
                  stream_valid_unused, stream_busy_unused, stream_addr_unused, stream_item_unused, stream_we_unused,
                  stream_waddr_unused, stream_wdata_unused, stream_foreign_unused};
endmodule
`default_nettype wire
