// SPDX-License-Identifier: Apache-2.0
// The control unit: which configuration is active and which packets start.
//
// A packet can start when all operands of its flow are here and its outputs have room and credits for all of it; one of
// the active configuration also needs its input ports, a unicast a way on which no other unicast is. What can start is
// sorted by phase: control (circuit 3), MP, PP, DP (0, 1, 2); ports take turns. The active configuration stays as long as
// nothing of a higher phase can start; within one phase the next one in cyclic order gets its turn when the active one
// has nothing to start or has started stay_packets_i packets. A change waits until all packets that have started are
// in, then nothing starts for reconfigure_cycles_i cycles, nor before slow sums have left the wires.
//
// A unicast takes the first way that is free, lower middle stages first; to the level above (output 255) the first
// uplink that is open, in turn.
//
// Contract: start_o and promise_o are combinational; a packet starts in the cycle in which they are high. Wires are
// numbered as the output pins of the elements in the order of the interconnect, from 0.

module phase_control #(
  parameter  int unsigned M              = 3,
  parameter  int unsigned Ports          = 12,
  parameter  int unsigned Levels         = 3,  // of stages around the innermost ones
  parameter  int unsigned Circuits       = 4,
  parameter  int unsigned Beats          = 1,
  parameter  int unsigned Configurations = 2,
  parameter  int unsigned ReduceCycles   = 1,
  localparam int unsigned CfgBits        = $clog2(Configurations),
  localparam int unsigned OutputBits     = $clog2(Ports),
  localparam int unsigned DigitBits      = $clog2(M),
  localparam int unsigned RouteBits      = OutputBits + Levels * DigitBits,
  localparam int unsigned Buffers        = Ports * Circuits
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic [19:0]                  reconfigure_cycles_i,
  input  logic [31:0]                  stay_packets_i,
  input  logic [7:0]                   first_uplink_i,
  input  logic [7:0]                   uplinks_i,
  // Input ports; buffer of port p and circuit c is p * Circuits + c.
  input  logic [Buffers-1:0]           next_here_i,
  input  logic [Buffers*CfgBits-1:0]   next_configuration_i,
  input  logic [Buffers*16-1:0]        next_flits_i,
  input  logic [Buffers*8-1:0]         next_output_i,
  input  logic [Buffers*Ports-1:0]     next_inputs_i,
  input  logic [Buffers*Ports-1:0]     next_outputs_i,
  input  logic [Ports-1:0]             busy_i,
  input  logic [Ports*2-1:0]           circuit_i,
  input  logic [Ports-1:0]             pending_i,
  input  logic [Ports-1:0]             paced_i,
  input  logic [Ports*RouteBits-1:0]   route_i,
  output logic [Ports-1:0]             start_o,
  output logic [Ports*2-1:0]           start_circuit_o,
  output logic [Ports*16-1:0]          start_flits_o,
  output logic [Ports*RouteBits-1:0]   start_route_o,
  // Output ports.
  input  logic [Buffers*16-1:0]        free_i,
  input  logic [Ports*16-1:0]          room_i,
  output logic [Ports-1:0]             promise_o,
  output logic [Ports*2-1:0]           promise_circuit_o,
  output logic [Ports*16-1:0]          promise_flits_o,
