// mr_place: verdicts in, memory writes out; bytes count, and commands are confirmed, when the memory port has answered.
// Model twin: model/place (step) and the place queue of model/conn. Rules: R-PLACE, docs/memory-port.md.
// Latency: 3 or 4 cycles to the first beat of a write (mr_place_shift); RamLatency + 2 from an answer to the commit.
// Order: everything that needs an answer or a position goes through one queue of InFlight entries: writes, empty messages
// and commands leave it in the order they came in; a command is confirmed behind all answers before it. A stream_set or
// stream_close is confirmed when complete has committed it (s_settled_i), so that what is confirmed is in force.
// Back-pressure: s_desc waits for the queue, the memory port, and, through them, m_done. m_fault may be held back: message
// takes a fault whatever place does (docs/rtl.md). Answers never wait: there is room for one for every entry.
// Places for planted faults: order of the answer queue, the wait for s_settled_i, m_done before the answer.
`include "mr_types.svh"
`default_nettype none
module mr_place #(
  parameter int Streams    = 16,
  parameter int MsgSlots   = 64,
  parameter int RamLatency = 1,
  parameter int InFlight   = 64
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  output      logic         ready_o,            // the tallies are initialised
  input  wire logic         s_desc_valid_i,
  output      logic         s_desc_ready_o,
  input  wire logic [mr_pkg::DescW-1:0] s_desc_data_i,
  input  wire logic [  3:0] s_desc_verdict_i,   // 0 (none) beside a command and where message had no step
  output      logic         m_pbuf_valid_o,
  output      logic [ 15:0] m_pbuf_addr_o,
  input  wire logic [511:0] s_pbuf_data_i,      // one cycle later, held until the next read
  output      logic         m_release_valid_o,
  output      logic [  7:0] m_release_beats_o,
  output      logic         m_mem_valid_o,
  input  wire logic         m_mem_ready_i,
  output      logic         m_mem_first_o,
  output      logic         m_mem_last_o,
  output      logic [ 31:0] m_mem_xid_o,
  output      logic [ 63:0] m_mem_addr_o,
  output      logic [ 15:0] m_mem_len_o,
  output      logic [511:0] m_mem_data_o,
  input  wire logic         s_mem_rsp_valid_i,  // one a write, in order of the writes
  input  wire logic         s_mem_rsp_error_i,
  output      logic         m_done_valid_o,     // to complete
  input  wire logic         m_done_ready_i,
  output      logic [  7:0] m_done_op_o,
  output      logic [mr_pkg::DescW-1:0] m_done_data_o,
  input  wire logic         s_settled_i,        // complete committed a set or a close in this cycle
  output      logic         m_fault_valid_o,    // to message
  input  wire logic         m_fault_ready_i,
  output      logic [mr_pkg::DescW-1:0] m_fault_data_o,
  output      logic         cmd_done_valid_o,
  output      logic [  3:0] cmd_done_op_o,
  output      logic [ 31:0] cmd_done_xid_o,
  output      logic         trace_valid_o,
  output      logic [mr_pkg::PlaceCommitW-1:0] trace_o,
  output      logic         idle_o
);
  initial if (MsgSlots < 2 || MsgSlots > 64 || (MsgSlots & (MsgSlots - 1)) != 0)
    $fatal(1, "mr_place: MsgSlots is a power of two, 2 to 64");
  initial if (Streams < 2 || (Streams & (Streams - 1)) != 0) $fatal(1, "mr_place: Streams is a power of two, 2 at least");
  initial if (InFlight < 2) $fatal(1, "mr_place: InFlight is at least 2");

  localparam int Rows  = Streams * MsgSlots;
  localparam int RowW  = $clog2(Rows);
  localparam int SlotW = $clog2(MsgSlots);

  // What a descriptor leaves behind until its answer: the fields of its records, and of a NAK after a fault.
  typedef struct packed {
    logic        is_write;
    logic        is_void;
    logic [ 3:0] op;
    logic [31:0] xid;
    logic [15:0] sport;
    logic [15:0] conn;
    logic [ 7:0] path;
    logic [15:0] path_row;
    logic [15:0] stream;
    logic [15:0] stream_row;
    logic [ 7:0] life;
    logic        fresh;
    logic [ 7:0] txn;
    logic [31:0] msn;
    logic [ 3:0] attempt;
    logic [ 7:0] opcode;
    logic [31:0] length;
    logic [15:0] payload_len;
    logic [63:0] addr;
    logic [31:0] imm_value;
    logic [31:0] wr_id;
  } entry_t;
  localparam int EntryW = 363;

  // Nobody asks for these.
  logic [$clog2(InFlight+1)-1:0]  flight_count, rsp_count;
  logic [2:0]                     done_count, fault_count;
  logic                           tally_we;
  logic [RowW-1:0]                tally_addr;
  logic [mr_pkg::PlaceTallyW-1:0] tally_data, tally_foreign;

  // ---- take: a write goes to the shifter and, with its last read, to the queue; all else in one cycle
  mr_desc_t desc;
  assign desc = s_desc_data_i;
  wire is_cmd   = (desc.op != 4'd0);
  wire is_place = !is_cmd && (s_desc_verdict_i == mr_pkg::VerdictPlace);
  wire is_write = is_place && (desc.payload_len != 16'd0);
  wire waits    = is_cmd || is_place;

  logic queue_ready, take_ready, shift_busy;
  always_comb begin
    if (is_write) s_desc_ready_o = queue_ready && take_ready;
    else          s_desc_ready_o = !waits || queue_ready;
  end
  wire take = s_desc_valid_i && s_desc_ready_o;
  assign m_release_valid_o = take && (desc.buf_beats != 8'd0);
  assign m_release_beats_o = desc.buf_beats;

  mr_place_shift u_shift (
    .clk_i, .rst_ni,
    .s_take_valid_i(s_desc_valid_i && is_write && queue_ready), .s_take_ready_o(take_ready),
    .s_take_xid_i(desc.xid), .s_take_addr_i(desc.addr), .s_take_len_i(desc.payload_len), .s_take_hdr_i(desc.hdr_len),
    .s_take_beat_i(desc.buf_beat), .s_take_beats_i(desc.buf_beats),
    .m_pbuf_valid_o, .m_pbuf_addr_o, .s_pbuf_data_i,
    .m_mem_valid_o, .m_mem_ready_i, .m_mem_first_o, .m_mem_last_o, .m_mem_xid_o, .m_mem_addr_o, .m_mem_len_o,
    .m_mem_data_o, .busy_o(shift_busy)
  );

  entry_t entry;
  always_comb begin
    entry.is_write    = is_write;
    entry.is_void     = desc.old;
    entry.op          = desc.op;
    entry.xid         = desc.xid;
    entry.sport       = desc.sport;
    entry.conn        = desc.conn;
    entry.path        = desc.path;
    entry.path_row    = desc.path_row;
    entry.stream      = desc.stream;
    entry.stream_row  = desc.stream_row;
    entry.life        = desc.life;
    entry.fresh       = desc.fresh;
    entry.txn         = desc.txn;
    entry.msn         = desc.msn;
    entry.attempt     = desc.attempt;
    entry.opcode      = desc.opcode;
    entry.length      = desc.length;
    entry.payload_len = desc.payload_len;
    entry.addr        = desc.addr;
    entry.imm_value   = desc.imm_value;
    entry.wr_id       = desc.wr_id;
  end

  // ---- in flight, and the answers
  logic              head_valid, head_ready, rsp_valid, rsp_error;
  logic [EntryW-1:0] head_data;
  entry_t            head;
  assign head = head_data;
  mr_fifo #(.Width(EntryW), .Depth(InFlight)) u_flight (
    .clk_i, .rst_ni, .s_valid_i(take && waits), .s_ready_o(queue_ready), .s_data_i(entry),
    .m_valid_o(head_valid), .m_ready_i(head_ready), .m_data_o(head_data), .count_o(flight_count)
  );
  logic rsp_ready;
  mr_fifo #(.Width(1), .Depth(InFlight)) u_rsp (
    .clk_i, .rst_ni, .s_valid_i(s_mem_rsp_valid_i), .s_ready_o(rsp_ready), .s_data_i(s_mem_rsp_error_i),
    .m_valid_o(rsp_valid), .m_ready_i(head_valid && head_ready && head.is_write), .m_data_o(rsp_error), .count_o(rsp_count)
  );

  // ---- tally
  logic              rmw_ready, rmw_busy, step_valid, step_ready;
  logic [EntryW:0]   step_item;
  logic [RowW-1:0]   step_addr;
  logic [mr_pkg::PlaceTallyW-1:0] step_row;
  mr_place_tally_t   row_i, row_o;
  mr_place_in_t      in;
  mr_place_out_t     out;
  entry_t            item;
  logic              item_error;
  assign {item_error, item} = step_item;
  assign row_i = step_row;

  wire step_cmd = (item.op != 4'd0);
  mr_rmw #(
    .Width(mr_pkg::PlaceTallyW), .Depth(Rows), .ItemW(EntryW + 1), .RamLatency(RamLatency)
  ) u_rmw (
    .clk_i, .rst_ni, .ready_o, .busy_o(rmw_busy),
    .s_valid_i(head_valid && (!head.is_write || rsp_valid)), .s_ready_o(rmw_ready),
    .s_addr_i({head.stream_row[RowW-SlotW-1:0], head.msn[SlotW-1:0]}), .s_item_i({rsp_error && head.is_write, head_data}),
    .step_valid_o(step_valid), .step_ready_i(step_ready), .step_addr_o(step_addr), .step_item_o(step_item),
    .step_row_o(step_row), .step_write_i(!step_cmd), .step_row_i(row_o),
    .we_o(tally_we), .waddr_o(tally_addr), .wdata_o(tally_data), .foreign_re_i(1'b0), .foreign_addr_i({RowW{1'b0}}),
    .foreign_data_o(tally_foreign)
  );
  assign head_ready = rmw_ready && (!head.is_write || rsp_valid);

  wire [7:0] place_op = item.is_write ? mr_pkg::PlaceOpWrite : mr_pkg::PlaceOpEmpty;
  always_comb begin
    in             = '0;
    in.stream_row  = item.stream_row;
    in.life        = item.life;
    in.msn         = item.msn;
    in.attempt     = item.attempt;
    in.fresh       = item.fresh;
    in.length      = item.length;
    in.payload_len = item.payload_len;
    in.addr        = item.addr;
    in.error       = item_error;
  end
  mr_place_step u_step (.row_i, .op_i(place_op), .in_i(in), .row_o, .out_o(out));

  // ---- commit: both queues behind it have room, so it never depends on the step
  logic       done_ready, fault_ready;
  logic       unsettled_q;
  logic [7:0] done_op;
  wire is_set   = (item.op == mr_pkg::CommandStreamSet) && !item.is_void;
  wire is_close = (item.op == mr_pkg::CommandStreamClose) && !item.is_void;
  wire passes   = is_set || is_close;
  assign step_ready = done_ready && fault_ready && !(step_cmd && unsettled_q);
  wire commit   = step_valid && step_ready;
  always_comb begin
    if (is_set)        done_op = mr_pkg::CompleteOpSet;
    else if (is_close) done_op = mr_pkg::CompleteOpClose;
    else               done_op = mr_pkg::CompleteOpDone;
  end

  logic [EntryW+7:0] done_data;
  logic [EntryW-1:0] fault_data;
  entry_t            done_item, fault_item;
  assign {m_done_op_o, done_item} = done_data;
  assign fault_item = fault_data;
  mr_fifo #(.Width(EntryW + 8), .Depth(4)) u_done (
    .clk_i, .rst_ni, .s_valid_i(commit && (step_cmd ? passes : out.done)), .s_ready_o(done_ready),
    .s_data_i({done_op, step_item[EntryW-1:0]}),
    .m_valid_o(m_done_valid_o), .m_ready_i(m_done_ready_i), .m_data_o(done_data), .count_o(done_count)
  );
  mr_fifo #(.Width(EntryW), .Depth(4)) u_fault (
    .clk_i, .rst_ni, .s_valid_i(commit && !step_cmd && out.fault), .s_ready_o(fault_ready),
    .s_data_i(step_item[EntryW-1:0]),
    .m_valid_o(m_fault_valid_o), .m_ready_i(m_fault_ready_i), .m_data_o(fault_data), .count_o(fault_count)
  );

  // ---- confirmations, in order; one that waits for complete holds back the next command only
  logic [ 3:0] held_op_q;
  logic [31:0] held_xid_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      unsettled_q      <= 1'b0;
      cmd_done_valid_o <= 1'b0;
    end else begin
      if (commit && step_cmd && passes) unsettled_q <= 1'b1;
      else if (s_settled_i) unsettled_q <= 1'b0;
      cmd_done_valid_o <= (unsettled_q && s_settled_i) || (commit && step_cmd && !passes);
    end
  end
  always_ff @(posedge clk_i) begin
    if (commit && step_cmd) begin
      held_op_q  <= item.op;
      held_xid_q <= item.xid;
    end
    cmd_done_op_o  <= unsettled_q ? held_op_q : item.op;
    cmd_done_xid_o <= unsettled_q ? held_xid_q : item.xid;
  end

  assign trace_valid_o = commit && !step_cmd;
  assign trace_o       = {row_o, in, out, item.stream, item.path, item.conn, item.xid, place_op};

  assign idle_o = !s_desc_valid_i && !shift_busy && !head_valid && !rmw_busy && !m_done_valid_o && !m_fault_valid_o &&
                  !unsettled_q && !cmd_done_valid_o;

  // ---- descriptors again; what neither message nor complete looks at is zero
  mr_desc_t done_desc, fault_desc;
  always_comb begin
    done_desc             = '0;
    done_desc.op          = done_item.op;
    done_desc.xid         = done_item.xid;
    done_desc.conn        = done_item.conn;
    done_desc.path        = done_item.path;
    done_desc.path_row    = done_item.path_row;
    done_desc.stream      = done_item.stream;
    done_desc.stream_row  = done_item.stream_row;
    done_desc.life        = done_item.life;
    done_desc.txn         = done_item.txn;
    done_desc.msn         = done_item.msn;
    done_desc.opcode      = done_item.opcode;
    done_desc.length      = done_item.length;
    done_desc.imm_value   = done_item.imm_value;
    done_desc.wr_id       = done_item.wr_id;
    fault_desc            = '0;
    fault_desc.xid        = fault_item.xid;
    fault_desc.sport      = fault_item.sport;
    fault_desc.conn       = fault_item.conn;
    fault_desc.path       = fault_item.path;
    fault_desc.path_row   = fault_item.path_row;
    fault_desc.stream     = fault_item.stream;
    fault_desc.stream_row = fault_item.stream_row;
    fault_desc.life       = fault_item.life;
    fault_desc.msn        = fault_item.msn;
    fault_desc.attempt    = fault_item.attempt;
  end

  // Open outputs, and fields of the structs that are of no use at their place.
  wire unused = &{1'b0, flight_count, rsp_count, done_count, fault_count, tally_we, tally_addr, tally_data, tally_foreign,
                  desc, head, item, done_item, fault_item, rsp_ready, step_addr};
  assign m_done_data_o  = done_desc;
  assign m_fault_data_o = fault_desc;
endmodule
`default_nettype wire
