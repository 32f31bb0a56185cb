// mr_window_run: length of the run of ones of a window vector once its bit 0 is set, and the vector shifted by it.
// Model twin: wire.Bitmap256.TrailingOnes and ShiftRight. Rule: R-WINDOW. Combinational.
// Invariant: bit 0 of the vector that comes in is 0. A run of all bits (the window was full) gives Bits and a zero vector.
// In blocks of 16: which block is the first that is not all ones, then where in it; the shift by blocks does not wait for the second.
`default_nettype none
module mr_window_run #(
  parameter int Bits  = 256,
  localparam int OffW = $clog2(Bits)
) (
  input  wire logic [Bits-1:0] vector_i,
  output      logic [OffW:0]   run_o,
  output      logic [Bits-1:0] shifted_o
);
  localparam int Block  = 16;
  localparam int Blocks = Bits / Block;
  initial if (Bits < Block || (Bits & (Bits - 1)) != 0) $fatal(1, "mr_window_run: Bits is a power of two, 16 at least");

  wire [Bits-1:0] ones = {vector_i[Bits-1:1], 1'b1};

  logic [Blocks-1:0] full;    // block is all ones
  logic [Blocks-1:0] first;   // first block that is not
  for (genvar b = 0; b < Blocks; b++) begin : g_block
    assign full[b] = &ones[b*Block +: Block];
    if (b == 0) begin : g_0
      assign first[b] = !full[b];
    end else begin : g_n
      assign first[b] = (&full[b-1:0]) && !full[b];
    end
  end

  // Masks and ORs, so that the choices stand side by side and not in a chain.
  function automatic logic [Bits-1:0] pick_block(input logic [Bits-1:0] from, input logic [Blocks-1:0] which);
    pick_block = '0;
    for (int b = 0; b < Blocks; b++) pick_block = pick_block | ((from >> (b * Block)) & {Bits{which[b]}});
  endfunction
  function automatic logic [OffW:0] block_offset(input logic [Blocks-1:0] which);
    block_offset = '0;
    for (int b = 0; b < Blocks; b++) block_offset = block_offset | ((OffW+1)'(b * Block) & {(OffW+1){which[b]}});
  endfunction
  function automatic logic [3:0] bit_offset(input logic [Block-1:0] which);
    bit_offset = '0;
    for (int i = 0; i < Block; i++) bit_offset = bit_offset | (4'(i) & {4{which[i]}});
  endfunction

  wire [Bits-1:0] by_block  = pick_block(ones, first);   // the block with the first zero stands lowest
  wire [OffW:0]   block_run = (&full) ? (OffW+1)'(Bits) : block_offset(first);

  logic [Block-1:0] zero;       // one-hot: first zero of that block; none if all blocks are full
  for (genvar i = 0; i < Block; i++) begin : g_bit
    if (i == 0) begin : g_0
      assign zero[i] = !by_block[i];
    end else begin : g_n
      assign zero[i] = (&by_block[i-1:0]) && !by_block[i];
    end
  end
  wire [3:0] bit_run = bit_offset(zero);

  assign run_o     = block_run | (OffW+1)'(bit_run);
  assign shifted_o = by_block >> bit_run;

  wire unused = &{1'b0, vector_i[0]};   // taken as set
endmodule
`default_nettype wire
