// SPDX-License-Identifier: Apache-2.0
// The wires of one route through the interconnect, a bit each (route_pkg): from its input port and route, the output
// port and above it the middle stages, outermost first. Combinational; none while valid_i is low.

module route_wires #(
  parameter  int unsigned M          = 3,
  parameter  int unsigned Ports      = 12,
  parameter  int unsigned Levels     = 3,
  localparam int unsigned OutputBits = $clog2(Ports),
  localparam int unsigned DigitBits  = $clog2(M),
  localparam int unsigned RouteBits  = OutputBits + Levels * DigitBits,
  localparam int unsigned Wires      = route_pkg::all_wires(M, Ports, Levels)
) (
  input  logic                  valid_i,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [OutputBits-1:0] from_i,  // the lowest bit: both inputs of a uSwitch reach the same wires
  // verilator lint_on UNUSEDSIGNAL
  input  logic [RouteBits-1:0]  route_i,
  output logic [Wires-1:0]      wires_o
);

  localparam int unsigned WireBits = $clog2(Wires);

  localparam logic [255:0] First = route_pkg::table_of(M, Ports, Levels, 0);
  localparam logic [255:0] Stage = route_pkg::table_of(M, Ports, Levels, 1);
  localparam logic [255:0] Enter = route_pkg::table_of(M, Ports, Levels, 2);

  int unsigned from, to, digit, stage, base;  // digit: middle stage; stage of the level and its first wire
  assign from = 32'(from_i);
  assign to   = 32'(route_i[OutputBits-1:0]);

  // verilator lint_off UNSIGNED
  always_comb begin
    wires_o = '0;
    digit   = 0;
    stage   = 0;
    base    = 0;
    if (valid_i) begin
      for (int unsigned l = 0; l < Levels; l++) begin
        digit = 32'(route_i[OutputBits + l*DigitBits +: DigitBits]);
        base  = First[l*32 +: 32] + stage * Stage[l*32 +: 32];
        wires_o[WireBits'(base + (from >> (l + 1)) * M + digit)] = 1'b1;
        wires_o[WireBits'(base + Enter[l*32 +: 32] + (to >> l))] = 1'b1;
        stage = stage * M + digit;
      end
      wires_o[WireBits'(First[Levels*32 +: 32] + stage * 2 + (to >> Levels))] = 1'b1;
    end
  end
  // verilator lint_on UNSIGNED

endmodule