`ifdef WEFT_MUTANTS
  input  logic [7:0]                   mutant_i,
`endif
  output logic                         active_valid_o,
  output logic [CfgBits-1:0]           active_o,
  output logic                         rested_o  // no counter runs
);

  // Ways of a unicast, and what the levels look like. There may be no level around the innermost stage.

  // verilator lint_off UNSIGNED
  function automatic int unsigned size_at(input int unsigned level);
    size_at = Ports;
    for (int unsigned l = 0; l < level; l++) size_at = (size_at + 1) / 2;
  endfunction

  // Wires of one stage of that level with all within.
  function automatic int unsigned wires_of(input int unsigned level);
    wires_of = 2;
    for (int unsigned l = Levels; l > level; l--) begin
      wires_of = M * wires_of + M * ((size_at(l - 1) + 1) / 2) + size_at(l - 1);
    end
  endfunction

  function automatic int unsigned ways_of(input int unsigned level);
    ways_of = 1;
    for (int unsigned l = 0; l < level; l++) ways_of = M * ways_of;
  endfunction

  localparam int unsigned Wires    = wires_of(0);
  localparam int unsigned WireBits = $clog2(Wires);
  localparam int unsigned AllWires = 2 ** WireBits;  // so that every number is one
  localparam int unsigned Ways     = ways_of(Levels);
  // By level: wires before the middle stages of a stage, wires of a middle stage.
  localparam int unsigned Tables   = Levels > 0 ? Levels : 1;
  function automatic logic [Tables*WireBits-1:0] inner_table(input int unsigned of_middle);
    inner_table = '0;
    for (int unsigned l = 0; l < Levels; l++) begin
      inner_table[l*WireBits +: WireBits] =
          WireBits'(of_middle != 0 ? wires_of(l + 1) : M * ((size_at(l) + 1) / 2));
    end
  endfunction
  localparam logic [Tables*WireBits-1:0] FirstMiddle = inner_table(0);
  localparam logic [Tables*WireBits-1:0] MiddleWires = inner_table(1);

  // All wires of a way: from the input port, its route.
  function automatic logic [AllWires-1:0] wires_on(input int unsigned from, input logic [RouteBits-1:0] route);
    logic [WireBits-1:0]  base;
    logic [DigitBits-1:0] middle;
    wires_on = '0;
    base     = '0;
    middle   = '0;
    for (int unsigned l = 0; l < Levels; l++) begin
      middle = route[OutputBits + l*DigitBits +: DigitBits];
      wires_on[base + WireBits'((from >> (l + 1)) * M) + WireBits'(middle)] = 1'b1;
      wires_on[base + FirstMiddle[l*WireBits +: WireBits] + WireBits'(M * MiddleWires[l*WireBits +: WireBits])
               + WireBits'(32'(route[OutputBits-1:0]) >> l)] = 1'b1;
      base = base + FirstMiddle[l*WireBits +: WireBits]
          + WireBits'(middle * MiddleWires[l*WireBits +: WireBits]);
    end
    wires_on[base + WireBits'(32'(route[OutputBits-1:0]) >> Levels)] = 1'b1;
  endfunction

  // The first way between two ports on which no wire is used: found (at the top) and its route. Ways are numbered by their
  // middle stages, the outermost counting most.
  function automatic logic [RouteBits:0] find_way(input int unsigned from, input logic [OutputBits-1:0] to,
                                                  input logic [AllWires-1:0] used, input logic skip_first);
    // verilator no_inline_task
    logic                clear;
    logic [WireBits-1:0] base;
    int unsigned         middle;
    logic [RouteBits:0]  digits;
    find_way = '0;
    clear    = 1'b0;
    base     = '0;
    middle   = 0;
    digits   = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (!find_way[RouteBits]) begin
        clear  = !(skip_first && w == 0 && Ways > 1);
        base   = '0;
        digits = '0;
        for (int unsigned l = 0; l < Levels; l++) begin
          middle = (w / ways_of(Levels - 1 - l)) % M;
          digits = digits | (RouteBits+1)'(middle << (l * DigitBits));
          if (used[base + WireBits'((from >> (l + 1)) * M + middle)]) clear = 1'b0;
          if (used[base + FirstMiddle[l*WireBits +: WireBits] + WireBits'(M * MiddleWires[l*WireBits +: WireBits])
                   + WireBits'(32'(to) >> l)]) clear = 1'b0;
          base = base + FirstMiddle[l*WireBits +: WireBits]
              + WireBits'(middle * 32'(MiddleWires[l*WireBits +: WireBits]));
        end
        if (used[base + WireBits'(32'(to) >> Levels)]) clear = 1'b0;
        if (clear) begin
          find_way = (digits << OutputBits) | (RouteBits+1)'(to);
          find_way[RouteBits] = 1'b1;
        end
      end
    end
  endfunction
  // verilator lint_on UNSIGNED

  // State.
  logic                  active_valid_q, active_valid_d;
  logic [CfgBits-1:0]    active_q, active_d;
  logic [OutputBits-1:0] turn_q, turn_d;                // port that is asked first
  logic [7:0]            uplink_turn_q, uplink_turn_d;  // uplink that is tried first
  logic [31:0]           stayed_q, stayed_d;            // packets started since the last change
  logic [23:0]           open_q, open_d;    // cycles until packets may start
  logic [31:0]           drain_q, drain_d;  // cycles until packets of another configuration may

  assign active_valid_o = active_valid_q;
  assign active_o       = active_q;
  assign rested_o       = open_q == '0 && drain_q == '0;

  logic not_first;  // a seeded fault: leave the first way out
