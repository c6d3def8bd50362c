// SPDX-License-Identifier: Apache-2.0
// A FRED switch but for its interconnect: input ports, control unit, output ports. The generated fred_switch_mM_pP
// joins it with fred_interconnect_mM_pP.
//
// Contract: docs/rtl_ports.md. Outputs to links come from registers; a flit or credit that arrives is seen by the
// control unit one cycle later.

module fred_core #(
  parameter  int unsigned M                   = 3,
  parameter  int unsigned Ports               = 12,
  parameter  int unsigned Levels              = 3,
  parameter  int unsigned Lanes               = 4,
  parameter  int unsigned Beats               = 1,
  parameter  int unsigned AccumulateFp32      = 0,
  parameter  int unsigned TrafficClasses      = 4,
  parameter  int unsigned StoredSettings      = 8,
  parameter  int unsigned BufferFlits         = 16,
  parameter  int unsigned ControlBufferFlits  = 4,
  parameter  int unsigned OutputFlits         = 32,
  parameter  int unsigned ReduceCycles        = 1,
  parameter  int unsigned TagBits             = 1,
  localparam int unsigned CfgBits             = $clog2(StoredSettings),
  localparam int unsigned RouteBits           = $clog2(Ports) + Levels * $clog2(M),
  localparam int unsigned SideBits            = side_pkg::beat_bits(CfgBits, TagBits, RouteBits),
  localparam int unsigned DataBits            = Lanes * (AccumulateFp32 != 0 ? 64 : 32),
  localparam int unsigned FlitBits            = 32 * Lanes * Beats
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  fred_pkg::format_e         format_i,
  input  fred_pkg::op_e             op_i,
  input  logic [19:0]               reconfigure_cycles_i,
  input  logic [31:0]               stay_packets_i,
  input  logic [7:0]                first_uplink_i,
  input  logic [7:0]                uplinks_i,
  input  logic [Ports-1:0]          whole_packets_i,
  input  logic [Ports*16-1:0]       credits_i,
  input  logic [15:0]               control_credits_i,
  input  logic [15:0]               output_flits_i,
  input  logic [Ports*40-1:0]       rate_unit_i,
  input  logic [Ports*40-1:0]       rate_flit_i,
  input  logic [Ports*40-1:0]       rate_header_i,
  input  logic                      cfg_clk_i,
  input  logic                      cfg_we_i,
  input  logic [CfgBits-1:0]        cfg_index_i,
  input  logic [Ports*Ports-1:0]    cfg_inputs_i,
  input  logic [Ports*Ports-1:0]    cfg_outputs_i,
  // Links to the input ports.
  input  logic [Ports-1:0]          in_valid_i,
  input  logic [Ports-1:0]          in_head_i,
  input  logic [Ports-1:0]          in_tail_i,
  input  logic [Ports*2-1:0]        in_traffic_class_i,
  input  logic [Ports*8-1:0]        in_output_i,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [Ports*16-1:0]       in_stored_setting_i,  // CfgBits of each are in use
  input  logic [Ports*4-1:0]        credit_i,            // TrafficClasses of each
  // verilator lint_on UNUSEDSIGNAL
  input  logic [Ports*32-1:0]       in_packet_i,
  input  logic [Ports*16-1:0]       in_packet_flits_i,
  input  logic [Ports*64-1:0]       in_match_i,
  input  logic [Ports*FlitBits-1:0] in_data_i,
  output logic [Ports-1:0]          freed_valid_o,
  output logic [Ports*2-1:0]        freed_traffic_class_o,
  // The interconnect.
  output fred_pkg::format_e         net_format_o,
  output fred_pkg::op_e             net_op_o,
  output logic [Ports-1:0]          net_in_valid_o,
  input  logic [Ports-1:0]          net_in_ready_i,
  output logic [Ports*SideBits-1:0] net_in_side_o,
  output logic [Ports*DataBits-1:0] net_in_data_o,
  input  logic [Ports-1:0]          net_out_valid_i,
  output logic [Ports-1:0]          net_out_ready_o,
  input  logic [Ports*SideBits-1:0] net_out_side_i,
  input  logic [Ports*DataBits-1:0] net_out_data_i,
  // Links from the output ports.
  output logic [Ports-1:0]          out_valid_o,
  output logic [Ports-1:0]          out_head_o,
  output logic [Ports-1:0]          out_tail_o,
  output logic [Ports*2-1:0]        out_traffic_class_o,
  output logic [Ports*16-1:0]       out_stored_setting_o,
  output logic [Ports*32-1:0]       out_packet_o,
  output logic [Ports*16-1:0]       out_packet_flits_o,
  output logic [Ports*FlitBits-1:0] out_data_o,
  output logic                      active_valid_o,
  output logic [15:0]               active_o,
  output logic                      idle_o,
  output logic                      settled_o
);

  localparam int unsigned Buffers = Ports * TrafficClasses;

  // Straps go through registers: nothing in a cycle depends on them.
  logic [19:0]         reconfigure_cycles_q;
  logic [31:0]         stay_packets_q;
  logic [7:0]          first_uplink_q, uplinks_q;
  logic [Ports-1:0]    whole_packets_q;
  logic [Ports*16-1:0] credits_q;
  // verilator lint_off UNUSEDSIGNAL
  logic [15:0]         control_credits_q;  // with four traffic classes
  // verilator lint_on UNUSEDSIGNAL
  logic [15:0]         output_flits_q;
  logic [Ports*40-1:0] rate_unit_q, rate_flit_q, rate_header_q;
  always_ff @(posedge clk_i) begin
    net_format_o         <= format_i;
    net_op_o             <= op_i;
    reconfigure_cycles_q <= reconfigure_cycles_i;
    stay_packets_q       <= stay_packets_i;
    first_uplink_q       <= first_uplink_i;
    uplinks_q            <= uplinks_i;
    whole_packets_q      <= whole_packets_i;
    credits_q            <= credits_i;
    control_credits_q    <= control_credits_i;
    output_flits_q       <= output_flits_i;
    rate_unit_q          <= rate_unit_i;
    rate_flit_q          <= rate_flit_i;
    rate_header_q        <= rate_header_i;
  end

  // By port and traffic class, or by port.
  // verilator lint_off UNUSEDSIGNAL
  logic [Buffers-1:0]         next_valid;
  logic [Buffers*64-1:0]      next_match;  // both for who watches
  // verilator lint_on UNUSEDSIGNAL
  logic [Buffers-1:0]         next_here;
  logic [Buffers*CfgBits-1:0] next_stored_setting;
  logic [Buffers*16-1:0]      next_flits;
  logic [Buffers*8-1:0]       next_output;
  logic [Buffers*Ports-1:0]   next_inputs, next_outputs;
  logic [Ports-1:0]           busy, pending, paced, in_empty;
  logic [Ports*2-1:0]         traffic_class;
  logic [Ports*RouteBits-1:0] route, start_route;
  logic [Ports-1:0]           start, promise, out_empty, out_rested;
  logic [Ports*2-1:0]         start_traffic_class, promise_traffic_class;
  logic [Ports*16-1:0]        start_flits, promise_flits, room;
  logic [Buffers*16-1:0]      free;
  logic [CfgBits-1:0]         active;
  logic                       control_rested;

  assign active_o  = 16'(active);
  assign idle_o    = (&in_empty) && (&out_empty);
  assign settled_o = idle_o && control_rested && (&paced) && (&out_rested)
      && out_valid_o == '0 && freed_valid_o == '0;

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    input_port #(
      .Ports         (Ports),
      .TrafficClasses(TrafficClasses),
      .Lanes         (Lanes),
      .Beats         (Beats),
      .AccumulateFp32(AccumulateFp32),
      .DataFlits     (BufferFlits),
      .ControlFlits  (ControlBufferFlits),
      .StoredSettings(StoredSettings),
      .TagBits       (TagBits),
      .RouteBits     (RouteBits)
    ) u_input (
      .clk_i                (clk_i),
      .rst_ni               (rst_ni),
      .format_i             (net_format_o),
      .whole_packets_i      (whole_packets_q[p]),
      .cfg_clk_i            (cfg_clk_i),
      .cfg_we_i             (cfg_we_i),
      .cfg_index_i          (cfg_index_i),
      .cfg_inputs_i         (cfg_inputs_i[p*Ports +: Ports]),
      .cfg_outputs_i        (cfg_outputs_i[p*Ports +: Ports]),
      .in_valid_i           (in_valid_i[p]),
      .in_head_i            (in_head_i[p]),
      .in_tail_i            (in_tail_i[p]),
      .in_traffic_class_i   (in_traffic_class_i[p*2 +: 2]),
      .in_output_i          (in_output_i[p*8 +: 8]),
      .in_stored_setting_i  (in_stored_setting_i[p*16 +: CfgBits]),
      .in_packet_i          (in_packet_i[p*32 +: 32]),
      .in_packet_flits_i    (in_packet_flits_i[p*16 +: 16]),
      .in_match_i           (in_match_i[p*64 +: 64]),
      .in_data_i            (in_data_i[p*FlitBits +: FlitBits]),
      .freed_valid_o        (freed_valid_o[p]),
      .freed_traffic_class_o(freed_traffic_class_o[p*2 +: 2]),
      .next_valid_o         (next_valid[p*TrafficClasses +: TrafficClasses]),
      .next_here_o          (next_here[p*TrafficClasses +: TrafficClasses]),
      .next_stored_setting_o (next_stored_setting[p*TrafficClasses*CfgBits +: TrafficClasses*CfgBits]),
      .next_flits_o         (next_flits[p*TrafficClasses*16 +: TrafficClasses*16]),
      .next_output_o        (next_output[p*TrafficClasses*8 +: TrafficClasses*8]),
      .next_match_o         (next_match[p*TrafficClasses*64 +: TrafficClasses*64]),
      .next_inputs_o        (next_inputs[p*TrafficClasses*Ports +: TrafficClasses*Ports]),
      .next_outputs_o       (next_outputs[p*TrafficClasses*Ports +: TrafficClasses*Ports]),
      .busy_o               (busy[p]),
      .traffic_class_o      (traffic_class[p*2 +: 2]),
      .pending_o            (pending[p]),
      .paced_o              (paced[p]),
      .route_o              (route[p*RouteBits +: RouteBits]),
      .empty_o              (in_empty[p]),
      .start_i              (start[p]),
      .start_traffic_class_i(start_traffic_class[p*2 +: 2]),
      .start_flits_i        (start_flits[p*16 +: 16]),
      .start_route_i        (start_route[p*RouteBits +: RouteBits]),
      .out_valid_o          (net_in_valid_o[p]),
      .out_ready_i          (net_in_ready_i[p]),
      .out_side_o           (net_in_side_o[p*SideBits +: SideBits]),
      .out_data_o           (net_in_data_o[p*DataBits +: DataBits])
    );

    logic [TrafficClasses*16-1:0] credits;
    if (TrafficClasses > 3) begin : gen_control_credits
      assign credits = {control_credits_q, {3{credits_q[p*16 +: 16]}}};
    end else begin : gen_credits
      assign credits = {TrafficClasses{credits_q[p*16 +: 16]}};
    end

    logic [CfgBits-1:0] out_stored_setting;
    assign out_stored_setting_o[p*16 +: 16] = 16'(out_stored_setting);

    output_port #(
      .TrafficClasses(TrafficClasses),
      .Lanes         (Lanes),
      .Beats         (Beats),
      .AccumulateFp32(AccumulateFp32),
      .OutputFlits   (OutputFlits),
      .StoredSettings(StoredSettings),
      .TagBits       (TagBits),
      .RouteBits     (RouteBits)
    ) u_output (
      .clk_i                  (clk_i),
      .rst_ni                 (rst_ni),
      .format_i               (net_format_o),
      .credits_i              (credits),
      .output_flits_i         (output_flits_q),
      .rate_unit_i            (rate_unit_q[p*40 +: 40]),
      .rate_flit_i            (rate_flit_q[p*40 +: 40]),
      .rate_header_i          (rate_header_q[p*40 +: 40]),
      .in_valid_i             (net_out_valid_i[p]),
      .in_ready_o             (net_out_ready_o[p]),
      .in_side_i              (net_out_side_i[p*SideBits +: SideBits]),
      .in_data_i              (net_out_data_i[p*DataBits +: DataBits]),
      .free_o                 (free[p*TrafficClasses*16 +: TrafficClasses*16]),
      .room_o                 (room[p*16 +: 16]),
      .empty_o                (out_empty[p]),
      .rested_o               (out_rested[p]),
      .promise_i              (promise[p]),
      .promise_traffic_class_i(promise_traffic_class[p*2 +: 2]),
      .promise_flits_i        (promise_flits[p*16 +: 16]),
      .credit_i               (credit_i[p*4 +: TrafficClasses]),
      .out_valid_o            (out_valid_o[p]),
      .out_head_o             (out_head_o[p]),
      .out_tail_o             (out_tail_o[p]),
      .out_traffic_class_o    (out_traffic_class_o[p*2 +: 2]),
      .out_stored_setting_o   (out_stored_setting),
      .out_packet_o           (out_packet_o[p*32 +: 32]),
      .out_packet_flits_o     (out_packet_flits_o[p*16 +: 16]),
      .out_data_o             (out_data_o[p*FlitBits +: FlitBits])
    );
  end

  phase_control #(
    .M             (M),
    .Ports         (Ports),
    .Levels        (Levels),
    .TrafficClasses(TrafficClasses),
    .Beats         (Beats),
    .StoredSettings(StoredSettings),
    .ReduceCycles  (ReduceCycles)
  ) u_control (
    .clk_i                  (clk_i),
    .rst_ni                 (rst_ni),
    .reconfigure_cycles_i   (reconfigure_cycles_q),
    .stay_packets_i         (stay_packets_q),
    .first_uplink_i         (first_uplink_q),
    .uplinks_i              (uplinks_q),
    .next_here_i            (next_here),
    .next_stored_setting_i  (next_stored_setting),
    .next_flits_i           (next_flits),
    .next_output_i          (next_output),
    .next_inputs_i          (next_inputs),
    .next_outputs_i         (next_outputs),
    .busy_i                 (busy),
    .traffic_class_i        (traffic_class),
    .pending_i              (pending),
    .paced_i                (paced),
    .route_i                (route),
    .start_o                (start),
    .start_traffic_class_o  (start_traffic_class),
    .start_flits_o          (start_flits),
    .start_route_o          (start_route),
    .free_i                 (free),
    .room_i                 (room),
    .promise_o              (promise),
    .promise_traffic_class_o(promise_traffic_class),
    .promise_flits_o        (promise_flits),
    .active_valid_o         (active_valid_o),
    .active_o               (active),
    .rested_o               (control_rested)
  );

