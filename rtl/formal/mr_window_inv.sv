// mr_window_inv: what holds in every state of a path's receive window. Part of the proof in mr_window_prop.sv.
// Rules: R-WINDOW, R-GAP (ann:sack). Combinational, formal only.
//
//   bit0    bit 0 of the vector is 0: psn cum has not come
//   came    a watched psn (any one, ahead of the window's start) is acknowledged exactly if it came inside the window:
//           nothing is acknowledged that did not come, and nothing is forgotten that did
//   range   high_psn, the highest new psn, lies from one below cum to the end of the window
//   top     nothing above it is marked
//   mark    it is marked itself, if it is not below cum
//   news    packets - dups is the number of packets that were new
`include "mr_types.svh"
module mr_window_inv (
    input  logic [mr_pkg::WindowPathW-1:0] row_i,
    input  logic [31:0]                    watch_i,    // the watched psn
    input  logic                           seen_i,     // it came inside the window since path_set
    input  logic                           started_i,  // path_set happened; a row of zeros has no high_psn yet
    input  logic [31:0]                    news_i,     // packets that were new since path_set
    output logic                           near_o,     // horizon: watch is within a quarter of the serial space of cum
    output logic                           bit0_o,
    output logic                           came_o,
    output logic                           range_o,
    output logic                           top_o,
    output logic                           mark_o,
    output logic                           news_o
);
  localparam int          Bits    = mr_pkg::WindowBits;
  localparam logic [31:0] Horizon = 32'h4000_0000;

  mr_window_path_t row;
  assign row = row_i;

  wire [31:0] off   = watch_i - row.cum;
  wire        acked = off[31] || (off < Bits && |((row.vector >> off) & 1));
  wire [31:0] marks = row.high_psn + 32'd1 - row.cum;   // bits of the vector that may be set: 0 in an empty one

  // one comparison a bit: the solver takes it better than a shift
  logic [Bits-1:0] allowed;
  always @* begin
    for (int i = 0; i < Bits; i++) allowed[i] = i < marks;
  end

  assign near_o  = off < Horizon || off >= -Horizon;
  assign bit0_o  = !row.vector[0];
  assign came_o  = acked == seen_i;
  assign range_o = !started_i || marks <= Bits;
  assign top_o   = !started_i || (row.vector & ~allowed) == '0;
  assign mark_o  = !started_i || marks == 32'd0 || |((row.vector >> (marks - 32'd1)) & 1);
  assign news_o  = row.packets - row.dups == news_i;
endmodule
