// SPDX-License-Identifier: Apache-2.0
// Between which ports a route is free: bit p * Ports + q of open_o from input port p to output port q. Combinational,
// from the innermost stages outwards.

module route_reach #(
  parameter  int unsigned M      = 3,
  parameter  int unsigned Ports  = 12,
  parameter  int unsigned Levels = 3,
  localparam int unsigned Wires  = route_pkg::all_wires(M, Ports, Levels)
) (
  input  logic [Wires-1:0]       used_i,
  output logic [Ports*Ports-1:0] open_o
);

  // Each stage leads from a pair of its inputs, which reach the same wires, to its outputs.
  for (genvar i = 0; i <= Levels; i++) begin : gen_level
    localparam int unsigned Level  = Levels - i;
    localparam int unsigned Stages = route_pkg::stages_at(M, Level);
    localparam int unsigned Size   = route_pkg::size_at(Ports, Level);
    localparam int unsigned Pairs  = route_pkg::size_at(Ports, Level + 1);
    localparam int unsigned First  = route_pkg::first_wire(M, Ports, Levels, Level);
    localparam int unsigned Each   = route_pkg::stage_wires(M, Ports, Levels, Level);
    logic [Stages*Pairs*Size-1:0] open;

    if (i == 0) begin : gen_inner
      assign open = ~used_i[First +: Stages*Size];
    end else begin : gen_outer
      localparam int unsigned InnerPairs = route_pkg::size_at(Ports, Level + 2);
      logic [Size-1:0] leads;
      always_comb begin
        open  = '1;
        leads = '0;
        if (used_i != '0) begin
          for (int unsigned s = 0; s < Stages; s++) begin
            for (int unsigned h = 0; h < Pairs; h++) begin
              leads = '0;
              for (int unsigned m = 0; m < M; m++) begin
                if (!used_i[First + s*Each + h*M + m]) begin
                  for (int unsigned q = 0; q < Size; q++) begin
                    leads[q] = leads[q]
                        | gen_level[i-1].open[((s*M + m)*InnerPairs + h/2)*Pairs + q/2];
                  end
                end
              end
              open[(s*Pairs + h)*Size +: Size] = leads & ~used_i[First + s*Each + M*Pairs +: Size];
            end
          end
        end
      end
    end
  end

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    assign open_o[p*Ports +: Ports] = gen_level[Levels].open[(p / 2)*Ports +: Ports];
  end

endmodule
