// SPDX-License-Identifier: Apache-2.0
// Fred_2(4) with buffers of two flits and constant straps, and what proofs look at inside. Straps: 2 credits at each
// output, links take a flit per cycle and no header. Read by Yosys alone.
//
// Packed, from bit 0: a beat of beats_o is what small_pkg says; a flit of inputs_o head, tail, stored setting (2), packet
// length (2), output (2), whether upper bits of length or output are set, data (4); a flit of outputs_o head, tail,
// stored setting (2), packet length (2), traffic class (2), data (4), the same.

module switch_small #(
  parameter  int unsigned TrafficClasses = 1,
  parameter  int unsigned Stored         = 1,  // stored settings
  parameter  int unsigned Skid           = 0,
  localparam int unsigned Ports          = 4,
  localparam int unsigned Slots          = 2 * TrafficClasses,  // slots of an input port
  localparam int unsigned CfgBits        = $clog2(Stored + 1),
  localparam int unsigned SideBits       = side_pkg::beat_bits(CfgBits, 1, 3),  // side bits of a beat
  localparam int unsigned LengthRest     = side_pkg::beat_length(CfgBits) + 2,  // its bits but for two
  localparam int unsigned SlotBits       = $clog2(Slots),
  localparam int unsigned InSideBits     = side_pkg::in_bits(CfgBits),
  localparam int unsigned OutSideBits    = side_pkg::out_bits(CfgBits),
  localparam int unsigned Beat           = small_pkg::BeatBits
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          reconfigure_i,
  input  logic                          stay_i,
  input  logic                          cfg_we_i,
  input  logic [1:0]                    cfg_index_i,
  input  logic [31:0]                   cfg_settings_i,
  input  logic [15:0]                   cfg_ports_i,
  input  logic [3:0]                    in_valid_i,
  input  logic [3:0]                    in_head_i,
  input  logic [3:0]                    in_tail_i,
  input  logic [7:0]                    in_traffic_class_i,
  input  logic [7:0]                    in_output_i,
  input  logic [7:0]                    in_stored_setting_i,
  input  logic [7:0]                    in_flits_i,
  input  logic [15:0]                   in_data_i,
  input  logic [4*TrafficClasses-1:0]   credit_i,
  output logic [3:0]                    freed_o,
  output logic [7:0]                    freed_traffic_class_o,
  output logic [3:0]                    out_valid_o,
  output logic [3:0]                    out_head_o,
  output logic [3:0]                    out_tail_o,
  output logic [7:0]                    out_traffic_class_o,
  output logic [7:0]                    out_stored_setting_o,
  output logic [7:0]                    out_flits_o,
  output logic [15:0]                   out_data_o,
  output logic                          active_valid_o,
  output logic [1:0]                    active_o,
  output logic                          odd_o,  // something that the narrow ports do not show is not 0
  output logic [15:0]                   older_o,  // ages of the ports
  output logic                          straps_o,  // the straps are in their registers
  output logic [32*Stored-1:0]          settings_o,  // by stored setting, of the elements; inputs and outputs of flows
  output logic [32*Stored-1:0]          flows_o,
  // Inside, by wire: outputs of R 0, R 1, RD 0, RD 1, D 0, D 1, then inputs.
  output logic [15:0]                   beat_valid_o,
  output logic [16*Beat-1:0]            beats_o,
  output logic [3:0]                    enter_ready_o,
  output logic [7:0]                    done_o,  // forks of RD 0, RD 1, D 0, D 1
  // By input port: its packet, the one behind it, flits by traffic class, and the rings.
  output logic [3:0]                    busy_o,
  output logic [7:0]                    traffic_class_o,
  output logic [11:0]                   route_o,
  output logic [11:0]                   left_o,
  output logic [11:0]                   pending_o,
  output logic [4*TrafficClasses*2-1:0] waiting_o,
  output logic [4*TrafficClasses*4-1:0] started_o,
  output logic [4*TrafficClasses*SlotBits-1:0] first_o,
  output logic [4*TrafficClasses*SlotBits-1:0] last_o,
  output logic [4*TrafficClasses*SlotBits-1:0] head_o,
  output logic [4*Slots*13-1:0]         inputs_o,
  // By output port: flits promised (by traffic class: and not given back), and the ring.
  output logic [4*TrafficClasses*3-1:0] used_o,
  output logic [11:0]                   promised_o,
  output logic [7:0]                    size_o,
  output logic [3:0]                    out_first_o,
  output logic [3:0]                    out_last_o,
  output logic [8*13-1:0]               outputs_o
);

  logic [127:0] in_data, out_data, out_packet;
  logic [63:0]  in_stored_setting, in_flits, out_stored_setting, out_flits;
  logic [31:0]  in_output;
  logic [15:0]  credit, active;
  logic         idle, settled;
  always_comb begin
    in_data          = '0;
    in_stored_setting = '0;
    in_flits         = '0;
    in_output        = '0;
    credit           = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      in_data[32*p +: 4]            = in_data_i[4*p +: 4];
      in_stored_setting[16*p +: 2]   = in_stored_setting_i[2*p +: 2];
      in_flits[16*p +: 2]           = in_flits_i[2*p +: 2];
      in_output[8*p +: 2]           = in_output_i[2*p +: 2];
      credit[4*p +: TrafficClasses] = credit_i[p*TrafficClasses +: TrafficClasses];
    end
  end

  fred_switch_m2_p4 #(
    .Lanes(1), .Beats(1), .AccumulateFp32(0), .TrafficClasses(TrafficClasses), .StoredSettings(Stored + 1),
    .BufferFlits(2), .ControlBufferFlits(1), .OutputFlits(2), .ReduceCycles(1), .Skid(Skid)
  ) u_sw (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .format_i             (fred_pkg::Int32),
    .op_i                 (fred_pkg::Sum),
    .reconfigure_cycles_i ({19'b0, reconfigure_i}),
    .stay_packets_i       ({31'b0, stay_i}),
    .first_uplink_i       (8'd0),
    .uplinks_i            (8'd0),
    .whole_packets_i      (4'd0),
    .credits_i            ({4{16'd2}}),
    .control_credits_i    (16'd0),
    .output_flits_i       (16'd2),
    .rate_unit_i          ({4{40'd1}}),
    .rate_flit_i          ({4{40'd1}}),
    .rate_header_i        ({4{40'd0}}),
    .cfg_clk_i            (clk_i),
    .cfg_we_i             (cfg_we_i),
    .cfg_index_i          ({14'b0, cfg_index_i}),
    .cfg_settings_i       (cfg_settings_i),
    .cfg_inputs_i         (cfg_ports_i),
    .cfg_outputs_i        (cfg_ports_i),
    .in_valid_i           (in_valid_i),
    .in_head_i            (in_head_i),
    .in_tail_i            (in_tail_i),
    .in_traffic_class_i   (in_traffic_class_i),
    .in_output_i          (in_output),
    .in_stored_setting_i  (in_stored_setting),
    .in_packet_i          (128'd0),
    .in_packet_flits_i    (in_flits),
    .in_match_i           (256'd0),
    .in_data_i            (in_data),
    .credit_i             (credit),
    .freed_valid_o        (freed_o),
    .freed_traffic_class_o(freed_traffic_class_o),
    .out_valid_o          (out_valid_o),
    .out_head_o           (out_head_o),
    .out_tail_o           (out_tail_o),
    .out_traffic_class_o  (out_traffic_class_o),
    .out_stored_setting_o (out_stored_setting),
    .out_packet_o         (out_packet),
    .out_packet_flits_o   (out_flits),
    .out_data_o           (out_data),
    .active_valid_o       (active_valid_o),
    .active_o             (active),
    .idle_o               (idle),
    .settled_o            (settled)
  );
  assign active_o = active[1:0];

  (* hierconn *) wire [15:0] \u_sw.u_core.u_control.older ;
  assign older_o = \u_sw.u_core.u_control.older ;

  // Straps and stored settings.
  (* hierconn *) wire [63:0] \u_sw.u_core.credits_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.output_flits_q ;
  (* hierconn *) wire [159:0] \u_sw.u_core.rate_unit_q ;
  (* hierconn *) wire [159:0] \u_sw.u_core.rate_flit_q ;
  (* hierconn *) wire [159:0] \u_sw.u_core.rate_header_q ;
  (* hierconn *) wire [7:0] \u_sw.u_core.first_uplink_q ;
  (* hierconn *) wire [7:0] \u_sw.u_core.uplinks_q ;
  (* hierconn *) wire [3:0] \u_sw.u_core.whole_packets_q ;
  (* hierconn *) wire [(Stored+1)*5-1:0] \u_sw.u_interconnect.in_0.u_settings.words_o ;
  (* hierconn *) wire [(Stored+1)*5-1:0] \u_sw.u_interconnect.in_1.u_settings.words_o ;
  (* hierconn *) wire [(Stored+1)*6-1:0] \u_sw.u_interconnect.mid_0__rd.u_settings.words_o ;
  (* hierconn *) wire [(Stored+1)*6-1:0] \u_sw.u_interconnect.mid_1__rd.u_settings.words_o ;
  (* hierconn *) wire [(Stored+1)*5-1:0] \u_sw.u_interconnect.out_0.u_settings.words_o ;
  (* hierconn *) wire [(Stored+1)*5-1:0] \u_sw.u_interconnect.out_1.u_settings.words_o ;
  assign straps_o = \u_sw.u_core.credits_q == {4{16'd2}}
      && \u_sw.u_core.output_flits_q == 16'd2
      && \u_sw.u_core.rate_unit_q == {4{40'd1}}
      && \u_sw.u_core.rate_flit_q == {4{40'd1}}
      && \u_sw.u_core.rate_header_q == '0
      && \u_sw.u_core.first_uplink_q == '0
      && \u_sw.u_core.uplinks_q == '0
      && \u_sw.u_core.whole_packets_q == '0;
  for (genvar k = 0; k < Stored; k++) begin : gen_stored
    assign settings_o[32*k + 0 +: 5] = \u_sw.u_interconnect.in_0.u_settings.words_o [(k + 1)*5 +: 5];
    assign settings_o[32*k + 5 +: 5] = \u_sw.u_interconnect.in_1.u_settings.words_o [(k + 1)*5 +: 5];
    assign settings_o[32*k + 10 +: 6] = \u_sw.u_interconnect.mid_0__rd.u_settings.words_o [(k + 1)*6 +: 6];
    assign settings_o[32*k + 16 +: 6] = \u_sw.u_interconnect.mid_1__rd.u_settings.words_o [(k + 1)*6 +: 6];
    assign settings_o[32*k + 22 +: 5] = \u_sw.u_interconnect.out_0.u_settings.words_o [(k + 1)*5 +: 5];
    assign settings_o[32*k + 27 +: 5] = \u_sw.u_interconnect.out_1.u_settings.words_o [(k + 1)*5 +: 5];
  end

  // Wires of the interconnect, by their names in it.
  logic [15:0]            beat_valid;
  logic [16*SideBits-1:0] beat_side;
  logic [16*32-1:0]       beat_data;
  if (1) begin : \u_sw.u_interconnect
    (* hierconn *) wire in_0_o0_valid, in_0_o1_valid, in_1_o0_valid, in_1_o1_valid, mid_0__rd_o0_valid,
        mid_0__rd_o1_valid, mid_1__rd_o0_valid, mid_1__rd_o1_valid, out_0_o0_valid, out_0_o1_valid, out_1_o0_valid,
        out_1_o1_valid, port_0_valid, port_1_valid, port_2_valid, port_3_valid;
    (* hierconn *) wire [SideBits-1:0] in_0_o0_side, in_0_o1_side, in_1_o0_side, in_1_o1_side, mid_0__rd_o0_side,
        mid_0__rd_o1_side, mid_1__rd_o0_side, mid_1__rd_o1_side, out_0_o0_side, out_0_o1_side, out_1_o0_side,
        out_1_o1_side, port_0_side, port_1_side, port_2_side, port_3_side;
    (* hierconn *) wire [31:0] in_0_o0_data, in_0_o1_data, in_1_o0_data, in_1_o1_data, mid_0__rd_o0_data,
        mid_0__rd_o1_data, mid_1__rd_o0_data, mid_1__rd_o1_data, out_0_o0_data, out_0_o1_data, out_1_o0_data,
        out_1_o1_data, port_0_data, port_1_data, port_2_data, port_3_data;
    assign beat_valid = {port_3_valid, port_2_valid, port_1_valid, port_0_valid, out_1_o1_valid, out_1_o0_valid,
        out_0_o1_valid, out_0_o0_valid, mid_1__rd_o1_valid, mid_1__rd_o0_valid, mid_0__rd_o1_valid, mid_0__rd_o0_valid,
        in_1_o1_valid, in_1_o0_valid, in_0_o1_valid, in_0_o0_valid};
    assign beat_side = {port_3_side, port_2_side, port_1_side, port_0_side, out_1_o1_side, out_1_o0_side, out_0_o1_side,
        out_0_o0_side, mid_1__rd_o1_side, mid_1__rd_o0_side, mid_0__rd_o1_side, mid_0__rd_o0_side, in_1_o1_side,
        in_1_o0_side, in_0_o1_side, in_0_o0_side};
    assign beat_data = {port_3_data, port_2_data, port_1_data, port_0_data, out_1_o1_data, out_1_o0_data, out_0_o1_data,
        out_0_o0_data, mid_1__rd_o1_data, mid_1__rd_o0_data, mid_0__rd_o1_data, mid_0__rd_o0_data, in_1_o1_data,
        in_1_o0_data, in_0_o1_data, in_0_o0_data};
  end
  assign beat_valid_o = beat_valid;

  function automatic logic [Beat-1:0] beat_of(input logic [SideBits-1:0] side, input logic [31:0] data);
    beat_of = {data[3:0], side[SideBits-1 -: 3], side[side_pkg::beat_traffic_class(CfgBits, 1) +: 2],
        side[side_pkg::beat_length(CfgBits) +: 2], 2'(side[side_pkg::BeatStoredSetting +: CfgBits]), side[1:0]};
  endfunction
  for (genvar w = 0; w < 16; w++) begin : gen_beat
    assign beats_o[w*Beat +: Beat] = beat_of(beat_side[w*SideBits +: SideBits], beat_data[w*32 +: 32]);
  end

  (* hierconn *) wire [3:0] \u_sw.enter_ready ;
  (* hierconn *) wire [1:0] \u_sw.u_interconnect.mid_0__rd.u_switch.done_q ;
  (* hierconn *) wire [1:0] \u_sw.u_interconnect.mid_1__rd.u_switch.done_q ;
  (* hierconn *) wire [1:0] \u_sw.u_interconnect.out_0.u_switch.done_q ;
  (* hierconn *) wire [1:0] \u_sw.u_interconnect.out_1.u_switch.done_q ;
  assign enter_ready_o = \u_sw.enter_ready ;
  assign done_o = {\u_sw.u_interconnect.out_1.u_switch.done_q , \u_sw.u_interconnect.out_0.u_switch.done_q ,
      \u_sw.u_interconnect.mid_1__rd.u_switch.done_q , \u_sw.u_interconnect.mid_0__rd.u_switch.done_q };

  function automatic logic [12:0] flit_of(input logic [InSideBits-1:0] side, input logic [31:0] data);
    flit_of = {data[3:0], side[side_pkg::InOutput+2 +: 6] != '0 || side[side_pkg::InLength+2 +: 14] != '0,
        side[side_pkg::InOutput +: 2], side[side_pkg::InLength +: 2], 2'(side[side_pkg::InStoredSetting +: CfgBits]),
        side[1:0]};
  endfunction
  function automatic logic [12:0] left_of(input logic [OutSideBits-1:0] side, input logic [31:0] data);
    left_of = {side[side_pkg::out_length(CfgBits)+2 +: 14] != '0, data[3:0],
        side[side_pkg::out_traffic_class(CfgBits) +: 2], side[side_pkg::out_length(CfgBits) +: 2],
        2'(side[side_pkg::OutStoredSetting +: CfgBits]), side[1:0]};
  endfunction

  // Ports: the block and its wires have the names of what they look at.
  logic [Ports-1:0] odd_port;
  for (genvar p = 0; p < Ports; p++) begin : \u_sw.u_core.gen_port
    // The input port, its ring buffer and its flows by stored setting.
    (* hierconn *) wire                            \u_input.busy_q ;
    (* hierconn *) wire                            \u_input.beat_q ;
    (* hierconn *) wire [1:0]                      \u_input.traffic_class_q ;
    (* hierconn *) wire [2:0]                      \u_input.route_q ;
    (* hierconn *) wire [15:0]                     \u_input.left_q ;
    (* hierconn *) wire [15:0]                     \u_input.pending_q ;
    (* hierconn *) wire [(Stored+1)*8-1:0]         \u_input.u_flows.words_o ;
    (* hierconn *) wire [TrafficClasses*2-1:0]           \u_input.u_buffer.size_q ;
    (* hierconn *) wire [TrafficClasses*17-1:0]          \u_input.u_buffer.started_q ;
    (* hierconn *) wire [TrafficClasses*SlotBits-1:0]   \u_input.u_buffer.first_q ;
    (* hierconn *) wire [TrafficClasses*SlotBits-1:0]   \u_input.u_buffer.last_q ;
    (* hierconn *) wire [TrafficClasses*SlotBits-1:0]   \u_input.u_buffer.head_q ;
    (* hierconn *) wire [InSideBits-1:0]           \u_input.u_buffer.side_mem[0] ;
    (* hierconn *) wire [InSideBits-1:0]           \u_input.u_buffer.side_mem[1] ;
    (* hierconn *) wire [InSideBits-1:0]           \u_input.u_buffer.side_mem[2] ;
    (* hierconn *) wire [InSideBits-1:0]           \u_input.u_buffer.side_mem[3] ;
    (* hierconn *) wire [31:0]                     \u_input.u_buffer.data_mem[0] ;
    (* hierconn *) wire [31:0]                     \u_input.u_buffer.data_mem[1] ;
    (* hierconn *) wire [31:0]                     \u_input.u_buffer.data_mem[2] ;
    (* hierconn *) wire [31:0]                     \u_input.u_buffer.data_mem[3] ;
    assign busy_o[p]                                                           = \u_input.busy_q ;
    assign traffic_class_o[2*p +: 2]                                           = \u_input.traffic_class_q ;
    assign route_o[3*p +: 3]                                                   = \u_input.route_q ;
    assign left_o[3*p +: 3]                                                    = \u_input.left_q [2:0];
    assign pending_o[3*p +: 3]                                                 = \u_input.pending_q [2:0];
    assign waiting_o[p*TrafficClasses*2 +: TrafficClasses*2]                   = \u_input.u_buffer.size_q ;
    assign first_o[p*TrafficClasses*SlotBits +: TrafficClasses*SlotBits]     = \u_input.u_buffer.first_q ;
    assign last_o[p*TrafficClasses*SlotBits +: TrafficClasses*SlotBits]      = \u_input.u_buffer.last_q ;
    assign head_o[p*TrafficClasses*SlotBits +: TrafficClasses*SlotBits]      = \u_input.u_buffer.head_q ;
    assign inputs_o[(p*Slots + 0)*13 +: 13] = flit_of(\u_input.u_buffer.side_mem[0] , \u_input.u_buffer.data_mem[0] );
    assign inputs_o[(p*Slots + 1)*13 +: 13] = flit_of(\u_input.u_buffer.side_mem[1] , \u_input.u_buffer.data_mem[1] );
    if (Slots > 2) begin : gen_slots
      assign inputs_o[(p*Slots + 2)*13 +: 13] =
          flit_of(\u_input.u_buffer.side_mem[2] , \u_input.u_buffer.data_mem[2] );
      assign inputs_o[(p*Slots + 3)*13 +: 13] =
          flit_of(\u_input.u_buffer.side_mem[3] , \u_input.u_buffer.data_mem[3] );
    end
    for (genvar k = 0; k < Stored; k++) begin : gen_flows
      assign flows_o[32*k + 4*p +: 4]      = \u_input.u_flows.words_o [(k + 1)*8 +: 4];
      assign flows_o[32*k + 16 + 4*p +: 4] = \u_input.u_flows.words_o [(k + 1)*8 + 4 +: 4];
    end

    // The output port and its ring.
    (* hierconn *) wire [TrafficClasses*16-1:0]          \u_output.used_q ;
    (* hierconn *) wire [15:0]                           \u_output.promised_q ;
    (* hierconn *) wire [1:0]                            \u_output.size_q ;
    (* hierconn *) wire [0:0]                            \u_output.first_q ;
    (* hierconn *) wire [0:0]                            \u_output.last_q ;
    (* hierconn *) wire [OutSideBits-1:0]          \u_output.side_mem[0] ;
    (* hierconn *) wire [OutSideBits-1:0]          \u_output.side_mem[1] ;
    (* hierconn *) wire [31:0]                     \u_output.data_mem[0] ;
    (* hierconn *) wire [31:0]                     \u_output.data_mem[1] ;
    assign promised_o[3*p +: 3]             = \u_output.promised_q [2:0];
    assign size_o[2*p +: 2]                 = \u_output.size_q ;
    assign out_first_o[p]                   = \u_output.first_q ;
    assign out_last_o[p]                    = \u_output.last_q ;
    assign outputs_o[(p*2 + 0)*13 +: 13]    = left_of(\u_output.side_mem[0] , \u_output.data_mem[0] );
    assign outputs_o[(p*2 + 1)*13 +: 13]    = left_of(\u_output.side_mem[1] , \u_output.data_mem[1] );

    // By traffic class; and upper bits.
    logic [TrafficClasses-1:0] odd_traffic_class;
    for (genvar c = 0; c < TrafficClasses; c++) begin : gen_traffic_class
      assign started_o[(p*TrafficClasses + c)*4 +: 4] = \u_input.u_buffer.started_q [c*17 +: 4];
      assign used_o[(p*TrafficClasses + c)*3 +: 3]    = \u_output.used_q [c*16 +: 3];
      assign odd_traffic_class[c] = \u_input.u_buffer.started_q [c*17+4 +: 13] != '0
          || \u_output.used_q [c*16+3 +: 13] != '0;
    end
    assign odd_port[p] = \u_input.beat_q || \u_input.left_q [15:3] != '0 || \u_input.pending_q [15:3] != '0
        || \u_output.promised_q [15:3] != '0 || odd_traffic_class != '0;
  end

  always_comb begin
    out_stored_setting_o = '0;
    out_flits_o         = '0;
    out_data_o          = '0;
    odd_o               = odd_port != '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      out_stored_setting_o[2*p +: 2] = out_stored_setting[16*p +: 2];
      out_flits_o[2*p +: 2]         = out_flits[16*p +: 2];
      out_data_o[4*p +: 4]          = out_data[32*p +: 4];
      if (out_valid_o[p] && (out_flits[16*p + 2 +: 14] != '0 || out_stored_setting[16*p + 2 +: 14] != '0)) odd_o = 1'b1;
    end
    for (int unsigned w = 0; w < 12; w++) begin  // behind an element
      if (beat_valid[w] && (!beat_side[w*SideBits + 2] || beat_side[w*SideBits + LengthRest +: 14] != '0)) odd_o = 1'b1;
    end
  end

endmodule
