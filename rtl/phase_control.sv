// SPDX-License-Identifier: Apache-2.0
// The control unit: which stored setting is active and which packets start.
//
// What can start (start_check) is sorted by phase (phase_select); ports are served round-robin (start_select). The
// active stored setting stays as long as nothing of a higher phase can start; within one phase the next one in cyclic
// order is served when the active one has nothing to start or has started stay_packets_i packets. A change waits until
// all packets that have started are in, then nothing starts for reconfigure_cycles_i cycles, nor before slow sums have
// left the wires.
//
// A unicast takes the first route that is free (route_finder), lower middle stages first.
//
// Contract: start_o and promise_o are combinational; a packet starts in the cycle in which they are high.

module phase_control #(
  parameter  int unsigned M              = 3,
  parameter  int unsigned Ports          = 12,
  parameter  int unsigned Levels         = 3,  // levels of stages around the innermost ones
  parameter  int unsigned TrafficClasses = 4,
  parameter  int unsigned Beats          = 1,
  parameter  int unsigned StoredSettings = 2,
  parameter  int unsigned ReduceCycles   = 1,
  localparam int unsigned CfgBits        = $clog2(StoredSettings),
  localparam int unsigned OutputBits     = $clog2(Ports),
  localparam int unsigned RouteBits      = OutputBits + Levels * $clog2(M),
  localparam int unsigned Buffers        = Ports * TrafficClasses
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic [19:0]                  reconfigure_cycles_i,
  input  logic [31:0]                  stay_packets_i,
  input  logic [7:0]                   first_uplink_i,
  input  logic [7:0]                   uplinks_i,
  // Input ports; buffer of port p and traffic class c is p * TrafficClasses + c.
  input  logic [Buffers-1:0]           next_here_i,
  input  logic [Buffers*CfgBits-1:0]   next_stored_setting_i,
  input  logic [Buffers*16-1:0]        next_flits_i,
  input  logic [Buffers*8-1:0]         next_output_i,
  input  logic [Buffers*Ports-1:0]     next_inputs_i,
  input  logic [Buffers*Ports-1:0]     next_outputs_i,
  input  logic [Ports-1:0]             busy_i,
  input  logic [Ports*2-1:0]           traffic_class_i,
  input  logic [Ports-1:0]             pending_i,
  input  logic [Ports-1:0]             paced_i,
  input  logic [Ports*RouteBits-1:0]   route_i,
  output logic [Ports-1:0]             start_o,
  output logic [Ports*2-1:0]           start_traffic_class_o,
  output logic [Ports*16-1:0]          start_flits_o,
  output logic [Ports*RouteBits-1:0]   start_route_o,
  // Output ports.
  input  logic [Buffers*16-1:0]        free_i,
  input  logic [Ports*16-1:0]          room_i,
  output logic [Ports-1:0]             promise_o,
  output logic [Ports*2-1:0]           promise_traffic_class_o,
  output logic [Ports*16-1:0]          promise_flits_o,
  output logic                         active_valid_o,
  output logic [CfgBits-1:0]           active_o,
  output logic                         rested_o  // no counter runs
);

  // State.
  logic                  active_valid_q, active_valid_d;
  logic [CfgBits-1:0]    active_q, active_d;
  logic [OutputBits-1:0] port_pointer_q, port_pointer_d;      // port that is asked first
  logic [7:0]            uplink_pointer_q, uplink_pointer_d;  // uplink that is tried first
  logic [31:0]           stayed_q, stayed_d;            // packets started since the last change
  logic [23:0]           open_q, open_d;    // cycles until packets may start
  logic [31:0]           drain_q, drain_d;  // cycles until packets of another stored setting may

  assign active_valid_o = active_valid_q;
  assign active_o       = active_q;
  assign rested_o       = open_q == '0 && drain_q == '0;

  // What could start. A route is needed where unicasts are active.
  logic                          unicasts;
  logic [Buffers-1:0]            can;         // the packet of a flow stands at its first input
  logic [Buffers*OutputBits-1:0] can_output;  // the output of a unicast
  logic [Ports*Ports-1:0]        open, older;
  assign unicasts = active_valid_q && active_q == '0;

  start_check #(.Ports(Ports), .TrafficClasses(TrafficClasses), .StoredSettings(StoredSettings)) u_check (
    .first_uplink_i      (first_uplink_i),
    .uplinks_i           (uplinks_i),
    .uplink_pointer_i    (uplink_pointer_q),
    .active_valid_i      (active_valid_q),
    .active_i            (active_q),
    .next_here_i         (next_here_i),
    .next_stored_setting_i(next_stored_setting_i),
    .next_flits_i        (next_flits_i),
    .next_output_i       (next_output_i),
    .next_inputs_i       (next_inputs_i),
    .next_outputs_i      (next_outputs_i),
    .busy_i              (busy_i),
    .traffic_class_i     (traffic_class_i),
    .pending_i           (pending_i),
    .paced_i             (paced_i),
    .open_i              (open),
    .free_i              (free_i),
    .room_i              (room_i),
    .can_o               (can),
    .can_output_o        (can_output)
  );

  // The stored setting that is active.
  logic               active_has_best, other_valid, change, go;
  logic [CfgBits-1:0] other;

  phase_select #(.Ports(Ports), .TrafficClasses(TrafficClasses), .StoredSettings(StoredSettings)) u_phase (
    .active_valid_i      (active_valid_q),
    .active_i            (active_q),
    .can_i               (can),
    .next_stored_setting_i(next_stored_setting_i),
    .older_i             (older),
    .active_has_best_o   (active_has_best),
    .other_valid_o       (other_valid),
    .other_o             (other)
  );

  always_comb begin
    change         = other_valid
        && (!active_has_best || (stay_packets_i != '0 && stayed_q >= stay_packets_i));
    go             = can != '0;
    active_valid_d = active_valid_q;
    active_d       = active_q;
    open_d         = open_q;
    if (change) begin
      if (busy_i != '0) begin
        go = 1'b0;
      end else begin
        active_valid_d = 1'b1;
        active_d       = other;
        open_d         = 32'(reconfigure_cycles_i) > drain_q ? 24'(reconfigure_cycles_i) : 24'(drain_q);
      end
    end
    if (open_d != '0) begin
      go     = 1'b0;
      open_d = open_d - 24'd1;
    end
  end

  // What starts of the stored setting that is active then.
  logic                        go_unicasts;
  logic [Buffers-1:0]          can_go;
  logic [Ports-1:0]            lead, found;
  logic [Ports*2-1:0]          lead_traffic_class;
  logic [Ports*OutputBits-1:0] lead_rank, lead_output;
  logic [Ports*16-1:0]         lead_flits;
  logic [Ports*RouteBits-1:0]  found_route;
  assign go_unicasts = active_d == '0;

  always_comb begin
    can_go = '0;
    if (go) begin
      for (int unsigned b = 0; b < Buffers; b++) begin
        can_go[b] = can[b] && next_stored_setting_i[b*CfgBits +: CfgBits] == active_d;
      end
    end
  end

  start_select #(.Ports(Ports), .TrafficClasses(TrafficClasses)) u_select (
    .unicasts_i          (go_unicasts),
    .port_pointer_i      (port_pointer_q),
    .can_i               (can_go),
    .inputs_i            (next_inputs_i),
    .output_i            (can_output),
    .flits_i             (next_flits_i),
    .lead_o              (lead),
    .lead_traffic_class_o(lead_traffic_class),
    .lead_rank_o         (lead_rank),
    .lead_output_o       (lead_output),
    .lead_flits_o        (lead_flits)
  );

  route_finder #(.M(M), .Ports(Ports), .Levels(Levels)) u_routes (
    .busy_i       (unicasts ? busy_i : '0),
    .route_i      (route_i),
    .open_o       (open),
    .try_i        (go_unicasts ? lead : '0),
    .try_output_i (lead_output),
    .try_rank_i   (lead_rank),
    .found_o      (found),
    .found_route_o(found_route)
  );

  logic [Ports-1:0] starts;  // ports that lead and start
  assign starts = go_unicasts ? found : lead;

  serve_order #(.Ports(Ports)) u_order (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .starts_i(starts),
    .rank_i  (lead_rank),
    .older_o (older)
  );

  // To the ports: those of a flow, or of a unicast.
  logic [Ports-1:0] inputs, outputs;
  always_comb begin
    start_o                 = '0;
    start_traffic_class_o   = '0;
    start_flits_o           = '0;
    start_route_o           = go_unicasts ? found_route : '0;
    promise_o               = '0;
    promise_traffic_class_o = '0;
    promise_flits_o         = '0;
    inputs                  = '0;
    outputs                 = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (starts[p]) begin
        inputs  = Ports'(1) << p;
        outputs = Ports'(1) << lead_output[p*OutputBits +: OutputBits];
        for (int unsigned c = 0; c < TrafficClasses; c++) begin
          if (!go_unicasts && 32'(lead_traffic_class[p*2 +: 2]) == c) begin
            inputs  = next_inputs_i[(p*TrafficClasses + c)*Ports +: Ports];
            outputs = next_outputs_i[(p*TrafficClasses + c)*Ports +: Ports];
          end
        end
        for (int unsigned q = 0; q < Ports; q++) begin
          if (inputs[q]) begin
            start_o[q] = 1'b1;
            start_traffic_class_o[q*2 +: 2] = lead_traffic_class[p*2 +: 2];
            start_flits_o[q*16 +: 16]       = lead_flits[p*16 +: 16];
          end
          if (outputs[q]) begin
            promise_o[q] = 1'b1;
            promise_traffic_class_o[q*2 +: 2] = lead_traffic_class[p*2 +: 2];
            promise_flits_o[q*16 +: 16]       = lead_flits[p*16 +: 16];
          end
        end
      end
    end
  end

  // What follows from the starts. Slack: cycles in which sums are late, at most.
  localparam int unsigned Slack = (Levels + 1) * (ReduceCycles - 1);
  logic [OutputBits-1:0] last, last_uplink, output_of;  // ranks
  logic [31:0]           beats;

  always_comb begin
    port_pointer_d = port_pointer_q;
    uplink_pointer_d = uplink_pointer_q;
    stayed_d      = change && busy_i == '0 ? '0 : stayed_q;
    drain_d       = drain_q == '0 ? '0 : drain_q - 32'd1;
    last          = '0;
    last_uplink   = '0;
    output_of     = '0;
    beats         = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (starts[p]) begin
        if (lead_rank[p*OutputBits +: OutputBits] >= last) begin
          last   = lead_rank[p*OutputBits +: OutputBits];
          port_pointer_d = p == Ports - 1 ? '0 : OutputBits'(p + 1);
        end
        output_of = lead_output[p*OutputBits +: OutputBits];
        if (go_unicasts && 32'(output_of) >= 32'(first_uplink_i)
            && 32'(output_of) < 32'(first_uplink_i) + 32'(uplinks_i)
            && lead_rank[p*OutputBits +: OutputBits] >= last_uplink) begin
          last_uplink   = lead_rank[p*OutputBits +: OutputBits];
          uplink_pointer_d = 8'(output_of) - first_uplink_i + 8'd1;
          if (uplink_pointer_d >= uplinks_i) uplink_pointer_d = '0;
        end
        if (stayed_d != '1) stayed_d = stayed_d + 32'd1;
        beats = 32'(lead_flits[p*16 +: 16]) * Beats + (go_unicasts ? 0 : Slack) - 1;
        if (drain_d < beats) drain_d = beats;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_valid_q <= 1'b0;
      active_q       <= '0;
      port_pointer_q <= '0;
      uplink_pointer_q <= '0;
      stayed_q       <= '0;
      open_q         <= '0;
      drain_q        <= '0;
    end else begin
      active_valid_q <= active_valid_d;
      active_q       <= active_d;
      port_pointer_q <= port_pointer_d;
      uplink_pointer_q <= uplink_pointer_d;
      stayed_q       <= stayed_d;
      open_q         <= open_d;
      drain_q        <= drain_d;
    end
  end

`ifdef WEFT_ASSERTIONS
  // What holds of the packets that could start, of those that start, and of the promises.
  logic heads_legal, flows_legal, starts_active, may_follow, promises_fit;
  logic [OutputBits:0] started, promised;  // ports
  always_comb begin
    heads_legal   = 1'b1;
    flows_legal   = 1'b1;
    starts_active = 1'b1;
    may_follow    = 1'b1;
    promises_fit  = 1'b1;
    started       = '0;
    promised      = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      started  = started + (OutputBits + 1)'(start_o[p]);
      promised = promised + (OutputBits + 1)'(promise_o[p]);
      if (start_o[p] && busy_i[p] && (unicasts || start_traffic_class_o[p*2 +: 2] != traffic_class_i[p*2 +: 2]
          || pending_i[p] || !paced_i[p])) may_follow = 1'b0;
      if (start_o[p] && 32'(start_traffic_class_o[p*2 +: 2]) >= TrafficClasses) starts_active = 1'b0;
      if (promise_o[p] && 32'(promise_traffic_class_o[p*2 +: 2]) >= TrafficClasses) promises_fit = 1'b0;
      for (int unsigned c = 0; c < TrafficClasses; c++) begin
        if (next_here_i[p*TrafficClasses + c]) begin
          if (next_flits_i[(p*TrafficClasses + c)*16 +: 16] == '0
              || 32'(next_stored_setting_i[(p*TrafficClasses + c)*CfgBits +: CfgBits]) >= StoredSettings) begin
            heads_legal = 1'b0;
          end
          if (next_stored_setting_i[(p*TrafficClasses + c)*CfgBits +: CfgBits] == '0) begin
            if (next_output_i[(p*TrafficClasses + c)*8 +: 8] != 8'd255
                && 32'(next_output_i[(p*TrafficClasses + c)*8 +: 8]) >= Ports) heads_legal = 1'b0;
          end else if (next_inputs_i[(p*TrafficClasses + c)*Ports +: Ports] != '0
              && (next_inputs_i[(p*TrafficClasses + c)*Ports +: Ports] & ((Ports'(2) << p) - Ports'(1)))
                  != Ports'(1) << p) begin
            flows_legal = 1'b0;
          end
        end
        if (start_o[p] && 32'(start_traffic_class_o[p*2 +: 2]) == c && !(next_here_i[p*TrafficClasses + c]
            && next_stored_setting_i[(p*TrafficClasses + c)*CfgBits +: CfgBits] == active_d)) starts_active = 1'b0;
        if (promise_o[p] && 32'(promise_traffic_class_o[p*2 +: 2]) == c
            && (promise_flits_o[p*16 +: 16] > free_i[(p*TrafficClasses + c)*16 +: 16]
                || promise_flits_o[p*16 +: 16] > room_i[p*16 +: 16])) promises_fit = 1'b0;
      end
    end
  end

  // Since the last change: packets that have started, whether any has; cycles in which nothing may start, and in which
  // sums of the stored setting before may be in the wires.
  logic        changes, started_q;
  logic [31:0] packets_q, packets_d, late_q, late_d;
  logic [19:0] rest_q;
  assign changes = active_valid_d != active_valid_q || active_d != active_q;
  always_comb begin
    packets_d = changes ? '0 : packets_q;
    late_d    = late_q == '0 ? '0 : late_q - 32'd1;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (starts[p] && packets_d != '1) packets_d = packets_d + 32'd1;
      if (start_o[p] && 32'(start_flits_o[p*16 +: 16]) * Beats + (go_unicasts ? 0 : Slack) > late_d + 32'd1) begin
        late_d = 32'(start_flits_o[p*16 +: 16]) * Beats + (go_unicasts ? 0 : Slack) - 32'd1;
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      packets_q <= '0;
      late_q    <= '0;
      rest_q    <= '0;
    end else begin
      started_q <= start_o != '0 || (started_q && !changes);
      packets_q <= packets_d;
      late_q    <= late_d;
      if (changes) rest_q <= reconfigure_cycles_i == '0 ? '0 : reconfigure_cycles_i - 20'd1;
      else if (rest_q != '0) rest_q <= rest_q - 20'd1;
    end
  end

  `WEFT_ASSERT(HeadsLegal, heads_legal)
  `WEFT_ASSERT(FlowAtFirstInput, flows_legal)
  `WEFT_ASSERT(PendingIsBehind, (pending_i & ~busy_i) == '0)
  `WEFT_ASSERT(StartsActive, starts_active)
  `WEFT_ASSERT(MayFollow, may_follow)
  `WEFT_ASSERT(PromisesFit, promises_fit)
  `WEFT_ASSERT(PromisesAll, (start_o == '0) == (promise_o == '0) && (!go_unicasts || started == promised))
  `WEFT_ASSERT(ChangesAtRest, !changes || busy_i == '0)
  `WEFT_ASSERT(MakesRoom, changes || busy_i != '0 || !other_valid || active_has_best)
  `WEFT_ASSERT(StaysAsAsked, !changes || !active_has_best || (stay_packets_i != '0 && packets_q >= stay_packets_i))
  `WEFT_ASSERT(Reconfigures, start_o == '0 || (changes ? reconfigure_cycles_i == '0 : rest_q == '0))
  `WEFT_ASSERT(SumsHaveLeft, start_o == '0 || (started_q && !changes) || late_q == '0)
  `WEFT_ASSERT(RestedAtRest, !rested_o || (late_q == '0 && rest_q == '0))
  `WEFT_ASSERT(PointersInRange, 32'(port_pointer_q) < Ports && (uplink_pointer_q == '0 || uplink_pointer_q < uplinks_i))
`endif

endmodule
