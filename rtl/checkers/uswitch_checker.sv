// SPDX-License-Identifier: Apache-2.0
// The contract of uswitch as assertions: senders keep what they offer, so do the outputs; only beats that belong
// together are added; one operation uses an output at a time; each output gets each beat of its operations once. Bound
// to every uswitch by bind.sv; not for synthesis.

module uswitch_checker #(
  parameter int unsigned NumIn        = 2,
  parameter int unsigned NumOut       = 2,
  parameter int unsigned SideBits     = 8,
  parameter int unsigned MatchBits    = 0,
  parameter int unsigned DataBits     = 32,
  parameter int unsigned SettingBits  = 6,
  parameter int unsigned ReduceCycles = 1,
  parameter int unsigned Skid         = 0
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input logic [NumIn-1:0]             in_valid_i,
  input logic [NumIn-1:0]             in_ready_o,
  input logic [NumIn*SideBits-1:0]    in_side_i,
  input logic [NumIn*DataBits-1:0]    in_data_i,
  input logic [NumIn*SettingBits-1:0] in_setting_i,
  input logic [NumOut-1:0]            out_valid_o,
  input logic [NumOut-1:0]            out_ready_i,
  input logic [NumOut*SideBits-1:0]   out_side_o,
  input logic [NumOut*DataBits-1:0]   out_data_o,
  input logic [NumIn*NumOut-1:0]      route,
  input logic [NumIn-1:0]             active,
  input logic                         join_both,
  input logic [1:0]                   done_q
);

  localparam int unsigned Places = ReduceCycles * (1 + Skid);
  localparam logic [SideBits-1:0] MatchMask = ~({SideBits{1'b1}} << MatchBits);
  // Pins of the second operand, where there is one.
  localparam int unsigned Other = NumIn - 1;

  logic [NumIn-1:0]             in_waits;
  logic [NumIn*SideBits-1:0]    in_side;
  logic [NumIn*DataBits-1:0]    in_data;
  logic [NumIn*SettingBits-1:0] in_setting;
  logic [NumOut-1:0]            out_waits;
  logic [NumOut*SideBits-1:0]   out_side;
  logic [NumOut*DataBits-1:0]   out_data;

  // By output: beats of finished operations that have not left, and one more, as a fork's first copy may leave before
  // its operation is finished.
  logic [15:0] owed  [NumOut];
  logic [15:0] given [NumOut];  // in this cycle
  logic [15:0] users [NumOut];  // operations that lead to it

  always_comb begin
    for (int unsigned o = 0; o < NumOut; o++) begin
      given[o] = '0;
      users[o] = '0;
      for (int unsigned i = 0; i < NumIn; i++) begin
        if (active[i] && route[i*NumOut + o]) begin
          users[o] = users[o] + 16'd1;
          if (in_ready_o[i]) given[o] = given[o] + 16'd1;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_waits   <= '0;
      in_side    <= '0;
      in_data    <= '0;
      in_setting <= '0;
      out_waits  <= '0;
      out_side   <= '0;
      out_data   <= '0;
      for (int unsigned o = 0; o < NumOut; o++) owed[o] <= 16'd1;
    end else begin
      in_waits   <= in_valid_i & ~in_ready_o;
      in_side    <= in_side_i;
      in_data    <= in_data_i;
      in_setting <= in_setting_i;
      out_waits  <= out_valid_o & ~out_ready_i;
      out_side   <= out_side_o;
      out_data   <= out_data_o;

      for (int unsigned i = 0; i < NumIn; i++) begin
        SenderHolds: assert (!in_waits[i] || (in_valid_i[i]
            && in_side_i[i*SideBits +: SideBits] == in_side[i*SideBits +: SideBits]
            && in_data_i[i*DataBits +: DataBits] == in_data[i*DataBits +: DataBits]
            && in_setting_i[i*SettingBits +: SettingBits] == in_setting[i*SettingBits +: SettingBits]));
        LeadsSomewhere: assert (!in_valid_i[i] || route[i*NumOut +: NumOut] != '0);
        TakesOnlyOffers: assert (!in_ready_o[i] || in_valid_i[i]);
      end

      for (int unsigned o = 0; o < NumOut; o++) begin
        owed[o] <= owed[o] + given[o] - 16'(out_valid_o[o] && out_ready_i[o]);

        OutputHolds: assert (!out_waits[o] || (out_valid_o[o]
            && out_side_o[o*SideBits +: SideBits] == out_side[o*SideBits +: SideBits]
            && out_data_o[o*DataBits +: DataBits] == out_data[o*DataBits +: DataBits]));
        OneUser: assert (users[o] <= 16'd1);
        NothingMade: assert (!out_valid_o[o] || owed[o] > 16'd1 || (o < 2 && done_q[o % 2]));
        NothingLost: assert (owed[o] <= 16'(Places + 1));
      end

      SameSetting: assert (!join_both
          || in_setting_i[0 +: SettingBits] == in_setting_i[Other*SettingBits +: SettingBits]);
      SameBeat: assert (!join_both
          || ((in_side_i[0 +: SideBits] ^ in_side_i[Other*SideBits +: SideBits]) & MatchMask) == '0);
    end
  end

endmodule
