// SPDX-License-Identifier: Apache-2.0
// Ways of unicasts through the interconnect: between which ports one is free beside the unicasts that are on their way,
// and the ways of those that start now, one after the other, each beside the ones before it. Combinational.
//
// Contract: ranks of the ports that try are different. A port that tries and finds nothing takes no wire.

module way_finder #(
  parameter  int unsigned M          = 3,
  parameter  int unsigned Ports      = 12,
  parameter  int unsigned Levels     = 3,
  localparam int unsigned OutputBits = $clog2(Ports),
  localparam int unsigned RouteBits  = OutputBits + Levels * $clog2(M)
) (
  // On their way.
  input  logic [Ports-1:0]            busy_i,
  input  logic [Ports*RouteBits-1:0]  route_i,
  output logic [Ports*Ports-1:0]      open_o,  // bit p * Ports + q: a way is free from p to q
  // Starts.
  input  logic [Ports-1:0]            try_i,
  input  logic [Ports*OutputBits-1:0] try_output_i,
  input  logic [Ports*OutputBits-1:0] try_rank_i,  // the lowest one comes first
  output logic [Ports-1:0]            found_o,
  output logic [Ports*RouteBits-1:0]  found_route_o
);

  localparam int unsigned Wires = way_pkg::all_wires(M, Ports, Levels);

  logic [Ports*Wires-1:0] busy_wires;
  logic [Wires-1:0]       taken;
  for (genvar p = 0; p < Ports; p++) begin : gen_busy
    way_wires #(.M(M), .Ports(Ports), .Levels(Levels)) u_wires (
      .valid_i(busy_i[p]),
      .from_i (OutputBits'(p)),
      .route_i(route_i[p*RouteBits +: RouteBits]),
      .wires_o(busy_wires[p*Wires +: Wires])
    );
  end
  always_comb begin
    taken = '0;
    for (int unsigned p = 0; p < Ports; p++) taken = taken | busy_wires[p*Wires +: Wires];
  end

  way_reach #(.M(M), .Ports(Ports), .Levels(Levels)) u_reach (.used_i(taken), .open_o(open_o));

  // In the order of their ranks.
  logic [Ports-1:0]            turn_valid, turn_found;
  logic [Ports*OutputBits-1:0] turn_from, turn_to;
  logic [Ports*RouteBits-1:0]  turn_route;
  always_comb begin
    turn_valid = '0;
    turn_from  = '0;
    turn_to    = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (try_i[p]) begin
        turn_valid[try_rank_i[p*OutputBits +: OutputBits]] = 1'b1;
        turn_from[try_rank_i[p*OutputBits +: OutputBits]*OutputBits +: OutputBits] = OutputBits'(p);
        turn_to[try_rank_i[p*OutputBits +: OutputBits]*OutputBits +: OutputBits] =
            try_output_i[p*OutputBits +: OutputBits];
      end
    end
  end

  for (genvar k = 0; k < Ports; k++) begin : gen_turn
    logic [Wires-1:0] taken_before;
    // verilator lint_off UNUSEDSIGNAL
    logic [Wires-1:0] used;  // nobody follows the last one
    // verilator lint_on UNUSEDSIGNAL
    if (k == 0) begin : gen_first
      assign taken_before = taken;
    end else begin : gen_next
      assign taken_before = gen_turn[k-1].used;
    end
    way_search #(.M(M), .Ports(Ports), .Levels(Levels)) u_search (
      .valid_i(turn_valid[k]),
      .from_i (turn_from[k*OutputBits +: OutputBits]),
      .to_i   (turn_to[k*OutputBits +: OutputBits]),
      .used_i (taken_before),
      .found_o(turn_found[k]),
      .route_o(turn_route[k*RouteBits +: RouteBits]),
      .used_o (used)
    );
  end

  always_comb begin
    found_o       = '0;
    found_route_o = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (try_i[p]) begin
        found_o[p] = turn_found[try_rank_i[p*OutputBits +: OutputBits]];
        found_route_o[p*RouteBits +: RouteBits] =
            turn_route[try_rank_i[p*OutputBits +: OutputBits]*RouteBits +: RouteBits];
      end
    end
  end

endmodule
