// SPDX-License-Identifier: Apache-2.0
// The contract of input_port as assertions: beats are offered until they are taken, a flit has its beats, a place is
// told once when its flit has left, and packets are started as the control unit may. Bound to every input_port by
// bind_switch.sv; not for synthesis.

module input_port_checker #(
  parameter int unsigned Circuits = 4,
  parameter int unsigned Beats    = 1,
  parameter int unsigned SideBits = 64,
  parameter int unsigned DataBits = 32
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic                   freed_valid_o,
  input logic [1:0]             freed_circuit_o,
  input logic [Circuits-1:0]    next_here_o,
  input logic [Circuits*16-1:0] next_flits_o,
  input logic                   busy_o,
  input logic [1:0]             circuit_o,
  input logic                   pending_o,
  input logic                   paced_o,
  input logic                   start_i,
  input logic [1:0]             start_circuit_i,
  input logic [15:0]            start_flits_i,
  input logic                   out_valid_o,
  input logic                   out_ready_i,
  input logic [SideBits-1:0]    out_side_o,
  input logic [DataBits-1:0]    out_data_o
);

  // What was offered in the cycle before and not taken; what left then; beats of the flit that have left.
  logic                waits, left;
  logic [SideBits-1:0] side;
  logic [DataBits-1:0] data;
  logic [1:0]          left_circuit;
  logic [31:0]         beat;
  // The circuit of the beat: that of the packet on its way, or of the one that starts.
  logic [1:0]          circuit;
  assign circuit = busy_o ? circuit_o : start_circuit_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits        <= 1'b0;
      left         <= 1'b0;
      side         <= '0;
      data         <= '0;
      left_circuit <= '0;
      beat         <= '0;
    end else begin
      waits        <= out_valid_o && !out_ready_i;
      side         <= out_side_o;
      data         <= out_data_o;
      left         <= out_valid_o && out_ready_i && out_side_o[2];
      left_circuit <= circuit;
      if (out_valid_o && out_ready_i) beat <= out_side_o[2] ? '0 : beat + 32'd1;

      OfferHolds:   assert (!waits || (out_valid_o && out_side_o == side && out_data_o == data));
      FlitHasBeats: assert (!out_valid_o || out_side_o[2] == (beat == Beats - 1));
      FreedOnce:    assert (freed_valid_o == left && (!left || freed_circuit_o == left_circuit));
      StartsWhatIsHere: assert (!start_i || (1'(next_here_o >> start_circuit_i)
          && start_flits_i == 16'(next_flits_o >> {start_circuit_i, 4'b0})));
      MayFollow: assert (!start_i || !busy_o || (start_circuit_i == circuit_o && !pending_o && paced_o));
    end
  end

endmodule
