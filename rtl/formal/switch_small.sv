// SPDX-License-Identifier: Apache-2.0
// Fred_2(4) with buffers of two flits and constant straps, and what proofs look at inside. Straps: 2 credits at each
// output, links take a flit per cycle and no header. Read by Yosys alone.
//
// Packed, from bit 0: a beat of beats_o is head, tail, configuration (2), packet length (2), traffic class (2), route
// (3), data (4); a flit of inputs_o head, tail, configuration (2), packet length (2), output (2), whether upper bits of
// length or output are set, data (4); a flit of outputs_o head, tail, configuration (2), packet length (2), traffic
// class (2), data (4), the same.

module switch_small #(
  parameter  int unsigned Circuits    = 1,
  parameter  int unsigned Stored      = 1,  // configurations
  parameter  int unsigned Skid        = 0,
  localparam int unsigned Ports       = 4,
  localparam int unsigned Slots      = 2 * Circuits,  // of an input port
  localparam int unsigned CfgBits     = $clog2(Stored + 1),
  localparam int unsigned SideBits    = side_pkg::beat_bits(CfgBits, 1, 3),  // of a beat
  localparam int unsigned LengthRest  = side_pkg::beat_length(CfgBits) + 2,  // its bits but for two
  localparam int unsigned SlotBits   = $clog2(Slots),
  localparam int unsigned InSideBits  = side_pkg::in_bits(CfgBits),
  localparam int unsigned OutSideBits = side_pkg::out_bits(CfgBits),
  localparam int unsigned Beat        = 15
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    reconfigure_i,
  input  logic                    stay_i,
  input  logic                    cfg_we_i,
  input  logic [1:0]              cfg_index_i,
  input  logic [31:0]             cfg_settings_i,
  input  logic [15:0]             cfg_ports_i,
  input  logic [3:0]              in_valid_i,
  input  logic [3:0]              in_head_i,
  input  logic [3:0]              in_tail_i,
  input  logic [7:0]              in_circuit_i,
  input  logic [7:0]              in_output_i,
  input  logic [7:0]              in_configuration_i,
  input  logic [7:0]              in_flits_i,
  input  logic [15:0]             in_data_i,
  input  logic [4*Circuits-1:0]   credit_i,
  output logic [3:0]              freed_o,
  output logic [7:0]              freed_circuit_o,
  output logic [3:0]              out_valid_o,
  output logic [3:0]              out_head_o,
  output logic [3:0]              out_tail_o,
  output logic [7:0]              out_circuit_o,
  output logic [7:0]              out_configuration_o,
  output logic [7:0]              out_flits_o,
  output logic [15:0]             out_data_o,
  output logic                    active_valid_o,
  output logic [1:0]              active_o,
  output logic                    odd_o,  // something that the narrow ports do not show is not 0
  output logic [15:0]             older_o,  // ages of the ports
  output logic                    straps_o,  // the straps are in their registers
  output logic [32*Stored-1:0]    settings_o,  // by configuration, of the elements; inputs and outputs of flows
  output logic [32*Stored-1:0]    flows_o,
  // Inside, by wire: outputs of R 0, R 1, RD 0, RD 1, D 0, D 1, then inputs.
  output logic [15:0]             beat_valid_o,
  output logic [16*Beat-1:0]      beats_o,
  output logic [3:0]              enter_ready_o,
  output logic [7:0]              done_o,  // forks of RD 0, RD 1, D 0, D 1
  // By input port: its packet, the one behind it, flits by traffic class, and the rings.
  output logic [3:0]              busy_o,
  output logic [7:0]              circuit_o,
  output logic [11:0]             route_o,
  output logic [11:0]             left_o,
  output logic [11:0]             pending_o,
  output logic [4*Circuits*2-1:0] waiting_o,
  output logic [4*Circuits*4-1:0] started_o,
  output logic [4*Circuits*SlotBits-1:0] first_o,
  output logic [4*Circuits*SlotBits-1:0] last_o,
  output logic [4*Circuits*SlotBits-1:0] head_o,
  output logic [4*Slots*13-1:0]  inputs_o,
  // By output port: flits promised (by traffic class: and not given back), and the ring.
  output logic [4*Circuits*3-1:0] used_o,
  output logic [11:0]             promised_o,
  output logic [7:0]              size_o,
  output logic [3:0]              out_first_o,
  output logic [3:0]              out_last_o,
  output logic [8*13-1:0]         outputs_o
);

  logic [127:0] in_data, out_data, out_packet;
  logic [63:0]  in_configuration, in_flits, out_configuration, out_flits;
  logic [31:0]  in_output;
  logic [15:0]  credit, active;
  logic         idle, settled;
  always_comb begin
    in_data          = '0;
    in_configuration = '0;
    in_flits         = '0;
    in_output        = '0;
    credit           = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      in_data[32*p +: 4]          = in_data_i[4*p +: 4];
      in_configuration[16*p +: 2] = in_configuration_i[2*p +: 2];
      in_flits[16*p +: 2]         = in_flits_i[2*p +: 2];
      in_output[8*p +: 2]         = in_output_i[2*p +: 2];
      credit[4*p +: Circuits]     = credit_i[p*Circuits +: Circuits];
    end
  end

  fred_switch_m2_p4 #(
    .Lanes(1), .Beats(1), .AccumulateFp32(0), .Circuits(Circuits), .Configurations(Stored + 1),
    .BufferFlits(2), .ControlBufferFlits(1), .OutputFlits(2), .ReduceCycles(1), .Skid(Skid)
  ) u_sw (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .format_i            (fred_pkg::Int32),
    .op_i                (fred_pkg::Sum),
    .reconfigure_cycles_i({19'b0, reconfigure_i}),
    .stay_packets_i      ({31'b0, stay_i}),
    .first_uplink_i      (8'd0),
    .uplinks_i           (8'd0),
    .whole_packets_i     (4'd0),
    .credits_i           ({4{16'd2}}),
    .control_credits_i   (16'd0),
    .output_flits_i      (16'd2),
    .rate_unit_i         ({4{40'd1}}),
    .rate_flit_i         ({4{40'd1}}),
    .rate_header_i       ({4{40'd0}}),
    .cfg_clk_i           (clk_i),
    .cfg_we_i            (cfg_we_i),
    .cfg_index_i         ({14'b0, cfg_index_i}),
    .cfg_settings_i      (cfg_settings_i),
    .cfg_inputs_i        (cfg_ports_i),
    .cfg_outputs_i       (cfg_ports_i),
    .in_valid_i          (in_valid_i),
    .in_head_i           (in_head_i),
    .in_tail_i           (in_tail_i),
    .in_circuit_i        (in_circuit_i),
    .in_output_i         (in_output),
    .in_configuration_i  (in_configuration),
    .in_packet_i         (128'd0),
    .in_packet_flits_i   (in_flits),
    .in_match_i          (256'd0),
    .in_data_i           (in_data),
    .credit_i            (credit),
    .freed_valid_o       (freed_o),
    .freed_circuit_o     (freed_circuit_o),
    .out_valid_o         (out_valid_o),
    .out_head_o          (out_head_o),
    .out_tail_o          (out_tail_o),
    .out_circuit_o       (out_circuit_o),
    .out_configuration_o (out_configuration),
    .out_packet_o        (out_packet),
    .out_packet_flits_o  (out_flits),
    .out_data_o          (out_data),
    .active_valid_o      (active_valid_o),
    .active_o            (active),
    .idle_o              (idle),
    .settled_o           (settled)
  );
  assign active_o = active[1:0];

  (* hierconn *) wire [15:0] \u_sw.u_core.u_control.older ;
  assign older_o = \u_sw.u_core.u_control.older ;

  // Straps and stored configurations.
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
  (* hierconn *) wire [(Stored+1)*8-1:0] \u_sw.u_core.gen_port[0].u_input.u_flows.words_o ;
  (* hierconn *) wire [(Stored+1)*8-1:0] \u_sw.u_core.gen_port[1].u_input.u_flows.words_o ;
  (* hierconn *) wire [(Stored+1)*8-1:0] \u_sw.u_core.gen_port[2].u_input.u_flows.words_o ;
  (* hierconn *) wire [(Stored+1)*8-1:0] \u_sw.u_core.gen_port[3].u_input.u_flows.words_o ;
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
    assign flows_o[32*k + 0 +: 4] = \u_sw.u_core.gen_port[0].u_input.u_flows.words_o [(k + 1)*8 +: 4];
    assign flows_o[32*k + 16 +: 4] = \u_sw.u_core.gen_port[0].u_input.u_flows.words_o [(k + 1)*8 + 4 +: 4];
    assign flows_o[32*k + 4 +: 4] = \u_sw.u_core.gen_port[1].u_input.u_flows.words_o [(k + 1)*8 +: 4];
    assign flows_o[32*k + 20 +: 4] = \u_sw.u_core.gen_port[1].u_input.u_flows.words_o [(k + 1)*8 + 4 +: 4];
    assign flows_o[32*k + 8 +: 4] = \u_sw.u_core.gen_port[2].u_input.u_flows.words_o [(k + 1)*8 +: 4];
    assign flows_o[32*k + 24 +: 4] = \u_sw.u_core.gen_port[2].u_input.u_flows.words_o [(k + 1)*8 + 4 +: 4];
    assign flows_o[32*k + 12 +: 4] = \u_sw.u_core.gen_port[3].u_input.u_flows.words_o [(k + 1)*8 +: 4];
    assign flows_o[32*k + 28 +: 4] = \u_sw.u_core.gen_port[3].u_input.u_flows.words_o [(k + 1)*8 + 4 +: 4];
  end

  // Wires.
  (* hierconn *) wire \u_sw.u_interconnect.in_0_o0_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.in_0_o0_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.in_0_o0_data ;
  (* hierconn *) wire \u_sw.u_interconnect.in_0_o1_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.in_0_o1_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.in_0_o1_data ;
  (* hierconn *) wire \u_sw.u_interconnect.in_1_o0_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.in_1_o0_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.in_1_o0_data ;
  (* hierconn *) wire \u_sw.u_interconnect.in_1_o1_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.in_1_o1_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.in_1_o1_data ;
  (* hierconn *) wire \u_sw.u_interconnect.mid_0__rd_o0_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.mid_0__rd_o0_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.mid_0__rd_o0_data ;
  (* hierconn *) wire \u_sw.u_interconnect.mid_0__rd_o1_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.mid_0__rd_o1_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.mid_0__rd_o1_data ;
  (* hierconn *) wire \u_sw.u_interconnect.mid_1__rd_o0_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.mid_1__rd_o0_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.mid_1__rd_o0_data ;
  (* hierconn *) wire \u_sw.u_interconnect.mid_1__rd_o1_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.mid_1__rd_o1_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.mid_1__rd_o1_data ;
  (* hierconn *) wire \u_sw.u_interconnect.out_0_o0_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.out_0_o0_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.out_0_o0_data ;
  (* hierconn *) wire \u_sw.u_interconnect.out_0_o1_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.out_0_o1_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.out_0_o1_data ;
  (* hierconn *) wire \u_sw.u_interconnect.out_1_o0_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.out_1_o0_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.out_1_o0_data ;
  (* hierconn *) wire \u_sw.u_interconnect.out_1_o1_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.out_1_o1_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.out_1_o1_data ;
  (* hierconn *) wire \u_sw.u_interconnect.port_0_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.port_0_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.port_0_data ;
  (* hierconn *) wire \u_sw.u_interconnect.port_1_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.port_1_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.port_1_data ;
  (* hierconn *) wire \u_sw.u_interconnect.port_2_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.port_2_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.port_2_data ;
  (* hierconn *) wire \u_sw.u_interconnect.port_3_valid ;
  (* hierconn *) wire [SideBits-1:0] \u_sw.u_interconnect.port_3_side ;
  (* hierconn *) wire [31:0] \u_sw.u_interconnect.port_3_data ;
  (* hierconn *) wire [3:0] \u_sw.enter_ready ;
  (* hierconn *) wire [1:0] \u_sw.u_interconnect.mid_0__rd.u_switch.done_q ;
  (* hierconn *) wire [1:0] \u_sw.u_interconnect.mid_1__rd.u_switch.done_q ;
  (* hierconn *) wire [1:0] \u_sw.u_interconnect.out_0.u_switch.done_q ;
  (* hierconn *) wire [1:0] \u_sw.u_interconnect.out_1.u_switch.done_q ;

  function automatic logic [Beat-1:0] beat_of(input logic [SideBits-1:0] side, input logic [31:0] data);
    beat_of = {data[3:0], side[SideBits-1 -: 3], side[side_pkg::beat_circuit(CfgBits, 1) +: 2],
        side[side_pkg::beat_length(CfgBits) +: 2], 2'(side[side_pkg::BeatConfiguration +: CfgBits]), side[1:0]};
  endfunction

  assign beat_valid_o[0] = \u_sw.u_interconnect.in_0_o0_valid ;
  assign beats_o[0*Beat +: Beat] = beat_of(\u_sw.u_interconnect.in_0_o0_side , \u_sw.u_interconnect.in_0_o0_data );
  assign beat_valid_o[1] = \u_sw.u_interconnect.in_0_o1_valid ;
  assign beats_o[1*Beat +: Beat] = beat_of(\u_sw.u_interconnect.in_0_o1_side , \u_sw.u_interconnect.in_0_o1_data );
  assign beat_valid_o[2] = \u_sw.u_interconnect.in_1_o0_valid ;
  assign beats_o[2*Beat +: Beat] = beat_of(\u_sw.u_interconnect.in_1_o0_side , \u_sw.u_interconnect.in_1_o0_data );
  assign beat_valid_o[3] = \u_sw.u_interconnect.in_1_o1_valid ;
  assign beats_o[3*Beat +: Beat] = beat_of(\u_sw.u_interconnect.in_1_o1_side , \u_sw.u_interconnect.in_1_o1_data );
  assign beat_valid_o[4] = \u_sw.u_interconnect.mid_0__rd_o0_valid ;
  assign beats_o[4*Beat +: Beat] = beat_of(\u_sw.u_interconnect.mid_0__rd_o0_side ,
      \u_sw.u_interconnect.mid_0__rd_o0_data );
  assign beat_valid_o[5] = \u_sw.u_interconnect.mid_0__rd_o1_valid ;
  assign beats_o[5*Beat +: Beat] = beat_of(\u_sw.u_interconnect.mid_0__rd_o1_side ,
      \u_sw.u_interconnect.mid_0__rd_o1_data );
  assign beat_valid_o[6] = \u_sw.u_interconnect.mid_1__rd_o0_valid ;
  assign beats_o[6*Beat +: Beat] = beat_of(\u_sw.u_interconnect.mid_1__rd_o0_side ,
      \u_sw.u_interconnect.mid_1__rd_o0_data );
  assign beat_valid_o[7] = \u_sw.u_interconnect.mid_1__rd_o1_valid ;
  assign beats_o[7*Beat +: Beat] = beat_of(\u_sw.u_interconnect.mid_1__rd_o1_side ,
      \u_sw.u_interconnect.mid_1__rd_o1_data );
  assign beat_valid_o[8] = \u_sw.u_interconnect.out_0_o0_valid ;
  assign beats_o[8*Beat +: Beat] = beat_of(\u_sw.u_interconnect.out_0_o0_side , \u_sw.u_interconnect.out_0_o0_data );
  assign beat_valid_o[9] = \u_sw.u_interconnect.out_0_o1_valid ;
  assign beats_o[9*Beat +: Beat] = beat_of(\u_sw.u_interconnect.out_0_o1_side , \u_sw.u_interconnect.out_0_o1_data );
  assign beat_valid_o[10] = \u_sw.u_interconnect.out_1_o0_valid ;
  assign beats_o[10*Beat +: Beat] = beat_of(\u_sw.u_interconnect.out_1_o0_side , \u_sw.u_interconnect.out_1_o0_data );
  assign beat_valid_o[11] = \u_sw.u_interconnect.out_1_o1_valid ;
  assign beats_o[11*Beat +: Beat] = beat_of(\u_sw.u_interconnect.out_1_o1_side , \u_sw.u_interconnect.out_1_o1_data );
  assign beat_valid_o[12] = \u_sw.u_interconnect.port_0_valid ;
  assign beats_o[12*Beat +: Beat] = beat_of(\u_sw.u_interconnect.port_0_side , \u_sw.u_interconnect.port_0_data );
  assign beat_valid_o[13] = \u_sw.u_interconnect.port_1_valid ;
  assign beats_o[13*Beat +: Beat] = beat_of(\u_sw.u_interconnect.port_1_side , \u_sw.u_interconnect.port_1_data );
  assign beat_valid_o[14] = \u_sw.u_interconnect.port_2_valid ;
  assign beats_o[14*Beat +: Beat] = beat_of(\u_sw.u_interconnect.port_2_side , \u_sw.u_interconnect.port_2_data );
  assign beat_valid_o[15] = \u_sw.u_interconnect.port_3_valid ;
  assign beats_o[15*Beat +: Beat] = beat_of(\u_sw.u_interconnect.port_3_side , \u_sw.u_interconnect.port_3_data );
  assign enter_ready_o = \u_sw.enter_ready ;
  assign done_o = {\u_sw.u_interconnect.out_1.u_switch.done_q , \u_sw.u_interconnect.out_0.u_switch.done_q ,
      \u_sw.u_interconnect.mid_1__rd.u_switch.done_q , \u_sw.u_interconnect.mid_0__rd.u_switch.done_q };

  // Input ports.
  (* hierconn *) wire  \u_sw.u_core.gen_port[0].u_input.busy_q ;
  (* hierconn *) wire  \u_sw.u_core.gen_port[0].u_input.beat_q ;
  (* hierconn *) wire [1:0] \u_sw.u_core.gen_port[0].u_input.circuit_q ;
  (* hierconn *) wire [2:0] \u_sw.u_core.gen_port[0].u_input.route_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[0].u_input.left_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[0].u_input.pending_q ;
  (* hierconn *) wire [Circuits*2-1:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.size_q ;
  (* hierconn *) wire [Circuits*17-1:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.started_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.first_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.last_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.head_q ;
  assign busy_o[0] = \u_sw.u_core.gen_port[0].u_input.busy_q ;
  assign circuit_o[0 +: 2] = \u_sw.u_core.gen_port[0].u_input.circuit_q ;
  assign route_o[0 +: 3] = \u_sw.u_core.gen_port[0].u_input.route_q ;
  assign left_o[0 +: 3] = \u_sw.u_core.gen_port[0].u_input.left_q [2:0];
  assign pending_o[0 +: 3] = \u_sw.u_core.gen_port[0].u_input.pending_q [2:0];
  assign first_o[0*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[0].u_input.u_buffer.first_q ;
  assign last_o[0*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[0].u_input.u_buffer.last_q ;
  assign head_o[0*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[0].u_input.u_buffer.head_q ;
  assign waiting_o[0*Circuits*2 +: Circuits*2] = \u_sw.u_core.gen_port[0].u_input.u_buffer.size_q ;
  for (genvar c = 0; c < Circuits; c++) begin : gen_started_0
    assign started_o[(0*Circuits + c)*4 +: 4] = \u_sw.u_core.gen_port[0].u_input.u_buffer.started_q [c*17 +: 4];
  end
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.side_mem[0] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.data_mem[0] ;
  assign inputs_o[(0*Slots + 0)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[0].u_input.u_buffer.side_mem[0] ,
      \u_sw.u_core.gen_port[0].u_input.u_buffer.data_mem[0] );
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.side_mem[1] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.data_mem[1] ;
  assign inputs_o[(0*Slots + 1)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[0].u_input.u_buffer.side_mem[1] ,
      \u_sw.u_core.gen_port[0].u_input.u_buffer.data_mem[1] );
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.side_mem[2] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.data_mem[2] ;
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.side_mem[3] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[0].u_input.u_buffer.data_mem[3] ;
  if (Slots > 2) begin : gen_slots_0
    assign inputs_o[(0*Slots + 2)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[0].u_input.u_buffer.side_mem[2] ,
        \u_sw.u_core.gen_port[0].u_input.u_buffer.data_mem[2] );
    assign inputs_o[(0*Slots + 3)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[0].u_input.u_buffer.side_mem[3] ,
        \u_sw.u_core.gen_port[0].u_input.u_buffer.data_mem[3] );
  end
  (* hierconn *) wire  \u_sw.u_core.gen_port[1].u_input.busy_q ;
  (* hierconn *) wire  \u_sw.u_core.gen_port[1].u_input.beat_q ;
  (* hierconn *) wire [1:0] \u_sw.u_core.gen_port[1].u_input.circuit_q ;
  (* hierconn *) wire [2:0] \u_sw.u_core.gen_port[1].u_input.route_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[1].u_input.left_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[1].u_input.pending_q ;
  (* hierconn *) wire [Circuits*2-1:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.size_q ;
  (* hierconn *) wire [Circuits*17-1:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.started_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.first_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.last_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.head_q ;
  assign busy_o[1] = \u_sw.u_core.gen_port[1].u_input.busy_q ;
  assign circuit_o[2 +: 2] = \u_sw.u_core.gen_port[1].u_input.circuit_q ;
  assign route_o[3 +: 3] = \u_sw.u_core.gen_port[1].u_input.route_q ;
  assign left_o[3 +: 3] = \u_sw.u_core.gen_port[1].u_input.left_q [2:0];
  assign pending_o[3 +: 3] = \u_sw.u_core.gen_port[1].u_input.pending_q [2:0];
  assign first_o[1*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[1].u_input.u_buffer.first_q ;
  assign last_o[1*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[1].u_input.u_buffer.last_q ;
  assign head_o[1*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[1].u_input.u_buffer.head_q ;
  assign waiting_o[1*Circuits*2 +: Circuits*2] = \u_sw.u_core.gen_port[1].u_input.u_buffer.size_q ;
  for (genvar c = 0; c < Circuits; c++) begin : gen_started_1
    assign started_o[(1*Circuits + c)*4 +: 4] = \u_sw.u_core.gen_port[1].u_input.u_buffer.started_q [c*17 +: 4];
  end
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.side_mem[0] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.data_mem[0] ;
  assign inputs_o[(1*Slots + 0)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[1].u_input.u_buffer.side_mem[0] ,
      \u_sw.u_core.gen_port[1].u_input.u_buffer.data_mem[0] );
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.side_mem[1] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.data_mem[1] ;
  assign inputs_o[(1*Slots + 1)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[1].u_input.u_buffer.side_mem[1] ,
      \u_sw.u_core.gen_port[1].u_input.u_buffer.data_mem[1] );
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.side_mem[2] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.data_mem[2] ;
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.side_mem[3] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[1].u_input.u_buffer.data_mem[3] ;
  if (Slots > 2) begin : gen_slots_1
    assign inputs_o[(1*Slots + 2)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[1].u_input.u_buffer.side_mem[2] ,
        \u_sw.u_core.gen_port[1].u_input.u_buffer.data_mem[2] );
    assign inputs_o[(1*Slots + 3)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[1].u_input.u_buffer.side_mem[3] ,
        \u_sw.u_core.gen_port[1].u_input.u_buffer.data_mem[3] );
  end
  (* hierconn *) wire  \u_sw.u_core.gen_port[2].u_input.busy_q ;
  (* hierconn *) wire  \u_sw.u_core.gen_port[2].u_input.beat_q ;
  (* hierconn *) wire [1:0] \u_sw.u_core.gen_port[2].u_input.circuit_q ;
  (* hierconn *) wire [2:0] \u_sw.u_core.gen_port[2].u_input.route_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[2].u_input.left_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[2].u_input.pending_q ;
  (* hierconn *) wire [Circuits*2-1:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.size_q ;
  (* hierconn *) wire [Circuits*17-1:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.started_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.first_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.last_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.head_q ;
  assign busy_o[2] = \u_sw.u_core.gen_port[2].u_input.busy_q ;
  assign circuit_o[4 +: 2] = \u_sw.u_core.gen_port[2].u_input.circuit_q ;
  assign route_o[6 +: 3] = \u_sw.u_core.gen_port[2].u_input.route_q ;
  assign left_o[6 +: 3] = \u_sw.u_core.gen_port[2].u_input.left_q [2:0];
  assign pending_o[6 +: 3] = \u_sw.u_core.gen_port[2].u_input.pending_q [2:0];
  assign first_o[2*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[2].u_input.u_buffer.first_q ;
  assign last_o[2*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[2].u_input.u_buffer.last_q ;
  assign head_o[2*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[2].u_input.u_buffer.head_q ;
  assign waiting_o[2*Circuits*2 +: Circuits*2] = \u_sw.u_core.gen_port[2].u_input.u_buffer.size_q ;
  for (genvar c = 0; c < Circuits; c++) begin : gen_started_2
    assign started_o[(2*Circuits + c)*4 +: 4] = \u_sw.u_core.gen_port[2].u_input.u_buffer.started_q [c*17 +: 4];
  end
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.side_mem[0] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.data_mem[0] ;
  assign inputs_o[(2*Slots + 0)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[2].u_input.u_buffer.side_mem[0] ,
      \u_sw.u_core.gen_port[2].u_input.u_buffer.data_mem[0] );
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.side_mem[1] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.data_mem[1] ;
  assign inputs_o[(2*Slots + 1)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[2].u_input.u_buffer.side_mem[1] ,
      \u_sw.u_core.gen_port[2].u_input.u_buffer.data_mem[1] );
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.side_mem[2] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.data_mem[2] ;
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.side_mem[3] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[2].u_input.u_buffer.data_mem[3] ;
  if (Slots > 2) begin : gen_slots_2
    assign inputs_o[(2*Slots + 2)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[2].u_input.u_buffer.side_mem[2] ,
        \u_sw.u_core.gen_port[2].u_input.u_buffer.data_mem[2] );
    assign inputs_o[(2*Slots + 3)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[2].u_input.u_buffer.side_mem[3] ,
        \u_sw.u_core.gen_port[2].u_input.u_buffer.data_mem[3] );
  end
  (* hierconn *) wire  \u_sw.u_core.gen_port[3].u_input.busy_q ;
  (* hierconn *) wire  \u_sw.u_core.gen_port[3].u_input.beat_q ;
  (* hierconn *) wire [1:0] \u_sw.u_core.gen_port[3].u_input.circuit_q ;
  (* hierconn *) wire [2:0] \u_sw.u_core.gen_port[3].u_input.route_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[3].u_input.left_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[3].u_input.pending_q ;
  (* hierconn *) wire [Circuits*2-1:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.size_q ;
  (* hierconn *) wire [Circuits*17-1:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.started_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.first_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.last_q ;
  (* hierconn *) wire [Circuits*SlotBits-1:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.head_q ;
  assign busy_o[3] = \u_sw.u_core.gen_port[3].u_input.busy_q ;
  assign circuit_o[6 +: 2] = \u_sw.u_core.gen_port[3].u_input.circuit_q ;
  assign route_o[9 +: 3] = \u_sw.u_core.gen_port[3].u_input.route_q ;
  assign left_o[9 +: 3] = \u_sw.u_core.gen_port[3].u_input.left_q [2:0];
  assign pending_o[9 +: 3] = \u_sw.u_core.gen_port[3].u_input.pending_q [2:0];
  assign first_o[3*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[3].u_input.u_buffer.first_q ;
  assign last_o[3*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[3].u_input.u_buffer.last_q ;
  assign head_o[3*Circuits*SlotBits +: Circuits*SlotBits] = \u_sw.u_core.gen_port[3].u_input.u_buffer.head_q ;
  assign waiting_o[3*Circuits*2 +: Circuits*2] = \u_sw.u_core.gen_port[3].u_input.u_buffer.size_q ;
  for (genvar c = 0; c < Circuits; c++) begin : gen_started_3
    assign started_o[(3*Circuits + c)*4 +: 4] = \u_sw.u_core.gen_port[3].u_input.u_buffer.started_q [c*17 +: 4];
  end
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.side_mem[0] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.data_mem[0] ;
  assign inputs_o[(3*Slots + 0)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[3].u_input.u_buffer.side_mem[0] ,
      \u_sw.u_core.gen_port[3].u_input.u_buffer.data_mem[0] );
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.side_mem[1] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.data_mem[1] ;
  assign inputs_o[(3*Slots + 1)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[3].u_input.u_buffer.side_mem[1] ,
      \u_sw.u_core.gen_port[3].u_input.u_buffer.data_mem[1] );
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.side_mem[2] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.data_mem[2] ;
  (* hierconn *) wire [InSideBits-1:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.side_mem[3] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[3].u_input.u_buffer.data_mem[3] ;
  if (Slots > 2) begin : gen_slots_3
    assign inputs_o[(3*Slots + 2)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[3].u_input.u_buffer.side_mem[2] ,
        \u_sw.u_core.gen_port[3].u_input.u_buffer.data_mem[2] );
    assign inputs_o[(3*Slots + 3)*13 +: 13] = flit_of(\u_sw.u_core.gen_port[3].u_input.u_buffer.side_mem[3] ,
        \u_sw.u_core.gen_port[3].u_input.u_buffer.data_mem[3] );
  end

  function automatic logic [12:0] flit_of(input logic [InSideBits-1:0] side, input logic [31:0] data);
    flit_of = {data[3:0], side[side_pkg::InOutput+2 +: 6] != '0 || side[side_pkg::InLength+2 +: 14] != '0,
        side[side_pkg::InOutput +: 2], side[side_pkg::InLength +: 2], 2'(side[side_pkg::InConfiguration +: CfgBits]),
        side[1:0]};
  endfunction

  // Output ports.
  (* hierconn *) wire [Circuits*16-1:0] \u_sw.u_core.gen_port[0].u_output.used_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[0].u_output.promised_q ;
  (* hierconn *) wire [1:0] \u_sw.u_core.gen_port[0].u_output.size_q ;
  (* hierconn *) wire [0:0] \u_sw.u_core.gen_port[0].u_output.first_q ;
  (* hierconn *) wire [0:0] \u_sw.u_core.gen_port[0].u_output.last_q ;
  for (genvar c = 0; c < Circuits; c++) begin : gen_used_0
    assign used_o[(0*Circuits + c)*3 +: 3] = \u_sw.u_core.gen_port[0].u_output.used_q [c*16 +: 3];
  end
  assign promised_o[0 +: 3] = \u_sw.u_core.gen_port[0].u_output.promised_q [2:0];
  assign size_o[0 +: 2] = \u_sw.u_core.gen_port[0].u_output.size_q ;
  assign out_first_o[0] = \u_sw.u_core.gen_port[0].u_output.first_q ;
  assign out_last_o[0] = \u_sw.u_core.gen_port[0].u_output.last_q ;
  (* hierconn *) wire [OutSideBits-1:0] \u_sw.u_core.gen_port[0].u_output.side_mem[0] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[0].u_output.data_mem[0] ;
  assign outputs_o[(0*2 + 0)*13 +: 13] = left_of(\u_sw.u_core.gen_port[0].u_output.side_mem[0] ,
      \u_sw.u_core.gen_port[0].u_output.data_mem[0] );
  (* hierconn *) wire [OutSideBits-1:0] \u_sw.u_core.gen_port[0].u_output.side_mem[1] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[0].u_output.data_mem[1] ;
  assign outputs_o[(0*2 + 1)*13 +: 13] = left_of(\u_sw.u_core.gen_port[0].u_output.side_mem[1] ,
      \u_sw.u_core.gen_port[0].u_output.data_mem[1] );
  (* hierconn *) wire [Circuits*16-1:0] \u_sw.u_core.gen_port[1].u_output.used_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[1].u_output.promised_q ;
  (* hierconn *) wire [1:0] \u_sw.u_core.gen_port[1].u_output.size_q ;
  (* hierconn *) wire [0:0] \u_sw.u_core.gen_port[1].u_output.first_q ;
  (* hierconn *) wire [0:0] \u_sw.u_core.gen_port[1].u_output.last_q ;
  for (genvar c = 0; c < Circuits; c++) begin : gen_used_1
    assign used_o[(1*Circuits + c)*3 +: 3] = \u_sw.u_core.gen_port[1].u_output.used_q [c*16 +: 3];
  end
  assign promised_o[3 +: 3] = \u_sw.u_core.gen_port[1].u_output.promised_q [2:0];
  assign size_o[2 +: 2] = \u_sw.u_core.gen_port[1].u_output.size_q ;
  assign out_first_o[1] = \u_sw.u_core.gen_port[1].u_output.first_q ;
  assign out_last_o[1] = \u_sw.u_core.gen_port[1].u_output.last_q ;
  (* hierconn *) wire [OutSideBits-1:0] \u_sw.u_core.gen_port[1].u_output.side_mem[0] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[1].u_output.data_mem[0] ;
  assign outputs_o[(1*2 + 0)*13 +: 13] = left_of(\u_sw.u_core.gen_port[1].u_output.side_mem[0] ,
      \u_sw.u_core.gen_port[1].u_output.data_mem[0] );
  (* hierconn *) wire [OutSideBits-1:0] \u_sw.u_core.gen_port[1].u_output.side_mem[1] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[1].u_output.data_mem[1] ;
  assign outputs_o[(1*2 + 1)*13 +: 13] = left_of(\u_sw.u_core.gen_port[1].u_output.side_mem[1] ,
      \u_sw.u_core.gen_port[1].u_output.data_mem[1] );
  (* hierconn *) wire [Circuits*16-1:0] \u_sw.u_core.gen_port[2].u_output.used_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[2].u_output.promised_q ;
  (* hierconn *) wire [1:0] \u_sw.u_core.gen_port[2].u_output.size_q ;
  (* hierconn *) wire [0:0] \u_sw.u_core.gen_port[2].u_output.first_q ;
  (* hierconn *) wire [0:0] \u_sw.u_core.gen_port[2].u_output.last_q ;
  for (genvar c = 0; c < Circuits; c++) begin : gen_used_2
    assign used_o[(2*Circuits + c)*3 +: 3] = \u_sw.u_core.gen_port[2].u_output.used_q [c*16 +: 3];
  end
  assign promised_o[6 +: 3] = \u_sw.u_core.gen_port[2].u_output.promised_q [2:0];
  assign size_o[4 +: 2] = \u_sw.u_core.gen_port[2].u_output.size_q ;
  assign out_first_o[2] = \u_sw.u_core.gen_port[2].u_output.first_q ;
  assign out_last_o[2] = \u_sw.u_core.gen_port[2].u_output.last_q ;
  (* hierconn *) wire [OutSideBits-1:0] \u_sw.u_core.gen_port[2].u_output.side_mem[0] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[2].u_output.data_mem[0] ;
  assign outputs_o[(2*2 + 0)*13 +: 13] = left_of(\u_sw.u_core.gen_port[2].u_output.side_mem[0] ,
      \u_sw.u_core.gen_port[2].u_output.data_mem[0] );
  (* hierconn *) wire [OutSideBits-1:0] \u_sw.u_core.gen_port[2].u_output.side_mem[1] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[2].u_output.data_mem[1] ;
  assign outputs_o[(2*2 + 1)*13 +: 13] = left_of(\u_sw.u_core.gen_port[2].u_output.side_mem[1] ,
      \u_sw.u_core.gen_port[2].u_output.data_mem[1] );
  (* hierconn *) wire [Circuits*16-1:0] \u_sw.u_core.gen_port[3].u_output.used_q ;
  (* hierconn *) wire [15:0] \u_sw.u_core.gen_port[3].u_output.promised_q ;
  (* hierconn *) wire [1:0] \u_sw.u_core.gen_port[3].u_output.size_q ;
  (* hierconn *) wire [0:0] \u_sw.u_core.gen_port[3].u_output.first_q ;
  (* hierconn *) wire [0:0] \u_sw.u_core.gen_port[3].u_output.last_q ;
  for (genvar c = 0; c < Circuits; c++) begin : gen_used_3
    assign used_o[(3*Circuits + c)*3 +: 3] = \u_sw.u_core.gen_port[3].u_output.used_q [c*16 +: 3];
  end
  assign promised_o[9 +: 3] = \u_sw.u_core.gen_port[3].u_output.promised_q [2:0];
  assign size_o[6 +: 2] = \u_sw.u_core.gen_port[3].u_output.size_q ;
  assign out_first_o[3] = \u_sw.u_core.gen_port[3].u_output.first_q ;
  assign out_last_o[3] = \u_sw.u_core.gen_port[3].u_output.last_q ;
  (* hierconn *) wire [OutSideBits-1:0] \u_sw.u_core.gen_port[3].u_output.side_mem[0] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[3].u_output.data_mem[0] ;
  assign outputs_o[(3*2 + 0)*13 +: 13] = left_of(\u_sw.u_core.gen_port[3].u_output.side_mem[0] ,
      \u_sw.u_core.gen_port[3].u_output.data_mem[0] );
  (* hierconn *) wire [OutSideBits-1:0] \u_sw.u_core.gen_port[3].u_output.side_mem[1] ;
  (* hierconn *) wire [31:0] \u_sw.u_core.gen_port[3].u_output.data_mem[1] ;
  assign outputs_o[(3*2 + 1)*13 +: 13] = left_of(\u_sw.u_core.gen_port[3].u_output.side_mem[1] ,
      \u_sw.u_core.gen_port[3].u_output.data_mem[1] );

  function automatic logic [12:0] left_of(input logic [OutSideBits-1:0] side, input logic [31:0] data);
    left_of = {side[side_pkg::out_length(CfgBits)+2 +: 14] != '0, data[3:0], side[side_pkg::out_circuit(CfgBits) +: 2],
        side[side_pkg::out_length(CfgBits) +: 2], 2'(side[side_pkg::OutConfiguration +: CfgBits]), side[1:0]};
  endfunction

  always_comb begin
    out_configuration_o = '0;
    out_flits_o         = '0;
    out_data_o          = '0;
    odd_o               = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      out_configuration_o[2*p +: 2] = out_configuration[16*p +: 2];
      out_flits_o[2*p +: 2]         = out_flits[16*p +: 2];
      out_data_o[4*p +: 4]          = out_data[32*p +: 4];
      if (out_valid_o[p] && (out_flits[16*p + 2 +: 14] != '0 || out_configuration[16*p + 2 +: 14] != '0)) odd_o = 1'b1;
    end
    if (\u_sw.u_core.gen_port[0].u_input.beat_q || \u_sw.u_core.gen_port[0].u_input.left_q [15:3] != '0
        || \u_sw.u_core.gen_port[0].u_input.pending_q [15:3] != '0
        || \u_sw.u_core.gen_port[0].u_output.promised_q [15:3] != '0) odd_o = 1'b1;
    for (int unsigned c = 0; c < Circuits; c++) begin
      if (\u_sw.u_core.gen_port[0].u_input.u_buffer.started_q [c*17+4 +: 13] != '0
          || \u_sw.u_core.gen_port[0].u_output.used_q [c*16+3 +: 13] != '0) odd_o = 1'b1;
    end
    if (\u_sw.u_core.gen_port[1].u_input.beat_q || \u_sw.u_core.gen_port[1].u_input.left_q [15:3] != '0
        || \u_sw.u_core.gen_port[1].u_input.pending_q [15:3] != '0
        || \u_sw.u_core.gen_port[1].u_output.promised_q [15:3] != '0) odd_o = 1'b1;
    for (int unsigned c = 0; c < Circuits; c++) begin
      if (\u_sw.u_core.gen_port[1].u_input.u_buffer.started_q [c*17+4 +: 13] != '0
          || \u_sw.u_core.gen_port[1].u_output.used_q [c*16+3 +: 13] != '0) odd_o = 1'b1;
    end
    if (\u_sw.u_core.gen_port[2].u_input.beat_q || \u_sw.u_core.gen_port[2].u_input.left_q [15:3] != '0
        || \u_sw.u_core.gen_port[2].u_input.pending_q [15:3] != '0
        || \u_sw.u_core.gen_port[2].u_output.promised_q [15:3] != '0) odd_o = 1'b1;
    for (int unsigned c = 0; c < Circuits; c++) begin
      if (\u_sw.u_core.gen_port[2].u_input.u_buffer.started_q [c*17+4 +: 13] != '0
          || \u_sw.u_core.gen_port[2].u_output.used_q [c*16+3 +: 13] != '0) odd_o = 1'b1;
    end
    if (\u_sw.u_core.gen_port[3].u_input.beat_q || \u_sw.u_core.gen_port[3].u_input.left_q [15:3] != '0
        || \u_sw.u_core.gen_port[3].u_input.pending_q [15:3] != '0
        || \u_sw.u_core.gen_port[3].u_output.promised_q [15:3] != '0) odd_o = 1'b1;
    for (int unsigned c = 0; c < Circuits; c++) begin
      if (\u_sw.u_core.gen_port[3].u_input.u_buffer.started_q [c*17+4 +: 13] != '0
          || \u_sw.u_core.gen_port[3].u_output.used_q [c*16+3 +: 13] != '0) odd_o = 1'b1;
    end
    if (\u_sw.u_interconnect.in_0_o0_valid && (!\u_sw.u_interconnect.in_0_o0_side [2]
        || \u_sw.u_interconnect.in_0_o0_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.in_0_o1_valid && (!\u_sw.u_interconnect.in_0_o1_side [2]
        || \u_sw.u_interconnect.in_0_o1_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.in_1_o0_valid && (!\u_sw.u_interconnect.in_1_o0_side [2]
        || \u_sw.u_interconnect.in_1_o0_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.in_1_o1_valid && (!\u_sw.u_interconnect.in_1_o1_side [2]
        || \u_sw.u_interconnect.in_1_o1_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.mid_0__rd_o0_valid && (!\u_sw.u_interconnect.mid_0__rd_o0_side [2]
        || \u_sw.u_interconnect.mid_0__rd_o0_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.mid_0__rd_o1_valid && (!\u_sw.u_interconnect.mid_0__rd_o1_side [2]
        || \u_sw.u_interconnect.mid_0__rd_o1_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.mid_1__rd_o0_valid && (!\u_sw.u_interconnect.mid_1__rd_o0_side [2]
        || \u_sw.u_interconnect.mid_1__rd_o0_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.mid_1__rd_o1_valid && (!\u_sw.u_interconnect.mid_1__rd_o1_side [2]
        || \u_sw.u_interconnect.mid_1__rd_o1_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.out_0_o0_valid && (!\u_sw.u_interconnect.out_0_o0_side [2]
        || \u_sw.u_interconnect.out_0_o0_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.out_0_o1_valid && (!\u_sw.u_interconnect.out_0_o1_side [2]
        || \u_sw.u_interconnect.out_0_o1_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.out_1_o0_valid && (!\u_sw.u_interconnect.out_1_o0_side [2]
        || \u_sw.u_interconnect.out_1_o0_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
    if (\u_sw.u_interconnect.out_1_o1_valid && (!\u_sw.u_interconnect.out_1_o1_side [2]
        || \u_sw.u_interconnect.out_1_o1_side [LengthRest +: 14] != '0)) odd_o = 1'b1;
  end

endmodule
