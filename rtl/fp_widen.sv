// SPDX-License-Identifier: Apache-2.0
// A narrow floating-point number (FP16: ExpBits 5, ManBits 10; BF16: 8, 7) as the equal FP32 number. Exact; NaNs become
// canonical. Combinational.

module fp_widen #(
  parameter  int unsigned ExpBits = 5,
  parameter  int unsigned ManBits = 10,
  localparam int unsigned Width   = 1 + ExpBits + ManBits
) (
  input  logic [Width-1:0] a_i,
  output logic [31:0]      y_o
);

  localparam logic [ExpBits-1:0] ExpMax = {ExpBits{1'b1}};
  // Difference of the biases, 127 - (2^(ExpBits - 1) - 1).
  localparam logic [7:0]  Rebias    = 8'(128 - (1 << (ExpBits - 1)));
  localparam int unsigned NormSteps = $clog2(ManBits + 1);

  logic [ExpBits-1:0] exp;
  logic [ManBits-1:0] man;
  logic [7:0]         exp_wide;
  logic [ManBits:0]   sig;

  always_comb begin
    exp      = a_i[Width-2:ManBits];
    man      = a_i[ManBits-1:0];
    exp_wide = 8'(exp) + Rebias;
    sig      = {1'b1, man};
    if (exp == ExpMax) begin
      y_o = man == '0 ? {a_i[Width-1], 8'hff, 23'b0} : 32'h7fc0_0000;
    end else begin
      if (exp == '0) begin
        // Subnormal: to the left until the hidden bit is set; with equal exponent ranges it stays one.
        exp_wide = Rebias + 8'd1;
        sig      = {1'b0, man};
        for (int unsigned k = 0; k < NormSteps; k++) begin
          if ((sig >> (ManBits + 1 - (1 << (NormSteps - 1 - k)))) == '0
              && exp_wide > 8'(1 << (NormSteps - 1 - k))) begin
            sig      = sig << (1 << (NormSteps - 1 - k));
            exp_wide = exp_wide - 8'(1 << (NormSteps - 1 - k));
          end
        end
        if (!sig[ManBits]) exp_wide = '0;
      end
      y_o = {a_i[Width-1], exp_wide, sig[ManBits-1:0], {(23 - ManBits){1'b0}}};
    end
  end

endmodule
