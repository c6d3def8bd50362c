// SPDX-License-Identifier: Apache-2.0
// Proof of a whole switch, Fred_2(4): of any one flow that is watched, each flit comes out once, in order, at its
// outputs and nowhere else, a sum made of the operands of one position in all streams, each once; packets come out
// whole; credits are kept on both sides; all that enters in a cycle is of one stored setting; and while everything
// that is needed is there, something comes out within a bounded number of cycles. Read by Yosys alone
// (rtl/formal/proofs.txt).
//
// The environment: packets of one or two flits, each flit as soon or as late as its port has credits; receivers give
// slots back as they like. Cycle 0 is the reset, in cycles 1 and 2 the stored settings are written: 1 is an all-
// reduce of the four ports, 2 are two, of two ports each. Which of them are sent, and unicasts, say the parameters;
// packets of one stored setting are equally long. With two traffic classes (MP, PP) those of stored setting 2 go before
// all others. Data is a tag (reduce_lanes_marks.sv). Assertions that are named Fact are what the engine has to know of
// the inside (switch_small.sv).

module switch_proof #(
  parameter  int unsigned Unicasts       = 1,
  parameter  int unsigned First          = 1,  // packets of stored setting 1 are sent
  parameter  int unsigned Second         = 0,  // packets of stored setting 2 are sent
  parameter  int unsigned TrafficClasses = 1,
  parameter  int unsigned Stored         = 1,
  parameter  int unsigned Long           = 1,  // there are packets of two flits
  parameter  int unsigned MostQuiet      = 5,  // cycles
  localparam int unsigned Ports          = 4,
  localparam int unsigned Slots    = 2 * TrafficClasses,
  localparam int unsigned SlotBits = $clog2(Slots),
  // Of a beat.
  localparam int unsigned Head     = small_pkg::BeatHead,
  localparam int unsigned Tail     = small_pkg::BeatTail,
  localparam int unsigned Cfg      = small_pkg::BeatStoredSetting,
  localparam int unsigned Length   = small_pkg::BeatLength,
  localparam int unsigned Class    = small_pkg::BeatTrafficClass,
  localparam int unsigned Route    = small_pkg::BeatRoute,
  localparam int unsigned Data     = small_pkg::BeatData,
  localparam int unsigned Mark     = small_pkg::BeatData + small_pkg::DataMark,
  localparam int unsigned Beat     = small_pkg::BeatBits
) (
  input logic                            clk_i,
  input logic [Ports-1:0]                in_valid_i,
  input logic [Ports*2-1:0]              in_stored_setting_i,
  input logic [Ports*2-1:0]              in_to_i,
  input logic [Ports-1:0]                in_long_i,
  input logic [Ports*TrafficClasses-1:0] credit_i
);

  // Order and bits: encode() in switch/routing/switch_setting.h. Stored setting 1: both R add, and so does the RD of
  // middle stage 0, both D copy what it gives. Stored setting 2: R and D of a pair use the middle stage with the
  // pair's number.
  localparam logic [31:0] Settings1 = {5'b10101, 5'b10101, 6'b000000, 6'b111111, 5'b10101, 5'b10101};
  localparam logic [31:0] Settings2 = {5'b11010, 5'b10101, 6'b001000, 6'b000001, 5'b11010, 5'b10101};

  // The flow that is watched, and which of its flits, modulo 8, have the mark.
  (* anyconst *) logic [1:0] kind, from, to;
  (* anyconst *) logic [2:0] position;
  (* anyconst *) logic       reconfigure, stay;
  (* anyconst *) logic [1:0] long_sums;

  logic [7:0] cycle;
  logic       rst_n;
  initial cycle = '0;
  always_ff @(posedge clk_i) cycle <= cycle == '1 ? cycle : cycle + 8'd1;
  assign rst_n = cycle != '0;

  function automatic logic [1:0] traffic_class_of(input logic [1:0] stored_setting);
    traffic_class_of = TrafficClasses > 1 && stored_setting != 2'd2 ? 2'd1 : 2'd0;
  endfunction
  function automatic logic long_of(input logic [1:0] stored_setting, input logic unicast);
    case (stored_setting)
      2'd1:    long_of = Long != 0 && long_sums[0];
      2'd2:    long_of = Long != 0 && long_sums[1];
      default: long_of = Long != 0 && unicast;
    endcase
  endfunction
  function automatic logic [Ports-1:0] outputs_of(input logic [1:0] stored_setting, input logic [1:0] port);
    case (stored_setting)
      2'd0:    outputs_of = 4'd1 << port;
      2'd1:    outputs_of = 4'b1111;
      default: outputs_of = port[1] ? 4'b1100 : 4'b0011;
    endcase
  endfunction

  logic [7:0]  in_flits, in_traffic_class, in_output, stored_setting, destination;
  logic [15:0] in_data, out_data;
  logic [3:0]  in_head, in_tail, freed, out_valid, out_head, out_tail, long, mine;
  logic [7:0]  freed_traffic_class, out_traffic_class, out_stored_setting, out_flits;
  logic [1:0]  active;
  logic        active_valid, odd, straps;
  logic [32*Stored-1:0] settings, flows;
  logic [15:0] older;

  // By port, of the sender: the second flit of a packet is to come, and of what; flits of sums sent, by stored setting.
  // Modulo 8: flits of the flow sent, received.
  logic [3:0]  second_q;
  logic [7:0]  stored_setting_q, to_q;
  logic [11:0] sums1_q, sums2_q;
  logic [2:0]  sent_q, received_q;
  // By port and traffic class: credits of the sender, slots that the receiver holds.
  logic [Ports*TrafficClasses*2-1:0] left_q, held_q;
  // By output: a packet's second flit is to come, which belongs to the flow.
  logic [3:0]  open_q, mine_q;
  logic [2:0]  came_q;  // stored settings of which something has left
  logic [7:0]  inside_q, quiet_q;

  always_comb begin
    in_head = ~second_q;
    for (int unsigned p = 0; p < Ports; p++) begin
      stored_setting[2*p +: 2] = second_q[p] ? stored_setting_q[2*p +: 2] : in_stored_setting_i[2*p +: 2];
      destination[2*p +: 2]   = second_q[p] ? to_q[2*p +: 2] : in_to_i[2*p +: 2];
      if (stored_setting[2*p +: 2] != '0) destination[2*p +: 2] = '0;
      long[p]    = second_q[p] || long_of(stored_setting[2*p +: 2], in_long_i[p]);
      in_tail[p] = second_q[p] || !long[p];
      in_flits[2*p +: 2]         = long[p] ? 2'd2 : 2'd1;
      in_traffic_class[2*p +: 2] = traffic_class_of(stored_setting[2*p +: 2]);
      mine[p] = 2'(p) == from && stored_setting[2*p +: 2] == kind && (kind != '0 || destination[2*p +: 2] == to);
      in_data[4*p +: 4]    = {in_tail[p], mine[p] && sent_q == position, 1'b0, mine[p]};
    end
  end

  // Inside.
  logic [15:0]                    beat_valid;
  logic [16*Beat-1:0]             beats;
  logic [3:0]                     enter_ready, busy, out_first, out_last;
  logic [7:0]                     done, traffic_class, size;
  logic [11:0]                    route, left, pending, promised;
  logic [4*TrafficClasses*2-1:0]  waiting;
  logic [4*TrafficClasses*4-1:0]  started;
  logic [4*TrafficClasses*SlotBits-1:0] first, last, head;
  logic [4*Slots*13-1:0]   inputs;
  logic [4*TrafficClasses*3-1:0]  used;
  logic [8*13-1:0]                outputs;

  switch_small u_small (
    .clk_i                (clk_i),
    .rst_ni               (rst_n),
    .reconfigure_i        (reconfigure),
    .stay_i               (stay),
    .cfg_we_i             (cycle == 8'd1 || (cycle == 8'd2 && Stored > 1)),
    .cfg_index_i          (cycle == 8'd1 ? 2'd1 : 2'd2),
    .cfg_settings_i       (cycle == 8'd1 ? Settings1 : Settings2),
    .cfg_ports_i          (cycle == 8'd1 ? 16'h000f : 16'h0c03),
    .in_valid_i           (in_valid_i),
    .in_head_i            (in_head),
    .in_tail_i            (in_tail),
    .in_traffic_class_i   (in_traffic_class),
    .in_output_i          (destination),
    .in_stored_setting_i  (stored_setting),
    .in_flits_i           (in_flits),
    .in_data_i            (in_data),
    .credit_i             (credit_i),
    .freed_o              (freed),
    .freed_traffic_class_o(freed_traffic_class),
    .out_valid_o          (out_valid),
    .out_head_o           (out_head),
    .out_tail_o           (out_tail),
    .out_traffic_class_o  (out_traffic_class),
    .out_stored_setting_o (out_stored_setting),
    .out_flits_o          (out_flits),
    .out_data_o           (out_data),
    .active_valid_o       (active_valid),
    .active_o             (active),
    .odd_o                (odd),
    .older_o              (older),
    .straps_o             (straps),
    .settings_o           (settings),
    .flows_o              (flows),
    .beat_valid_o         (beat_valid),
    .beats_o              (beats),
    .enter_ready_o        (enter_ready),
    .done_o               (done),
    .busy_o               (busy),
    .traffic_class_o      (traffic_class),
    .route_o              (route),
    .left_o               (left),
    .pending_o            (pending),
    .waiting_o            (waiting),
    .started_o            (started),
    .first_o              (first),
    .last_o               (last),
    .head_o               (head),
    .inputs_o             (inputs),
    .used_o               (used),
    .promised_o           (promised),
    .size_o               (size),
    .out_first_o          (out_first),
    .out_last_o           (out_last),
    .outputs_o            (outputs)
  );

  // What the environment may do.
  logic       sends_fine, kinds_fine, flow_fine;
  always_comb begin
    sends_fine = 1'b1;
    kinds_fine = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (in_valid_i[p] && cycle < 8'd3) sends_fine = 1'b0;
      case (stored_setting[2*p +: 2])
        2'd0:    if (Unicasts == 0) kinds_fine = 1'b0;
        2'd1:    if (First == 0) kinds_fine = 1'b0;
        2'd2:    if (Second == 0) kinds_fine = 1'b0;
        default: kinds_fine = 1'b0;
      endcase
      for (int unsigned c = 0; c < TrafficClasses; c++) begin
        if (in_valid_i[p] && 32'(in_traffic_class[2*p +: 2]) == c && left_q[(p*TrafficClasses + c)*2 +: 2] == '0)
            sends_fine = 1'b0;
        if (credit_i[p*TrafficClasses + c] && held_q[(p*TrafficClasses + c)*2 +: 2] == '0) sends_fine = 1'b0;
      end
    end
    case (kind)
      2'd0:    flow_fine = Unicasts != 0;
      2'd1:    flow_fine = First != 0;
      2'd2:    flow_fine = Second != 0 && to[1] == from[1];
      default: flow_fine = 1'b0;
    endcase
  end

  // What holds of what comes out.
  logic [3:0] targets;
  logic [7:0] enter, leave;
  logic       credits_fine, in_place, once, whole, complete, one_stored_setting;
  assign targets = outputs_of(kind, kind == '0 ? to : from);
  always_comb begin
    credits_fine      = 1'b1;
    in_place          = 1'b1;
    once              = 1'b1;
    whole             = 1'b1;
    one_stored_setting = 1'b1;
    complete          = second_q == '0 && in_valid_i == '0 && held_q == '0;
    enter             = '0;
    leave             = '0;
    for (int unsigned q = 0; q < Ports; q++) begin
      if (sums1_q[3*q +: 3] != sums1_q[2:0]) complete = 1'b0;
      if (sums2_q[3*q +: 3] != sums2_q[3*((q/2)*2) +: 3]) complete = 1'b0;
      leave = leave + 8'(out_valid[q]);
      if (in_valid_i[q] && stored_setting[2*q +: 2] == 2'd0) enter = enter + 8'd1;
      if (in_valid_i[q] && stored_setting[2*q +: 2] == 2'd1) enter = enter + (q == 0 ? 8'd4 : 8'd0);
      if (in_valid_i[q] && stored_setting[2*q +: 2] == 2'd2) enter = enter + (q % 2 == 0 ? 8'd2 : 8'd0);
      for (int unsigned c = 0; c < TrafficClasses; c++) begin
        if (freed[q] && 32'(freed_traffic_class[2*q +: 2]) == c && left_q[(q*TrafficClasses + c)*2 +: 2] >= 2'd2)
            credits_fine = 1'b0;
        if (out_valid[q] && 32'(out_traffic_class[2*q +: 2]) == c && held_q[(q*TrafficClasses + c)*2 +: 2] >= 2'd2)
            credits_fine = 1'b0;
      end
      if (out_valid[q]) begin
        // The flow's flits, at its outputs only, are what is expected next there.
        if (out_data[4*q + 1]) once = 1'b0;
        if (out_data[4*q] && !(targets[q] && out_stored_setting[2*q +: 2] == kind)) in_place = 1'b0;
        if (out_stored_setting[2*q +: 2] == kind && kind != '0 && targets[q] != out_data[4*q]) in_place = 1'b0;
        if (2'(q) == to && out_data[4*q]) begin
          if (sent_q == received_q || out_data[4*q + 2] != (received_q == position)) in_place = 1'b0;
        end
        // Packets.
        if (out_head[q] == open_q[q] || out_tail[q] != out_data[4*q + 3]) whole = 1'b0;
        if (out_flits[2*q +: 2] != (out_tail[q] && out_head[q] ? 2'd1 : 2'd2)) whole = 1'b0;
        if (open_q[q] && out_data[4*q] != mine_q[q]) whole = 1'b0;
        if (out_traffic_class[2*q +: 2] != traffic_class_of(out_stored_setting[2*q +: 2])) whole = 1'b0;
      end
      for (int unsigned p = 0; p < Ports; p++) begin
        if (beat_valid[12 + p] && beat_valid[12 + q]
            && beats[(12 + p)*Beat + Cfg +: 2] != beats[(12 + q)*Beat + Cfg +: 2]) begin
          one_stored_setting = 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      second_q        <= '0;
      stored_setting_q <= '0;
      to_q            <= '0;
      sums1_q         <= '0;
      sums2_q         <= '0;
      sent_q          <= '0;
      received_q      <= '0;
      left_q          <= {Ports * TrafficClasses{2'd2}};
      held_q          <= '0;
      open_q          <= '0;
      mine_q          <= '0;
      came_q          <= '0;
      inside_q        <= '0;
      quiet_q         <= '0;
    end else begin
      inside_q   <= inside_q + enter - leave;
      quiet_q    <= complete && out_valid == '0 && inside_q != '0 ? quiet_q + 8'd1 : 8'd0;
      sent_q     <= sent_q + 3'(in_valid_i[from] && mine[from]);
      received_q <= received_q + 3'(out_valid[to] && out_data[4*to]);
      for (int unsigned p = 0; p < Ports; p++) begin
        if (in_valid_i[p]) begin
          second_q[p]               <= long[p] && !second_q[p];
          stored_setting_q[2*p +: 2] <= stored_setting[2*p +: 2];
          to_q[2*p +: 2]            <= destination[2*p +: 2];
          if (stored_setting[2*p +: 2] == 2'd1) sums1_q[3*p +: 3] <= sums1_q[3*p +: 3] + 3'd1;
          if (stored_setting[2*p +: 2] == 2'd2) sums2_q[3*p +: 3] <= sums2_q[3*p +: 3] + 3'd1;
        end
        if (out_valid[p]) begin
          came_q[out_stored_setting[2*p +: 2]] <= 1'b1;
          open_q[p] <= !out_tail[p];
          mine_q[p] <= out_data[4*p];
        end
        for (int unsigned c = 0; c < TrafficClasses; c++) begin
          left_q[(p*TrafficClasses + c)*2 +: 2] <= left_q[(p*TrafficClasses + c)*2 +: 2]
              + 2'(freed[p] && 32'(freed_traffic_class[2*p +: 2]) == c)
              - 2'(in_valid_i[p] && 32'(in_traffic_class[2*p +: 2]) == c);
          held_q[(p*TrafficClasses + c)*2 +: 2] <= held_q[(p*TrafficClasses + c)*2 +: 2]
              + 2'(out_valid[p] && 32'(out_traffic_class[2*p +: 2]) == c) - 2'(credit_i[p*TrafficClasses + c]);
        end
      end
    end
  end

  // Facts of the inside.
`include "switch_facts.svh"

  always_comb begin
    EnvFlow: assume (flow_fine);
    if (rst_n) begin
      EnvSends: assume (sends_fine);
      EnvKinds: assume (kinds_fine);

`ifndef FORMAL_COVER
      FactBuffers:   assert (buffers_fine);
      FactContents:  assert (contents_fine);
      FactDistinct:  assert (distinct);
      FactForks:     assert (forks_fine);
      FactMarks:     assert (marks_fine);
      FactOrder:     assert (order_fine);
      FactPackets:   assert (packets_fine);
      FactPromises:  assert (promises_fine);
      FactRoutes:    assert (routes_fine);
      FactStages:    assert (stages_fine);
      FactStored:    assert (stored_fine);
      FactSums:      assert (sums_fine);
      FactAges:     assert (ages_fine);
      FactWires:     assert (wires_fine);
      InPlace:       assert (in_place);
      Once:          assert (once);
      WholePackets:  assert (whole);
      CreditsKept:   assert (credits_fine);
      NeverMixed:    assert (one_stored_setting);
      BoundedGoesOn: assert (32'(quiet_q) <= MostQuiet);
`else
      // For an engine that knows no covers: each of these has to fail.
      CoverUnicast: assert (!(kind == 2'd0 && received_q == 3'd3));
      CoverSum:     assert (!(kind == 2'd1 && received_q == 3'd2));
      CoverPair:    assert (!(kind == (Second != 0 ? 2'd2 : 2'd1) && received_q == 3'd2));
      CoverLong:    assert (!(out_valid[to] && out_data[4*to] && !out_head[to] && out_data[4*to + 2]));
      CoverAll:     assert (!(out_valid == '1 && came_q[0] && came_q[1] && (came_q[2] || Second == 0)));
      CoverFull:    assert (!(held_q[1:0] == 2'd2 && left_q[1:0] == '0));
      CoverEmpty:   assert (!(received_q == 3'd2 && inside_q == '0));
      CoverQuiet:   assert (!(32'(quiet_q) == MostQuiet));
`endif
    end
  end

endmodule
