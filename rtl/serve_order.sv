// SPDX-License-Identifier: Apache-2.0
// In which order the ports have been served last: a matrix of who came before whom.
//
// Contract: older_o[p*Ports + q] = the last packet that port q led started before that of port p. Ports that have led
// none came before all others, the lower one first. Of packets that start together the rank decides.

module serve_order #(
  parameter  int unsigned Ports      = 12,
  localparam int unsigned OutputBits = $clog2(Ports)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic [Ports-1:0]            starts_i,  // first inputs of the packets that start
  input  logic [Ports*OutputBits-1:0] rank_i,
  output logic [Ports*Ports-1:0]      older_o
);

  logic [Ports*Ports-1:0] older_q, older_d;
  assign older_o = older_q;

  always_comb begin
    older_d = older_q;
    if (starts_i != '0) begin
      for (int unsigned p = 0; p < Ports; p++) begin
        older_d[p*Ports +: Ports] = older_q[p*Ports +: Ports] & ~starts_i;
        if (starts_i[p]) begin
          older_d[p*Ports +: Ports] = ~starts_i;
          for (int unsigned q = 0; q < Ports; q++) begin
            if (starts_i[q] && rank_i[q*OutputBits +: OutputBits] < rank_i[p*OutputBits +: OutputBits]) begin
              older_d[p*Ports + q] = 1'b1;
            end
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned p = 0; p < Ports; p++) begin
        for (int unsigned q = 0; q < Ports; q++) older_q[p*Ports + q] <= q < p;
      end
    end else begin
      older_q <= older_d;
    end
  end

`ifdef WEFT_ASSERTIONS
  // The order as positions: the port at 0 was served before all others. Ports that start go behind those that do not.
  logic [Ports*OutputBits-1:0] position_q, position_d;
  logic                        ranks_differ, as_positions;
  always_comb begin
    position_d   = '0;
    ranks_differ = 1'b1;
    as_positions = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      for (int unsigned q = 0; q < Ports; q++) begin
        // Port q is before port p: in what follows, then in what is.
        if (starts_i[p] != starts_i[q] ? starts_i[p] :
            starts_i[p] ? rank_i[q*OutputBits +: OutputBits] < rank_i[p*OutputBits +: OutputBits] :
            position_q[q*OutputBits +: OutputBits] < position_q[p*OutputBits +: OutputBits]) begin
          position_d[p*OutputBits +: OutputBits] = position_d[p*OutputBits +: OutputBits] + OutputBits'(1);
        end
        if (older_o[p*Ports + q]
            != (position_q[q*OutputBits +: OutputBits] < position_q[p*OutputBits +: OutputBits])) as_positions = 1'b0;
        if (p != q && starts_i[p] && starts_i[q]
            && rank_i[p*OutputBits +: OutputBits] == rank_i[q*OutputBits +: OutputBits]) ranks_differ = 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned p = 0; p < Ports; p++) position_q[p*OutputBits +: OutputBits] <= OutputBits'(p);
    end else begin
      position_q <= position_d;
    end
  end

  `WEFT_ASSERT(RanksDiffer, ranks_differ)
  `WEFT_ASSERT(ServedInOrder, as_positions)
`endif

endmodule
