// SPDX-License-Identifier: Apache-2.0
// elastic_reg with all its parameters side by side, each with ports of its own: instance g has Skid g % 2 and
// Depth 1 + g / 2.

module elastic_top #(
  localparam int unsigned Count = 6,
  localparam int unsigned Width = 32
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [Count-1:0]       valid_i,
  output logic [Count-1:0]       ready_o,
  input  logic [Count*Width-1:0] data_i,
  output logic [Count-1:0]       valid_o,
  input  logic [Count-1:0]       ready_i,
  output logic [Count*Width-1:0] data_o
);

  for (genvar g = 0; g < Count; g++) begin : gen_reg
    elastic_reg #(.Width(Width), .Skid(g % 2), .Depth(1 + g / 2)) u_reg (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(valid_i[g]),
      .ready_o(ready_o[g]),
      .data_i (data_i[g*Width +: Width]),
      .valid_o(valid_o[g]),
      .ready_i(ready_i[g]),
      .data_o (data_o[g*Width +: Width])
    );
  end

endmodule
