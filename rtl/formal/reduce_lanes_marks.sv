// SPDX-License-Identifier: Apache-2.0
// Stands for reduce_lanes in the proofs of a whole switch, where arithmetic is cut out. Of a flit, bit 0 says that
// the operand that is watched is in it, bit 1 that this is so twice or that operands of different kinds met, bit 2 is
// the operand's mark, bit 3 belongs to both.

module reduce_lanes #(
  parameter  int unsigned Lanes          = 1,
  parameter  int unsigned AccumulateFp32 = 0,
  localparam int unsigned DataBits       = Lanes * (AccumulateFp32 != 0 ? 64 : 32)
) (
  input  logic                en_i,
  input  fred_pkg::format_e   format_i,
  input  fred_pkg::op_e       op_i,
  input  logic [DataBits-1:0] a_i,
  input  logic [DataBits-1:0] b_i,
  output logic [DataBits-1:0] y_o
);

  always_comb begin
    y_o = '0;
    if (en_i) begin
      y_o[0] = a_i[0] || b_i[0];
      y_o[1] = a_i[1] || b_i[1] || (a_i[0] && b_i[0]) || a_i[3] != b_i[3];
      y_o[2] = a_i[2] || b_i[2];
      y_o[3] = a_i[3];
    end
  end

endmodule
