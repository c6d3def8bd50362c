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
  input logic        c_break_size_i,
  // config_memory: three words of two bits.
  input logic        m_we_i,
  input logic [1:0]  m_index_i,
  input logic [1:0]  m_word_i,
  input logic        m_break_word_i,
  // serve_order: three ports.
  input logic [2:0]  s_starts_i,
  input logic [5:0]  s_rank_i,
  input logic        s_break_older_i,
  // switch_registers: two ports.
  input logic        r_we_i,
  input logic [15:0] r_address_i,
  input logic [31:0] r_data_i,
  input logic        r_break_credits_i,
  input logic        r_break_stay_i,
  input logic        r_break_store_i,
  // phase_control: three ports, one traffic class; what stands at the ports is alike.
  input logic [2:0]  p_here_i,
  input logic        p_stored_i,
  input logic [15:0] p_flits_i,
  input logic [2:0]  p_inputs_i,
  input logic [2:0]  p_pending_i,
  input logic [19:0] p_reconfigure_i,
  input logic        p_break_pointer_i,
  input logic        p_break_open_i,
  input logic        p_break_late_i
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

  config_memory #(.Width(2), .Entries(3)) u_memory (
    .clk_i(clk_i), .we_i(m_we_i), .index_i(m_index_i), .word_i(m_word_i), .words_o()
  );

  serve_order #(.Ports(3)) u_order (
    .clk_i(clk_i), .rst_ni(rst_ni), .starts_i(s_starts_i), .rank_i(s_rank_i), .older_o()
  );

  switch_registers #(.Ports(2), .SettingBits(8)) u_registers (
    .clk_i(clk_i), .rst_ni(rst_ni), .we_i(r_we_i), .address_i(r_address_i), .data_i(r_data_i), .format_o(), .op_o(),
    .reconfigure_cycles_o(), .stay_packets_o(), .first_uplink_o(), .uplinks_o(), .whole_packets_o(), .credits_o(),
    .control_credits_o(), .output_flits_o(), .rate_unit_o(), .rate_flit_o(), .rate_header_o(), .cfg_we_o(),
    .cfg_index_o(), .cfg_settings_o(), .cfg_inputs_o(), .cfg_outputs_o()
  );

  phase_control #(
    .M(2), .Ports(3), .Levels(1), .TrafficClasses(1), .Beats(1), .StoredSettings(2), .ReduceCycles(1)
  ) u_control (
    .clk_i(clk_i), .rst_ni(rst_ni), .reconfigure_cycles_i(p_reconfigure_i), .stay_packets_i(32'd0),
    .first_uplink_i(8'd0), .uplinks_i(8'd0), .next_here_i(p_here_i), .next_stored_setting_i({3{p_stored_i}}),
    .next_flits_i({3{p_flits_i}}), .next_output_i('0), .next_inputs_i({6'd0, p_inputs_i}),
    .next_outputs_i({6'd0, 3'd1}), .busy_i('0), .traffic_class_i('0), .pending_i(p_pending_i), .paced_i('1),
    .route_i('0), .start_o(), .start_traffic_class_o(), .start_flits_o(), .start_route_o(), .free_i({3{16'd2}}),
    .room_i({3{16'd2}}), .promise_o(), .promise_traffic_class_o(), .promise_flits_o(), .active_valid_o(),
    .active_o(), .rested_o()
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
    if (m_break_word_i) u_memory.words_o[1:0] <= ~u_memory.words_o[1:0];
    if (s_break_older_i) u_order.older_q <= '1;
    if (r_break_credits_i) u_registers.credits_o <= 32'd1;
    if (r_break_stay_i) u_registers.stay_packets_o <= 32'd9;
    if (r_break_store_i) u_registers.cfg_we_o <= 1'b1;
    if (p_break_pointer_i) u_control.port_pointer_q <= 2'd3;
    if (p_break_open_i) u_control.open_q <= '0;
    if (p_break_late_i) u_control.late_q <= 32'd5;
    if (c_break_size_i) u_core.gen_port[0].u_input.u_buffer.size_q <= 2'd0;
  end

endmodule
