// SPDX-License-Identifier: Apache-2.0
// Attaches the checkers to the blocks of a whole switch. Compile after both, and after bind.sv.

bind output_port output_port_checker #(
  .Circuits   (Circuits),
  .OutputFlits(OutputFlits)
) u_checker (
  .clk_i            (clk_i),
  .rst_ni           (rst_ni),
  .credits_i        (credits_i),
  .output_flits_i   (output_flits_i),
  .complete         (complete),
  .send             (send),
  .size             (16'(size_q)),
  .free_o           (free_o),
  .room_o           (room_o),
  .empty_o          (empty_o),
  .promise_i        (promise_i),
  .promise_circuit_i(promise_circuit_i),
  .promise_flits_i  (promise_flits_i),
  .credit_i         (credit_i),
  .out_valid_o      (out_valid_o),
  .out_circuit_o    (out_circuit_o)
);

bind port_buffer port_buffer_checker #(
  .Circuits    (Circuits),
  .DataFlits   (DataFlits),
  .ControlFlits(ControlFlits),
  .CountBits   (CountBits),
  .StartedBits (StartedBits)
) u_checker (
  .clk_i          (clk_i),
  .rst_ni         (rst_ni),
  .push_i         (push_i),
  .push_circuit_i (push_circuit_i),
  .pop_i          (pop_i),
  .front_circuit_i(front_circuit_i),
  .start_i        (start_i),
  .start_circuit_i(start_circuit_i),
  .start_flits_i  (start_flits_i),
  .empty_o        (empty_o),
  .next_valid_o   (next_valid_o),
  .size_q         (size_q),
  .started_q      (started_q)
);

bind input_port input_port_checker #(
  .Circuits(Circuits),
  .Beats   (Beats),
  .SideBits(SideBits),
  .DataBits(DataBits)
) u_checker (
  .clk_i          (clk_i),
  .rst_ni         (rst_ni),
  .freed_valid_o  (freed_valid_o),
  .freed_circuit_o(freed_circuit_o),
  .next_here_o    (next_here_o),
  .next_flits_o   (next_flits_o),
  .busy_o         (busy_o),
  .circuit_o      (circuit_o),
  .pending_o      (pending_o),
  .paced_o        (paced_o),
  .start_i        (start_i),
  .start_circuit_i(start_circuit_i),
  .start_flits_i  (start_flits_i),
  .out_valid_o    (out_valid_o),
  .out_ready_i    (out_ready_i),
  .out_side_o     (out_side_o),
  .out_data_o     (out_data_o)
);

bind fred_core fred_core_checker #(
  .Ports   (Ports),
  .Circuits(Circuits)
) u_checker (
  .clk_i              (clk_i),
  .rst_ni             (rst_ni),
  .in_valid_i         (in_valid_i),
  .in_head_i          (in_head_i),
  .in_tail_i          (in_tail_i),
  .in_circuit_i       (in_circuit_i),
  .in_output_i        (in_output_i),
  .in_configuration_i (in_configuration_i),
  .in_packet_i        (in_packet_i),
  .in_packet_flits_i  (in_packet_flits_i),
  .in_match_i         (in_match_i),
  .freed_valid_o      (freed_valid_o),
  .net_in_valid_o     (net_in_valid_o),
  .net_out_valid_i    (net_out_valid_i),
  .out_valid_o        (out_valid_o),
  .out_head_o         (out_head_o),
  .out_tail_o         (out_tail_o),
  .out_circuit_o      (out_circuit_o),
  .out_configuration_o(out_configuration_o),
  .out_packet_o       (out_packet_o),
  .out_packet_flits_o (out_packet_flits_o),
  .idle_o             (idle_o),
  .settled_o          (settled_o)
);
