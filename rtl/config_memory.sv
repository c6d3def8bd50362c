// SPDX-License-Identifier: Apache-2.0
// Words of all stored settings: one write port; readers select from the whole content.
//
// Contract: index_i < Entries; a word that is written at an edge is read from the next cycle on. Not reset: words must
// be written before they are used. Word 0 belongs to the unicasts, whose settings come with their beats; it is no use.

module config_memory #(
  parameter  int unsigned Width     = 8,
  parameter  int unsigned Entries   = 2,
  localparam int unsigned IndexBits = $clog2(Entries)
) (
  input  logic                     clk_i,
  input  logic                     we_i,
  input  logic [IndexBits-1:0]     index_i,
  input  logic [Width-1:0]         word_i,
  output logic [Entries*Width-1:0] words_o
);

  always_ff @(posedge clk_i) begin
    if (we_i) words_o[index_i*Width +: Width] <= word_i;
  end

`ifdef WEFT_ASSERTIONS
  // There is no reset here: the rules hold at every edge. Words that have been written, and what was written last.
  logic                     rst_ni;
  logic [Entries-1:0]       known;
  logic [Entries*Width-1:0] last;
  assign rst_ni = 1'b1;
  initial known = '0;
  always_ff @(posedge clk_i) begin
    for (int unsigned e = 0; e < Entries; e++) begin
      if (we_i && 32'(index_i) == e) begin
        known[e]                <= 1'b1;
        last[e*Width +: Width] <= word_i;
      end
    end
  end

  `WEFT_ASSERT(HasAnEntry, !we_i || 32'(index_i) < Entries)

  for (genvar e = 0; e < Entries; e++) begin : gen_entry_contract
    `WEFT_ASSERT(WordStays, !known[e] || words_o[e*Width +: Width] == last[e*Width +: Width])
  end
`endif

endmodule
