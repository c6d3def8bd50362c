// SPDX-License-Identifier: Apache-2.0
// All arithmetic blocks side by side, so that one Verilated model serves their tests. Scalars take the lowest bits of
// a_i and b_i; lanes take two lanes of 4 or 8 bytes.

module arith_top (
  input  logic              en_i,
  input  fred_pkg::format_e format_i,
  input  fred_pkg::op_e     op_i,
  input  logic [127:0]      a_i,
  input  logic [127:0]      b_i,
  output logic [31:0]       scalar_o,     // result in format_i, without FP32 accumulation
  output logic [31:0]       widen_fp16_o,
  output logic [31:0]       widen_bf16_o,
  output logic [15:0]       round_fp16_o,
  output logic [15:0]       round_bf16_o,
  output logic [63:0]       narrow_o,     // reduce_lanes, 2 lanes, AccumulateFp32 = 0
  output logic [127:0]      wide_o,       // reduce_lanes, 2 lanes, AccumulateFp32 = 1
  output logic [127:0]      enter_o,      // lanes_enter of a_i
  output logic [63:0]       leave_o       // lanes_leave of a_i
);

  logic        sum, max;
  logic [31:0] add_fp32, pick_fp32, int_word;
  logic [15:0] add_fp16, pick_fp16, add_bf16, pick_bf16;

  assign sum = op_i == fred_pkg::Sum;
  assign max = op_i == fred_pkg::Max;

  fp_add #(.ExpBits(8), .ManBits(23)) u_add_fp32 (
    .en_i(en_i), .a_i(a_i[31:0]), .b_i(b_i[31:0]),
    .y_o(add_fp32)
  );
  fp_add #(.ExpBits(5), .ManBits(10)) u_add_fp16 (
    .en_i(en_i), .a_i(a_i[15:0]), .b_i(b_i[15:0]),
    .y_o(add_fp16)
  );
  fp_add #(.ExpBits(8), .ManBits(7)) u_add_bf16 (
    .en_i(en_i), .a_i(a_i[15:0]), .b_i(b_i[15:0]),
    .y_o(add_bf16)
  );
  fp_minmax #(.ExpBits(8), .ManBits(23)) u_minmax_fp32 (
    .en_i(en_i), .max_i(max), .a_i(a_i[31:0]), .b_i(b_i[31:0]),
    .y_o(pick_fp32)
  );
  fp_minmax #(.ExpBits(5), .ManBits(10)) u_minmax_fp16 (
    .en_i(en_i), .max_i(max), .a_i(a_i[15:0]), .b_i(b_i[15:0]),
    .y_o(pick_fp16)
  );
  fp_minmax #(.ExpBits(8), .ManBits(7)) u_minmax_bf16 (
    .en_i(en_i), .max_i(max), .a_i(a_i[15:0]), .b_i(b_i[15:0]),
    .y_o(pick_bf16)
  );
  int_alu #(.Width(32)) u_int (
    .en_i(en_i), .op_i(op_i), .a_i(a_i[31:0]), .b_i(b_i[31:0]),
    .y_o(int_word)
  );

  always_comb begin
    unique case (format_i)
      fred_pkg::Fp32:  scalar_o = sum ? add_fp32 : pick_fp32;
      fred_pkg::Int32: scalar_o = int_word;
      fred_pkg::Fp16:  scalar_o = {16'b0, sum ? add_fp16 : pick_fp16};
      fred_pkg::Bf16:  scalar_o = {16'b0, sum ? add_bf16 : pick_bf16};
      default:         scalar_o = '0;
    endcase
  end

  fp_widen #(.ExpBits(5), .ManBits(10)) u_widen_fp16 (
    .a_i(a_i[15:0]),
    .y_o(widen_fp16_o)
  );
  fp_widen #(.ExpBits(8), .ManBits(7)) u_widen_bf16 (
    .a_i(a_i[15:0]),
    .y_o(widen_bf16_o)
  );
  fp_round #(.ExpBits(5), .ManBits(10)) u_round_fp16 (
    .a_i(a_i[31:0]),
    .y_o(round_fp16_o)
  );
  fp_round #(.ExpBits(8), .ManBits(7)) u_round_bf16 (
    .a_i(a_i[31:0]),
    .y_o(round_bf16_o)
  );

  reduce_lanes #(.Lanes(2), .AccumulateFp32(0)) u_narrow (
    .en_i(en_i), .format_i(format_i), .op_i(op_i), .a_i(a_i[63:0]), .b_i(b_i[63:0]),
    .y_o(narrow_o)
  );
  reduce_lanes #(.Lanes(2), .AccumulateFp32(1)) u_wide (
    .en_i(en_i), .format_i(format_i), .op_i(op_i), .a_i(a_i), .b_i(b_i),
    .y_o(wide_o)
  );
  lanes_enter #(.Lanes(2)) u_enter (
    .format_i(format_i), .data_i(a_i[63:0]),
    .data_o(enter_o)
  );
  lanes_leave #(.Lanes(2)) u_leave (
    .format_i(format_i), .data_i(a_i),
    .data_o(leave_o)
  );

endmodule
