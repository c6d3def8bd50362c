// SPDX-License-Identifier: Apache-2.0
// Who starts of the packets that can: control first, then MP, PP, DP; within a phase round-robin. Of a stored
// stored setting all its flows start whose inputs are not used by one before them, of the unicasts those that match,
// one after the other. Combinational.
//
// Contract: lead_o is the first input of a flow, the input of a unicast, and the other lead_* belong to it: its rank is
// the position in the order, from 0. A port leads one packet at most.

module start_select #(
  parameter  int unsigned Ports          = 12,
  parameter  int unsigned TrafficClasses = 4,
  localparam int unsigned OutputBits     = $clog2(Ports),
  localparam int unsigned Buffers        = Ports * TrafficClasses
) (
  input  logic                          unicasts_i,
  input  logic [OutputBits-1:0]         port_pointer_i,    // the port that is asked first
  input  logic [Buffers-1:0]            can_i,     // and is of the stored setting that is to start
  input  logic [Buffers*Ports-1:0]      inputs_i,  // input ports of flows
  input  logic [Buffers*OutputBits-1:0] output_i,  // output ports of unicasts
  input  logic [Buffers*16-1:0]         flits_i,
  output logic [Ports-1:0]              lead_o,
  output logic [Ports*2-1:0]            lead_traffic_class_o,
  output logic [Ports*OutputBits-1:0]   lead_rank_o,
  output logic [Ports*OutputBits-1:0]   lead_output_o,
  output logic [Ports*16-1:0]           lead_flits_o
);

  // Traffic class 3 comes first.
  function automatic int unsigned traffic_class_at(input int unsigned order);
    traffic_class_at = TrafficClasses > 3 ? (order + 3) % 4 : order;
  endfunction

  logic [Ports-1:0]      first, input_used, output_used, to;
  logic [OutputBits-1:0] rank;

  // Ports from port_pointer_i on are asked in the first pass, those below it in the second.
  always_comb begin
    for (int unsigned p = 0; p < Ports; p++) first[p] = p >= 32'(port_pointer_i);
  end

  always_comb begin
    lead_o               = '0;
    lead_traffic_class_o = '0;
    lead_rank_o          = '0;
    lead_output_o        = '0;
    lead_flits_o         = '0;
    input_used           = '0;
    output_used          = '0;
    to                   = '0;
    rank                 = '0;
    if (can_i != '0) begin
      for (int unsigned order = 0; order < TrafficClasses; order++) begin
        for (int unsigned pass = 0; pass < 2; pass++) begin
          for (int unsigned p = 0; p < Ports; p++) begin
            if (can_i[p*TrafficClasses + traffic_class_at(order)] && first[p] == (pass == 0)
                && !input_used[p]) begin
              to = unicasts_i
                  ? Ports'(1) << output_i[(p*TrafficClasses + traffic_class_at(order))*OutputBits +: OutputBits] : '0;
              if ((output_used & to) == '0) begin
                lead_o[p] = 1'b1;
                lead_traffic_class_o[p*2 +: 2] = 2'(traffic_class_at(order));
                lead_rank_o[p*OutputBits +: OutputBits] = rank;
                lead_output_o[p*OutputBits +: OutputBits] =
                    output_i[(p*TrafficClasses + traffic_class_at(order))*OutputBits +: OutputBits];
                lead_flits_o[p*16 +: 16] = flits_i[(p*TrafficClasses + traffic_class_at(order))*16 +: 16];
                rank        = rank + OutputBits'(1);
                output_used = output_used | to;
                input_used  = unicasts_i ? input_used | Ports'(1) << p
                    : input_used | inputs_i[(p*TrafficClasses + traffic_class_at(order))*Ports +: Ports];
              end
            end
          end
        end
      end
    end
  end

endmodule
