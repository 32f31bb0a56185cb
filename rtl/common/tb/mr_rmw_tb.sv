// mr_rmw_tb: mr_rmw and a foreign mr_lookup against an array, with random stalls and few rows, so that one row comes back
// to back. Runs in Icarus and in Verilator (--binary); override RamLatency with -P or -G. Ends in $fatal on a difference.
// Every cycle in which a row is shown is judged, held ones too: it must hold all commits of earlier cycles and no other.
`timescale 1ns / 1ps
`default_nettype none
module mr_rmw_tb #(
  parameter int RamLatency = 1,
  parameter int Depth      = 3
);
  localparam int Cycles = 60000;
  localparam int Free   = 20000;   // cycles without a stall at the start: no bubble may show
  localparam int AddrW  = $clog2(Depth);

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #1 clk = !clk;

  logic [31:0] seed = 32'h1234_5678;
  function automatic logic [31:0] mix(input logic [31:0] x);
    logic [31:0] y;
    y   = x ^ (x << 13);
    y   = y ^ (y >> 17);
    mix = y ^ (y << 5);
  endfunction
  function automatic logic [31:0] step(input logic [31:0] row, input logic [15:0] item);
    step = ({row[30:0], row[31]} ^ {item, ~item}) + 32'd1;
  endfunction

  logic             ready, busy, s_valid, s_ready, step_valid, step_ready, we;
  logic [AddrW-1:0] s_addr, step_addr, waddr;
  logic [     15:0] s_item, step_item;
  logic [     31:0] step_row, wdata;
  logic             f_re, f_valid, f_ready, f_out, f_take, f_busy;
  logic [AddrW-1:0] f_ram_addr, f_addr, f_out_addr;
  logic [      7:0] f_item, f_out_item;
  logic [     31:0] f_ram, f_row;

  mr_rmw #(.Width(32), .Depth(Depth), .ItemW(16), .Foreign(1), .RamLatency(RamLatency)) dut (
    .clk_i(clk), .rst_ni(rst_n), .ready_o(ready), .busy_o(busy),
    .s_valid_i(s_valid), .s_ready_o(s_ready), .s_addr_i(s_addr), .s_item_i(s_item),
    .step_valid_o(step_valid), .step_ready_i(step_ready), .step_addr_o(step_addr), .step_item_o(step_item),
    .step_row_o(step_row), .step_write_i(step_item[0]), .step_row_i(step(step_row, step_item)),
    .we_o(we), .waddr_o(waddr), .wdata_o(wdata),
    .foreign_re_i(f_re), .foreign_addr_i(f_ram_addr), .foreign_data_o(f_ram)
  );
  mr_lookup #(.Width(32), .Depth(Depth), .ItemW(8), .RamLatency(RamLatency)) reader (
    .clk_i(clk), .rst_ni(rst_n),
    .s_valid_i(f_valid), .s_ready_o(f_ready), .s_addr_i(f_addr), .s_item_i(f_item),
    .m_valid_o(f_out), .m_ready_i(f_take), .m_addr_o(f_out_addr), .m_item_o(f_out_item), .m_row_o(f_row), .busy_o(f_busy),
    .ram_re_o(f_re), .ram_addr_o(f_ram_addr), .ram_data_i(f_ram),
    .we_i(we), .waddr_i(waddr), .wdata_i(wdata)
  );

  logic [31:0] rows[0:Depth-1];
  logic [AddrW+15:0] sent[0:15];     // items on their way, in order
  logic [AddrW+ 7:0] asked[0:15];
  int sent_in, sent_out, asked_in, asked_out;
  int cycle, commits, reads, repeats, held;
  logic             was_commit;
  logic [AddrW-1:0] last_addr;

  task automatic check(input logic ok, input int what);
    if (!ok) $fatal(1, "mr_rmw_tb: RamLatency %0d, cycle %0d: rule %0d broken (1 row of step, 2 order, 3 foreign row, 4 foreign order, 5 bubble)",
                    RamLatency, cycle, what);
  endtask

  initial begin
    for (int i = 0; i < Depth; i++) rows[i] = '0;
    sent_in = 0; sent_out = 0; asked_in = 0; asked_out = 0;
    cycle = 0; commits = 0; reads = 0; repeats = 0; held = 0; was_commit = 1'b0; last_addr = '0;
    s_valid = 1'b0; step_ready = 1'b0; f_valid = 1'b0; f_take = 1'b0;
    s_addr = '0; s_item = '0; f_addr = '0; f_item = '0;
    repeat (4) @(posedge clk);
    rst_n <= 1'b1;
  end

  wire free = (cycle < Free);
  always @(posedge clk) if (rst_n && ready) begin
    // what this cycle shows
    if (f_out) begin
      check(f_row === rows[f_out_addr], 3);
      check({f_out_addr, f_out_item} === asked[asked_out % 16], 4);
      if (f_take) begin asked_out = asked_out + 1; reads = reads + 1; end
      else held = held + 1;
    end
    if (free && (cycle > RamLatency)) check(step_valid && f_out, 5);
    if (step_valid) begin
      check(step_row === rows[step_addr], 1);
      check({step_addr, step_item} === sent[sent_out % 16], 2);
    end
    if (step_valid && step_ready) begin
      if (step_item[0]) rows[step_addr] = step(rows[step_addr], step_item);
      sent_out = sent_out + 1;
      commits = commits + 1;
      if (was_commit && (last_addr == step_addr)) repeats = repeats + 1;
      last_addr = step_addr;
    end
    was_commit = step_valid && step_ready;
    // what goes in next
    if (s_valid && s_ready) begin sent[sent_in % 16] = {s_addr, s_item}; sent_in = sent_in + 1; end
    if (f_valid && f_ready) begin asked[asked_in % 16] = {f_addr, f_item}; asked_in = asked_in + 1; end
    seed = mix(seed);
    if (!s_valid || s_ready) begin
      s_valid <= free || seed[0];
      s_addr  <= AddrW'(seed[9:2] % 8'(Depth));
      s_item  <= seed[31:16];
    end
    step_ready <= free || (seed[11:10] != 2'd0);
    seed = mix(seed);
    if (!f_valid || f_ready) begin
      f_valid <= free || seed[0];
      f_addr  <= AddrW'(seed[9:2] % 8'(Depth));
      f_item  <= seed[23:16];
    end
    f_take <= free || (seed[11:10] == 2'd0);
    cycle = cycle + 1;
    if (cycle == Cycles) begin
      if (commits < Free || reads < Free || repeats < 1000 || held < 1000)
        $fatal(1, "mr_rmw_tb: too little was seen: %0d commits, %0d reads, %0d repeats, %0d held", commits, reads, repeats, held);
      $display("PASS mr_rmw_tb RamLatency %0d: %0d commits, %0d on the row before, %0d foreign reads, %0d held cycles judged",
               RamLatency, commits, repeats, reads, held);
      $finish;
    end
  end

  wire unused = &{1'b0, busy, f_busy};
endmodule
`default_nettype wire
