// SPDX-License-Identifier: Apache-2.0
// Floating-point adder: IEEE 754, round to nearest even, subnormals and infinities kept, NaN results canonical
// (sign 0, only the top fraction bit set). Combinational.
//
// FP32: ExpBits 8, ManBits 23. FP16: 5, 10. BF16: 8, 7. Contract: y_o = a_i + b_i while en_i; with en_i low the
// operands are isolated and y_o is 0.

module fp_add #(
  parameter  int unsigned ExpBits = 8,
  parameter  int unsigned ManBits = 23,
  localparam int unsigned Width   = 1 + ExpBits + ManBits
) (
  input  logic             en_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  output logic [Width-1:0] y_o
);

  // Significands carry the hidden bit and three more bits: guard, round, sticky.
  localparam int unsigned SigBits   = ManBits + 4;
  localparam int unsigned NormSteps = $clog2(SigBits);
  localparam logic [ExpBits-1:0] ExpMax = {ExpBits{1'b1}};
  localparam logic [Width-1:0]   Nan    = {1'b0, ExpMax, 1'b1, {(ManBits - 1){1'b0}}};

  logic [Width-2:0]   hi, lo;
  logic [ExpBits:0]   exp_big, exp_small, exp_diff, exp_sum;
  logic [SigBits-1:0] sig_big, sig_small, sig_shifted;
  logic [SigBits:0]   sig_sum;
  logic               sign, subtract, carry, sticky, round_up, a_special, b_special;

  always_comb begin
    hi          = '0;
    lo          = '0;
    exp_big     = '0;
    exp_small   = '0;
    exp_diff    = '0;
    exp_sum     = '0;
    sig_big     = '0;
    sig_small   = '0;
    sig_shifted = '0;
    sig_sum     = '0;
    sign        = 1'b0;
    subtract    = 1'b0;
    carry       = 1'b0;
    sticky      = 1'b0;
    round_up    = 1'b0;
    a_special   = 1'b0;
    b_special   = 1'b0;
    y_o         = '0;
    if (en_i) begin
      a_special = a_i[Width-2:ManBits] == ExpMax;
      b_special = b_i[Width-2:ManBits] == ExpMax;
      subtract  = a_i[Width-1] != b_i[Width-1];
      if (a_special || b_special) begin
        if ((a_special && a_i[ManBits-1:0] != '0) || (b_special && b_i[ManBits-1:0] != '0)
            || (a_special && b_special && subtract)) begin
          y_o = Nan;
        end else begin
          y_o = a_special ? a_i : b_i;
        end
      end else begin
        // By magnitude: the smaller operand is the one that is shifted, the difference is never negative.
        sign      = a_i[Width-2:0] >= b_i[Width-2:0] ? a_i[Width-1] : b_i[Width-1];
        hi        = a_i[Width-2:0] >= b_i[Width-2:0] ? a_i[Width-2:0] : b_i[Width-2:0];
        lo        = a_i[Width-2:0] >= b_i[Width-2:0] ? b_i[Width-2:0] : a_i[Width-2:0];
        // Subnormals have the exponent of the smallest normals and no hidden bit.
        exp_big   = {1'b0, hi[Width-2:ManBits]} | {{ExpBits{1'b0}}, hi[Width-2:ManBits] == '0};
        exp_small = {1'b0, lo[Width-2:ManBits]} | {{ExpBits{1'b0}}, lo[Width-2:ManBits] == '0};
        sig_big   = {hi[Width-2:ManBits] != '0, hi[ManBits-1:0], 3'b000};
        sig_small = {lo[Width-2:ManBits] != '0, lo[ManBits-1:0], 3'b000};
        exp_diff    = exp_big - exp_small;
        sig_shifted = sig_small >> exp_diff;
        sticky      = (sig_shifted << exp_diff) != sig_small;
        sig_shifted[0] = sig_shifted[0] | sticky;
        exp_sum        = exp_big;
        if (subtract) begin
          sig_sum = {1'b0, sig_big} - {1'b0, sig_shifted};
          // As far left as it goes, but not below the exponent of subnormals.
          for (int unsigned k = 0; k < NormSteps; k++) begin
            if ((sig_sum >> (SigBits - (1 << (NormSteps - 1 - k)))) == '0
                && exp_sum > (ExpBits + 1)'(1 << (NormSteps - 1 - k))) begin
              sig_sum = sig_sum << (1 << (NormSteps - 1 - k));
              exp_sum = exp_sum - (ExpBits + 1)'(1 << (NormSteps - 1 - k));
            end
          end
        end else begin
          sig_sum = {1'b0, sig_big} + {1'b0, sig_shifted};
          carry   = sig_sum[SigBits];
          if (carry) begin
            sig_sum = {1'b0, sig_sum[SigBits:2], sig_sum[1] | sig_sum[0]};
            exp_sum = exp_sum + (ExpBits + 1)'(1);
          end
        end
        round_up = sig_sum[2] & (sig_sum[3] | sig_sum[1] | sig_sum[0]);
        if (exp_sum >= {1'b0, ExpMax}) begin
          y_o = {sign, ExpMax, {ManBits{1'b0}}};
        end else begin
          // A carry out of the fraction moves on into the exponent, as it should.
          y_o[Width-2:0] = {sig_sum[SigBits-1] ? exp_sum[ExpBits-1:0] : {ExpBits{1'b0}}, sig_sum[SigBits-2:3]}
              + {{(Width - 2){1'b0}}, round_up};
          // x - x is +0; only -0 + -0 is -0.
          y_o[Width-1] = sign & ~(subtract & sig_sum == '0);
        end
      end
    end
  end

endmodule
