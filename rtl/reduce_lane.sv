// SPDX-License-Identifier: Apache-2.0
// What one lane of a uSwitch computes: a_i (op_i) b_i of the elements that it carries. Combinational.
//
// AccumulateFp32 = 0: 32 bits, one FP32 or INT32 word or two FP16 or BF16 elements, the first in the lower half; the
// formats with FP32 accumulation are illegal and give 0. AccumulateFp32 = 1: 64 bits; with FP32 accumulation two
// FP32 words, else the elements are in the lower half and the upper half of y_o is 0.
// With en_i low the operands are isolated and y_o is 0.

module reduce_lane #(
  parameter  int unsigned AccumulateFp32 = 0,
  localparam int unsigned Width          = AccumulateFp32 != 0 ? 64 : 32
) (
  input  logic              en_i,
  input  fred_pkg::format_e format_i,
  input  fred_pkg::op_e     op_i,
  input  logic [Width-1:0]  a_i,
  input  logic [Width-1:0]  b_i,
  output logic [Width-1:0]  y_o
);

  logic        wide, is_fp32, is_fp16, is_bf16, is_int, sum, max;
  logic [31:0] fp32, int_word, fp16, bf16;

  assign wide    = AccumulateFp32 != 0 && (format_i == fred_pkg::Fp16Fp32 || format_i == fred_pkg::Bf16Fp32);
  assign is_fp32 = en_i && (format_i == fred_pkg::Fp32 || wide);
  assign is_int  = en_i && format_i == fred_pkg::Int32;
  assign is_fp16 = en_i && format_i == fred_pkg::Fp16;
  assign is_bf16 = en_i && format_i == fred_pkg::Bf16;
  assign sum     = op_i == fred_pkg::Sum;
  assign max     = op_i == fred_pkg::Max;

  fp_unit #(.ExpBits(8), .ManBits(23)) u_fp32 (
    .en_i (is_fp32),
    .sum_i(sum),
    .max_i(max),
    .a_i  (a_i[31:0]),
    .b_i  (b_i[31:0]),
    .y_o  (fp32)
  );

  int_alu #(.Width(32)) u_int (
    .en_i(is_int),
    .op_i(op_i),
    .a_i (a_i[31:0]),
    .b_i (b_i[31:0]),
    .y_o (int_word)
  );

  for (genvar e = 0; e < 2; e++) begin : gen_element
    fp_unit #(.ExpBits(5), .ManBits(10)) u_fp16 (
      .en_i (is_fp16),
      .sum_i(sum),
      .max_i(max),
      .a_i  (a_i[16*e +: 16]),
      .b_i  (b_i[16*e +: 16]),
      .y_o  (fp16[16*e +: 16])
    );

    fp_unit #(.ExpBits(8), .ManBits(7)) u_bf16 (
      .en_i (is_bf16),
      .sum_i(sum),
      .max_i(max),
      .a_i  (a_i[16*e +: 16]),
      .b_i  (b_i[16*e +: 16]),
      .y_o  (bf16[16*e +: 16])
    );
  end

  // Units that are not enabled give 0.
  assign y_o[31:0] = fp32 | int_word | fp16 | bf16;

  if (AccumulateFp32 != 0) begin : gen_upper
    fp_unit #(.ExpBits(8), .ManBits(23)) u_fp32 (
      .en_i (is_fp32 && wide),
      .sum_i(sum),
      .max_i(max),
      .a_i  (a_i[63:32]),
      .b_i  (b_i[63:32]),
      .y_o  (y_o[63:32])
    );
  end

endmodule
