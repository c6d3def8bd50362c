// SPDX-License-Identifier: Apache-2.0
// What could start: of each buffer (port p, traffic class c: p * TrafficClasses + c) the first packet that has not been
// started.
//
// A packet can start when all operands of its flow are here and its outputs have room and credits for all of it; one of
// the active stored setting also needs its input ports, a unicast a route on which no other unicast is. A unicast to
// the level above (output 255) takes the first open uplink, round-robin. Combinational. can_o of a flow stands at its
// first input; can_output_o is the output of a unicast that can.

module start_check #(
  parameter  int unsigned Ports          = 12,
  parameter  int unsigned TrafficClasses = 4,
  parameter  int unsigned StoredSettings = 2,
  localparam int unsigned CfgBits        = $clog2(StoredSettings),
  localparam int unsigned OutputBits     = $clog2(Ports),
  localparam int unsigned Buffers        = Ports * TrafficClasses
) (
  input  logic [7:0]                    first_uplink_i,
  input  logic [7:0]                    uplinks_i,
  input  logic [7:0]                    uplink_pointer_i,  // the one that is tried first
  input  logic                          active_valid_i,
  input  logic [CfgBits-1:0]            active_i,
  input  logic [Buffers-1:0]            next_here_i,
  input  logic [Buffers*CfgBits-1:0]    next_stored_setting_i,
  input  logic [Buffers*16-1:0]         next_flits_i,
  input  logic [Buffers*8-1:0]          next_output_i,
  input  logic [Buffers*Ports-1:0]      next_inputs_i,
  input  logic [Buffers*Ports-1:0]      next_outputs_i,
  input  logic [Ports-1:0]              busy_i,
  input  logic [Ports*2-1:0]            traffic_class_i,
  input  logic [Ports-1:0]              pending_i,
  input  logic [Ports-1:0]              paced_i,
  input  logic [Ports*Ports-1:0]        open_i,  // bit p * Ports + q: a route is free from p to q
  input  logic [Buffers*16-1:0]         free_i,
  input  logic [Ports*16-1:0]           room_i,
  output logic [Buffers-1:0]            can_o,
  output logic [Buffers*OutputBits-1:0] can_output_o
);

  // Uplinks, and of them those that come before the others'.
  logic [Ports-1:0] uplinks, uplinks_first;
  always_comb begin
    uplinks       = '0;
    uplinks_first = '0;
    for (int unsigned q = 0; q < Ports; q++) begin
      uplinks[q]       = q >= 32'(first_uplink_i) && q < 32'(first_uplink_i) + 32'(uplinks_i);
      uplinks_first[q] = uplinks[q] && q >= 32'(first_uplink_i) + 32'(uplink_pointer_i);
    end
  end

  logic               loaded, fits;
  logic [CfgBits-1:0] cfg;
  logic [15:0]        flits;
  logic [7:0]         to;
  logic [Ports-1:0]   wanted, open, operands;

  always_comb begin
    can_o        = '0;
    can_output_o = '0;
    loaded       = 1'b0;
    fits         = 1'b0;
    cfg          = '0;
    flits        = '0;
    to           = '0;
    wanted       = '0;
    open         = '0;
    operands     = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      for (int unsigned c = 0; c < TrafficClasses; c++) begin
        cfg      = next_stored_setting_i[(p*TrafficClasses + c)*CfgBits +: CfgBits];
        flits    = next_flits_i[(p*TrafficClasses + c)*16 +: 16];
        to       = next_output_i[(p*TrafficClasses + c)*8 +: 8];
        operands = next_inputs_i[(p*TrafficClasses + c)*Ports +: Ports];
        loaded   = active_valid_i && cfg == active_i;
        if (next_here_i[p*TrafficClasses + c] && (cfg == '0 ? !(loaded && busy_i[p]) : operands != '0)) begin
          // Outputs with room and credits.
          wanted = cfg != '0 ? next_outputs_i[(p*TrafficClasses + c)*Ports +: Ports] :
                   to == 8'd255 ? uplinks : Ports'(1) << to;
          open   = '0;
          for (int unsigned q = 0; q < Ports; q++) begin
            if (wanted[q]) begin
              open[q] = free_i[(q*TrafficClasses + c)*16 +: 16] >= flits && room_i[q*16 +: 16] >= flits;
            end
          end
          if (cfg == '0) begin
            if (loaded) open = open & open_i[p*Ports +: Ports];
            can_o[p*TrafficClasses + c] = open != '0;
            can_output_o[(p*TrafficClasses + c)*OutputBits +: OutputBits] = OutputBits'(to);
            if (to == 8'd255) begin
              if ((open & uplinks_first) != '0) open = open & uplinks_first;
              for (int unsigned q = Ports; q > 0; q--) begin
                if (open[q-1]) can_output_o[(p*TrafficClasses + c)*OutputBits +: OutputBits] = OutputBits'(q - 1);
              end
            end
          end else begin
            fits    = open == wanted;
            for (int unsigned q = 0; q < Ports; q++) begin
              if (operands[q]) begin
                if (!next_here_i[q*TrafficClasses + c]
                    || next_stored_setting_i[(q*TrafficClasses + c)*CfgBits +: CfgBits] != cfg) fits = 1'b0;
                // Operands that are through already may be followed while others wait in the stages.
                if (loaded && busy_i[q]
                    && !(32'(traffic_class_i[q*2 +: 2]) == c && !pending_i[q] && paced_i[q])) fits = 1'b0;
              end
            end
            can_o[p*TrafficClasses + c] = fits;
          end
        end
      end
    end
  end

endmodule
