// SPDX-License-Identifier: Apache-2.0
// The same reducer with two registers behind it, and without its fault.

module my_pipeline (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [1:0]  op_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] y_o
);

  logic [31:0] y, y_q;
  logic        a_less;

  assign a_less = $signed(a_i) < $signed(b_i);

  always_comb begin
    case (op_i)
      2'd0:    y = a_i + b_i;
      2'd1:    y = a_less ? a_i : b_i;
      default: y = a_less ? b_i : a_i;
    endcase
    if (!en_i) y = '0;
  end

  always_ff @(posedge clk_i) begin
    y_q <= y;
    y_o <= y_q;
  end

endmodule
