// SPDX-License-Identifier: Apache-2.0
// Input port of a switch with FP32 accumulation: lanes of 4 bytes become lanes of 8 bytes. Combinational.
//
// Formats with FP32 accumulation: both 16-bit elements of a lane become FP32 words, the first in the lower half. Other
// formats: the lane is the lower half, the upper half is 0.

module lanes_enter #(
  parameter int unsigned Lanes = 4
) (
  input  fred_pkg::format_e    format_i,
  input  logic [Lanes*32-1:0]  data_i,
  output logic [Lanes*64-1:0]  data_o
);

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [63:0] fp16, bf16;

    for (genvar e = 0; e < 2; e++) begin : gen_element
      fp_widen #(.ExpBits(5), .ManBits(10)) u_fp16 (
        .a_i(data_i[32*l + 16*e +: 16]),
        .y_o(fp16[32*e +: 32])
      );

      fp_widen #(.ExpBits(8), .ManBits(7)) u_bf16 (
        .a_i(data_i[32*l + 16*e +: 16]),
        .y_o(bf16[32*e +: 32])
      );
    end

    assign data_o[64*l +: 64] = format_i == fred_pkg::Fp16Fp32 ? fp16 :
                                format_i == fred_pkg::Bf16Fp32 ? bf16 : {32'b0, data_i[32*l +: 32]};
  end

endmodule
