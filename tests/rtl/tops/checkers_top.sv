// SPDX-License-Identifier: Apache-2.0
// The checkers of a switch alone, each with its inputs as ports, so that a test can break every rule.

module checkers_top (
  input logic        clk_i,
  input logic        rst_ni,
  // output_port_checker: one circuit, two credits, two places.
  input logic        o_complete_i,
  input logic        o_send_i,
  input logic [15:0] o_size_i,
  input logic [15:0] o_free_i,
  input logic [15:0] o_room_i,
  input logic        o_empty_i,
  input logic        o_promise_i,
  input logic [15:0] o_flits_i,
  input logic        o_credit_i,
  input logic        o_valid_i,
  // port_buffer_checker: one circuit, two places.
  input logic        b_push_i,
  input logic        b_pop_i,
  input logic        b_start_i,
  input logic [15:0] b_flits_i,
  input logic        b_empty_i,
  input logic        b_next_i,
  input logic [1:0]  b_size_i,
  input logic [16:0] b_started_i,
  // input_port_checker: one circuit, two beats.
  input logic        i_freed_i,
  input logic        i_here_i,
  input logic [15:0] i_next_flits_i,
  input logic        i_busy_i,
  input logic        i_pending_i,
  input logic        i_paced_i,
  input logic        i_start_i,
  input logic [15:0] i_flits_i,
  input logic        i_valid_i,
  input logic        i_ready_i,
  input logic [3:0]  i_side_i,
  input logic [3:0]  i_data_i,
  // packet_checker: one circuit.
  input logic        p_valid_i,
  input logic        p_head_i,
  input logic        p_tail_i,
  input logic [1:0]  p_circuit_i,
  input logic [15:0] p_flits_i,
  input logic [3:0]  p_side_i,
  // fred_core_checker: two ports, packets of one flit at port 0.
  input logic        c_valid_i,
  input logic        c_freed_i,
  input logic        c_net_in_i,
  input logic        c_net_out_i,
  input logic        c_out_i,
  input logic        c_idle_i,
  input logic        c_settled_i
);

  output_port_checker #(.Circuits(1), .OutputFlits(2)) u_output (
    .clk_i(clk_i), .rst_ni(rst_ni), .credits_i(16'd2), .output_flits_i(16'd2), .complete(o_complete_i),
    .send(o_send_i), .size(o_size_i), .free_o(o_free_i), .room_o(o_room_i), .empty_o(o_empty_i),
    .promise_i(o_promise_i), .promise_circuit_i(2'd0), .promise_flits_i(o_flits_i), .credit_i(o_credit_i),
    .out_valid_o(o_valid_i), .out_circuit_o(2'd0)
  );

  port_buffer_checker #(.Circuits(1), .DataFlits(2), .ControlFlits(1), .CountBits(2)) u_buffer (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(b_push_i), .push_circuit_i(2'd0), .pop_i(b_pop_i),
    .front_circuit_i(2'd0), .start_i(b_start_i), .start_circuit_i(2'd0), .start_flits_i(b_flits_i),
    .empty_o(b_empty_i), .next_valid_o(b_next_i), .size_q(b_size_i), .started_q(b_started_i)
  );

  input_port_checker #(.Circuits(1), .Beats(2), .SideBits(4), .DataBits(4)) u_input (
    .clk_i(clk_i), .rst_ni(rst_ni), .freed_valid_o(i_freed_i), .freed_circuit_o(2'd0), .next_here_o(i_here_i),
    .next_flits_o(i_next_flits_i), .busy_o(i_busy_i), .circuit_o(2'd0), .pending_o(i_pending_i), .paced_o(i_paced_i),
    .start_i(i_start_i), .start_circuit_i(2'd0), .start_flits_i(i_flits_i), .out_valid_o(i_valid_i),
    .out_ready_i(i_ready_i), .out_side_o(i_side_i), .out_data_o(i_data_i)
  );

  packet_checker #(.Circuits(1), .SideBits(4)) u_packet (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(p_valid_i), .head_i(p_head_i), .tail_i(p_tail_i),
    .circuit_i(p_circuit_i), .flits_i(p_flits_i), .side_i(p_side_i)
  );

  fred_core_checker #(.Ports(2), .Circuits(1)) u_core (
    .clk_i(clk_i), .rst_ni(rst_ni), .in_valid_i({1'b0, c_valid_i}), .in_head_i('1), .in_tail_i('1),
    .in_circuit_i('0), .in_output_i('0), .in_configuration_i('0), .in_packet_i('0), .in_packet_flits_i({2{16'd1}}),
    .in_match_i('0), .freed_valid_o({1'b0, c_freed_i}), .net_in_valid_o({1'b0, c_net_in_i}),
    .net_out_valid_i({1'b0, c_net_out_i}), .out_valid_o({1'b0, c_out_i}), .out_head_o('1), .out_tail_o('1),
    .out_circuit_o('0), .out_configuration_o('0), .out_packet_o('0), .out_packet_flits_o({2{16'd1}}),
    .idle_o(c_idle_i), .settled_o(c_settled_i)
  );

endmodule
