// SPDX-License-Identifier: Apache-2.0
// What two floating-point numbers of one format reduce to: their sum, minimum or maximum. Combinational; with en_i low
// the operands are isolated and y_o is 0.

module fp_unit #(
  parameter  int unsigned ExpBits = 8,
  parameter  int unsigned ManBits = 23,
  localparam int unsigned Width   = 1 + ExpBits + ManBits
) (
  input  logic             en_i,
  input  logic             sum_i,  // low: minimum, with max_i maximum
  input  logic             max_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  output logic [Width-1:0] y_o
);

  logic [Width-1:0] added, picked;

  fp_add #(.ExpBits(ExpBits), .ManBits(ManBits)) u_add (
    .en_i(en_i && sum_i),
    .a_i (a_i),
    .b_i (b_i),
    .y_o (added)
  );

  fp_minmax #(.ExpBits(ExpBits), .ManBits(ManBits)) u_minmax (
    .en_i (en_i && !sum_i),
    .max_i(max_i),
    .a_i  (a_i),
    .b_i  (b_i),
    .y_o  (picked)
  );

  // The one that is not enabled gives 0.
  assign y_o = added | picked;

endmodule