`ifdef WEFT_ASSERTIONS
  // Flits that have come in at a port and whose slots have not been given back.
  logic [Ports-1:0] holds;
  for (genvar p = 0; p < Ports; p++) begin : gen_port_contract
    logic [31:0] here;
    assign holds[p] = here != 32'(freed_valid_o[p]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) here <= '0;
      else         here <= here + 32'(in_valid_i[p]) - 32'(freed_valid_o[p]);
    end
  end

  `WEFT_ASSERT(IdleIsEmpty, !idle_o || (holds == '0 && net_in_valid_o == '0 && net_out_valid_i == '0))

  // On each traffic class of each link, in and out, whole packets one after the other, as many flits as their heads
  // say, all with the side wires of the head.
  localparam int unsigned Links = 2 * Ports;
  localparam int unsigned Kept  = 136;  // most side wires that all flits of a packet have in common
  logic [Links-1:0]    link_valid, link_head, link_tail;
  logic [Links*2-1:0]  link_traffic_class;
  logic [Links*16-1:0] link_flits;
  assign link_valid         = {out_valid_o, in_valid_i};
  assign link_head          = {out_head_o, in_head_i};
  assign link_tail          = {out_tail_o, in_tail_i};
  assign link_traffic_class = {out_traffic_class_o, in_traffic_class_i};
  assign link_flits         = {out_packet_flits_o, in_packet_flits_i};
  for (genvar l = 0; l < Links; l++) begin : gen_link_contract
    localparam int unsigned Port = l % Ports;
    logic [Kept-1:0] side;
    logic [15:0]     flits;
    assign flits = link_flits[l*16 +: 16];
    if (l < Ports) begin : gen_in
      assign side = {in_match_i[Port*64 +: 64], flits, in_packet_i[Port*32 +: 32], in_stored_setting_i[Port*16 +: 16],
                     in_output_i[Port*8 +: 8]};
    end else begin : gen_out
      assign side = Kept'({flits, out_packet_o[Port*32 +: 32], out_stored_setting_o[Port*16 +: 16]});
    end

    `WEFT_ASSERT(HasATrafficClass, !link_valid[l] || 32'(link_traffic_class[l*2 +: 2]) < TrafficClasses)

    for (genvar c = 0; c < TrafficClasses; c++) begin : gen_traffic_class
      logic [15:0]     left;  // flits of the packet that are still to come
      logic [Kept-1:0] head_side;
      logic            flit;
      assign flit = link_valid[l] && 32'(link_traffic_class[l*2 +: 2]) == c;
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          left      <= '0;
          head_side <= '0;
        end else if (flit) begin
          left      <= (link_head[l] ? flits : left) - 16'd1;
          head_side <= side;
        end
      end

      `WEFT_ASSERT(HeadComesFirst, !flit || (link_head[l] == (left == '0) && flits != '0))
      `WEFT_ASSERT(TailComesLast, !flit || link_tail[l] == ((link_head[l] ? flits : left) == 16'd1))
      `WEFT_ASSERT(SideStays, !flit || link_head[l] || side == head_side)
    end
  end
`endif

endmodule
