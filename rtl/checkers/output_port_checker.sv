// SPDX-License-Identifier: Apache-2.0
// The contract of output_port as assertions: credits and places are promised once and never more than there are, none
// is lost; credits come back for flits that were sent; each flit was promised, and each leaves once. Bound to every
// output_port by bind_switch.sv; not for synthesis.

module output_port_checker #(
  parameter int unsigned Circuits    = 4,
  parameter int unsigned OutputFlits = 32
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic [Circuits*16-1:0] credits_i,
  input logic [15:0]            output_flits_i,
  input logic                   complete,         // the last beat of a flit comes in
  input logic                   send,
  input logic [15:0]            size,             // of the buffer
  input logic [Circuits*16-1:0] free_o,
  input logic [15:0]            room_o,
  input logic                   empty_o,
  input logic                   promise_i,
  input logic [1:0]             promise_circuit_i,
  input logic [15:0]            promise_flits_i,
  input logic [Circuits-1:0]    credit_i,
  input logic                   out_valid_o,
  input logic [1:0]             out_circuit_o
);

  // Flits: promised and still to come, inside.
  logic [31:0] coming, here;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      coming <= '0;
      here <= '0;
    end else begin
      coming <= coming + (promise_i ? 32'(promise_flits_i) : '0) - 32'(complete);
      here <= here + 32'(complete) - 32'(send);

      PromisesSomething: assert (!promise_i || (promise_flits_i != '0 && promise_flits_i <= room_o));
      WasPromised:       assert (!complete || coming != '0);
      NothingMade:       assert (!send || here != '0 || complete);
      NothingLost:       assert (32'(size) == here && 32'(size) <= OutputFlits);
      PlacesAddUp:       assert (32'(room_o) + coming + here == 32'(output_flits_i));
      EmptyIsEmpty:      assert (empty_o == (coming + here == '0));
    end
  end

  for (genvar c = 0; c < Circuits; c++) begin : gen_circuit
    // Flits: that hold a credit, that are sent and of which it has not come back.
    logic [31:0] used, behind;
    logic        promise, sent;
    assign promise = promise_i && 32'(promise_circuit_i) == c;
    assign sent    = out_valid_o && 32'(out_circuit_o) == c;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        used   <= '0;
        behind <= '0;
      end else begin
        used   <= used + (promise ? 32'(promise_flits_i) : '0) - 32'(credit_i[c]);
        behind <= behind + 32'(sent) - 32'(credit_i[c]);

        HasCredits:    assert (!promise || promise_flits_i <= free_o[c*16 +: 16]);
        CreditsAddUp:  assert (32'(free_o[c*16 +: 16]) + used == 32'(credits_i[c*16 +: 16]));
        CreditOfAFlit: assert (!credit_i[c] || behind != '0 || sent);
      end
    end
  end

endmodule
