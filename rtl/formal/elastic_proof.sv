// SPDX-License-Identifier: Apache-2.0
// Proof of elastic_reg: valid holds and data is stable until ready, words leave in order, none is lost or doubled,
// and a word leaves within a bounded number of cycles in which the receiver is ready. Read by Yosys alone
// (rtl/formal/proofs.txt).
//
// The environment: a sender that keeps what it offers, a receiver that is ready as it likes, resets at any time. Data
// is a tag of Width bits; the stages copy it and look at no bit of it.

module elastic_proof #(
  parameter  int unsigned Width   = 2,
  parameter  int unsigned Skid    = 0,
  parameter  int unsigned Depth   = 1,
  localparam int unsigned Slots  = Depth * (1 + Skid),
  localparam int unsigned MostAge = Slots  // cycles of a ready receiver that a word may see
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic [Width-1:0] data_i,
  input logic             ready_i
);

  logic             ready, valid;
  logic [Width-1:0] data;

  elastic_reg #(.Width(Width), .Skid(Skid), .Depth(Depth)) u_dut (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .valid_i(valid_i),
    .ready_o(ready),
    .data_i (data_i),
    .valid_o(valid),
    .ready_i(ready_i),
    .data_o (data)
  );

  // The stages, for the invariant that induction needs.
  (* hierconn *) wire [Depth-1:0]       \u_dut.valid_q ;
  (* hierconn *) wire [Depth*Width-1:0] \u_dut.data_q ;
  (* hierconn *) wire [Depth-1:0]       \u_dut.gen_skid.second_q ;
  (* hierconn *) wire [Depth*Width-1:0] \u_dut.gen_skid.second_data_q ;
  wire [Depth-1:0] second;
  assign second = Skid != 0 ? \u_dut.gen_skid.second_q : {Depth{1'b0}};

  // The words inside, as a sender and a receiver count them; the oldest in the lowest bits.
  logic [7:0]              count, sent;
  logic [Slots*Width-1:0] words, words_left, words_next;
  // What was offered in the cycle before and not taken.
  logic                    started, in_waits, out_waits;
  logic [Width-1:0]        in_data, out_data;
  // Cycles in a row in which the receiver was ready and this word, the newest of some moment, was inside.
  logic [7:0]              ahead, age;
  logic                    marked;
  (* anyseq *) logic       mark;

  initial started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;

  logic take, leave;
  assign take  = valid_i && ready;
  assign leave = valid && ready_i;

  always_comb begin
    words_left = leave ? words >> Width : words;
    words_next = words_left;
    for (int unsigned p = 0; p < Slots; p++) begin
      if (take && 8'(p) == count - 8'(leave)) words_next[p*Width +: Width] = data_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count     <= '0;
      words     <= '0;
      in_waits  <= 1'b0;
      out_waits <= 1'b0;
      in_data   <= '0;
      out_data  <= '0;
      marked    <= 1'b0;
      ahead     <= '0;
      age       <= '0;
      sent      <= '0;
    end else begin
      count     <= count + 8'(take) - 8'(leave);
      words     <= words_next;
      in_waits  <= valid_i && !ready;
      out_waits <= valid && !ready_i;
      in_data   <= data_i;
      out_data  <= data;
      if (!marked) begin
        marked <= take && mark;
        ahead  <= count - 8'(leave);
        age    <= '0;
      end else begin
        marked <= !(leave && ahead == '0);
        ahead  <= ahead - 8'(leave && ahead != '0);
        age    <= ready_i ? age + 8'd1 : 8'd0;
      end
      sent <= sent + 8'(leave && sent != '1);
    end
  end

  // The same words in the stages, from the receiver's side.
  logic [7:0]              inside;
  logic [Slots*Width-1:0] held, mask;
  always_comb begin
    inside = '0;
    held   = '0;
    mask   = '0;
    for (int unsigned k = 0; k < Depth; k++) begin
      if (\u_dut.valid_q [Depth-1-k]) begin
        for (int unsigned p = 0; p < Slots; p++) begin
          if (8'(p) == inside) begin
            held[p*Width +: Width] = \u_dut.data_q [(Depth-1-k)*Width +: Width];
            mask[p*Width +: Width] = '1;
          end
        end
        inside = inside + 8'd1;
      end
      if (Skid != 0 && second[Depth-1-k]) begin
        for (int unsigned p = 0; p < Slots; p++) begin
          if (8'(p) == inside) begin
            held[p*Width +: Width] = \u_dut.gen_skid.second_data_q [(Depth-1-k)*Width +: Width];
            mask[p*Width +: Width] = '1;
          end
        end
        inside = inside + 8'd1;
      end
    end
  end

  always_comb begin
    EnvReset: assume (started || !rst_ni);
    if (rst_ni) begin
      EnvSender: assume (!in_waits || (valid_i && data_i == in_data));

      ValidHolds:  assert (!out_waits || valid);
      DataStable:  assert (!out_waits || data == out_data);
      NothingMade: assert (!valid || count != 0);
      InOrder:     assert (!valid || data == words[0 +: Width]);
      NothingLost: assert (inside == count && count <= Slots && held == (words & mask));
      Takes:       assert (ready == (Skid != 0 ? !second[0] : count < Slots || ready_i));
      Leaves:      assert (!marked || age <= MostAge);
      Mark:        assert (!marked || ahead < count);
      SecondAfterFirst: assert ((second & ~\u_dut.valid_q ) == '0);

      CoverFull:   cover (count == Slots && sent >= 2);
      CoverWaits:  cover (out_waits && in_waits);
      CoverDrains: cover (sent == 8'd6 && count == 0);
      CoverAge:    cover (marked && age == Depth - 1 && leave);
    end
  end

endmodule
