// SPDX-License-Identifier: Apache-2.0
// An FP32 number rounded to a narrow format (FP16: ExpBits 5, ManBits 10; BF16: 8, 7): to nearest even, subnormals
// kept, too large ones become infinite, NaNs canonical. Combinational.

module fp_round #(
  parameter  int unsigned ExpBits = 5,
  parameter  int unsigned ManBits = 10,
  localparam int unsigned Width   = 1 + ExpBits + ManBits
) (
  input  logic [31:0]      a_i,
  output logic [Width-1:0] y_o
);

  localparam logic [ExpBits-1:0] ExpMax = {ExpBits{1'b1}};
  localparam logic [8:0]  Rebias = 9'(128 - (1 << (ExpBits - 1)));
  // Significand with hidden bit; below the kept fraction a guard bit and the rest.
  localparam int unsigned Dropped = 23 - ManBits;

  logic [8:0]  exp_wide, exp, shift;
  logic [23:0] sig, shifted;
  logic        rest, round_up;

  always_comb begin
    exp_wide = {1'b0, a_i[30:23]} | {8'b0, a_i[30:23] == '0};
    sig      = {a_i[30:23] != '0, a_i[22:0]};
    // Below the smallest normal the fraction moves to the right and the exponent field is 0.
    shift    = exp_wide > Rebias ? 9'd0 : Rebias + 9'd1 - exp_wide;
    shifted  = sig >> shift;
    exp      = shifted[23] ? exp_wide - Rebias : 9'd0;
    rest     = (shifted[Dropped-1:0] & {1'b0, {(Dropped - 1){1'b1}}}) != '0 || (shifted << shift) != sig;
    round_up = shifted[Dropped-1] & (shifted[Dropped] | rest);
    y_o = {a_i[31], exp[ExpBits-1:0], shifted[22:Dropped]} + {{(Width - 1){1'b0}}, round_up};
    if (exp >= {{(9 - ExpBits){1'b0}}, ExpMax}) y_o = {a_i[31], ExpMax, {ManBits{1'b0}}};
    if (a_i[30:0] > 31'h7f80_0000) y_o = {1'b0, ExpMax, 1'b1, {(ManBits - 1){1'b0}}};
  end

endmodule