`ifdef WEFT_MUTANTS
  assign not_first = mutant_i == 8'd120;
`else
  assign not_first = 1'b0;
`endif

  // What could start.
  logic [Buffers-1:0]            can;       // the packet of a flow stands at its first input
  logic [Buffers*OutputBits-1:0] can_output;  // of a unicast
  logic [AllWires-1:0]              taken;

  // Wires of the unicasts that are on their way.
  always_comb begin
    taken = '0;
    if (active_valid_q && active_q == '0) begin
      for (int unsigned p = 0; p < Ports; p++) begin
        if (busy_i[p]) taken = taken | wires_on(p, route_i[p*RouteBits +: RouteBits]);
      end
    end
  end

  function automatic logic output_open(input logic [7:0] port, input int unsigned circuit, input logic [15:0] flits);
    output_open = free_i[(32'(port)*Circuits + circuit)*16 +: 16] >= flits && room_i[port*16 +: 16] >= flits;
  endfunction

  logic               loaded, fits;
  logic [CfgBits-1:0] cfg;
  logic [15:0]        flits;
  logic [7:0]         to;
  logic [RouteBits:0] way;

  always_comb begin
    can        = '0;
    can_output = '0;
    loaded     = 1'b0;
    fits       = 1'b0;
    cfg        = '0;
    flits      = '0;
    to         = '0;
    way        = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      for (int unsigned c = 0; c < Circuits; c++) begin
        if (next_here_i[p*Circuits + c]) begin
          cfg    = next_configuration_i[(p*Circuits + c)*CfgBits +: CfgBits];
          flits  = next_flits_i[(p*Circuits + c)*16 +: 16];
          to     = next_output_i[(p*Circuits + c)*8 +: 8];
          loaded = active_valid_q && cfg == active_q;
          if (cfg == '0) begin
            if (!(loaded && busy_i[p])) begin
              if (to != 8'd255) begin
                fits = output_open(to, c, flits);
                if (fits && loaded) begin
                  way  = find_way(p, OutputBits'(to), taken, not_first);
                  fits = way[RouteBits];
                end
                can[p*Circuits + c] = fits;
                can_output[(p*Circuits + c)*OutputBits +: OutputBits] = OutputBits'(to);
              end else begin
                for (int unsigned t = 0; t < Ports; t++) begin
                  if (t < 32'(uplinks_i) && !can[p*Circuits + c]) begin
                    to = uplink_turn_q + 8'(t);
                    if (to >= uplinks_i) to = to - uplinks_i;
                    to   = to + first_uplink_i;
                    fits = output_open(to, c, flits);
                    if (fits && loaded) begin
                      way  = find_way(p, OutputBits'(to), taken, not_first);
                      fits = way[RouteBits];
                    end
                    can[p*Circuits + c] = fits;
                    can_output[(p*Circuits + c)*OutputBits +: OutputBits] = OutputBits'(to);
                  end
                end
              end
            end
          end else if (next_inputs_i[(p*Circuits + c)*Ports +: Ports] != '0) begin
            fits = 1'b1;
            for (int unsigned q = 0; q < Ports; q++) begin
              if (next_inputs_i[(p*Circuits + c)*Ports + q]
                  && !(next_here_i[q*Circuits + c]
                       && next_configuration_i[(q*Circuits + c)*CfgBits +: CfgBits] == cfg)) fits = 1'b0;
              if (next_outputs_i[(p*Circuits + c)*Ports + q] && !output_open(8'(q), c, flits)) fits = 1'b0;
            end
            // Operands that are through already may be followed while others wait in the stages.
            if (loaded && (busy_i & next_inputs_i[(p*Circuits + c)*Ports +: Ports]) != '0) begin
              for (int unsigned q = 0; q < Ports; q++) begin
                if (next_inputs_i[(p*Circuits + c)*Ports + q] && busy_i[q]
                    && !(32'(circuit_i[q*2 +: 2]) == c && !pending_i[q] && paced_i[q])) fits = 1'b0;
              end
            end
            can[p*Circuits + c] = fits;
          end
        end
      end
    end
  end

  // Which configuration is active.
  logic [1:0]         best, rank;  // phase: 0 control, 1 MP, 2 PP, 3 DP
  logic               active_has_best, other_valid, change, go;
  logic [CfgBits-1:0] other, candidate;

  always_comb begin
    best            = 2'd3;
    rank            = 2'd0;
    active_has_best = 1'b0;
    other_valid     = 1'b0;
    other           = '0;
    candidate       = '0;
    if (can != '0) begin
      for (int unsigned c = 0; c < Circuits; c++) begin
        rank = 2'(c + 1);
        for (int unsigned p = 0; p < Ports; p++) begin
          if (can[p*Circuits + c] && rank < best) best = rank;
        end
      end
`ifdef WEFT_MUTANTS
      if (mutant_i == 8'd121 && best == 2'd1) best = 2'd2;
