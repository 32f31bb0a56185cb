// mr_queue_tb: mr_arb in front of mr_fifo and mr_skid: nothing is lost, doubled or overtaken, rates and turns hold.
// Runs in Icarus and in Verilator (--binary); override Depth with -P or -G. Ends in $fatal on a difference.
// Three sources number their words; each must come out in its own order, and no source may be passed more than N-1 times.
`timescale 1ns / 1ps
`default_nettype none
module mr_queue_tb #(
  parameter int Depth = 4
);
  localparam int Cycles = 60000;
  localparam int Free   = 20000;   // cycles without a stall at the start
  localparam int N      = 3;
  localparam int W      = 18;      // source, number

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #1 clk = !clk;

  logic [31:0] seed = 32'h9e37_79b9;
  function automatic logic [31:0] mix(input logic [31:0] x);
    logic [31:0] y;
    y   = x ^ (x << 13);
    y   = y ^ (y >> 17);
    mix = y ^ (y << 5);
  endfunction

  logic [N-1:0]   s_valid, s_ready;
  logic [N*W-1:0] s_data;
  logic           a_valid, a_ready, f_valid, f_ready, m_valid, m_ready;
  logic [1:0]     pick;
  logic [W-1:0]   a_data, f_data, m_data;
  logic [$clog2(Depth+1)-1:0] count;

  mr_arb #(.N(N), .Width(W)) arb (
    .clk_i(clk), .rst_ni(rst_n), .s_valid_i(s_valid), .s_ready_o(s_ready), .s_data_i(s_data),
    .m_valid_o(a_valid), .m_ready_i(a_ready), .m_pick_o(pick), .m_data_o(a_data)
  );
  mr_fifo #(.Width(W), .Depth(Depth)) fifo (
    .clk_i(clk), .rst_ni(rst_n), .s_valid_i(a_valid), .s_ready_o(a_ready), .s_data_i(a_data),
    .m_valid_o(f_valid), .m_ready_i(f_ready), .m_data_o(f_data), .count_o(count)
  );
  mr_skid #(.Width(W)) skid (
    .clk_i(clk), .rst_ni(rst_n), .s_valid_i(f_valid), .s_ready_o(f_ready), .s_data_i(f_data),
    .m_valid_o(m_valid), .m_ready_i(m_ready), .m_data_o(m_data)
  );

  logic [W-1:0] order[0:31];          // words taken by the arbiter, in order
  int order_in, order_out, cycle, passed[0:N-1], full, words, contests;
  logic [15:0] number[0:N-1];

  task automatic check(input logic ok, input int what);
    if (!ok) $fatal(1, "mr_queue_tb: Depth %0d, cycle %0d: rule %0d broken (1 order, 2 turn, 3 rate, 4 pick, 5 idle while valid, 6 depth, 7 word changed while held)",
                    Depth, cycle, what);
  endtask

  logic         was_held;
  logic [W-1:0] held_data;

  initial begin
    for (int i = 0; i < N; i++) begin passed[i] = 0; number[i] = '0; end
    order_in = 0; order_out = 0; cycle = 0; full = 0; words = 0; contests = 0;
    s_valid = '0; s_data = '0; m_ready = 1'b0; was_held = 1'b0; held_data = '0;
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
  end

  wire free = (cycle < Free);
  always @(posedge clk) if (rst_n) begin
    check(a_valid === (s_valid != '0), 5);
    if (a_valid && a_ready) begin
      check((s_ready === (3'd1 << pick)) && s_valid[pick] && (a_data === s_data[pick*W +: W]), 4);
      order[order_in % 32] = a_data;
      order_in = order_in + 1;
      if (s_valid == '1) contests = contests + 1;
      for (int i = 0; i < N; i++) begin
        passed[i] = (s_valid[i] && (2'(i) != pick)) ? passed[i] + 1 : 0;
        check(passed[i] < N, 2);
      end
    end else begin
      check(s_ready === '0, 4);
    end
    if (!a_ready) full = full + 1;
    check(a_ready === (int'(count) != Depth), 6);
    if (was_held) check(m_valid && (m_data === held_data), 7);
    if (m_valid && m_ready) begin
      check((order_out < order_in) && (m_data === order[order_out % 32]), 1);
      order_out = order_out + 1;
      words = words + 1;
    end
    was_held  = m_valid && !m_ready;
    held_data = m_data;
    if (free && (Depth > 1) && (cycle > 4)) check(m_valid && a_ready, 3);
    // next words
    seed = mix(seed);
    for (int i = 0; i < N; i++) begin
      if (!s_valid[i] || s_ready[i]) begin
        if (s_valid[i]) number[i] = number[i] + 16'd1;
        s_valid[i]        <= free || (seed[i] && seed[i+3]);
        s_data[i*W +: W] <= {2'(i), number[i]};
      end
    end
    m_ready <= free || seed[20] || (seed[22:21] == 2'd0);
    cycle = cycle + 1;
    if (cycle == Cycles) begin
      if (words < Free / 2 || full < 1000 || contests < 1000)
        $fatal(1, "mr_queue_tb: too little was seen: %0d words, %0d cycles full, %0d contests", words, full, contests);
      $display("PASS mr_queue_tb Depth %0d: %0d words, %0d cycles full, %0d contests of all sources", Depth, words, full, contests);
      $finish;
    end
  end
endmodule
`default_nettype wire
