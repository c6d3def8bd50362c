// SPDX-License-Identifier: Apache-2.0
// The lanes of a uSwitch side by side; the element with the lowest address is in the lowest bits. Combinational.
//
// Each lane is one reduce_lane: 4 bytes, with AccumulateFp32 = 1 8 bytes. format_i and op_i are static during a run.

module reduce_lanes #(
  parameter  int unsigned Lanes          = 4,
  parameter  int unsigned AccumulateFp32 = 0,
  localparam int unsigned LaneWidth      = AccumulateFp32 != 0 ? 64 : 32
) (
  input  logic                       en_i,
  input  fred_pkg::format_e          format_i,
  input  fred_pkg::op_e              op_i,
  input  logic [Lanes*LaneWidth-1:0] a_i,
  input  logic [Lanes*LaneWidth-1:0] b_i,
  output logic [Lanes*LaneWidth-1:0] y_o
);

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    reduce_lane #(.AccumulateFp32(AccumulateFp32)) u_lane (
      .en_i    (en_i),
      .format_i(format_i),
      .op_i    (op_i),
      .a_i     (a_i[l*LaneWidth +: LaneWidth]),
      .b_i     (b_i[l*LaneWidth +: LaneWidth]),
      .y_o     (y_o[l*LaneWidth +: LaneWidth])
    );
  end

endmodule