`endif
      for (int unsigned c = 0; c < Circuits; c++) begin
        rank = 2'(c + 1);
        for (int unsigned p = 0; p < Ports; p++) begin
          if (can[p*Circuits + c] && rank == best) begin
            candidate = next_configuration_i[(p*Circuits + c)*CfgBits +: CfgBits];
            if (active_valid_q && candidate == active_q) begin
              active_has_best = 1'b1;
            end else if (!other_valid
                         || {active_valid_q && candidate <= active_q, candidate}
                            < {active_valid_q && other <= active_q, other}) begin
              other_valid = 1'b1;
              other       = candidate;
            end
          end
        end
      end
    end
`ifdef WEFT_MUTANTS
    for (int unsigned b = 0; b < Buffers; b++) begin
      if (mutant_i == 8'd129 && can[b] && active_valid_q
          && next_configuration_i[b*CfgBits +: CfgBits] == active_q) active_has_best = 1'b1;
    end
    if (mutant_i == 8'd122 && active_valid_q && stayed_q == '0) active_has_best = 1'b1;
`endif
  end

  always_comb begin
    change         = other_valid
        && (!active_has_best || (stay_packets_i != '0 && stayed_q >= stay_packets_i));
    go             = can != '0;
    active_valid_d = active_valid_q;
    active_d       = active_q;
    open_d         = open_q;
`ifdef WEFT_MUTANTS
    if (mutant_i == 8'd123 && active_has_best) change = 1'b0;
`endif
    if (change) begin
`ifdef WEFT_MUTANTS
      if (busy_i != '0 && mutant_i != 8'd132) begin
`else
      if (busy_i != '0) begin
`endif
        go = 1'b0;
      end else begin
        active_valid_d = 1'b1;
        active_d       = other;
        open_d         = 32'(reconfigure_cycles_i) > drain_q ? 24'(reconfigure_cycles_i) : 24'(drain_q);
`ifdef WEFT_MUTANTS
        if (mutant_i == 8'd124 && open_d != '0) open_d = open_d - 24'd1;
        if (mutant_i == 8'd125) open_d = 24'(reconfigure_cycles_i);
`endif
      end
    end
    if (open_d != '0) begin
      go     = 1'b0;
      open_d = open_d - 24'd1;
    end
  end

  // What starts: everything of a stored configuration; of the unicasts those that match, one after the other.
  localparam int unsigned Slack = (Levels + 1) * (ReduceCycles - 1);  // in which sums are late, at most

  logic [Ports-1:0]   input_used, output_used;
  logic [AllWires-1:0]   taken_now;
  logic [RouteBits:0] start_way;
  logic [7:0]         start_to;
  logic               starts;
  int unsigned        circuit;

  always_comb begin
    start_o           = '0;
    start_circuit_o   = '0;
    start_flits_o     = '0;
    start_route_o     = '0;
    promise_o         = '0;
    promise_circuit_o = '0;
    promise_flits_o   = '0;
    turn_d            = turn_q;
    uplink_turn_d     = uplink_turn_q;
    stayed_d          = change && busy_i == '0 ? '0 : stayed_q;
    drain_d           = drain_q == '0 ? '0 : drain_q - 32'd1;
    input_used        = '0;
    output_used       = '0;
    taken_now         = taken;
    start_way         = '0;
    start_to          = '0;
    starts            = 1'b0;
    circuit           = 0;
    if (go) begin
      for (int unsigned order = 0; order < Circuits; order++) begin
        circuit = Circuits > 3 ? (order + 3) % 4 : order;
        for (int unsigned pass = 0; pass < 2; pass++) begin
          for (int unsigned p = 0; p < Ports; p++) begin
            if (can[p*Circuits + circuit] && (p >= 32'(turn_q)) == (pass == 0)
                && next_configuration_i[(p*Circuits + circuit)*CfgBits +: CfgBits] == active_d
                && !input_used[p]) begin
              starts = 1'b0;
              if (active_d == '0) begin
                start_to = 8'(can_output[(p*Circuits + circuit)*OutputBits +: OutputBits]);
                if (!output_used[OutputBits'(start_to)]) begin
                  input_used[p] = 1'b1;
                  output_used[OutputBits'(start_to)] = 1'b1;
                  start_way = find_way(p, OutputBits'(start_to), taken_now, not_first);
                  starts    = start_way[RouteBits];
                  if (starts) begin
                    taken_now  = taken_now | wires_on(p, start_way[RouteBits-1:0]);
                    start_o[p] = 1'b1;
                    start_circuit_o[p*2 +: 2]    = 2'(circuit);
                    start_flits_o[p*16 +: 16]    = next_flits_i[(p*Circuits + circuit)*16 +: 16];
                    start_route_o[p*RouteBits +: RouteBits] = start_way[RouteBits-1:0];
                    promise_o[OutputBits'(start_to)] = 1'b1;
                    promise_circuit_o[start_to*2 +: 2]    = 2'(circuit);
                    promise_flits_o[start_to*16 +: 16]    = next_flits_i[(p*Circuits + circuit)*16 +: 16];
                    if (start_to >= first_uplink_i && 32'(start_to) < 32'(first_uplink_i) + 32'(uplinks_i)) begin
                      uplink_turn_d = start_to - first_uplink_i + 8'd1;
                      if (uplink_turn_d >= uplinks_i) uplink_turn_d = '0;
`ifdef WEFT_MUTANTS
                      if (mutant_i == 8'd126) uplink_turn_d = '0;
`endif
                    end
                  end
                end
              end else begin
                starts = 1'b1;
                for (int unsigned q = 0; q < Ports; q++) begin
                  if (next_inputs_i[(p*Circuits + circuit)*Ports + q]) begin
                    input_used[q] = 1'b1;
                    start_o[q]    = 1'b1;
                    start_circuit_o[q*2 +: 2] = 2'(circuit);
                    start_flits_o[q*16 +: 16] = next_flits_i[(p*Circuits + circuit)*16 +: 16];
                  end
                  if (next_outputs_i[(p*Circuits + circuit)*Ports + q]) begin
                    promise_o[q] = 1'b1;
                    promise_circuit_o[q*2 +: 2] = 2'(circuit);
                    promise_flits_o[q*16 +: 16] = next_flits_i[(p*Circuits + circuit)*16 +: 16];
                  end
                end
              end
              if (starts) begin
                turn_d   = p == Ports - 1 ? '0 : OutputBits'(p + 1);
                if (stayed_d != '1) stayed_d = stayed_d + 32'd1;
                if (drain_d < 32'(next_flits_i[(p*Circuits + circuit)*16 +: 16]) * Beats + (active_d == '0 ? 0 : Slack)
                    - 1) begin
                  drain_d = 32'(next_flits_i[(p*Circuits + circuit)*16 +: 16]) * Beats
                      + (active_d == '0 ? 0 : Slack) - 1;
                end
              end
            end
          end
        end
      end
    end
`ifdef WEFT_MUTANTS
    if (mutant_i == 8'd127) turn_d = '0;
    if (mutant_i == 8'd128 && change) stayed_d = stayed_q;
`endif
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_valid_q <= 1'b0;
      active_q       <= '0;
      turn_q         <= '0;
      uplink_turn_q  <= '0;
      stayed_q       <= '0;
      open_q         <= '0;
      drain_q        <= '0;
    end else begin
      active_valid_q <= active_valid_d;
      active_q       <= active_d;
      turn_q         <= turn_d;
      uplink_turn_q  <= uplink_turn_d;
      stayed_q       <= stayed_d;
      open_q         <= open_d;
      drain_q        <= drain_d;
    end
  end

endmodule
