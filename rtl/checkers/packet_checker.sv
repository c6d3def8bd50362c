// SPDX-License-Identifier: Apache-2.0
// A stream of flits on a link: on each circuit whole packets one after the other, as many flits as their heads say, all
// with the side wires of the head. Used by fred_core_checker; not for synthesis.

module packet_checker #(
  parameter int unsigned Circuits = 4,
  parameter int unsigned SideBits = 8   // that are the same in all flits of a packet
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                valid_i,
  input logic                head_i,
  input logic                tail_i,
  input logic [1:0]          circuit_i,
  input logic [15:0]         flits_i,
  input logic [SideBits-1:0] side_i
);

  for (genvar c = 0; c < Circuits; c++) begin : gen_circuit
    logic [15:0]         left;  // flits of the packet that are still to come
    logic [SideBits-1:0] side;
    logic                flit;
    assign flit = valid_i && 32'(circuit_i) == c;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        left <= '0;
        side <= '0;
      end else begin
        if (flit) begin
          left <= (head_i ? flits_i : left) - 16'd1;
          side <= side_i;
        end

        HeadComesFirst: assert (!flit || (head_i == (left == '0) && flits_i != '0));
        TailComesLast:  assert (!flit || tail_i == ((head_i ? flits_i : left) == 16'd1));
        SideStays:      assert (!flit || head_i || side_i == side);
      end
    end
  end

  // The register gives the block a reset of the same kind as all others.
  // verilator lint_off UNUSEDSIGNAL
  logic seen;
  // verilator lint_on UNUSEDSIGNAL
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seen <= 1'b0;
    end else begin
      seen <= valid_i;

      HasACircuit: assert (!valid_i || 32'(circuit_i) < Circuits);
    end
  end

endmodule
