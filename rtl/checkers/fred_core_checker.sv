// SPDX-License-Identifier: Apache-2.0
// The contract of a whole switch at its ports: whole packets come in and go out, and idle_o means that nothing is
// inside, neither in the ports nor in the interconnect. Bound to every fred_core by bind_switch.sv; not for synthesis.

module fred_core_checker #(
  parameter int unsigned Ports    = 12,
  parameter int unsigned Circuits = 4
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [Ports-1:0]    in_valid_i,
  input logic [Ports-1:0]    in_head_i,
  input logic [Ports-1:0]    in_tail_i,
  input logic [Ports*2-1:0]  in_circuit_i,
  input logic [Ports*8-1:0]  in_output_i,
  input logic [Ports*16-1:0] in_configuration_i,
  input logic [Ports*32-1:0] in_packet_i,
  input logic [Ports*16-1:0] in_packet_flits_i,
  input logic [Ports*64-1:0] in_match_i,
  input logic [Ports-1:0]    freed_valid_o,
  input logic [Ports-1:0]    net_in_valid_o,
  input logic [Ports-1:0]    net_out_valid_i,
  input logic [Ports-1:0]    out_valid_o,
  input logic [Ports-1:0]    out_head_o,
  input logic [Ports-1:0]    out_tail_o,
  input logic [Ports*2-1:0]  out_circuit_o,
  input logic [Ports*16-1:0] out_configuration_o,
  input logic [Ports*32-1:0] out_packet_o,
  input logic [Ports*16-1:0] out_packet_flits_o,
  input logic                idle_o,
  input logic                settled_o
);

  // Flits that have come in at a port and whose places have not been given back.
  logic [Ports-1:0] holds;

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    packet_checker #(.Circuits(Circuits), .SideBits(136)) u_in (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .valid_i  (in_valid_i[p]),
      .head_i   (in_head_i[p]),
      .tail_i   (in_tail_i[p]),
      .circuit_i(in_circuit_i[p*2 +: 2]),
      .flits_i  (in_packet_flits_i[p*16 +: 16]),
      .side_i   ({in_match_i[p*64 +: 64], in_packet_flits_i[p*16 +: 16], in_packet_i[p*32 +: 32],
                  in_configuration_i[p*16 +: 16], in_output_i[p*8 +: 8]})
    );
    packet_checker #(.Circuits(Circuits), .SideBits(64)) u_out (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .valid_i  (out_valid_o[p]),
      .head_i   (out_head_o[p]),
      .tail_i   (out_tail_o[p]),
      .circuit_i(out_circuit_o[p*2 +: 2]),
      .flits_i  (out_packet_flits_o[p*16 +: 16]),
      .side_i   ({out_packet_flits_o[p*16 +: 16], out_packet_o[p*32 +: 32], out_configuration_o[p*16 +: 16]})
    );

    logic [31:0] here;
    assign holds[p] = here != 32'(freed_valid_o[p]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) here <= '0;
      else         here <= here + 32'(in_valid_i[p]) - 32'(freed_valid_o[p]);
    end
  end

  // The register gives the block a reset of the same kind as all others.
  // verilator lint_off UNUSEDSIGNAL
  logic was_idle;
  // verilator lint_on UNUSEDSIGNAL
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      was_idle <= 1'b1;
    end else begin
      was_idle <= idle_o;

      IdleIsEmpty:   assert (!idle_o || (holds == '0 && net_in_valid_o == '0 && net_out_valid_i == '0));
      SettledIsIdle: assert (!settled_o || (idle_o && out_valid_o == '0 && freed_valid_o == '0));
    end
  end

endmodule
