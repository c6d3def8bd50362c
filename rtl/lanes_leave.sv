// SPDX-License-Identifier: Apache-2.0
// Output port of a switch with FP32 accumulation: lanes of 8 bytes become lanes of 4 bytes. Combinational.
//
// Formats with FP32 accumulation: both FP32 words of a lane are rounded, once, to 16 bits. Other formats: the lower
// half.

module lanes_leave #(
  parameter int unsigned Lanes = 4
) (
  input  fred_pkg::format_e    format_i,
  input  logic [Lanes*64-1:0]  data_i,
  output logic [Lanes*32-1:0]  data_o
);

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [31:0] fp16, bf16;

    for (genvar e = 0; e < 2; e++) begin : gen_element
      fp_round #(.ExpBits(5), .ManBits(10)) u_fp16 (
        .a_i(data_i[64*l + 32*e +: 32]),
        .y_o(fp16[16*e +: 16])
      );

      fp_round #(.ExpBits(8), .ManBits(7)) u_bf16 (
        .a_i(data_i[64*l + 32*e +: 32]),
        .y_o(bf16[16*e +: 16])
      );
    end

    assign data_o[32*l +: 32] = format_i == fred_pkg::Fp16Fp32 ? fp16 :
                                format_i == fred_pkg::Bf16Fp32 ? bf16 : data_i[64*l +: 32];
  end

endmodule
