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

  for (genvar i = 0; i < NumIn; i++) begin : gen_input
    uswitch_input_checker #(.BeatBits(SettingBits + SideBits + DataBits)) u_input (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(in_valid_i[i]),
      .ready_i(in_ready_o[i]),
      .beat_i ({in_setting_i[i*SettingBits +: SettingBits], in_side_i[i*SideBits +: SideBits],
                in_data_i[i*DataBits +: DataBits]}),
      .leads_i(|route[i*NumOut +: NumOut])
    );
  end

  for (genvar o = 0; o < NumOut; o++) begin : gen_output
    // Operations that lead here; of them those that are finished in this cycle.
    logic [7:0] users, given;
    // A fork has given its copy here and waits for its other output.
    logic       copied;

    always_comb begin
      users  = '0;
      given  = '0;
      copied = 1'b0;
      for (int unsigned b = 0; b < 2; b++) copied = copied | (b == o && done_q[b]);
      for (int unsigned i = 0; i < NumIn; i++) begin
        if (active[i] && route[i*NumOut + o]) begin
          users = users + 8'd1;
          if (in_ready_o[i]) given = given + 8'd1;
        end
      end
    end

    uswitch_output_checker #(.BeatBits(SideBits + DataBits), .Places(Places)) u_output (
      .clk_i   (clk_i),
      .rst_ni  (rst_ni),
      .valid_i (out_valid_o[o]),
      .ready_i (out_ready_i[o]),
      .beat_i  ({out_side_o[o*SideBits +: SideBits], out_data_o[o*DataBits +: DataBits]}),
      .users_i (users),
      .given_i (given),
      .copied_i(copied)
    );
  end

  // The register gives the block a reset of the same kind as all others.
  // verilator lint_off UNUSEDSIGNAL
  logic joined;
  // verilator lint_on UNUSEDSIGNAL
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      joined <= 1'b0;
    end else begin
      joined <= join_both;

      SameSetting: assert (!join_both
          || in_setting_i[0 +: SettingBits] == in_setting_i[Other*SettingBits +: SettingBits]);
      SameBeat: assert (!join_both
          || ((in_side_i[0 +: SideBits] ^ in_side_i[Other*SideBits +: SideBits]) & MatchMask) == '0);
    end
  end

endmodule
