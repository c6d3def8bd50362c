// SPDX-License-Identifier: Apache-2.0
// One search: the first route between two ports on which no wire is in use, lower middle stages first, the outermost
// counting most. Combinational; nothing is found while valid_i is low. used_o: used_i and the route that was found.

module route_search #(
  parameter  int unsigned M          = 3,
  parameter  int unsigned Ports      = 12,
  parameter  int unsigned Levels     = 3,
  localparam int unsigned OutputBits = $clog2(Ports),
  localparam int unsigned DigitBits  = $clog2(M),
  localparam int unsigned RouteBits  = OutputBits + Levels * DigitBits,
  localparam int unsigned Wires      = route_pkg::all_wires(M, Ports, Levels)
) (
  input  logic                  valid_i,
  input  logic [OutputBits-1:0] from_i,
  input  logic [OutputBits-1:0] to_i,
  input  logic [Wires-1:0]      used_i,
  output logic                  found_o,
  output logic [RouteBits-1:0]  route_o,
  output logic [Wires-1:0]      used_o
);
  // verilator no_inline_module

  localparam int unsigned WireBits = $clog2(Wires);
  localparam int unsigned AllWires = 2 ** WireBits;  // so that every number is one
  localparam int unsigned Routes     = M ** Levels;

  localparam logic [255:0] First = route_pkg::table_of(M, Ports, Levels, 0);
  localparam logic [255:0] Stage = route_pkg::table_of(M, Ports, Levels, 1);
  localparam logic [255:0] Enter = route_pkg::table_of(M, Ports, Levels, 2);

  logic [AllWires-1:0] used;
  int unsigned         from, to, base;
  logic                clear;
  assign used = AllWires'(used_i);
  assign from = 32'(from_i);
  assign to   = 32'(to_i);

  // verilator lint_off UNSIGNED
  always_comb begin
    found_o = 1'b0;
    route_o = '0;
    base    = 0;
    clear   = 1'b0;
    if (valid_i) begin
      for (int unsigned w = 0; w < Routes; w++) begin
        if (!found_o) begin
          clear = !used[WireBits'(First[Levels*32 +: 32] + w * 2 + (to >> Levels))];
          for (int unsigned l = 0; l < Levels; l++) begin
            base = First[l*32 +: 32] + (w / M ** (Levels - l)) * Stage[l*32 +: 32];
            if (used[WireBits'(base + (from >> (l + 1)) * M + (w / M ** (Levels - 1 - l)) % M)]) clear = 1'b0;
            if (used[WireBits'(base + Enter[l*32 +: 32] + (to >> l))]) clear = 1'b0;
          end
          if (clear) begin
            found_o = 1'b1;
            route_o[OutputBits-1:0] = to_i;
            for (int unsigned l = 0; l < Levels; l++) begin
              route_o[OutputBits + l*DigitBits +: DigitBits] = DigitBits'((w / M ** (Levels - 1 - l)) % M);
            end
          end
        end
      end
    end
  end
  // verilator lint_on UNSIGNED

  logic [Wires-1:0] wires;
  route_wires #(.M(M), .Ports(Ports), .Levels(Levels)) u_wires (
    .valid_i(found_o),
    .from_i (from_i),
    .route_i(route_o),
    .wires_o(wires)
  );
  assign used_o = used_i | wires;

endmodule
