// mr_place_tb: descriptors with verdicts through mr_place and mr_pbuf. All streams out are compared in order with files;
// the memory port stalls and answers late. cosim/edge writes the files and starts it; the steps are those of model/place.
//   +descs=N +writes=N +commits=N +dones=N +faults=N +cmds=N   lines of each file
//   +stall=P (of 16 cycles, on every stream)   +latency=N (cycles from a write to its answer, up to twice that)
// descs.hex {verdict[3:0], mr_desc_t}  writes.hex {first, last, xid, addr, len, data}  errors.hex one bit a write
// commits.hex mr_place_commit_t  dones.hex {op[7:0], mr_desc_t}  faults.hex mr_desc_t
// cmds.hex {settles, writes before it[31:0], op[3:0], xid}  ring.hex the packet buffer
`include "mr_types.svh"
`timescale 1ns / 1ps
`default_nettype none
module mr_place_tb;
  localparam int Most  = 1 << 14;
  localparam int Ring  = 1 << 14;
  localparam int DescW = mr_pkg::DescW;
  localparam int MemW  = 2 + 32 + 64 + 16 + 512;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #1 clk = !clk;

  logic [DescW+3:0]                descs  [0:Most-1];
  logic [MemW-1:0]                 writes [0:Most-1];
  logic                            errors [0:Most-1];
  logic [mr_pkg::PlaceCommitW-1:0] commits[0:Most-1];
  logic [DescW+7:0]                dones  [0:Most-1];
  logic [DescW-1:0]                faults [0:Most-1];
  logic [68:0]                     cmds   [0:Most-1];
  int desc_count, write_count, commit_count, done_count, fault_count, cmd_count, stall, latency;

  logic             valid_q, ready, init;
  logic [DescW+3:0] desc_q;
  logic             pbuf_read, release_valid, mem_valid, mem_ready, mem_first, mem_last, rsp_valid, rsp_error;
  logic             done_valid, done_ready, settled, fault_valid, fault_ready, cmd_valid, trace_valid, idle;
  logic [ 15:0]     pbuf_addr, mem_len;
  logic [511:0]     pbuf_data, mem_data;
  logic [  7:0]     release_beats, done_op;
  logic [ 31:0]     mem_xid, cmd_xid;
  logic [ 63:0]     mem_addr;
  logic [  3:0]     cmd_op;
  logic [DescW-1:0] done_data, fault_data;
  logic [mr_pkg::PlaceCommitW-1:0] trace_data;
  mr_place #(.Streams(16), .MsgSlots(16), .RamLatency(2), .InFlight(16)) dut (
    .clk_i(clk), .rst_ni(rst_n), .ready_o(init), .s_desc_valid_i(valid_q), .s_desc_ready_o(ready),
    .s_desc_data_i(desc_q[DescW-1:0]), .s_desc_verdict_i(desc_q[DescW+3:DescW]),
    .m_pbuf_valid_o(pbuf_read), .m_pbuf_addr_o(pbuf_addr), .s_pbuf_data_i(pbuf_data),
    .m_release_valid_o(release_valid), .m_release_beats_o(release_beats),
    .m_mem_valid_o(mem_valid), .m_mem_ready_i(mem_ready), .m_mem_first_o(mem_first), .m_mem_last_o(mem_last),
    .m_mem_xid_o(mem_xid), .m_mem_addr_o(mem_addr), .m_mem_len_o(mem_len), .m_mem_data_o(mem_data),
    .s_mem_rsp_valid_i(rsp_valid), .s_mem_rsp_error_i(rsp_error),
    .m_done_valid_o(done_valid), .m_done_ready_i(done_ready), .m_done_op_o(done_op), .m_done_data_o(done_data),
    .s_settled_i(settled), .m_fault_valid_o(fault_valid), .m_fault_ready_i(fault_ready), .m_fault_data_o(fault_data),
    .cmd_done_valid_o(cmd_valid), .cmd_done_op_o(cmd_op), .cmd_done_xid_o(cmd_xid),
    .trace_valid_o(trace_valid), .trace_o(trace_data), .idle_o(idle)
  );

  // A beat that was released is overwritten in the next cycle: the read must be over by then.
  logic [511:0] ring[0:Ring-1];
  int           free_at = 0;
  always @(posedge clk) begin
    if (pbuf_read) pbuf_data <= ring[pbuf_addr[13:0]];
    if (release_valid) begin
      for (int b = 0; b < int'(release_beats); b++) ring[(free_at + b) % Ring] <= {16{32'h0bad_0bad}};
      free_at <= free_at + int'(release_beats);
    end
  end

  task automatic need(input string name, output int value);
    if (!$value$plusargs({name, "=%d"}, value)) $fatal(1, "+%s is missing", name);
    if (value >= Most) $fatal(1, "more %s than the bench holds", name);
  endtask

  initial begin
    need("descs", desc_count);
    need("writes", write_count);
    need("commits", commit_count);
    need("dones", done_count);
    need("faults", fault_count);
    need("cmds", cmd_count);
    if (!$value$plusargs("stall=%d", stall)) stall = 0;
    if (!$value$plusargs("latency=%d", latency)) latency = 1;
    $readmemh("ring.hex", ring);
    $readmemh("descs.hex", descs, 0, desc_count);
    $readmemh("writes.hex", writes, 0, write_count);
    $readmemh("errors.hex", errors, 0, write_count);
    $readmemh("commits.hex", commits, 0, commit_count);
    $readmemh("dones.hex", dones, 0, done_count);
    $readmemh("faults.hex", faults, 0, fault_count);
    $readmemh("cmds.hex", cmds, 0, cmd_count);
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
  end

  function automatic logic pick(input int of16);
    pick = (($urandom & 32'd15) >= of16);
  endfunction

  // ---- answers: in order, each at a time of its own
  int due[0:Most-1];
  int issued = 0, answered = 0, cycle = 0;
  // ---- places in the files
  int desc_at = 0, write_at = 0, commit_at = 0, done_at = 0, fault_at = 0, cmd_at = 0, settle_at = 0, settled_at = 0, confirmed = 0;
  int settle_due = -1, quiet = 0, first_cycle = 0, last_cycle = 0;
  logic [MemW-1:0] mem, mem_held;
  logic            mem_waits = 1'b0;
  initial begin
    valid_q    = 1'b0;
    mem_ready  = 1'b0;
    rsp_valid  = 1'b0;
    done_ready = 1'b0;
    fault_ready = 1'b0;
    settled    = 1'b0;
  end

  always @(posedge clk) if (rst_n && init) begin
    cycle       <= cycle + 1;
    mem_ready   <= pick(stall);
    done_ready  <= pick(stall);
    fault_ready <= pick(stall);
    if (valid_q && ready) desc_at = desc_at + 1;
    if (!valid_q || ready) begin
      valid_q <= desc_at < desc_count && pick(stall);
      desc_q  <= descs[desc_at];
    end

    mem = {mem_first, mem_last, mem_xid, mem_addr, mem_len, mem_data};
    if (mem_waits && (!mem_valid || mem !== mem_held)) $fatal(1, "write beat %0d changed while it waited", write_at);
    mem_held  = mem;
    mem_waits = mem_valid && !mem_ready;
    if (mem_valid && mem_ready) begin
      if (write_at == write_count) $fatal(1, "a write beat more than expected: %h", mem);
      if (mem !== writes[write_at]) $fatal(1, "write beat %0d is\n%h, not\n%h", write_at, mem, writes[write_at]);
      if (write_at == 0) first_cycle = cycle;
      last_cycle = cycle;
      write_at = write_at + 1;
      if (mem_last) begin
        due[issued] = cycle + latency + $urandom % (latency + 1);
        issued = issued + 1;
      end
    end
    rsp_valid <= 1'b0;
    if (answered < issued && due[answered] <= cycle) begin
      rsp_valid <= 1'b1;
      rsp_error <= errors[answered];
      answered  = answered + 1;
    end

    if (trace_valid) begin
      if (commit_at == commit_count) $fatal(1, "a commit more than expected: %h", trace_data);
      if (trace_data !== commits[commit_at]) $fatal(1, "commit %0d is\n%h, not\n%h", commit_at, trace_data, commits[commit_at]);
      commit_at = commit_at + 1;
    end
    settled <= 1'b0;
    if (settle_at > settled_at && settle_due <= cycle) begin
      settled    <= 1'b1;
      settled_at = settled_at + 1;
    end
    if (done_valid && done_ready) begin
      if (done_at == done_count) $fatal(1, "a done more than expected: %h", done_data);
      if ({done_op, done_data} !== dones[done_at]) $fatal(1, "done %0d is\n%h, not\n%h", done_at, {done_op, done_data}, dones[done_at]);
      done_at = done_at + 1;
      if (done_op == mr_pkg::CompleteOpSet || done_op == mr_pkg::CompleteOpClose) begin
        settle_at  = settle_at + 1;
        settle_due = cycle + $urandom % (stall + 1) * 4;
      end
    end
    if (fault_valid && fault_ready) begin
      if (fault_at == fault_count) $fatal(1, "a fault more than expected: %h", fault_data);
      if (fault_data !== faults[fault_at]) $fatal(1, "fault %0d is\n%h, not\n%h", fault_at, fault_data, faults[fault_at]);
      fault_at = fault_at + 1;
    end
    if (cmd_valid) begin
      if (cmd_at == cmd_count) $fatal(1, "a confirmation more than expected: %h", cmd_xid);
      if ({cmd_op, cmd_xid} !== cmds[cmd_at][35:0]) $fatal(1, "confirmation %0d is of %h, not %h", cmd_at, cmd_xid, cmds[cmd_at][31:0]);
      if (answered < int'(cmds[cmd_at][67:36])) $fatal(1, "command %h is confirmed before the writes before it", cmd_xid);
      if (cmds[cmd_at][68]) begin
        confirmed = confirmed + 1;
        if (confirmed > settled_at) $fatal(1, "command %h is confirmed before complete has it", cmd_xid);
      end
      cmd_at = cmd_at + 1;
    end

    quiet <= (desc_at == desc_count && idle && answered == issued && !rsp_valid) ? quiet + 1 : 0;
    if (quiet == 100) begin
      if (write_at != write_count || commit_at != commit_count || done_at != done_count || fault_at != fault_count || cmd_at != cmd_count)
        $fatal(1, "missing: %0d write beats, %0d commits, %0d dones, %0d faults, %0d confirmations", write_count - write_at,
               commit_count - commit_at, done_count - done_at, fault_count - fault_at, cmd_count - cmd_at);
      $display("PASS writes=%0d released=%0d cycles=%0d", write_at, free_at, last_cycle - first_cycle + 1);
      $finish;
    end
    if (cycle == 400000) $fatal(1, "no end: descriptor %0d of %0d", desc_at, desc_count);
  end
endmodule
`default_nettype wire
