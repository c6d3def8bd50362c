// SPDX-License-Identifier: Apache-2.0
// An input port: its buffer, and the stream that sends the packets that the control unit starts into the interconnect,
// beat after beat.
//
// Contract: a packet that is started offers its first beat in the same cycle. While a packet is on its way another one
// of the same traffic class may be started once (pending_o low); it follows without a gap. A beat is offered until it
// is taken. freed_o tells, from a register, that the cycle before took the last beat of a flit.
//
// Side wires of a flit in the buffer, from bit 0: head, tail, output (8), packet length (16), stored setting, packet
// (32), match (64). Side wires of a beat: head, tail, end of a flit, stored setting, packet length (16), match tag,
// traffic class (2), packet (32), route.

module input_port #(
  parameter  int unsigned Ports          = 12,
  parameter  int unsigned TrafficClasses = 4,
  parameter  int unsigned Lanes          = 4,
  parameter  int unsigned Beats          = 1,
  parameter  int unsigned AccumulateFp32 = 0,
  parameter  int unsigned DataFlits      = 16,
  parameter  int unsigned ControlFlits   = 4,
  parameter  int unsigned StoredSettings = 2,
  parameter  int unsigned TagBits        = 1,  // bits of match that travel in the interconnect
  parameter  int unsigned RouteBits      = 4,
  localparam int unsigned CfgBits        = $clog2(StoredSettings),
  localparam int unsigned FlitBits       = 32 * Lanes * Beats,
  localparam int unsigned DataBits       = Lanes * (AccumulateFp32 != 0 ? 64 : 32),
  localparam int unsigned SideBits       = side_pkg::beat_bits(CfgBits, TagBits, RouteBits)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  // verilator lint_off UNUSEDSIGNAL
  input  fred_pkg::format_e                 format_i,  // with AccumulateFp32
  // verilator lint_on UNUSEDSIGNAL
  input  logic                              whole_packets_i,
  // Flows: of each stored setting in which this port is the first input of a flow, masks of its inputs and outputs.
  input  logic                              cfg_clk_i,
  input  logic                              cfg_we_i,
  input  logic [CfgBits-1:0]                cfg_index_i,
  input  logic [Ports-1:0]                  cfg_inputs_i,
  input  logic [Ports-1:0]                  cfg_outputs_i,
  // From the link.
  input  logic                              in_valid_i,
  input  logic                              in_head_i,
  input  logic                              in_tail_i,
  input  logic [1:0]                        in_traffic_class_i,
  input  logic [7:0]                        in_output_i,
  input  logic [CfgBits-1:0]                in_stored_setting_i,
  input  logic [31:0]                       in_packet_i,
  input  logic [15:0]                       in_packet_flits_i,
  input  logic [63:0]                       in_match_i,
  input  logic [FlitBits-1:0]               in_data_i,
  output logic                              freed_valid_o,
  output logic [1:0]                        freed_traffic_class_o,
  // To the control unit: of each traffic class the first packet that has not been started.
  output logic [TrafficClasses-1:0]         next_valid_o,
  output logic [TrafficClasses-1:0]         next_here_o,  // enough of it has arrived
  output logic [TrafficClasses*CfgBits-1:0] next_stored_setting_o,
  output logic [TrafficClasses*16-1:0]      next_flits_o,
  output logic [TrafficClasses*8-1:0]       next_output_o,
  output logic [TrafficClasses*64-1:0]      next_match_o,
  output logic [TrafficClasses*Ports-1:0]   next_inputs_o,
  output logic [TrafficClasses*Ports-1:0]   next_outputs_o,
  // To the control unit: the packet that is on its way.
  output logic                              busy_o,
  output logic [1:0]                        traffic_class_o,
  output logic                              pending_o,  // another one follows
  output logic                              paced_o,    // one that follows may be started
  output logic [RouteBits-1:0]              route_o,
  output logic                              empty_o,    // nothing is in the buffer
  // From the control unit.
  input  logic                              start_i,
  input  logic [1:0]                        start_traffic_class_i,
  input  logic [15:0]                       start_flits_i,
  input  logic [RouteBits-1:0]              start_route_i,
  // To the interconnect.
  output logic                              out_valid_o,
  input  logic                              out_ready_i,
  output logic [SideBits-1:0]               out_side_o,
  output logic [DataBits-1:0]               out_data_o
);
  // verilator no_inline_module

  localparam int unsigned FlitSideBits = side_pkg::in_bits(CfgBits);
  localparam int unsigned PacketLow    = side_pkg::in_packet(CfgBits);
  localparam int unsigned MatchLow     = side_pkg::in_match(CfgBits);
  localparam int unsigned BeatBits     = Beats > 1 ? $clog2(Beats) : 1;
  localparam int unsigned MostFlits    = TrafficClasses > 3 && ControlFlits > DataFlits ? ControlFlits : DataFlits;
  localparam int unsigned CountBits    = $clog2(MostFlits + 1);

  // The buffer.
  logic [1:0]                       traffic_class;
  logic                             front_valid, pop;
  // verilator lint_off UNUSEDSIGNAL
  logic [FlitSideBits-1:0]                front_side;  // the output, and of match the tag is in use
  // verilator lint_on UNUSEDSIGNAL
  logic [FlitBits-1:0]                    front_data;
  // verilator lint_off UNUSEDSIGNAL
  logic [TrafficClasses*FlitSideBits-1:0] next_side;  // head, tail and packet are no use
  // verilator lint_on UNUSEDSIGNAL
  logic [TrafficClasses*CountBits-1:0]    waiting;

  port_buffer #(
    .TrafficClasses(TrafficClasses),
    .DataFlits     (DataFlits),
    .ControlFlits  (ControlFlits),
    .SideBits      (FlitSideBits),
    .DataBits      (FlitBits)
  ) u_buffer (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .push_i               (in_valid_i),
    .push_traffic_class_i (in_traffic_class_i),
    .push_side_i          ({in_match_i, in_packet_i, in_stored_setting_i, in_packet_flits_i, in_output_i, in_tail_i,
                      in_head_i}),
    .push_data_i          (in_data_i),
    .front_traffic_class_i(traffic_class),
    .front_valid_o        (front_valid),
    .front_side_o         (front_side),
    .front_data_o         (front_data),
    .pop_i                (pop),
    .start_i              (start_i),
    .start_traffic_class_i(start_traffic_class_i),
    .start_flits_i        (start_flits_i),
    .empty_o              (empty_o),
    .next_valid_o         (next_valid_o),
    .next_side_o          (next_side),
    .waiting_o            (waiting)
  );

  // The flows of this port.
  logic [StoredSettings*2*Ports-1:0] flows;
  config_memory #(.Width(2 * Ports), .Entries(StoredSettings)) u_flows (
    .clk_i  (cfg_clk_i),
    .we_i   (cfg_we_i),
    .index_i(cfg_index_i),
    .word_i ({cfg_outputs_i, cfg_inputs_i}),
    .words_o(flows)
  );

  always_comb begin
    next_here_o          = '0;
    next_stored_setting_o = '0;
    next_flits_o         = '0;
    next_output_o        = '0;
    next_match_o         = '0;
    next_inputs_o        = '0;
    next_outputs_o       = '0;
    for (int unsigned c = 0; c < TrafficClasses; c++) begin
      if (next_valid_o[c]) begin
        next_output_o[c*8 +: 8]  = next_side[c*FlitSideBits + side_pkg::InOutput +: 8];
        next_flits_o[c*16 +: 16] = next_side[c*FlitSideBits + side_pkg::InLength +: 16];
        next_stored_setting_o[c*CfgBits +: CfgBits] =
            next_side[c*FlitSideBits + side_pkg::InStoredSetting +: CfgBits];
        next_match_o[c*64 +: 64] = next_side[c*FlitSideBits + MatchLow +: 64];
        next_here_o[c] = !whole_packets_i || 16'(waiting[c*CountBits +: CountBits]) >= next_flits_o[c*16 +: 16];
        if (next_stored_setting_o[c*CfgBits +: CfgBits] != '0) begin
          next_inputs_o[c*Ports +: Ports]  = flows[next_stored_setting_o[c*CfgBits +: CfgBits]*2*Ports +: Ports];
          next_outputs_o[c*Ports +: Ports] =
              flows[next_stored_setting_o[c*CfgBits +: CfgBits]*2*Ports + Ports +: Ports];
        end
      end
    end
  end

  // The stream.
  logic                 busy_q, busy_d;
  logic [1:0]           traffic_class_q;
  logic [15:0]          left_q, left_d, pending_q, pending_d;  // flits of the packet, of the one behind it
  logic [BeatBits-1:0]  beat_q, beat_d;
  logic [23:0]          pace_q, pace_d;  // cycles until a packet that follows may be started
  logic [RouteBits-1:0] route_q, route;
  logic                 flit_end;

  assign busy_o          = busy_q;
  assign traffic_class_o = traffic_class_q;
  assign pending_o       = pending_q != '0;
  assign paced_o         = pace_q == '0;
  assign route_o         = route_q;
  assign traffic_class   = busy_q ? traffic_class_q : start_traffic_class_i;
  assign route           = busy_q ? route_q : start_route_i;
  assign flit_end        = 32'(beat_q) == Beats - 1;

  assign out_valid_o = (busy_q || start_i) && front_valid;
  assign pop         = out_valid_o && out_ready_i && flit_end;

  always_comb begin
    busy_d    = busy_q || start_i;
    left_d    = busy_q ? left_q : start_flits_i;
    pending_d = busy_q && start_i ? start_flits_i : pending_q;
    beat_d    = beat_q;
    pace_d    = pace_q == '0 ? '0 : pace_q - 24'd1;
    if (start_i) pace_d = 24'(32'(start_flits_i) * Beats - 1);
    if (out_valid_o && out_ready_i) begin
      beat_d = flit_end ? '0 : beat_q + BeatBits'(1);
      if (flit_end) begin
        left_d = left_d - 16'd1;
        if (left_d == '0) begin
          left_d    = pending_d;
          pending_d = '0;
          busy_d    = left_d != '0;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q          <= 1'b0;
      traffic_class_q <= '0;
      left_q          <= '0;
      pending_q       <= '0;
      beat_q          <= '0;
      pace_q          <= '0;
      route_q         <= '0;
      freed_valid_o   <= 1'b0;
    end else begin
      freed_valid_o   <= pop;
      busy_q          <= busy_d;
      traffic_class_q <= traffic_class;
      left_q          <= left_d;
      pending_q       <= pending_d;
      beat_q          <= beat_d;
      pace_q          <= pace_d;
      route_q         <= route;
    end
  end
  always_ff @(posedge clk_i) begin
    if (pop) freed_traffic_class_o <= traffic_class;
  end

  // The beat.
  logic [DataBits-1:0] wide;
  logic [Lanes*32-1:0] narrow;
  if (Beats > 1) begin : gen_beats
    assign narrow = front_data[beat_q*Lanes*32 +: Lanes*32];
  end else begin : gen_one_beat
    assign narrow = front_data;
  end

  if (AccumulateFp32 != 0) begin : gen_enter
    logic unicast;
    assign unicast = front_side[side_pkg::InStoredSetting +: CfgBits] == '0;
    // What is not reduced comes out as it went in.
    lanes_enter #(.Lanes(Lanes)) u_enter (
      .format_i(unicast || !out_valid_o ? fred_pkg::Fp32 : format_i),
      .data_i  (narrow),
      .data_o  (wide)
    );
  end else begin : gen_through
    assign wide = narrow;
  end
  assign out_data_o = wide;

  // The fields of a beat of side_pkg, the highest first.
  assign out_side_o = {
      route,
      front_side[PacketLow +: 32],
      traffic_class,
      front_side[MatchLow +: TagBits],
      front_side[side_pkg::InLength +: 16],
      front_side[side_pkg::InStoredSetting +: CfgBits],
      flit_end,
      front_side[side_pkg::InTail] && flit_end,
      front_side[side_pkg::InHead] && beat_q == '0
  };

