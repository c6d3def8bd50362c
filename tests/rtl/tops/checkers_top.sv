// SPDX-License-Identifier: Apache-2.0
// The parts of a switch alone, so that a test can break every rule of their contracts: its neighbours' at their ports,
// their own by registers that are overwritten between two edges (*_break_i).

module checkers_top (
  input logic        clk_i,
  input logic        rst_ni,
  // output_port: one traffic class, two credits, two slots, a flit per cycle.
  input logic        o_complete_i,
  input logic        o_promise_i,
  input logic [15:0] o_flits_i,
  input logic        o_credit_i,
  input logic        o_break_size_i,
  input logic        o_break_promised_i,
  input logic        o_break_used_i,
  // port_buffer: one traffic class, two slots.
  input logic        b_push_i,
  input logic        b_pop_i,
  input logic        b_start_i,
  input logic [15:0] b_flits_i,
  input logic        b_break_size_i,
  input logic        b_break_started_i,
  // input_port: one traffic class, two slots, two beats, packets of one flit.
  input logic        i_valid_i,
  input logic        i_start_i,
  input logic [15:0] i_flits_i,
  input logic        i_ready_i,
  input logic        i_break_beat_i,
  input logic        i_break_freed_i,
  input logic        i_break_size_i,
  // fred_core: two ports, one traffic class, of which port 0 gets flits.
  input logic        c_valid_i,
  input logic        c_head_i,
  input logic        c_tail_i,
  input logic [1:0]  c_traffic_class_i,
  input logic [15:0] c_flits_i,
  input logic [31:0] c_packet_i,
  input logic        c_net_out_i,
  input logic        c_break_size_i
);

  localparam int unsigned SideBits = side_pkg::beat_bits(1, 1, 1);

  // What comes out says nothing here.
  // verilator lint_off PINCONNECTEMPTY
  output_port #(.TrafficClasses(1), .Lanes(1), .OutputFlits(2), .StoredSettings(2), .RouteBits(1)) u_output (
    .clk_i(clk_i), .rst_ni(rst_ni), .format_i(fred_pkg::Fp32), .credits_i(16'd2), .output_flits_i(16'd2),
    .rate_unit_i(40'd1), .rate_flit_i(40'd1), .rate_header_i(40'd0), .in_valid_i(o_complete_i), .in_ready_o(),
    .in_side_i({{(SideBits - 3){1'b0}}, 3'b111}), .in_data_i(32'd0), .free_o(), .room_o(), .empty_o(), .rested_o(),
    .promise_i(o_promise_i), .promise_traffic_class_i(2'd0), .promise_flits_i(o_flits_i), .credit_i(o_credit_i),
    .out_valid_o(), .out_head_o(), .out_tail_o(), .out_traffic_class_o(), .out_stored_setting_o(), .out_packet_o(),
    .out_packet_flits_o(), .out_data_o()
  );

  port_buffer #(.TrafficClasses(1), .DataFlits(2), .ControlFlits(1)) u_buffer (
    .clk_i(clk_i), .rst_ni(rst_ni), .push_i(b_push_i), .push_traffic_class_i(2'd0), .push_side_i(8'd0),
    .push_data_i(32'd0), .front_traffic_class_i(2'd0), .front_valid_o(), .front_side_o(), .front_data_o(),
    .pop_i(b_pop_i), .start_i(b_start_i), .start_traffic_class_i(2'd0), .start_flits_i(b_flits_i), .empty_o(),
    .next_valid_o(), .next_side_o(), .waiting_o()
  );

  input_port #(
    .Ports(2), .TrafficClasses(1), .Lanes(1), .Beats(2), .DataFlits(2), .ControlFlits(1), .RouteBits(1)
  ) u_input (
    .clk_i(clk_i), .rst_ni(rst_ni), .format_i(fred_pkg::Fp32), .whole_packets_i(1'b0), .cfg_clk_i(clk_i),
    .cfg_we_i(1'b0), .cfg_index_i(1'b0), .cfg_inputs_i(2'd0), .cfg_outputs_i(2'd0), .in_valid_i(i_valid_i),
    .in_head_i(1'b1), .in_tail_i(1'b1), .in_traffic_class_i(2'd0), .in_output_i(8'd0), .in_stored_setting_i(1'b0),
    .in_packet_i(32'd0), .in_packet_flits_i(16'd1), .in_match_i(64'd0), .in_data_i(64'd0), .freed_valid_o(),
    .freed_traffic_class_o(), .next_valid_o(), .next_here_o(), .next_stored_setting_o(), .next_flits_o(),
    .next_output_o(), .next_match_o(), .next_inputs_o(), .next_outputs_o(), .busy_o(), .traffic_class_o(), .pending_o(),
    .paced_o(), .route_o(), .empty_o(), .start_i(i_start_i), .start_traffic_class_i(2'd0), .start_flits_i(i_flits_i),
    .start_route_i(1'b0), .out_valid_o(), .out_ready_i(i_ready_i), .out_side_o(), .out_data_o()
  );

  fred_core #(
    .M(2), .Ports(2), .Levels(0), .Lanes(1), .TrafficClasses(1), .StoredSettings(2), .BufferFlits(2),
    .ControlBufferFlits(1), .OutputFlits(2)
  ) u_core (
    .clk_i(clk_i), .rst_ni(rst_ni), .format_i(fred_pkg::Fp32), .op_i(fred_pkg::Sum), .reconfigure_cycles_i(20'd0),
    .stay_packets_i(32'd0), .first_uplink_i(8'd0), .uplinks_i(8'd0), .whole_packets_i(2'd0), .credits_i({2{16'd2}}),
    .control_credits_i(16'd0), .output_flits_i(16'd2), .rate_unit_i({2{40'd1}}), .rate_flit_i({2{40'd1}}),
    .rate_header_i('0), .cfg_clk_i(clk_i), .cfg_we_i(1'b0), .cfg_index_i(1'b0), .cfg_inputs_i('0), .cfg_outputs_i('0),
    .in_valid_i({1'b0, c_valid_i}), .in_head_i({1'b0, c_head_i}), .in_tail_i({1'b0, c_tail_i}),
    .in_traffic_class_i({2'd0, c_traffic_class_i}), .in_output_i(16'd1), .in_stored_setting_i('0), .credit_i('0),
    .in_packet_i({32'd0, c_packet_i}), .in_packet_flits_i({16'd0, c_flits_i}), .in_match_i('0), .in_data_i('0),
    .freed_valid_o(), .freed_traffic_class_o(), .net_format_o(), .net_op_o(), .net_in_valid_o(), .net_in_ready_i(2'b11),
    .net_in_side_o(), .net_in_data_o(), .net_out_valid_i({1'b0, c_net_out_i}), .net_out_ready_o(), .net_out_side_i('0),
    .net_out_data_i('0), .out_valid_o(), .out_head_o(), .out_tail_o(), .out_traffic_class_o(), .out_stored_setting_o(),
    .out_packet_o(), .out_packet_flits_o(), .out_data_o(), .active_valid_o(), .active_o(), .idle_o(), .settled_o()
  );
  // verilator lint_on PINCONNECTEMPTY

  always_ff @(negedge clk_i) begin
    if (o_break_size_i) u_output.size_q <= 2'd1;
    if (o_break_promised_i) u_output.promised_q <= 16'd1;
    if (o_break_used_i) u_output.used_q <= 16'd1;
    if (b_break_size_i) u_buffer.size_q <= 2'd1;
    if (b_break_started_i) u_buffer.started_q <= 17'd1;
    if (i_break_beat_i) u_input.beat_q <= 1'b1;
    if (i_break_freed_i) u_input.freed_valid_o <= 1'b1;
    if (i_break_size_i) u_input.u_buffer.size_q <= 2'd0;
    if (c_break_size_i) u_core.gen_port[0].u_input.u_buffer.size_q <= 2'd0;
  end

endmodule
