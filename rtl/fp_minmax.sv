// SPDX-License-Identifier: Apache-2.0
// Floating-point minimum and maximum of IEEE 754-2019: a NaN wins and is canonical, -0 is less than +0. Combinational.
//
// Contract: y_o is the maximum of a_i and b_i where max_i, else the minimum, while en_i; with en_i low y_o is 0.

module fp_minmax #(
  parameter  int unsigned ExpBits = 8,
  parameter  int unsigned ManBits = 23,
  localparam int unsigned Width   = 1 + ExpBits + ManBits
) (
  input  logic             en_i,
  input  logic             max_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  output logic [Width-1:0] y_o
);

  localparam logic [ExpBits-1:0] ExpMax = {ExpBits{1'b1}};
  localparam logic [Width-2:0]   Inf    = {ExpMax, {ManBits{1'b0}}};
  localparam logic [Width-1:0]   Nan    = {1'b0, ExpMax, 1'b1, {(ManBits - 1){1'b0}}};

  logic a_nan, b_nan, a_less;

  always_comb begin
    a_nan  = a_i[Width-2:0] > Inf;
    b_nan  = b_i[Width-2:0] > Inf;
    a_less = 1'b0;
    y_o    = '0;
    if (en_i) begin
      // Signs first, so -0 < +0; then magnitudes, backwards where both are negative.
      if (a_i[Width-1] != b_i[Width-1]) begin
        a_less = a_i[Width-1];
      end else begin
        a_less = a_i[Width-1] ? a_i[Width-2:0] > b_i[Width-2:0] : a_i[Width-2:0] < b_i[Width-2:0];
      end
      y_o = a_less != max_i ? a_i : b_i;
      if (a_nan || b_nan) y_o = Nan;
    end
  end

endmodule