`ifdef WEFT_ASSERTIONS
  // What was offered in the cycle before and not taken; whether the last beat of a flit left then, and of which
  // traffic class; beats of the flit that have left.
  logic                waits, left;
  logic [SideBits-1:0] side_before;
  logic [DataBits-1:0] data_before;
  logic [1:0]          left_traffic_class;
  logic [31:0]         beat;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits              <= 1'b0;
      left               <= 1'b0;
      side_before        <= '0;
      data_before        <= '0;
      left_traffic_class <= '0;
      beat               <= '0;
    end else begin
      waits              <= out_valid_o && !out_ready_i;
      left               <= out_valid_o && out_ready_i && out_side_o[side_pkg::BeatLast];
      side_before        <= out_side_o;
      data_before        <= out_data_o;
      left_traffic_class <= traffic_class;
      if (out_valid_o && out_ready_i) beat <= out_side_o[side_pkg::BeatLast] ? '0 : beat + 32'd1;
    end
  end

  `WEFT_ASSERT(OfferHolds, !waits || (out_valid_o && out_side_o == side_before && out_data_o == data_before))
  `WEFT_ASSERT(FlitHasBeats, !out_valid_o || out_side_o[side_pkg::BeatLast] == (beat == Beats - 1))
  `WEFT_ASSERT(FreedOnce, freed_valid_o == left && (!left || freed_traffic_class_o == left_traffic_class))
  `WEFT_ASSERT(StartsWhatIsHere, !start_i || (1'(next_here_o >> start_traffic_class_i)
      && start_flits_i == 16'(next_flits_o >> {start_traffic_class_i, 4'b0})))
  `WEFT_ASSERT(MayFollow, !start_i || !busy_o || (start_traffic_class_i == traffic_class_o && !pending_o && paced_o))
`endif

endmodule
