// SPDX-License-Identifier: Apache-2.0
// Proof of phase_control: never are packets of two stored settings on their way at once. What starts belongs to the
// active stored setting, that changes only while nothing is on its way, nothing starts for reconfigure_cycles_i cycles
// after a change, packets start only where credits and slots for all of them are left, and a flow that could start
// does so within a bounded number of cycles. Read by Yosys alone (rtl/formal/proofs.txt).
//
// The environment: any heads of packets in the buffers at any time, any credits; a packet that started stays on its
// way as long as it likes; each stored setting has two disjoint flows, any.

module phase_proof #(
  parameter  int unsigned M              = 2,
  parameter  int unsigned Ports          = 3,
  parameter  int unsigned Levels         = 1,
  localparam int unsigned StoredSettings = 3,
  localparam int unsigned CfgBits        = 2,
  localparam int unsigned OutputBits     = $clog2(Ports),
  localparam int unsigned RouteBits      = OutputBits + Levels * $clog2(M),
  localparam int unsigned MostFlits      = 3,
  localparam int unsigned MostCycles     = 3   // reconfigure_cycles_i
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic [Ports-1:0]         next_here_i,
  input logic [Ports*CfgBits-1:0] next_stored_setting_i,
  input logic [Ports*2-1:0]       next_flits_i,
  input logic [Ports*OutputBits-1:0] next_output_i,
  input logic [Ports*2-1:0]       free_i,
  input logic [Ports*2-1:0]       room_i,
  input logic [Ports-1:0]         finish_i,
  input logic [Ports-1:0]         paced_i
);

  (* anyconst *) logic [1:0]       reconfigure, stay;
  (* anyconst *) logic [3*Ports-1:0] inputs_a, inputs_b, outputs_a, outputs_b;  // by stored setting

  logic [Ports*16-1:0]       next_flits, free, room, start_flits, promise_flits;
  logic [Ports*8-1:0]        next_output;
  logic [Ports*Ports-1:0]    next_inputs, next_outputs;
  logic [Ports*2-1:0]        start_traffic_class, promise_traffic_class;
  logic [Ports*RouteBits-1:0] route, start_route;
  logic [Ports-1:0]          busy, pending, start, promise;
  logic                      active_valid, rested;
  logic [CfgBits-1:0]        active;

  // Lowest port of a mask.
  function automatic logic is_first(input logic [Ports-1:0] mask, input int unsigned port);
    is_first = mask[port] && (mask & ((Ports'(1) << port) - Ports'(1))) == '0;
  endfunction

  logic tables_fine;
  always_comb begin
    tables_fine = 1'b1;
    for (int unsigned k = 1; k < StoredSettings; k++) begin
      if ((inputs_a[k*Ports +: Ports] & inputs_b[k*Ports +: Ports]) != '0) tables_fine = 1'b0;
      if ((outputs_a[k*Ports +: Ports] & outputs_b[k*Ports +: Ports]) != '0) tables_fine = 1'b0;
      if (inputs_a[k*Ports +: Ports] == '0 || outputs_a[k*Ports +: Ports] == '0) tables_fine = 1'b0;
      if ((inputs_b[k*Ports +: Ports] == '0) != (outputs_b[k*Ports +: Ports] == '0)) tables_fine = 1'b0;
    end
  end

  logic heads_fine;
  always_comb begin
    next_flits   = '0;
    next_output  = '0;
    next_inputs  = '0;
    next_outputs = '0;
    free         = '0;
    room         = '0;
    heads_fine   = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      next_flits[p*16 +: 2] = next_flits_i[p*2 +: 2];
      next_output[p*8 +: OutputBits] = next_output_i[p*OutputBits +: OutputBits];
      free[p*16 +: 2] = free_i[p*2 +: 2];
      room[p*16 +: 2] = room_i[p*2 +: 2];
      if (next_flits_i[p*2 +: 2] == '0 || next_stored_setting_i[p*CfgBits +: CfgBits] == 2'd3) heads_fine = 1'b0;
      for (int unsigned k = 1; k < StoredSettings; k++) begin
        if (32'(next_stored_setting_i[p*CfgBits +: CfgBits]) == k) begin
          if (is_first(inputs_a[k*Ports +: Ports], p)) begin
            next_inputs[p*Ports +: Ports]  = inputs_a[k*Ports +: Ports];
            next_outputs[p*Ports +: Ports] = outputs_a[k*Ports +: Ports];
          end else if (is_first(inputs_b[k*Ports +: Ports], p)) begin
            next_inputs[p*Ports +: Ports]  = inputs_b[k*Ports +: Ports];
            next_outputs[p*Ports +: Ports] = outputs_b[k*Ports +: Ports];
          end
        end
      end
    end
  end

  phase_control #(
    .M(M), .Ports(Ports), .Levels(Levels), .TrafficClasses(1), .Beats(1), .StoredSettings(StoredSettings),
    .ReduceCycles(1)
  ) u_dut (
    .clk_i                  (clk_i),
    .rst_ni                 (rst_ni),
    .reconfigure_cycles_i   ({18'b0, reconfigure}),
    .stay_packets_i         ({30'b0, stay}),
    .first_uplink_i         (8'd0),
    .uplinks_i              (8'd0),
    .next_here_i            (next_here_i),
    .next_stored_setting_i  (next_stored_setting_i),
    .next_flits_i           (next_flits),
    .next_output_i          (next_output),
    .next_inputs_i          (next_inputs),
    .next_outputs_i         (next_outputs),
    .busy_i                 (busy),
    .traffic_class_i        ('0),
    .pending_i              (pending),
    .paced_i                (paced_i),
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
    .active_valid_o         (active_valid),
    .active_o               (active),
    .rested_o               (rested)
  );

  (* hierconn *) wire [23:0] \u_dut.open_q ;
  (* hierconn *) wire [31:0] \u_dut.drain_q ;

  // Packets on their way, as the input ports keep them, and of which stored setting they are.
  logic                     started;
  logic [Ports*CfgBits-1:0] of, of_pending;
  logic                     old_valid, old_busy, old_start;
  logic [CfgBits-1:0]       old_active;
  logic [7:0]               since, ready_for;
  logic [3:0]               changes;

  initial started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        busy[p]    <= 1'b0;
        pending[p] <= 1'b0;
        of[p*CfgBits +: CfgBits]         <= '0;
        of_pending[p*CfgBits +: CfgBits] <= '0;
        route[p*RouteBits +: RouteBits]  <= '0;
      end else begin
        busy[p]    <= (busy[p] || start[p]) && !(finish_i[p] && !pending[p] && !(busy[p] && start[p]));
        pending[p] <= finish_i[p] ? 1'b0 : pending[p] || (busy[p] && start[p]);
        if (start[p] && !busy[p]) begin
          of[p*CfgBits +: CfgBits]        <= next_stored_setting_i[p*CfgBits +: CfgBits];
          route[p*RouteBits +: RouteBits] <= start_route[p*RouteBits +: RouteBits];
        end else if (finish_i[p] && (pending[p] || start[p])) begin
          of[p*CfgBits +: CfgBits] <=
              pending[p] ? of_pending[p*CfgBits +: CfgBits] : next_stored_setting_i[p*CfgBits +: CfgBits];
        end
        if (start[p]) of_pending[p*CfgBits +: CfgBits] <= next_stored_setting_i[p*CfgBits +: CfgBits];
      end
    end
  end

  // A flow that has all it needs, alone.
  logic lonely;
  logic [CfgBits-1:0] lonely_cfg;
  (* anyconst *) logic [CfgBits-1:0] chosen;
  always_comb begin
    lonely     = busy == '0 && next_here_i != '0;
    lonely_cfg = chosen;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (next_here_i[p] && next_stored_setting_i[p*CfgBits +: CfgBits] != chosen) lonely = 1'b0;
      if (free_i[p*2 +: 2] != '1 || room_i[p*2 +: 2] != '1) lonely = 1'b0;
    end
    if (chosen == '0 || chosen == 2'd3) lonely = 1'b0;
    for (int unsigned k = 1; k < StoredSettings; k++) begin
      if (32'(chosen) == k && next_here_i != inputs_a[k*Ports +: Ports]) lonely = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      old_valid  <= 1'b0;
      old_active <= '0;
      old_busy   <= 1'b0;
      old_start  <= 1'b0;
      since      <= '1;
      ready_for  <= '0;
      changes    <= '0;
    end else begin
      old_valid  <= active_valid;
      old_active <= active;
      old_busy   <= busy != '0;
      old_start  <= start != '0;
      // active is a register: it shows a change of the cycle before.
      since      <= active_valid != old_valid || active != old_active ? 8'd2 : since == '1 ? since : since + 8'd1;
      ready_for  <= lonely && start == '0 ? ready_for + 8'd1 : 8'd0;
      changes    <= changes + 4'((active_valid != old_valid || active != old_active) && changes != '1);
    end
  end
  logic changed;
  logic [7:0] cycles_since;
  assign changed      = active_valid != old_valid || active != old_active;
  assign cycles_since = changed ? 8'd1 : since;

  // What holds of ports.
  logic all_active, starts_active, second_fine, promised_fine, any_promise;
  always_comb begin
    all_active    = 1'b1;
    starts_active = 1'b1;
    second_fine   = 1'b1;
    promised_fine = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      if (busy[p] && !(active_valid && of[p*CfgBits +: CfgBits] == active)) all_active = 1'b0;
      if (pending[p] && !(busy[p] && of_pending[p*CfgBits +: CfgBits] == active)) all_active = 1'b0;
      if (start[p] && busy[p] && (pending[p] || !paced_i[p] || active == '0)) second_fine = 1'b0;
      if (start[p] && !next_here_i[p]) second_fine = 1'b0;
      if (promise[p] && (promise_flits[p*16 +: 16] > free[p*16 +: 16]
          || promise_flits[p*16 +: 16] > room[p*16 +: 16])) promised_fine = 1'b0;
      // A change in the cycle of a start shows in active one cycle later; then no other one is on its way.
      if (start[p] && busy != '0 && next_stored_setting_i[p*CfgBits +: CfgBits] != active) starts_active = 1'b0;
      for (int unsigned q = 0; q < Ports; q++) begin
        if (start[p] && start[q]
            && next_stored_setting_i[p*CfgBits +: CfgBits] != next_stored_setting_i[q*CfgBits +: CfgBits]) begin
          starts_active = 1'b0;
        end
      end
    end
    any_promise = promise != '0;
  end

  always_comb begin
    EnvReset:  assume (started || !rst_ni);
    EnvTables: assume (tables_fine);
    if (rst_ni) begin
      EnvHeads: assume (heads_fine);

`ifndef FORMAL_COVER
      NeverMixed:    assert (all_active);
      StartsActive:  assert (starts_active);
      ChangesAtRest: assert (!changed || !old_valid || !old_busy);
      // In the cycle of a change and in the next ones.
      Reconfigures:  assert (start == '0 || !active_valid || cycles_since >= 8'(reconfigure) || reconfigure == '0);
      SecondFine:    assert (second_fine);
      Promised:      assert (promised_fine);
      Together:      assert ((start != '0) == any_promise);
      Starts:        assert (ready_for <= MostFlits + MostCycles + 1);
      OpenBound:     assert (\u_dut.open_q <= MostFlits + MostCycles);
      DrainBound:    assert (\u_dut.drain_q <= MostFlits);
`else
      // For an engine that knows no covers: each of these has to fail.
      CoverMixes: assert (!(changes == 4'd3 && busy != '0));
      CoverPending: assert (!(pending != '0 && active != '0));
      CoverUnicasts: assert (!(active_valid && active == '0 && (busy & (busy - Ports'(1))) != '0 && changes == 4'd2));
      CoverWaits: assert (!(ready_for == 8'd3));
`endif
    end
  end

endmodule
