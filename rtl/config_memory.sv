// SPDX-License-Identifier: Apache-2.0
// Stored words of all configurations: one write port; readers select from the whole content.
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

endmodule
