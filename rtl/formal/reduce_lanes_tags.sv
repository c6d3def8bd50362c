// SPDX-License-Identifier: Apache-2.0
// Stands for reduce_lanes in proofs, where arithmetic is cut out: a sum of tags tells from which operands it comes.
// The tag of a_i is in the bits 7:0 of y_o, that of b_i in 15:8, bit 16 is set. The real lanes are tested against
// MPFR.

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
    if (en_i) y_o[16:0] = {1'b1, b_i[7:0], a_i[7:0]};
  end

endmodule
