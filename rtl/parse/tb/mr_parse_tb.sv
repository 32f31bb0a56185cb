// mr_parse_tb: frames from a file through mr_parse and mr_pbuf; descriptors and buffer contents against a file.
// Runs in Icarus and in Verilator (--binary). cosim/edge writes the files and starts it; expectations are those of
// model/admit.Parse, room and overrun are judged here. Exit through $fatal on the first difference.
//   +frames=N +beats=N +held=N      lines of the three files; held: beats that wait in the packet buffer
//   +stall=P                        of 16 cycles, about P in which m_desc is not taken
//   +hold=N                         a release about every N cycles
// beats.hex {gap[7:0], last[7:0], bytes[7:0], data}   descs.hex mr_desc_t, buf_beat 0   held.hex data, zero behind the payload
`include "mr_types.svh"
`timescale 1ns / 1ps
`default_nettype none
module mr_parse_tb;
  localparam int BufBeats   = 512;
  localparam int QueueDepth = 8;
  localparam int Most       = 1 << 18;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #1 clk = !clk;

  logic [535:0]              beats[0:Most-1];
  logic [mr_pkg::DescW-1:0]  descs[0:Most-1];
  logic [511:0]              held [0:Most-1];
  int frames, beat_count, held_count, stall, hold;

  logic         frame_valid, frame_last;
  logic [  6:0] frame_bytes;
  logic [511:0] frame_data;
  logic         desc_valid, desc_ready, write_valid, release_valid, idle;
  logic [mr_pkg::DescW-1:0] desc_data;
  logic [ 15:0] write_addr;
  logic [511:0] write_data;
  logic [  7:0] release_beats;
  mr_parse #(.BufBeats(BufBeats), .QueueDepth(QueueDepth)) dut (
    .clk_i(clk), .rst_ni(rst_n), .s_frame_valid_i(frame_valid), .s_frame_last_i(frame_last),
    .s_frame_bytes_i(frame_bytes), .s_frame_data_i(frame_data), .udp_port_i(16'(mr_pkg::UdpPort)),
    .m_desc_valid_o(desc_valid), .m_desc_ready_i(desc_ready), .m_desc_data_o(desc_data),
    .m_pbuf_valid_o(write_valid), .m_pbuf_addr_o(write_addr), .m_pbuf_data_o(write_data),
    .s_release_valid_i(release_valid), .s_release_beats_i(release_beats), .idle_o(idle)
  );

  // The ring as a reader sees it. A beat is copied when it is checked, so a write over it shows.
  logic [511:0] ring[0:BufBeats-1];
  always @(posedge clk) if (write_valid) ring[write_addr[8:0]] <= write_data;

  initial begin
    if (!$value$plusargs("frames=%d", frames)) $fatal(1, "+frames is missing");
    if (!$value$plusargs("beats=%d", beat_count)) $fatal(1, "+beats is missing");
    if (!$value$plusargs("held=%d", held_count)) $fatal(1, "+held is missing");
    if (!$value$plusargs("stall=%d", stall)) stall = 0;
    if (!$value$plusargs("hold=%d", hold)) hold = 1;
    if (frames >= Most || beat_count >= Most || held_count >= Most) $fatal(1, "more lines than the bench holds");
    $readmemh("beats.hex", beats, 0, beat_count - 1);
    $readmemh("descs.hex", descs, 0, frames - 1);
    $readmemh("held.hex", held, 0, held_count);   // one line behind the last, so that the file is never empty
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
  end

  // ---- frames in: nothing holds them back but the gaps of the file
  int at = 0;
  int gap = 0;
  always @(posedge clk) begin
    frame_valid <= 1'b0;
    frame_data  <= {16{32'hdead_beef}};   // what stands in idle cycles is of no meaning
    if (rst_n && at < beat_count) begin
      if (gap < {24'd0, beats[at][535:528]}) gap <= gap + 1;
      else begin
        gap         <= 0;
        at          <= at + 1;
        frame_valid <= 1'b1;
        frame_last  <= beats[at][520];
        frame_bytes <= beats[at][518:512];
        frame_data  <= beats[at][511:0];
      end
    end
  end

  // ---- descriptors out
  function automatic logic pick(input int of16);
    pick = (($urandom & 32'd15) >= of16);
  endfunction

  mr_desc_t got, want;
  int       taken = 0, overruns = 0, no_room = 0, kept = 0, held_at = 0, idle_cycles = 0;
  logic [8:0] start = 9'd0;
  logic [511:0] mask;
  // beats of descriptors that were taken and not yet released, oldest first
  logic [7:0] owed[0:1023];
  int owed_head = 0, owed_tail = 0;

  task automatic check_beats(input int bytes);
    for (int b = 0; b < int'(got.buf_beats); b++) begin
      mask = '1;
      if (bytes - 64 * b < 64) mask = ~('1 << (8 * (bytes - 64 * b)));
      if ((ring[9'(start + 9'(b))] & mask) !== held[held_at + b])
        $fatal(1, "frame %0d: beat %0d of the buffer is %h, not %h", got.xid, b, ring[9'(start + 9'(b))] & mask,
               held[held_at + b]);
    end
  endtask

  always @(posedge clk) begin
    desc_ready    <= rst_n && pick(stall);
    release_valid <= 1'b0;
    if (owed_head != owed_tail && ($urandom % hold) == 0) begin
      release_valid <= 1'b1;
      release_beats <= owed[owed_head % 1024];
      owed_head     <= owed_head + 1;
    end
    if (rst_n && desc_valid && desc_ready) begin
      got  = desc_data;
      want = descs[taken];
      if (got.room == 2'd2) begin
        overruns = overruns + 1;
        held_at  = held_at + int'(want.buf_beats);
        want     = '0;
        want.xid = taken + 1;
        want.room = 2'd2;
        if (got !== want) $fatal(1, "frame %0d: overrun shows more than its number: %h", taken + 1, got);
      end else if (got.room == 2'd0) begin
        no_room        = no_room + 1;
        held_at        = held_at + int'(want.buf_beats);
        if (want.buf_beats == 8'd0) $fatal(1, "frame %0d: no room for nothing", taken + 1);
        want.room      = 2'd0;
        want.buf_beats = 8'd0;
        if (got !== want) $fatal(1, "frame %0d: %h, not %h", taken + 1, got, want);
      end else begin
        if (want.buf_beats != 8'd0) want.buf_beat = 16'(start);
        if (got !== want) $fatal(1, "frame %0d: %h, not %h (reason %0d, not %0d)", taken + 1, got, want, got.reason, want.reason);
        if (want.buf_beats != 8'd0) begin
          check_beats(int'(want.hdr_len) + int'(want.payload_len));
          start   = start + 9'(want.buf_beats);
          held_at = held_at + int'(want.buf_beats);
          kept    = kept + 1;
          owed[owed_tail % 1024] = want.buf_beats;
          owed_tail <= owed_tail + 1;
        end
      end
      taken = taken + 1;
    end
    idle_cycles <= (at == beat_count && !desc_valid && owed_head == owed_tail) ? idle_cycles + 1 : 0;
    if (idle_cycles == 200) begin
      if (taken != frames) $fatal(1, "%0d descriptors for %0d frames", taken, frames);
      if (held_at != held_count) $fatal(1, "%0d beats looked at, %0d expected", held_at, held_count);
      if (!idle) $fatal(1, "idle_o stays low");
      $display("PASS frames=%0d kept=%0d overruns=%0d no_room=%0d", taken, kept, overruns, no_room);
      $finish;
    end
  end

  initial begin
    repeat (4_000_000) @(posedge clk);
    $fatal(1, "no end: %0d of %0d descriptors", taken, frames);
  end
endmodule
`default_nettype wire
