// SPDX-License-Identifier: Apache-2.0
// Two's complement sum (wraps), minimum and maximum. Combinational.
//
// Contract: y_o = a_i (op_i) b_i while en_i; with en_i low y_o is 0.

module int_alu #(
  parameter int unsigned Width = 32
) (
  input  logic             en_i,
  input  fred_pkg::op_e    op_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  output logic [Width-1:0] y_o
);

  logic a_less;

  always_comb begin
    a_less = $signed(a_i) < $signed(b_i);
    y_o = '0;
    if (en_i) begin
      unique case (op_i)
        fred_pkg::Sum: y_o = a_i + b_i;
        fred_pkg::Min: y_o = a_less ? a_i : b_i;
        fred_pkg::Max: y_o = a_less ? b_i : a_i;
        default:       y_o = '0;
      endcase
    end
  end

endmodule
