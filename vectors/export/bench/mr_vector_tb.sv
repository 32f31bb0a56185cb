// mr_vector_tb: one exported vector against mr_rx_top: drives the stimulus, checks everything that the vector expects.
// Needs no other program: runs in Icarus (-g2012) and in Verilator (--binary --timing). docs/vectors.md.
//   +dir=DIR     folder of the vector: *.hex (vectors/export writes them)
// Sizes of the memories and places in records come from vector_sizes.svh, table sizes from the preset's parameters there.
// Prints "PASS NAME ..." or "FAIL NAME: ..." with segment, frame, rule and both values, and ends in $fatal on a failure.
//
// The bench drives one thing after the other at the falling edge and samples at the rising one. Order is checked class by
// class, as the vector says; an acknowledgement must report the state of its path behind one of its packets, in their
// order, never ahead of what entered, and the last one when the device is idle.
`include "vector_sizes.svh"
`timescale 1ns / 1ps
`default_nettype none
module mr_vector_tb;
  localparam int PacketW = 896;

  // ---- the vector
  string dir, name;
  reg [31:0]  meta  [0:15];
  reg [647:0] prog  [0:`VEC_PROG];
  reg [135:0] fate  [0:`VEC_FATES];
  reg [511:0] data  [0:`VEC_DATA];
  reg [199:0] cpl   [0:`VEC_CPLS];
  reg [1975:0] reply[0:`VEC_REPLIES];
  reg [1023:0] state[0:`VEC_STATES];
  reg [47:0]  rd    [0:`VEC_READS];
  reg [35:0]  dn    [0:`VEC_DONES];
  reg [287:0] seg   [0:`VEC_SEGS];
  reg [31:0]  hint  [0:`VEC_HINTS];
  integer n_prog, n_hints, n_segs;

  // ---- what was seen
  reg          cpl_seen  [0:`VEC_CPLS];
  reg          reply_seen[0:`VEC_REPLIES];
  reg          written   [0:`VEC_FATES];
  integer      pointer   [0:`VEC_ROWS];     // by path row: the state that the last ACK reported
  reg          reported  [0:`VEC_ROWS];
  integer frames, admits, windows, messages, writes, cpls, replies, reads, dones, acks, held, accesses;
  integer now_seg;
  reg     failed;

  reg clk, rst_n;
  initial clk = 1'b0;
  always #2 clk = !clk;

  // ---- the device
  logic         frame_valid, frame_last, reg_valid, reg_write, mem_ready, rsp_valid, rsp_error, cpl_ready, ack_ready;
  logic [6:0]   frame_bytes;
  logic [511:0] frame_data;
  logic [11:0]  reg_addr;
  logic [31:0]  reg_wdata;
  wire          reg_ready, reg_answer, mem_valid, mem_first, mem_last, cpl_valid, ack_valid, ack_first, ack_last, done_valid, ready, idle;
  wire [31:0]   reg_rdata, mem_xid, cpl_xid, ack_xid, done_xid;
  wire [63:0]   mem_addr, cycle;
  wire [15:0]   mem_len, ack_conn, ack_sport;
  wire [511:0]  mem_data, ack_data;
  wire [6:0]    ack_bytes;
  wire [7:0]    ack_path;
  wire [3:0]    done_op;
  wire [mr_pkg::CompletionInW-1:0]  cpl_data;
  wire          t_admit, t_window, t_key, t_recv, t_message;
  wire [mr_pkg::AdmitCommitW-1:0]   d_admit;
  wire [mr_pkg::WindowCommitW-1:0]  d_window;
  wire [mr_pkg::KeyCommitW-1:0]     d_key;
  wire [mr_pkg::RecvCommitW-1:0]    d_recv;
  wire [mr_pkg::MessageCommitW-1:0] d_message;

  mr_rx_top #(
    .Conns(`VEC_CONNS), .Paths(`VEC_PATHS), .Streams(`VEC_STREAMS), .MsgSlots(`VEC_MSG_SLOTS), .Recvs(`VEC_RECVS), .Keys(`VEC_KEYS),
    .BufBeats(`VEC_BUF_BEATS), .RamLatency(`VEC_RAM_LATENCY), .DescDepth(`VEC_DESC_DEPTH)
  ) dut (
    .clk_i(clk), .rst_ni(rst_n),
    .s_frame_valid_i(frame_valid), .s_frame_last_i(frame_last), .s_frame_bytes_i(frame_bytes), .s_frame_data_i(frame_data),
    .s_reg_valid_i(reg_valid), .s_reg_ready_o(reg_ready), .s_reg_write_i(reg_write), .s_reg_addr_i(reg_addr), .s_reg_wdata_i(reg_wdata),
    .m_reg_valid_o(reg_answer), .m_reg_rdata_o(reg_rdata),
    .m_mem_valid_o(mem_valid), .m_mem_ready_i(mem_ready), .m_mem_first_o(mem_first), .m_mem_last_o(mem_last), .m_mem_xid_o(mem_xid),
    .m_mem_addr_o(mem_addr), .m_mem_len_o(mem_len), .m_mem_data_o(mem_data), .s_mem_rsp_valid_i(rsp_valid), .s_mem_rsp_error_i(rsp_error),
    .m_cpl_valid_o(cpl_valid), .m_cpl_ready_i(cpl_ready), .m_cpl_data_o(cpl_data), .m_cpl_xid_o(cpl_xid),
    .m_ack_valid_o(ack_valid), .m_ack_ready_i(ack_ready), .m_ack_first_o(ack_first), .m_ack_last_o(ack_last), .m_ack_bytes_o(ack_bytes),
    .m_ack_data_o(ack_data), .m_ack_conn_o(ack_conn), .m_ack_path_o(ack_path), .m_ack_sport_o(ack_sport), .m_ack_xid_o(ack_xid),
    .cmd_done_valid_o(done_valid), .cmd_done_op_o(done_op), .cmd_done_xid_o(done_xid),
    .trace_admit_valid_o(t_admit), .trace_admit_o(d_admit), .trace_window_valid_o(t_window), .trace_window_o(d_window),
    .trace_key_valid_o(t_key), .trace_key_o(d_key), .trace_recv_valid_o(t_recv), .trace_recv_o(d_recv),
    .trace_message_valid_o(t_message), .trace_message_o(d_message),
    .trace_place_valid_o(), .trace_place_o(), .trace_complete_valid_o(), .trace_complete_o(), .trace_coalesce_valid_o(), .trace_coalesce_o(),
    .trace_ctimer_valid_o(), .trace_ctimer_o(), .trace_ack_valid_o(), .trace_ack_o(), .trace_register_valid_o(), .trace_register_o(),
    .ready_o(ready), .idle_o(idle), .cycle_o(cycle)
  );

  // ---- verdicts
  task fail(input string what, input string rule, input [31:0] xid, input [PacketW-1:0] want, input [PacketW-1:0] got);
    if (!failed) begin
      failed = 1'b1;
      $display("FAIL %0s: segment %0d, frame %0d, cycle %0d: %0s: expected %0h, saw %0h (%0s)", name, now_seg, xid, cycle, what, want, got, rule);
      $fatal(1, "vector failed");
    end
  endtask

  task same(input string what, input string rule, input [31:0] xid, input [PacketW-1:0] want, input [PacketW-1:0] got);
    if (want !== got) fail(what, rule, xid, want, got);
    else held = held + 1;
  endtask

  // Ends of the lists up to which the events of the segments until now go. seg[i] holds them, 32 bits each.
  function integer upto(input integer which);
    upto = seg[now_seg][32*which +: 32];
  endfunction

  function integer from(input integer which);
    from = (now_seg == 0) ? 0 : seg[now_seg-1][32*which +: 32];
  endfunction

  // ---- engines: reason, class, refusal, verdict of a frame. In a commit op stands lowest, then xid, then at 80 the decision.
  always @(posedge clk) if (rst_n && ready) begin
    if ((^{t_admit, t_window, t_key, t_recv, t_message, mem_valid, cpl_valid, ack_valid, done_valid, reg_answer}) === 1'bx)
      fail("a valid is X", "R-RECORD", 0, 0, 0);
    if (t_admit && !d_admit[39]) begin
      admits = admits + 1;
      same("fate reason", "R-ADMIT", d_admit[39:8], {891'd0, fate[d_admit[38:8]][4:0]}, {891'd0, d_admit[84:80]});
    end
    if (t_window && !d_window[39]) begin
      windows = windows + 1;
      same("fate class", "R-WINDOW", d_window[39:8], {892'd0, fate[d_window[38:8]][8:5]}, {892'd0, 1'b0, d_window[82:80]} + 896'd1);
    end
    if (t_key && (d_key[7:0] == 8'd0) && (d_key[83:80] != 4'd0))
      same("fate syndrome", "R-KEY", d_key[39:8], {892'd0, fate[d_key[38:8]][12:9]}, {892'd0, d_key[83:80]});
    if (t_recv && (d_recv[7:0] == 8'd0))
      same("fate syndrome", "R-RECV", d_recv[39:8], {892'd0, fate[d_recv[38:8]][12:9]}, {892'd0, d_recv[83:80]});
    if (t_message && (d_message[7:0] == 8'd0)) begin
      messages = messages + 1;
      same("fate verdict", "R-MESSAGE", d_message[39:8], {892'd0, fate[d_message[38:8]][16:13]}, {892'd0, d_message[83:80]});
    end
  end

  // ---- memory: place, length and every byte; answers in order, with an error where a range of faults is touched
  localparam int Waiting = 256;
  reg [64:0] answers [0:Waiting-1];   // error, cycle in which it is due
  integer answer_head, answer_tail, beat, fault_count;
  reg [63:0] fault_lo [0:63];
  reg [63:0] fault_hi [0:63];
  reg [63:0] latency_lo, latency_hi, last_due;
  reg        broken;

  task touches(input [63:0] addr, input [15:0] len);
    integer i;
    reg [63:0] last;
    begin
      broken = 1'b0;
      last = addr + {48'd0, len} - 64'd1;
      for (i = 0; i < fault_count; i = i + 1)
        if ((last >= addr) ? ((addr <= fault_hi[i]) && (last >= fault_lo[i])) : ((addr <= fault_hi[i]) || (last >= fault_lo[i]))) broken = 1'b1;
    end
  endtask

  reg [135:0] f;
  reg [63:0]  due;
  reg [511:0] lanes;
  integer     left;
  always @(posedge clk) if (rst_n && mem_valid && mem_ready) begin
    f = fate[mem_xid];
    if (mem_first) begin
      beat = 0;
      if (written[mem_xid] !== 1'b0) fail("a second write", "R-MEMWRITE", mem_xid, 0, 1);
      written[mem_xid] = 1'b1;
      writes = writes + 1;
      same("fate write", "R-MEMWRITE", mem_xid, {895'd0, f[17]}, 896'd1);
      same("fate addr", "R-PLACE", mem_xid, {832'd0, f[82:19]}, {832'd0, mem_addr});
      same("fate length", "R-MEMWRITE", mem_xid, {880'd0, f[98:83]}, {880'd0, mem_len});
    end
    left  = {16'd0, f[98:83]} - 64 * beat;
    lanes = (left >= 64) ? {512{1'b1}} : (512'd1 << (8 * left)) - 512'd1;
    same("fate data", "R-MEMWRITE", mem_xid, {384'd0, data[{21'd0, f[130:99]} + beat] & lanes}, {384'd0, mem_data & lanes});
    beat = beat + 1;
    if (mem_last) begin
      same("fate beats", "R-MEMWRITE", mem_xid, ({880'd0, f[98:83]} + 896'd63) / 896'd64, {864'd0, beat});
      touches(f[82:19], f[98:83]);
      same("fate failed", "R-MEMPORT", mem_xid, {895'd0, f[18]}, {895'd0, broken});
      due = cycle + latency_lo + {32'd0, lfsr} % (latency_hi - latency_lo + 64'd1);
      if (due < last_due) due = last_due;
      last_due = due;
      answers[answer_tail % Waiting] = {broken, due};
      answer_tail = answer_tail + 1;
    end
  end

  // ---- completions: in the order of their stream
  integer ci;
  reg     found;
  always @(posedge clk) if (rst_n && cpl_valid && cpl_ready) begin
    found = 1'b0;
    for (ci = from(0); (ci < upto(0)) && !found; ci = ci + 1)
      if (!cpl_seen[ci] && (cpl[ci][31:0] === cpl_data[31:0])) begin
        found = 1'b1;
        cpl_seen[ci] = 1'b1;
        same("completion msn", "R-ORDER", cpl_xid, {864'd0, cpl[ci][63:32]}, {864'd0, cpl_data[63:32]});
        same("completion", "R-COMPLETE", cpl_xid, {728'd0, cpl[ci][167:0]}, {728'd0, cpl_data});
        same("completion frame", "R-COMPLETION", cpl_xid, {864'd0, cpl[ci][199:168]}, {864'd0, cpl_xid});
      end
    if (!found) fail("completion that is not due", "R-COMPLETION", cpl_xid, 0, {728'd0, cpl_data});
    cpls = cpls + 1;
  end

  // ---- replies
  reg [PacketW-1:0] packet;
  integer           packet_bytes;
  always @(posedge clk) if (rst_n && ack_valid && ack_ready) begin
    if (ack_first) begin
      packet = {384'd0, ack_data};
      packet_bytes = {25'd0, ack_bytes};
    end else begin
      packet[PacketW-1:512] = ack_data[PacketW-513:0];
      packet_bytes = packet_bytes + {25'd0, ack_bytes};
    end
    if (ack_last) begin
      same("reply ICRC", "R-ICRC", ack_xid, {864'd0, packet[8*(packet_bytes-4) +: 32]}, {864'd0, crc(packet, packet_bytes - 4)});
      if (packet[15:8] == `VEC_OP_ACK) acknowledge();
      else answer();
    end
  end

  // CRC-32 of IEEE 802.3, reflected
  function [31:0] crc(input [PacketW-1:0] bytes, input integer n);
    integer i, j;
    reg [31:0] c;
    begin
      c = 32'hffffffff;
      for (i = 0; i < n; i = i + 1) begin
        c = c ^ {24'd0, bytes[8*i +: 8]};
        for (j = 0; j < 8; j = j + 1) c = c[0] ? (c >> 1) ^ 32'hedb88320 : c >> 1;
      end
      crc = ~c;
    end
  endfunction

  // width bits from a bit on, in wire order
  function [63:0] field(input [PacketW-1:0] bytes, input integer at, input integer width);
    integer i;
    begin
      field = 64'd0;
      for (i = at; i < at + width; i = i + 1) field = {field[62:0], bytes[8 * (i / 8) + 7 - i % 8]};
    end
  endfunction

  // NAK or answer: in the order of its path and kind
  integer ri;
  reg     hit;
  reg [1975:0] r;
  reg [31:0] completed;
  task answer;
    begin
      hit = 1'b0;
      for (ri = from(1); (ri < upto(1)) && !hit; ri = ri + 1) begin
        r = reply[ri];
        if (!reply_seen[ri] && (r[15:8] === packet[15:8]) && (r[1807:1792] === ack_conn) && (r[1815:1808] === ack_path)) begin
          hit = 1'b1;
          reply_seen[ri] = 1'b1;
          same("reply frame", "R-PKTOUT", ack_xid, {864'd0, r[1863:1832]}, {864'd0, ack_xid});
          same("reply sport", "R-REPLY-PORT", ack_xid, {880'd0, r[1831:1816]}, {880'd0, ack_sport});
          same("reply bytes", "R-PKTOUT", ack_xid, r[895:0] & r[1791:896], packet & r[1791:896]);
          same("reply length", "R-PKTOUT", ack_xid, {888'd0, r[1871:1864]}, {864'd0, packet_bytes});
          completed = field(packet, `VEC_ANSWER_COMPLETED, 32);
          if (r[1872] && (($signed(completed - r[1911:1880]) < 0) || ($signed(r[1943:1912] - completed) < 0)))
            fail("answer completed", "R-QUERY", ack_xid, {832'd0, r[1943:1880]}, {864'd0, completed});
        end
      end
      if (!hit) fail("reply that is not due", "R-PKTOUT", ack_xid, 0, packet);
      replies = replies + 1;
    end
  endtask

  // ACK: the predicates of docs/vectors.md
  integer si, row, best, near;
  reg [1023:0] s;
  reg [31:0]   said;
  reg          okay;
  task acknowledge;
    begin
      acks = acks + 1;
      row  = {16'd0, ack_conn} * `VEC_PATHS + {24'd0, ack_path};
      best = -1;
      near = -1;
      for (si = pointer[row]; (si < upto(2)) && (best < 0); si = si + 1) begin
        s = state[si];
        if (s[911:896] === row[15:0]) begin
          near = si;
          if ((s[895:0] & `VEC_ACK_MASK) === (packet & `VEC_ACK_MASK) && (s[927:912] === ack_sport)) best = si;
        end
      end
      if (best < 0) begin
        okay = 1'b0;
        for (si = 0; si < pointer[row]; si = si + 1) begin
          s = state[si];
          if ((s[911:896] === row[15:0]) && ((s[895:0] & `VEC_ACK_MASK) === (packet & `VEC_ACK_MASK))) okay = 1'b1;
        end
        if (okay) fail("ack.monotone: a state from before the last ACK", "R-ACK", 0, 0, packet & `VEC_ACK_MASK);
        else if (near < 0) fail("ack.state: no packet came on the path", "R-ACK", 0, 0, packet & `VEC_ACK_MASK);
        else fail("ack.state: the nearest state of the path is expected", "R-ACK", state[near][959:928], state[near][895:0] & `VEC_ACK_MASK, packet & `VEC_ACK_MASK);
      end else begin
        held = held + 1;
        s = state[best];
        if (!s[959] && (s[959:928] > frames)) fail("ack.ahead: a frame that did not enter yet", "R-ACK", s[959:928], {864'd0, frames}, {864'd0, s[959:928]});
        pointer[row]  = best;
        reported[row] = 1'b1;
      end
      said = field(packet, `VEC_ACK_HINT_GEN, 8);
      said = (said << 20) | field(packet, `VEC_ACK_HINT, 20);
      okay = 1'b0;
      for (si = 0; si < n_hints; si = si + 1) if (hint[si] === said) okay = 1'b1;
      if (!okay) fail("ack.hint: a hint that was never set", "R-HINT", 0, 0, {864'd0, said});
      if (field(packet, `VEC_ACK_NOTICE_VALID, 1) != 64'd0) begin
        okay = 1'b0;
        for (si = 0; si < upto(0); si = si + 1)
          if ((cpl[si][15:0] === ack_conn) && ({48'd0, cpl[si][31:16]} === field(packet, `VEC_ACK_NOTICE_STREAM, 16)) &&
              ({32'd0, cpl[si][63:32] + 32'd1} === field(packet, `VEC_ACK_NOTICE_MSN, 32))) okay = 1'b1;
        if (!okay) fail("notice.ahead: of a message that was not released", "R-NOTICE", 0, 0, {832'd0, field(packet, `VEC_ACK_NOTICE_MSN, 32)});
      end
    end
  endtask

  // ---- registers and commands
  always @(posedge clk) if (rst_n && reg_answer) begin
    if (reads >= upto(3)) fail("a register answer that is not due", "R-REGISTER", 0, 0, {864'd0, reg_rdata});
    else same("read", "R-REGISTER", 0, {864'd0, rd[reads][31:0]}, {864'd0, reg_rdata});
    reads = reads + 1;
  end
  always @(posedge clk) if (rst_n && done_valid) begin
    if (dones >= upto(4)) fail("a confirmation that is not due", "R-CMDDONE", 0, 0, {864'd0, done_xid});
    else same("done", "R-CMDDONE", 0, {860'd0, dn[dones]}, {860'd0, done_op, done_xid});
    dones = dones + 1;
  end

  // ---- ports: stalls and answers of memory
  reg [31:0] lfsr;
  reg [9:0]  permille [0:5];
  reg [15:0] run      [0:5];
  reg [15:0] stalled  [0:5];
  integer    pi;
  always @(negedge clk) begin
    lfsr = {lfsr[30:0], lfsr[31] ^ lfsr[21] ^ lfsr[1] ^ lfsr[0]};
    for (pi = 1; pi <= 5; pi = pi + 1) begin
      lfsr = {lfsr[30:0], lfsr[31] ^ lfsr[21] ^ lfsr[1] ^ lfsr[0]};
      if (stalled[pi] != 16'd0) stalled[pi] = stalled[pi] - 16'd1;
      else if ((permille[pi] != 10'd0) && (lfsr[20:8] % 1000 < {3'd0, permille[pi]})) stalled[pi] = 16'd1 + lfsr[31:16] % run[pi];
    end
    mem_ready <= (stalled[2] == 16'd0) && (answer_tail - answer_head < Waiting - 1);
    cpl_ready <= (stalled[3] == 16'd0);
    ack_ready <= (stalled[4] == 16'd0);
    rsp_valid <= 1'b0;
    rsp_error <= 1'b0;
    if ((answer_head != answer_tail) && (answers[answer_head % Waiting][63:0] <= cycle)) begin
      rsp_valid <= 1'b1;
      rsp_error <= answers[answer_head % Waiting][64];
      answer_head = answer_head + 1;
    end
  end

  // ---- stimulus
  reg taken;      // a register access was taken at the last rising edge
  always @(posedge clk) taken <= reg_valid && reg_ready;

  integer pc, i, quiet, patience;
  reg [647:0] w;

  task settle(input check);
    begin
      quiet = 0;
      patience = 0;
      while (quiet < 12) begin
        @(negedge clk);
        quiet = (idle && (answer_head == answer_tail) && !rsp_valid) ? quiet + 1 : 0;
        patience = patience + 1;
        if (patience > 400000) begin
          fail("the device does not become idle", "R-IDLE", 0, 0, 0);
          quiet = 12;
        end
      end
      if (check) judge();
    end
  endtask

  // everything of the segment was seen
  task judge;
    begin
      for (i = from(0); i < upto(0); i = i + 1) if (!cpl_seen[i]) fail("completion is missing", "R-COMPLETION", cpl[i][199:168], {728'd0, cpl[i][167:0]}, 0);
      for (i = from(1); i < upto(1); i = i + 1) if (!reply_seen[i]) fail("reply is missing", "R-PKTOUT", reply[i][1863:1832], reply[i][895:0], 0);
      for (i = from(2); i < upto(2); i = i + 1)
        if (state[i][960] && (!reported[state[i][911:896]] || (pointer[state[i][911:896]] != i)))
          fail("ack.final: no ACK reported the last state of the path", "R-ACK", state[i][959:928], state[i][895:0] & `VEC_ACK_MASK, 0);
      same("reads", "R-REGISTER", 0, {864'd0, upto(3)}, {864'd0, reads});
      same("confirmations", "R-CMDDONE", 0, {864'd0, upto(4)}, {864'd0, dones});
      same("frames looked at", "R-ADMIT", 0, {864'd0, upto(5)}, {864'd0, admits});
      same("window steps", "R-WINDOW", 0, {864'd0, upto(6)}, {864'd0, windows});
      same("message verdicts", "R-MESSAGE", 0, {864'd0, upto(7)}, {864'd0, messages});
      same("writes", "R-MEMWRITE", 0, {864'd0, upto(8)}, {864'd0, writes});
      if (now_seg < n_segs - 1) now_seg = now_seg + 1;
    end
  endtask

  task access(input write);
    begin
      reg_valid <= 1'b1;
      reg_write <= write;
      reg_addr  <= w[523:512];
      reg_wdata <= w[607:576];
      @(negedge clk);
      patience = 0;
      while (!taken) begin
        @(negedge clk);
        patience = patience + 1;
        if (patience > 400000) fail("a register access is not taken", "R-REGISTER", 0, 0, 0);
      end
      reg_valid <= 1'b0;
      accesses = accesses + 1;
    end
  endtask

  task load;
    begin
      $readmemh({dir, "/meta.hex"}, meta, 0, 11);
      n_prog = meta[0]; n_segs = meta[9]; n_hints = meta[10];
      $readmemh({dir, "/prog.hex"}, prog, 0, meta[0] - 1);
      $readmemh({dir, "/fate.hex"}, fate, 0, meta[1]);
      if (meta[2] != 0) $readmemh({dir, "/data.hex"}, data, 0, meta[2] - 1);
      if (meta[3] != 0) $readmemh({dir, "/cpl.hex"}, cpl, 0, meta[3] - 1);
      if (meta[4] != 0) $readmemh({dir, "/reply.hex"}, reply, 0, meta[4] - 1);
      if (meta[5] != 0) $readmemh({dir, "/state.hex"}, state, 0, meta[5] - 1);
      if (meta[6] != 0) $readmemh({dir, "/read.hex"}, rd, 0, meta[6] - 1);
      if (meta[7] != 0) $readmemh({dir, "/done.hex"}, dn, 0, meta[7] - 1);
      $readmemh({dir, "/seg.hex"}, seg, 0, meta[9] - 1);
      $readmemh({dir, "/hint.hex"}, hint, 0, meta[10] - 1);
      if ((^prog[n_prog-1]) === 1'bx) $fatal(1, "the program of %0s is not whole", dir);
    end
  endtask

  initial begin
    if (!$value$plusargs("dir=%s", dir)) $fatal(1, "+dir=DIR is missing");
    if (!$value$plusargs("name=%s", name)) name = dir;
    load();
    frames = 0; admits = 0; windows = 0; messages = 0; writes = 0; cpls = 0; replies = 0; reads = 0; dones = 0; acks = 0; held = 0; accesses = 0;
    now_seg = 0; failed = 1'b0; answer_head = 0; answer_tail = 0; fault_count = 0; beat = 0; last_due = 64'd0;
    latency_lo = 64'd8; latency_hi = 64'd8; lfsr = 32'h1badcafe ^ meta[11];
    for (i = 0; i <= `VEC_CPLS; i = i + 1) cpl_seen[i] = 1'b0;
    for (i = 0; i <= `VEC_REPLIES; i = i + 1) reply_seen[i] = 1'b0;
    for (i = 0; i <= `VEC_FATES; i = i + 1) written[i] = 1'b0;
    for (i = 0; i <= `VEC_ROWS; i = i + 1) begin pointer[i] = 0; reported[i] = 1'b0; end
    for (i = 0; i <= 5; i = i + 1) begin permille[i] = 10'd0; run[i] = 16'd1; stalled[i] = 16'd0; end
    rst_n = 1'b0; frame_valid = 1'b0; frame_last = 1'b0; frame_bytes = 7'd0; frame_data = 512'd0;
    reg_valid = 1'b0; reg_write = 1'b0; reg_addr = 12'd0; reg_wdata = 32'd0;
    mem_ready = 1'b0; rsp_valid = 1'b0; rsp_error = 1'b0; cpl_ready = 1'b0; ack_ready = 1'b0;
    repeat (6) @(negedge clk);
    rst_n = 1'b1;
    while (ready !== 1'b1) @(negedge clk);
    for (pc = 0; (pc < n_prog) && !failed; pc = pc + 1) begin
      w = prog[pc];
      case (w[647:640])
        8'd1: begin   // a beat of a frame
          if (w[520]) repeat (w[607:576]) @(negedge clk);
          while (stalled[1] != 16'd0) @(negedge clk);
          if (w[519]) frames = frames + 1;
          frame_valid <= 1'b1;
          frame_last  <= w[519];
          frame_bytes <= w[518:512];
          frame_data  <= w[511:0];
          @(negedge clk);
          frame_valid <= 1'b0;
        end
        8'd2: access(1'b1);
        8'd3: begin
          access(1'b0);
          repeat (2) @(negedge clk);
        end
        8'd4: repeat (w[543:512]) @(negedge clk);
        8'd5: settle(w[512]);
        8'd6: begin   // a range of faults; lo above hi: none
          if (w[575:512] > w[639:576]) fault_count = 0;
          else begin
            fault_lo[fault_count] = w[575:512];
            fault_hi[fault_count] = w[639:576];
            fault_count = fault_count + 1;
          end
        end
        8'd7: begin
          latency_lo = w[575:512];
          latency_hi = w[639:576];
        end
        8'd8: begin
          permille[w[514:512]] = w[585:576];
          run[w[514:512]] = (w[623:608] == 16'd0) ? 16'd1 : w[623:608];
        end
        default: fail("an unknown instruction", "R-RECORD", 0, 0, {888'd0, w[647:640]});
      endcase
    end
    if (!failed) begin
      if (held == 0) $fatal(1, "nothing was held against the vector");
      $display("PASS %0s: %0d values held, %0d ACKs, %0d cycles", name, held, acks, cycle);
      $finish;
    end
  end
endmodule
`default_nettype wire
