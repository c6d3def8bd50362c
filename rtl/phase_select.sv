// SPDX-License-Identifier: Apache-2.0
// This chooses the stored setting that is next: the highest phase that could start counts, which is control
// (traffic class 3), then MP, PP, DP (0, 1, 2). Combinational.
//
// Contract: active_has_best_o = something of that phase can start in the active stored setting; other_o is, of the
// others that have something of that phase, that of the port served least recently (older_i, see serve_order.sv).

module phase_select #(
  parameter  int unsigned Ports          = 12,
  parameter  int unsigned TrafficClasses = 4,
  parameter  int unsigned StoredSettings = 2,
  localparam int unsigned CfgBits        = $clog2(StoredSettings),
  localparam int unsigned Buffers        = Ports * TrafficClasses
) (
  input  logic                       active_valid_i,
  input  logic [CfgBits-1:0]         active_i,
  input  logic [Buffers-1:0]         can_i,
  input  logic [Buffers*CfgBits-1:0] next_stored_setting_i,
  input  logic [Ports*Ports-1:0]     older_i,
  output logic                       active_has_best_o,
  output logic                       other_valid_o,
  output logic [CfgBits-1:0]         other_o
);

  logic [1:0]               best, rank;  // phase: 0 control, 1 MP, 2 PP, 3 DP
  logic [CfgBits-1:0]       candidate;
  logic [Ports-1:0]         others;      // ports with something of that phase in another stored setting: that one
  logic [Ports*CfgBits-1:0] other_of;

  always_comb begin
    best              = 2'd3;
    rank              = 2'd0;
    active_has_best_o = 1'b0;
    other_valid_o     = 1'b0;
    other_o           = '0;
    candidate         = '0;
    others            = '0;
    other_of          = '0;
    if (can_i != '0) begin
      for (int unsigned c = 0; c < TrafficClasses; c++) begin
        rank = 2'(c + 1);
        for (int unsigned p = 0; p < Ports; p++) begin
          if (can_i[p*TrafficClasses + c] && rank < best) best = rank;
        end
      end
      for (int unsigned c = 0; c < TrafficClasses; c++) begin
        rank = 2'(c + 1);
        for (int unsigned p = 0; p < Ports; p++) begin
          if (can_i[p*TrafficClasses + c] && rank == best) begin
            candidate = next_stored_setting_i[(p*TrafficClasses + c)*CfgBits +: CfgBits];
            if (active_valid_i && candidate == active_i) begin
              active_has_best_o = 1'b1;
            end else begin
              others[p] = 1'b1;
              other_of[p*CfgBits +: CfgBits] = candidate;
            end
          end
        end
      end
      for (int unsigned p = 0; p < Ports; p++) begin
        if (others[p] && (others & older_i[p*Ports +: Ports]) == '0) begin
          other_valid_o = 1'b1;
          other_o       = other_of[p*CfgBits +: CfgBits];
        end
      end
    end
  end

endmodule
