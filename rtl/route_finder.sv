// SPDX-License-Identifier: Apache-2.0
// Routes of unicasts through the interconnect: between which ports one is free beside the unicasts under way,
// and the routes of those that start now, one after the other, each beside the ones before it. Combinational.
//
// Contract: ranks of the ports that try are different. A port that tries and finds nothing takes no wire.

module route_finder #(
  parameter  int unsigned M          = 3,
  parameter  int unsigned Ports      = 12,
  parameter  int unsigned Levels     = 3,
  localparam int unsigned OutputBits = $clog2(Ports),
  localparam int unsigned RouteBits  = OutputBits + Levels * $clog2(M)
) (
  // On their way.
  input  logic [Ports-1:0]            busy_i,
  input  logic [Ports*RouteBits-1:0]  route_i,
  output logic [Ports*Ports-1:0]      open_o,  // bit p * Ports + q: a route is free from p to q
  // Starts.
  input  logic [Ports-1:0]            try_i,
  input  logic [Ports*OutputBits-1:0] try_output_i,
  input  logic [Ports*OutputBits-1:0] try_rank_i,  // the lowest one comes first
  output logic [Ports-1:0]            found_o,
  output logic [Ports*RouteBits-1:0]  found_route_o
);

  localparam int unsigned Wires = route_pkg::all_wires(M, Ports, Levels);

  logic [Ports*Wires-1:0] busy_wires;
  logic [Wires-1:0]       taken;
  for (genvar p = 0; p < Ports; p++) begin : gen_busy
    route_wires #(.M(M), .Ports(Ports), .Levels(Levels)) u_wires (
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

  route_reach #(.M(M), .Ports(Ports), .Levels(Levels)) u_reach (.used_i(taken), .open_o(open_o));

  // In the order of their ranks.
  logic [Ports-1:0]            ranked_valid, ranked_found;
  logic [Ports*OutputBits-1:0] ranked_from, ranked_to;
  logic [Ports*RouteBits-1:0]  ranked_route;
  always_comb begin
    ranked_valid = '0;
    ranked_from  = '0;
    ranked_to    = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (try_i[p]) begin
        ranked_valid[try_rank_i[p*OutputBits +: OutputBits]] = 1'b1;
        ranked_from[try_rank_i[p*OutputBits +: OutputBits]*OutputBits +: OutputBits] = OutputBits'(p);
        ranked_to[try_rank_i[p*OutputBits +: OutputBits]*OutputBits +: OutputBits] =
            try_output_i[p*OutputBits +: OutputBits];
      end
    end
  end

  for (genvar k = 0; k < Ports; k++) begin : gen_rank
    logic [Wires-1:0] taken_before;
    // verilator lint_off UNUSEDSIGNAL
    logic [Wires-1:0] used;  // nobody follows the last one
    // verilator lint_on UNUSEDSIGNAL
    if (k == 0) begin : gen_first
      assign taken_before = taken;
    end else begin : gen_next
      assign taken_before = gen_rank[k-1].used;
    end
    route_search #(.M(M), .Ports(Ports), .Levels(Levels)) u_search (
      .valid_i(ranked_valid[k]),
      .from_i (ranked_from[k*OutputBits +: OutputBits]),
      .to_i   (ranked_to[k*OutputBits +: OutputBits]),
      .used_i (taken_before),
      .found_o(ranked_found[k]),
      .route_o(ranked_route[k*RouteBits +: RouteBits]),
      .used_o (used)
    );
  end

  always_comb begin
    found_o       = '0;
    found_route_o = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (try_i[p]) begin
        found_o[p] = ranked_found[try_rank_i[p*OutputBits +: OutputBits]];
        found_route_o[p*RouteBits +: RouteBits] =
            ranked_route[try_rank_i[p*OutputBits +: OutputBits]*RouteBits +: RouteBits];
      end
    end
  end

endmodule
