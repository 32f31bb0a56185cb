module sub #(parameter int W=4) (input logic clk_i, input logic [W-1:0] a_i, output logic [W-1:0] q_o);
  logic [W-1:0] q_q;
  always_ff @(posedge clk_i) begin
    if (a_i == 3) begin
      q_q <= q_q + 1;
    end else if (a_i == 5) q_q <= 0;
    else q_q <= a_i;
  end
  always_comb begin
    unique case (q_q)
      0: q_o = 1;
      1, 2: begin
        q_o = 3;
      end
      default: q_o = q_q;
    endcase
  end
  c_a: cover property (@(posedge clk_i) a_i == 3);
endmodule
module t(input logic clk_i, input logic [7:0] a_i, output logic [7:0] b_o, output logic c_o);
  genvar i;
  for (i=0;i<2;i++) begin : g
    sub #(.W(i+2)) u (.clk_i, .a_i(a_i[i+1:0]), .q_o(b_o[4*i +: i+2]));
  end
  function automatic logic f(input logic x);
    if (x) return 0; else return 1;
  endfunction
  assign c_o = (a_i == 3) ? f(a_i[0]) : a_i[1];
endmodule
