// SPDX-License-Identifier: Apache-2.0
// The contract of port_buffer as assertions: a flit comes only where there is room for it, whole packets are started,
// only started flits leave, and the counts of each ring are those of what came and left. Bound to every port_buffer by
// bind_switch.sv; not for synthesis.

module port_buffer_checker #(
  parameter int unsigned Circuits     = 4,
  parameter int unsigned DataFlits    = 16,
  parameter int unsigned ControlFlits = 4,
  parameter int unsigned CountBits    = 5,
  parameter int unsigned StartedBits  = 17
) (
  input logic                            clk_i,
  input logic                            rst_ni,
  input logic                            push_i,
  input logic [1:0]                      push_circuit_i,
  input logic                            pop_i,
  input logic [1:0]                      front_circuit_i,
  input logic                            start_i,
  input logic [1:0]                      start_circuit_i,
  input logic [15:0]                     start_flits_i,
  input logic                            empty_o,
  input logic [Circuits-1:0]             next_valid_o,
  input logic [Circuits*CountBits-1:0]   size_q,
  input logic [Circuits*StartedBits-1:0] started_q
);

  logic [Circuits-1:0] some;
  for (genvar c = 0; c < Circuits; c++) begin : gen_ring
    localparam int unsigned Places = c == 3 ? ControlFlits : DataFlits;
    // Flits that are here, and those of started packets that are here or to come.
    logic [31:0] held, started;
    logic        push, pop, start;
    assign push    = push_i && 32'(push_circuit_i) == c;
    assign pop     = pop_i && 32'(front_circuit_i) == c;
    assign start   = start_i && 32'(start_circuit_i) == c;
    assign some[c] = held != '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        held    <= '0;
        started <= '0;
      end else begin
        held    <= held + 32'(push) - 32'(pop);
        started <= started + (start ? 32'(start_flits_i) : '0) - 32'(pop);

        RoomForIt:      assert (!push || held < Places);
        StartsAPacket:  assert (!start || (next_valid_o[c] && start_flits_i != '0));
        PopsStarted:    assert (!pop || (held != '0 && (started != '0 || start)));
        SizeAddsUp:     assert (32'(size_q[c*CountBits +: CountBits]) == held);
        StartedAddsUp:  assert (32'(started_q[c*StartedBits +: StartedBits]) == started);
        NextIsThere:    assert (next_valid_o[c] == (started < held));
      end
    end
  end

  // The register gives the block a reset of the same kind as all others.
  // verilator lint_off UNUSEDSIGNAL
  logic was_empty;
  // verilator lint_on UNUSEDSIGNAL
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      was_empty <= 1'b1;
    end else begin
      was_empty <= empty_o;

      EmptyIsEmpty: assert (empty_o == (some == '0));
    end
  end

endmodule
