// SPDX-License-Identifier: Apache-2.0
// The contract of elastic_reg as assertions: the sender keeps what it offers, the places keep what they offer, and
// words leave in order, none lost and none doubled. Bound to every elastic_reg by bind.sv; not for synthesis.

module elastic_reg_checker #(
  parameter int unsigned Width = 8,
  parameter int unsigned Skid  = 0,
  parameter int unsigned Depth = 1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             ready_o,
  input logic [Width-1:0] data_i,
  input logic             valid_o,
  input logic             ready_i,
  input logic [Width-1:0] data_o
);

  localparam int unsigned Places = Depth * (1 + Skid);

  // What was offered in the cycle before and not taken.
  logic             in_waits, out_waits;
  logic [Width-1:0] in_data, out_data;
  // All words inside, the oldest in the lowest bits.
  logic [31:0]             count;
  logic [Places*Width-1:0] words, words_left;

  always_comb begin
    words_left = words;
    if (valid_o && ready_i) words_left = words >> Width;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_waits  <= 1'b0;
      out_waits <= 1'b0;
      count     <= '0;
      words     <= '0;
      in_data   <= '0;
      out_data  <= '0;
    end else begin
      in_waits  <= valid_i && !ready_o;
      in_data   <= data_i;
      out_waits <= valid_o && !ready_i;
      out_data  <= data_o;
      count     <= count + 32'(valid_i && ready_o) - 32'(valid_o && ready_i);
      words     <= words_left;
      for (int unsigned p = 0; p < Places; p++) begin
        if (valid_i && ready_o && p == count - 32'(valid_o && ready_i)) words[p*Width +: Width] <= data_i;
      end

      SenderHolds:  assert (!in_waits || (valid_i && data_i == in_data));
      ValidHolds:   assert (!out_waits || valid_o);
      DataStable:   assert (!out_waits || data_o == out_data);
      NothingMade:  assert (!valid_o || count != 0);
      NothingLost:  assert (count <= Places && (count < Places || !ready_o || (Skid == 0 && ready_i)));
      InOrder:      assert (!valid_o || data_o == words[0 +: Width]);
      ReachesTheEnd: assert (count < Places || valid_o);
    end
  end

endmodule
