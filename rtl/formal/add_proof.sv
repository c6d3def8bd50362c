// SPDX-License-Identifier: Apache-2.0
// Proof of fp_add's special cases for all operands, and of a few sums known by hand: what synthesis reads is what
// simulation reads. The sums of all operands are compared with MPFR in simulation. Read by Yosys alone.

module add_proof #(
  parameter  int unsigned ExpBits = 8,
  parameter  int unsigned ManBits = 23,
  localparam int unsigned Width   = 1 + ExpBits + ManBits
) (
  input logic             clk_i,
  input logic [Width-1:0] a_i,
  input logic [Width-1:0] b_i
);

  localparam logic [Width-1:0] Inf  = {1'b0, {ExpBits{1'b1}}, {ManBits{1'b0}}};
  localparam logic [Width-1:0] Nan  = {1'b0, {ExpBits{1'b1}}, 1'b1, {(ManBits - 1){1'b0}}};
  localparam logic [Width-1:0] One  = {2'b00, {(ExpBits - 1){1'b1}}, {ManBits{1'b0}}};
  localparam logic [Width-1:0] Two  = {2'b01, {(ExpBits - 1){1'b0}}, {ManBits{1'b0}}};
  localparam logic [Width-1:0] Tiny = {{(Width - 1){1'b0}}, 1'b1};  // the smallest subnormal
  localparam logic [Width-1:0] Most = Inf - Tiny;                   // the largest number
  localparam logic [Width-1:0] Sign = {1'b1, {(Width - 1){1'b0}}};

  // Half of the distance between 1 and the next number.
  localparam logic [Width-1:0] HalfUlp =
      {1'b0, ExpBits'((1 << (ExpBits - 1)) - 2 - ManBits), {ManBits{1'b0}}};

  logic [Width-1:0] y;
  fp_add #(.ExpBits(ExpBits), .ManBits(ManBits)) u_dut (
    .en_i(1'b1),
    .a_i (a_i),
    .b_i (b_i),
    .y_o (y)
  );

  logic a_nan, b_nan, a_inf, b_inf;
  assign a_nan = (a_i & ~Sign) > Inf;
  assign b_nan = (b_i & ~Sign) > Inf;
  assign a_inf = (a_i & ~Sign) == Inf;
  assign b_inf = (b_i & ~Sign) == Inf;

  logic [7:0] cycle;
  initial cycle = '0;
  always_ff @(posedge clk_i) cycle <= cycle + 8'd1;

  always_comb begin
    NanWins:   assert (!(a_nan || b_nan) || y == Nan);
    InfMinus:  assert (!(a_inf && b_inf && a_i != b_i) || y == Nan);
    InfWins:   assert (!(a_inf && !b_nan && !(b_inf && a_i != b_i)) || y == a_i);
    OnlyThen:  assert (a_nan || b_nan || a_inf || b_inf || (y & ~Sign) <= Inf);
    ZeroRight: assert (a_nan || b_i != Sign || y == a_i);
    ZeroLeft:  assert (b_nan || a_i != Sign || y == b_i);
    Opposite:  assert (a_nan || a_inf || b_i != (a_i ^ Sign) || y == '0);
    // 1 + 1 = 2; the largest number does not grow by the smallest; 1 + tiny = 1; tiny + tiny = 2 tiny; overflow;
    // ties to even, down and up.
    Sum1: assert (!(a_i == One && b_i == One) || y == Two);
    Sum2: assert (!(a_i == Most && b_i == Tiny) || y == Most);
    Sum3: assert (!(a_i == One && b_i == Tiny) || y == One);
    Sum4: assert (!(a_i == Tiny && b_i == Tiny) || y == {{(Width - 2){1'b0}}, 2'b10});
    Sum5: assert (!(a_i == Most && b_i == Most) || y == Inf);
    Sum6: assert (!(a_i == One && b_i == HalfUlp) || y == One);
    Sum7: assert (!(a_i == (One | Tiny) && b_i == HalfUlp) || y == One + Width'(2));
    CoverSub: cover (a_i != '0 && a_i < Width'(8) && y == Tiny && b_i[Width-1]);
    CoverInf: cover (cycle == 8'd1 && y == Inf && !a_inf && !b_inf);
  end

endmodule
