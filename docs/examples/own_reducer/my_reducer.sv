// SPDX-License-Identifier: Apache-2.0
// Somebody's own reducer of INT32: sum, minimum and maximum. docs/own_rtl.md runs it against the model.

module my_reducer (
  input  logic        en_i,
  input  logic [1:0]  op_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] y_o
);

  logic [31:0] difference;
  logic        a_less;

  assign difference = a_i - b_i;
  assign a_less     = difference[31];

  always_comb begin
    case (op_i)
      2'd0:    y_o = a_i + b_i;
      2'd1:    y_o = a_less ? a_i : b_i;
      default: y_o = a_less ? b_i : a_i;
    endcase
    if (!en_i) y_o = '0;
  end

endmodule
