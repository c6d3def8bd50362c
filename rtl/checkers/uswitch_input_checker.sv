// SPDX-License-Identifier: Apache-2.0
// One input of a uswitch: the sender keeps what it offers, the setting leads somewhere, only offered beats are taken.

module uswitch_input_checker #(
  parameter int unsigned BeatBits = 8  // setting, side wires, data
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                valid_i,
  input logic                ready_i,
  input logic [BeatBits-1:0] beat_i,
  input logic                leads_i   // to some output
);

  // What was offered in the cycle before and not taken.
  logic                waits;
  logic [BeatBits-1:0] beat;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits <= 1'b0;
      beat  <= '0;
    end else begin
      waits <= valid_i && !ready_i;
      beat  <= beat_i;

      SenderHolds:     assert (!waits || (valid_i && beat_i == beat));
      LeadsSomewhere:  assert (!valid_i || leads_i);
      TakesOnlyOffers: assert (!ready_i || valid_i);
    end
  end

endmodule
