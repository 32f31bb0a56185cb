// mr_complete: completion engine: one (stream, msn) a cycle leaves, in order per stream.
// Model twin: model/complete. Rule: R-COMPLETE. Latency: RamLatency, and 1 to m_cpl.
// Back-pressure: waits for m_cpl (a skid stage); and for m_notice, which is full only when streams with a waiting
// notice were opened again (stream_set forgets it); ack waits for nothing of complete, so it empties.
// A run goes before s_done. So its queue holds what the steps of one pipeline filling can queue, and never fills up: each
// commit frees the place in the pipeline that its run takes.
// notice_head_i is combinational: the ack step of this cycle is in (docs/receive.md section 1).
`include "mr_types.svh"
`include "mr_link.svh"
`default_nettype none
module mr_complete #(
  parameter int Paths      = 4,
  parameter int Streams    = 16,
  parameter int MsgSlots   = 64,
  parameter int RamLatency = 1,
  localparam int RowW      = (Streams > 1) ? $clog2(Streams) : 1,
  localparam int StreamW   = mr_pkg::CompleteStreamW
) (
  input  wire logic                                clk_i,
  input  wire logic                                rst_ni,
  output      logic                                ready_o,
  output      logic                                idle_o,
  input  wire logic [31:0]                         now_i,
  input  wire logic                                s_done_valid_i,
  output      logic                                s_done_ready_o,
  input  wire logic [7:0]                          s_done_op_i,     // done, set or close
  input  wire logic [mr_pkg::DescW-1:0]            s_done_data_i,
  output      logic                                settled_o,       // set or close committed in this cycle
  output      logic                                m_cpl_valid_o,
  input  wire logic                                m_cpl_ready_i,
  output      logic [mr_pkg::CompletionInW-1:0]    m_cpl_data_o,
  output      logic [31:0]                         m_cpl_xid_o,
  output      logic                                m_notice_valid_o,
  input  wire logic                                m_notice_ready_i,
  output      logic [`MR_NOTICE_W-1:0]             m_notice_data_o,
  input  wire logic [31:0]                         notice_head_i,
  // complete.stream for admit (0) and ack (1, 2): read ports and write stream
  input  wire logic [2:0]                          stream_re_i,
  input  wire logic [3*RowW-1:0]                   stream_addr_i,
  output      logic [3*StreamW-1:0]                stream_data_o,
  output      logic                                stream_we_o,
  output      logic [RowW-1:0]                     stream_waddr_o,
  output      logic [StreamW-1:0]                  stream_wdata_o,
  output      logic                                trace_valid_o,
  output      logic [mr_pkg::CompleteCommitW-1:0]  trace_o
);
  localparam int Slots = Streams * MsgSlots;
  localparam int SlotW = $clog2(Slots);
  initial if (MsgSlots > 64 || (MsgSlots & (MsgSlots - 1)) != 0) $fatal(1, "mr_complete: MsgSlots is a power of two, 64 at most");
  initial if (Streams < 2 || (Streams & (Streams - 1)) != 0) $fatal(1, "mr_complete: Streams is a power of two, 2 at least");

  // What is kept of a message that is done, until it is released.
  localparam int InfoW = 184;
  typedef struct packed {
    logic [31:0] xid;
    logic [15:0] path_row;
    logic [15:0] conn;
    logic [15:0] stream;
    logic [ 7:0] opcode;
    logic [31:0] length;
    logic [31:0] imm_value;
    logic [31:0] wr_id;
  } info_t;

  // A run: the next message of a stream is done too. life: of the stream when it was queued.
  localparam int RunW = 56;
  typedef struct packed {
    logic [15:0] stream_row;
    logic [31:0] msn;
    logic [ 7:0] life;
  } run_t;

  localparam int ItemW = 8 + RunW + InfoW;
  typedef struct packed {
    logic [ 7:0] op;
    run_t        key;
    info_t       info;
  } item_t;

  // ---- entrance: runs first
  mr_desc_t        s_desc;
  logic            run_valid;
  logic [RunW-1:0] run_data;
  run_t            s_key;
  info_t           s_info;
  logic            s_ready;
  assign s_desc = s_done_data_i;

  wire [7:0] s_life = (s_done_op_i == mr_pkg::CompleteOpSet) ? s_desc.txn :
                      ((s_done_op_i == mr_pkg::CompleteOpClose) ? 8'd0 : s_desc.life);
  assign s_key  = run_valid ? run_data : {s_desc.stream_row, s_desc.msn, s_life};
  assign s_info = {s_desc.xid, s_desc.path_row, s_desc.conn, s_desc.stream, s_desc.opcode, s_desc.length,
                   s_desc.imm_value, s_desc.wr_id};
  wire [ItemW-1:0] s_item  = {run_valid ? mr_pkg::CompleteOpRun : s_done_op_i, s_key, s_info};
  wire [31:0]      s_slot  = 32'(s_key.stream_row) * 32'(MsgSlots) + (s_key.msn & 32'(MsgSlots - 1));
  wire             s_valid = run_valid || s_done_valid_i;
  assign s_done_ready_o = s_ready && !run_valid;

  // ---- row of the stream
  logic                step_valid;
  logic                step_ready;
  logic                busy;
  logic [RowW-1:0]     step_addr_unused;
  logic [ItemW-1:0]    step_item;
  logic [StreamW-1:0]  step_row;
  mr_complete_stream_t row_after;
  mr_rmw #(
    .Width(StreamW), .Depth(Streams), .ItemW(ItemW), .Foreign(3), .RamLatency(RamLatency)
  ) u_stream (
    .clk_i(clk_i), .rst_ni(rst_ni), .ready_o(ready_o), .busy_o(busy),
    .s_valid_i(s_valid), .s_ready_o(s_ready), .s_addr_i(s_key.stream_row[RowW-1:0]), .s_item_i(s_item),
    .step_valid_o(step_valid), .step_ready_i(step_ready), .step_addr_o(step_addr_unused), .step_item_o(step_item),
    .step_row_o(step_row), .step_write_i(1'b1), .step_row_i(row_after),
    .we_o(stream_we_o), .waddr_o(stream_waddr_o), .wdata_o(stream_wdata_o),
    .foreign_re_i(stream_re_i), .foreign_addr_i(stream_addr_i), .foreign_data_o(stream_data_o)
  );

  // ---- what done kept, in step with the row; never read before it was written
  logic             info_we;
  logic [SlotW-1:0] step_slot;
  logic [InfoW-1:0] step_info;
  logic [InfoW-1:0] kept;
  logic             info_re;
  logic [SlotW-1:0] info_addr;
  logic [InfoW-1:0] info_data;
  logic             info_ready_unused;
  logic             info_valid_unused;
  logic             info_item_unused;
  logic             info_busy_unused;
  mr_ram #(.Width(InfoW), .Depth(Slots), .RamLatency(RamLatency)) u_info_ram (
    .clk_i(clk_i), .we_i(info_we), .waddr_i(step_slot), .wdata_i(step_info),
    .re_i(info_re), .raddr_i(info_addr), .rdata_o(info_data)
  );
  mr_lookup #(.Width(InfoW), .Depth(Slots), .ItemW(1), .RamLatency(RamLatency)) u_info (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(s_valid && s_ready), .s_ready_o(info_ready_unused), .s_addr_i(s_slot[SlotW-1:0]), .s_item_i(1'b0),
    .m_valid_o(info_valid_unused), .m_ready_i(step_ready), .m_addr_o(step_slot), .m_item_o(info_item_unused),
    .m_row_o(kept), .busy_o(info_busy_unused),
    .ram_re_o(info_re), .ram_addr_o(info_addr), .ram_data_i(info_data),
    .we_i(info_we), .waddr_i(step_slot), .wdata_i(step_info)
  );

  // ---- step
  item_t               item;
  info_t               info;
  mr_complete_stream_t row;
  mr_complete_in_t     step_in;
  mr_complete_out_t    step_out;
  logic [31:0]         notice_tail_q;
  assign item      = step_item;
  assign row       = step_row;
  assign step_info = item.info;
  wire   is_run    = (item.op == mr_pkg::CompleteOpRun);
  assign info      = is_run ? kept : item.info;

  always @* begin
    step_in             = '0;
    step_in.stream_row  = item.key.stream_row;
    step_in.msn         = item.key.msn;
    step_in.life        = item.key.life;
    step_in.path_row    = info.path_row;
    step_in.conn        = info.conn;
    step_in.stream      = info.stream;
    step_in.opcode      = info.opcode;
    step_in.length      = info.length;
    step_in.imm_value   = info.imm_value;
    step_in.wr_id       = info.wr_id;
    step_in.notice_head = notice_head_i;
    step_in.notice_tail = notice_tail_q;
  end

  mr_complete_step u_step (.row_i(row), .op_i(item.op), .in_i(step_in), .row_o(row_after), .out_o(step_out));

  // ---- exits
  logic cpl_ready;
  logic run_ready;
  assign step_ready = (!step_out.release_f || cpl_ready) && (!step_out.notice || m_notice_ready_i) &&
                      (!step_out.run_next || run_ready);
  wire commit  = step_valid && step_ready;
  wire is_done = (item.op == mr_pkg::CompleteOpDone);
  assign info_we   = commit && is_done && (step_out.release_f || (row_after.done != row.done));
  assign settled_o = commit && ((item.op == mr_pkg::CompleteOpSet) || (item.op == mr_pkg::CompleteOpClose));

  logic [$clog2(RamLatency + 3)-1:0] run_count_unused;
  mr_fifo #(.Width(RunW), .Depth(RamLatency + 2)) u_run (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(commit && step_out.run_next), .s_ready_o(run_ready),
    .s_data_i({item.key.stream_row, row_after.completed, row.life}),
    .m_valid_o(run_valid), .m_ready_i(s_ready), .m_data_o(run_data), .count_o(run_count_unused)
  );

  // conn, stream, msn, opcode, length, imm_value, wr_id of the record completion, first field lowest
  wire [mr_pkg::CompletionInW-1:0] cpl = {info.wr_id, info.imm_value, info.length, info.opcode, item.key.msn, info.stream,
                                          info.conn};
  mr_skid #(.Width(mr_pkg::CompletionInW + 32)) u_cpl (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_valid_i(commit && step_out.release_f), .s_ready_o(cpl_ready), .s_data_i({info.xid, cpl}),
    .m_valid_o(m_cpl_valid_o), .m_ready_i(m_cpl_ready_i), .m_data_o({m_cpl_xid_o, m_cpl_data_o})
  );

  assign m_notice_valid_o = commit && step_out.notice;
  assign m_notice_data_o  = {item.key.stream_row, info.stream, info.conn, info.path_row, row.life, now_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) notice_tail_q <= '0;
    else if (m_notice_valid_o) notice_tail_q <= notice_tail_q + 32'd1;
  end

  assign trace_valid_o = commit;
  wire [15:0] path = info.path_row & 16'(Paths - 1);
  assign trace_o = {row_after, step_in, step_out, info.stream, path[7:0], info.conn, info.xid, item.op};
  assign idle_o  = !busy && !run_valid && !m_cpl_valid_o;

  wire unused = &{1'b0, s_desc, s_slot[31:SlotW], step_addr_unused, info_ready_unused, info_valid_unused,
                  info_item_unused, info_busy_unused, run_count_unused, path[15:8]};
endmodule
`default_nettype wire
