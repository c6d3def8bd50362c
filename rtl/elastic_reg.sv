// SPDX-License-Identifier: Apache-2.0
// Elastic stages in a row between a sender and a receiver with valid and ready.
//
// Skid = 0: a stage holds one word and takes a new one in the cycle in which the old one leaves, so ready_o depends on
// ready_i. Skid = 1: a stage holds two words and takes one when it held fewer than two at the start of the cycle, so
// ready_o is a register. Latency Depth cycles, throughput one word per cycle, words close gaps while they wait.
//
// Contract: valid_o holds, with data_o stable, until ready_i; valid_o is a register and never depends on ready_i;
// the sender keeps valid_i and data_i until ready_o. Words leave in order, none is lost or doubled.

module elastic_reg #(
  parameter int unsigned Width = 8,
  parameter int unsigned Skid  = 0,
  parameter int unsigned Depth = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);

  // One bit stands for each stage, the last at index Depth - 1. Its front word takes the one offered (load), or with
  // skid the second one, which moves up.
  logic [Depth-1:0]       valid_d, valid_q, take, leave, room, load, move_up;
  logic [Depth*Width-1:0] data_q, second_data;

  assign valid_o = valid_q[Depth-1];
  assign data_o  = data_q[(Depth-1)*Width +: Width];
  assign ready_o = room[0];

  // What each stage is offered and takes, and which stage gives its word away.
  always_comb begin
    for (int unsigned p = 0; p < Depth; p++) begin
      take[p]  = (p == 0 ? valid_i : valid_q[(p + Depth - 1) % Depth]) & room[p];
      leave[p] = valid_q[p] & (p == Depth - 1 ? ready_i : room[(p + 1) % Depth]);
    end
  end

  if (Skid == 0) begin : gen_register
    // A stage has room if it, or one behind it, is empty or the receiver takes a word.
    logic behind;
    always_comb begin
      behind = ready_i;
      room   = '0;
      for (int unsigned k = 0; k < Depth; k++) begin
        behind          = behind | ~valid_q[Depth-1-k];
        room[Depth-1-k] = behind;
      end
    end

    always_comb begin
      valid_d = (valid_q & ~leave) | take;
      load    = take;
    end

    assign move_up     = '0;
    assign second_data = '0;
  end else begin : gen_skid
    // valid_q: a word at the front; second_q: another one behind it.
    logic [Depth-1:0]       second_d, second_q, load_second;
    logic [Depth*Width-1:0] second_data_q;

    assign second_data = second_data_q;

    always_comb begin
      room = ~second_q;
    end

    always_comb begin
      valid_d     = take | (valid_q & ~leave) | second_q;
      second_d    = valid_q & ~leave & (second_q | take);
      load        = take & ~second_d;
      load_second = take & second_d;
      move_up     = second_q & leave;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) second_q <= '0;
      else         second_q <= second_d;
    end

    for (genvar p = 0; p < Depth; p++) begin : gen_stage
      always_ff @(posedge clk_i) begin
        if (load_second[p]) begin
          second_data_q[p*Width +: Width] <= p == 0 ? data_i : data_q[((p + Depth - 1) % Depth)*Width +: Width];
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= valid_d;
  end

  for (genvar p = 0; p < Depth; p++) begin : gen_stage
    always_ff @(posedge clk_i) begin
      if (load[p]) begin
        data_q[p*Width +: Width] <= p == 0 ? data_i : data_q[((p + Depth - 1) % Depth)*Width +: Width];
      end else if (move_up[p]) begin
        data_q[p*Width +: Width] <= second_data[p*Width +: Width];
      end
    end
  end

`ifdef WEFT_ASSERTIONS
  // What was offered in the cycle before and not taken; all words inside, the oldest in the lowest bits.
  localparam int unsigned Slots = Depth * (1 + Skid);
  logic                    in_waits, out_waits;
  logic [Width-1:0]        in_data, out_data;
  logic [31:0]             count;
  logic [Slots*Width-1:0] words, words_left;
  always_comb begin
    words_left = words;
    if (valid_o && ready_i) words_left = words >> Width;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_waits  <= 1'b0;
      out_waits <= 1'b0;
      in_data   <= '0;
      out_data  <= '0;
      count     <= '0;
      words     <= '0;
    end else begin
      in_waits  <= valid_i && !ready_o;
      out_waits <= valid_o && !ready_i;
      in_data   <= data_i;
      out_data  <= data_o;
      count     <= count + 32'(valid_i && ready_o) - 32'(valid_o && ready_i);
      words     <= words_left;
      for (int unsigned p = 0; p < Slots; p++) begin
        if (valid_i && ready_o && p == count - 32'(valid_o && ready_i)) words[p*Width +: Width] <= data_i;
      end
    end
  end

  `WEFT_ASSERT(SenderHolds, !in_waits || (valid_i && data_i == in_data))
  `WEFT_ASSERT(ValidHolds, !out_waits || valid_o)
  `WEFT_ASSERT(DataStable, !out_waits || data_o == out_data)
  `WEFT_ASSERT(NothingMade, !valid_o || count != 0)
  `WEFT_ASSERT(NothingLost, count <= Slots && (count < Slots || !ready_o || (Skid == 0 && ready_i)))
  `WEFT_ASSERT(InOrder, !valid_o || data_o == words[0 +: Width])
  `WEFT_ASSERT(ReachesTheEnd, count < Slots || valid_o)
`endif

endmodule
