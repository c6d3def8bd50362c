// SPDX-License-Identifier: Apache-2.0
// One output of a uswitch: it keeps what it offers, one operation uses it at a time, and it gives each beat of its
// operations once.

module uswitch_output_checker #(
  parameter int unsigned BeatBits = 8,  // side wires, data
  parameter int unsigned Places   = 1   // for beats on their way out
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                valid_i,
  input logic                ready_i,
  input logic [BeatBits-1:0] beat_i,
  input logic [7:0]          users_i,  // operations that lead here
  input logic [7:0]          given_i,  // of them those that are finished in this cycle
  input logic                copied_i  // a fork that is not finished has given its copy
);

  logic                waits;
  logic [BeatBits-1:0] beat;
  // Beats of finished operations that have not left, and one more, as a fork's first copy may leave before its
  // operation is finished.
  logic [15:0]         owed;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits <= 1'b0;
      beat  <= '0;
      owed  <= 16'd1;
    end else begin
      waits <= valid_i && !ready_i;
      beat  <= beat_i;
      owed  <= owed + 16'(given_i) - 16'(valid_i && ready_i);

      OutputHolds: assert (!waits || (valid_i && beat_i == beat));
      OneUser:     assert (users_i <= 8'd1);
      NothingMade: assert (!valid_i || owed > 16'd1 || copied_i);
      NothingLost: assert (owed <= 16'(Places + 1));
    end
  end

endmodule
