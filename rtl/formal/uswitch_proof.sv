// SPDX-License-Identifier: Apache-2.0
// Proof of uswitch, every kind: outputs hold valid and beat until ready; two marked beats of any one input, A and
// some time later B, reach each output of their setting once, no other one, as they are or in a sum with the operand
// that was taken with them, in order; inputs are taken and beats leave within a bounded number of cycles in which the
// receivers are ready; a copy waits for its own receiver alone. Read by Yosys alone (rtl/formal/proofs.txt), with
// reduce_lanes_tags.sv in the place of the arithmetic.
//
// The environment: senders that keep what they offer, legal settings (uswitch_request.sv), at most one operation per
// output, operands of a sum with the same setting, receivers that are ready as they like, resets at any time. A and B
// may have any settings.

module uswitch_proof #(
  parameter  int unsigned Kind         = 2,
  parameter  int unsigned M            = 2,
  parameter  int unsigned ReduceCycles = 1,
  parameter  int unsigned Skid         = 0,
  localparam int unsigned NumIn        = Kind == 3 ? 1 : Kind == 1 || Kind == 4 ? M : 2,
  localparam int unsigned NumOut       = Kind == 4 ? 1 : Kind == 0 || Kind == 3 ? M : 2,
  localparam int unsigned SelectBits   = Kind == 2 ? 2 : $clog2(M + 1),
  localparam int unsigned SettingBits  = Kind == 2 ? 6 : Kind < 2 ? 2 * SelectBits + 1 : SelectBits,
  localparam int unsigned SideBits     = 2,  // the lower one is the same in operands of a sum
  localparam int unsigned TagBits      = 3,  // data bits looked at: mark A, mark B, payload
  localparam int unsigned BeatBits     = SideBits + 32,
  localparam bit          Reduces      = Kind == 0 || Kind == 2,
  localparam bit          Distributes  = Kind == 1 || Kind == 2,
  localparam int unsigned Waits        = ReduceCycles > 1 ? ReduceCycles - 1 : 1,  // stages before the last; 1 unused
  localparam int unsigned MostAge      = ReduceCycles * (1 + Skid)
) (
  input logic                         clk_i,
  input logic                         rst_ni,
  input logic [NumIn-1:0]             in_valid_i,
  input logic [NumIn*SideBits-1:0]    in_side_i,
  input logic [NumIn*TagBits-1:0]     in_tag_i,
  input logic [NumIn*SettingBits-1:0] in_setting_i,
  input logic [NumOut-1:0]            out_ready_i
);

  logic [NumIn-1:0]           in_ready;
  logic [NumIn*32-1:0]        in_data;
  logic [NumOut-1:0]          out_valid;
  logic [NumOut*SideBits-1:0] out_side;
  logic [NumOut*32-1:0]       out_data;

  always_comb begin
    in_data = '0;
    for (int unsigned i = 0; i < NumIn; i++) in_data[i*32 +: TagBits] = in_tag_i[i*TagBits +: TagBits];
  end

  uswitch #(
    .Kind(Kind), .M(M), .Lanes(1), .AccumulateFp32(0), .SideBits(SideBits), .MatchBits(1),
    .ReduceCycles(ReduceCycles), .Skid(Skid)
  ) u_dut (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .format_i    (fred_pkg::Fp32),
    .op_i        (fred_pkg::Sum),
    .in_valid_i  (in_valid_i),
    .in_ready_o  (in_ready),
    .in_side_i   (in_side_i),
    .in_data_i   (in_data),
    .in_setting_i(in_setting_i),
    .out_valid_o (out_valid),
    .out_ready_i (out_ready_i),
    .out_side_o  (out_side),
    .out_data_o  (out_data)
  );

  // What the settings at the inputs ask for.
  logic [NumIn*NumOut-1:0] route;  // at input * NumOut + output
  logic [NumIn-1:0]        adds, copies, active, legal;
  logic                    join_both, one_user;
  uswitch_request #(
    .Kind(Kind), .M(M), .NumIn(NumIn), .NumOut(NumOut)
  ) u_request (
    .in_valid_i  (in_valid_i),
    .in_setting_i(in_setting_i),
    .route_o     (route),
    .adds_o      (adds),
    .copies_o    (copies),
    .legal_o     (legal),
    .join_both_o (join_both),
    .active_o    (active),
    .one_user_o  (one_user)
  );

  // The beat at the input that is watched, and what is to come out of it.
  (* anyconst *) logic [3:0] watched;
  logic                now, now_active, now_sum, now_copies, now_ready, others_unmarked;
  logic [TagBits-1:0]  now_tag;
  logic [NumOut-1:0]   now_route;
  logic [BeatBits-1:0] now_beat;
  always_comb begin
    now             = 1'b0;
    now_active      = 1'b0;
    now_sum         = 1'b0;
    now_copies      = 1'b0;
    now_ready       = 1'b0;
    now_tag         = '0;
    now_route       = '0;
    now_beat        = '0;
    others_unmarked = 1'b1;
    for (int unsigned i = 0; i < NumIn; i++) begin
      if (32'(watched) == i) begin
        now        = in_valid_i[i];
        now_active = active[i];
        now_sum    = adds[i];
        now_copies = active[i] && copies[i];
        now_ready  = in_ready[i];
        now_tag    = in_tag_i[i*TagBits +: TagBits];
        now_route  = route[i*NumOut +: NumOut];
        now_beat   = {in_side_i[i*SideBits +: SideBits], in_data[i*32 +: 32]};
      end else if (in_valid_i[i] && in_tag_i[i*TagBits +: 2] != '0) begin
        others_unmarked = 1'b0;
      end
    end
    if (now_sum) begin
      now_beat = {in_side_i[0 +: SideBits], 15'b0, 1'b1, in_data[(NumIn-1)*32 +: 8], in_data[0 +: 8]};
    end
  end

  // History.
  logic                         started;
  logic [NumIn-1:0]             waits;
  logic [NumIn*SideBits-1:0]    old_side;
  logic [NumIn*TagBits-1:0]     old_tag;
  logic [NumIn*SettingBits-1:0] old_setting;
  logic [NumOut-1:0]            out_waits;
  logic [NumOut*BeatBits-1:0]   old_out, out_beat;
  logic                         fork_waits;
  logic                         sent_a, sent_b;
  logic [NumOut-1:0]            route_a, route_b;
  logic [BeatBits-1:0]          beat_a, beat_b;
  logic [7:0]                   stuck;

  initial started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits       <= '0;
      old_side    <= '0;
      old_tag     <= '0;
      old_setting <= '0;
      out_waits   <= '0;
      old_out     <= '0;
      fork_waits  <= 1'b0;
      sent_a      <= 1'b0;
      sent_b      <= 1'b0;
      route_a     <= '0;
      route_b     <= '0;
      beat_a      <= '0;
      beat_b      <= '0;
      stuck       <= '0;
    end else begin
      waits       <= in_valid_i & ~in_ready;
      old_side    <= in_side_i;
      old_tag     <= in_tag_i;
      old_setting <= in_setting_i;
      out_waits   <= out_valid & ~out_ready_i;
      old_out     <= out_beat;
      fork_waits  <= (active & copies & ~in_ready) != '0;
      if (now && now_ready && now_tag[0]) begin
        sent_a  <= 1'b1;
        route_a <= now_route;
        beat_a  <= now_beat;
      end
      if (now && now_ready && now_tag[1]) begin
        sent_b  <= 1'b1;
        route_b <= now_route;
        beat_b  <= now_beat;
      end
      stuck <= now_active && !now_ready && (&out_ready_i) ? stuck + 8'd1 : 8'd0;
    end
  end

  (* hierconn *) wire [1:0] \u_dut.done_q ;
  logic [NumOut-1:0] done;  // by output: it has its copy of what is forked
  always_comb begin
    for (int unsigned o = 0; o < NumOut; o++) done[o] = Distributes && \u_dut.done_q [o % 2];
  end

  logic senders_hold;
  always_comb begin
    senders_hold = 1'b1;
    for (int unsigned i = 0; i < NumIn; i++) begin
      if (waits[i] && !(in_valid_i[i]
          && in_side_i[i*SideBits +: SideBits] == old_side[i*SideBits +: SideBits]
          && in_tag_i[i*TagBits +: TagBits] == old_tag[i*TagBits +: TagBits]
          && in_setting_i[i*SettingBits +: SettingBits] == old_setting[i*SettingBits +: SettingBits])) begin
        senders_hold = 1'b0;
      end
    end
  end

  always_comb begin
    EnvReset:   assume (started || !rst_ni);
    EnvWatched: assume (32'(watched) < NumIn);
    if (rst_ni) begin
      EnvSender:  assume (senders_hold);
      EnvLegal:   assume ((in_valid_i & ~legal) == '0);
      EnvOneUser: assume (one_user);
      EnvSameSetting: assume (!join_both || (in_side_i[0] == in_side_i[(NumIn-1)*SideBits]
          && in_setting_i[0 +: SettingBits] == in_setting_i[(NumIn-1)*SettingBits +: SettingBits]));
      EnvMarks: assume (others_unmarked && !(now && now_tag[0] && (sent_a || now_tag[1]))
          && !(now && now_tag[1] && (sent_b || !sent_a)));

      Marks:      assert (!sent_b || sent_a);
      BeatA:      assert (!sent_a || ((beat_a[0] ^ beat_a[8]) && !beat_a[1] && !beat_a[9]));
      BeatB:      assert (!sent_b || ((beat_b[1] ^ beat_b[9]) && !beat_b[0] && !beat_b[8]));
      OnlyOffers: assert ((in_ready & ~in_valid_i) == '0);
      Taken:      assert (stuck <= MostAge);
      JoinTogether: assert (!join_both || in_ready == '0 || (&in_ready));
      DoneOfFork: assert (\u_dut.done_q == '0 || !Distributes || (fork_waits && \u_dut.done_q != 2'b11));
    end
  end

  // By output: the marked beat has left it; what is to hold.
  logic [NumOut-1:0] left_a, left_b;
  logic [NumOut-1:0] valid_holds, data_stable, once_a, once_b, right_a, right_b, in_order, leaves_soon, enters_soon,
                     seconds_ok;

  for (genvar o = 0; o < NumOut; o++) begin : \u_dut.gen_output
    // The stages of this output.
    (* hierconn *) wire [0:0]                \u_last.valid_q ;
    (* hierconn *) wire [BeatBits-1:0]       \u_last.data_q ;
    (* hierconn *) wire [0:0]                \u_last.gen_skid.second_q ;
    (* hierconn *) wire [BeatBits-1:0]       \u_last.gen_skid.second_data_q ;
    (* hierconn *) wire [Waits-1:0]          \gen_pipeline.u_sum.valid_q ;
    (* hierconn *) wire [Waits*BeatBits-1:0] \gen_pipeline.u_sum.data_q ;
    (* hierconn *) wire [Waits-1:0]          \gen_pipeline.u_sum.gen_skid.second_q ;
    (* hierconn *) wire [Waits*BeatBits-1:0] \gen_pipeline.u_sum.gen_skid.second_data_q ;

    // From the receiver's side: the last stage, the second word in it, the stage before it, ...
    localparam int unsigned Slots = 2 + 2 * Waits;
    logic [Slots-1:0]          full;
    logic [Slots*BeatBits-1:0] beats;
    always_comb begin
      full  = '0;
      beats = '0;
      full[0] = \u_last.valid_q [0];
      beats[0 +: BeatBits] = \u_last.data_q ;
      if (Skid != 0) begin
        full[1] = \u_last.gen_skid.second_q [0];
        beats[BeatBits +: BeatBits] = \u_last.gen_skid.second_data_q ;
      end
      if (Reduces && ReduceCycles > 1) begin
        for (int unsigned p = 0; p < Waits; p++) begin
          full[2*p + 2] = \gen_pipeline.u_sum.valid_q [Waits-1-p];
          beats[(2*p + 2)*BeatBits +: BeatBits] = \gen_pipeline.u_sum.data_q [(Waits-1-p)*BeatBits +: BeatBits];
          if (Skid != 0) begin
            full[2*p + 3] = \gen_pipeline.u_sum.gen_skid.second_q [Waits-1-p];
            beats[(2*p + 3)*BeatBits +: BeatBits] =
                \gen_pipeline.u_sum.gen_skid.second_data_q [(Waits-1-p)*BeatBits +: BeatBits];
          end
        end
      end
    end

    // Where the marked beats are.
    logic [Slots-1:0]   at_a, at_b;
    logic [7:0]          count_a, count_b;
    logic                wrong_a, wrong_b, late_b, seconds;
    logic [BeatBits-1:0] want_a, want_b;
    always_comb begin
      at_a    = '0;
      at_b    = '0;
      count_a = '0;
      count_b = '0;
      wrong_a = 1'b0;
      wrong_b = 1'b0;
      late_b  = 1'b0;  // B is before A
      seconds = 1'b1;
      want_a  = sent_a ? beat_a : now_beat;
      want_b  = sent_b ? beat_b : now_beat;
      for (int unsigned p = 0; p < Slots; p++) begin
        at_a[p] = full[p] && (beats[p*BeatBits] || beats[p*BeatBits + 8]);
        at_b[p] = full[p] && (beats[p*BeatBits + 1] || beats[p*BeatBits + 9]);
        count_a = count_a + 8'(at_a[p]);
        count_b = count_b + 8'(at_b[p]);
        if (at_a[p] && (beats[p*BeatBits +: BeatBits] != want_a || (p > 1 && !want_a[16]))) wrong_a = 1'b1;
        if (at_b[p] && (beats[p*BeatBits +: BeatBits] != want_b || (p > 1 && !want_b[16]))) wrong_b = 1'b1;
        if (at_a[p] && (at_b & ((Slots'(1) << p) - Slots'(1))) != '0) late_b = 1'b1;
        if (p % 2 == 1 && full[p] && !full[(p + Slots - 1) % Slots]) seconds = 1'b0;
      end
    end

    // B overtakes A in no case where both are sums or neither is. (A beat that is no sum skips the stages of sums, so
    // wires are empty before another traffic class uses them.)
    logic same_class, ordered;
    assign same_class = beat_a[16] == want_b[16];

    // Cycles in a row with the receiver ready, in which A was inside, and in which the watched beat could not get in.
    logic [7:0] age, stuck_here;
    logic       leaves, is_a, is_b;
    assign leaves = out_valid[o] && out_ready_i[o];
    assign is_a   = out_data[o*32] || out_data[o*32 + 8];
    assign is_b   = out_data[o*32 + 1] || out_data[o*32 + 9];
    assign ordered = !route_a[o] || !same_class || left_a[o] || (count_b == '0 && !left_b[o])
        || (!late_b && !left_b[o]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        left_a[o]  <= 1'b0;
        left_b[o]  <= 1'b0;
        age        <= '0;
        stuck_here <= '0;
      end else begin
        if (leaves && is_a) left_a[o] <= 1'b1;
        if (leaves && is_b) left_b[o] <= 1'b1;
        age        <= at_a != '0 && out_ready_i[o] ? age + 8'd1 : 8'd0;
        stuck_here <= now_active && now_route[o] && !(now_copies && done[o]) && !now_ready && out_ready_i[o] ?
            stuck_here + 8'd1 : 8'd0;
      end
    end

    assign out_beat[o*BeatBits +: BeatBits] = {out_side[o*SideBits +: SideBits], out_data[o*32 +: 32]};

    assign valid_holds[o] = !out_waits[o] || out_valid[o];
    assign data_stable[o] =
        !out_waits[o] || out_beat[o*BeatBits +: BeatBits] == old_out[o*BeatBits +: BeatBits];
    // Taken: once at each output of the setting. Before that: where it has its copy.
    assign once_a[o] = count_a + 8'(left_a[o])
        == 8'(sent_a ? route_a[o] : now && now_tag[0] && now_copies && now_route[o] && done[o]);
    assign once_b[o] = count_b + 8'(left_b[o])
        == 8'(sent_b ? route_b[o] : now && now_tag[1] && now_copies && now_route[o] && done[o]);
    assign right_a[o] = !wrong_a;
    assign right_b[o] = !wrong_b;
    assign in_order[o] = ordered && (!(leaves && is_b && route_a[o] && same_class) || left_a[o]);
    assign leaves_soon[o] = age <= MostAge;
    assign enters_soon[o] = stuck_here <= MostAge;
    assign seconds_ok[o]  = seconds;
  end

  always_comb begin
    if (rst_ni) begin
      ValidHolds:       assert (&valid_holds);
      DataStable:       assert (&data_stable);
      OnceA:            assert (&once_a);
      OnceB:            assert (&once_b);
      RightA:           assert (&right_a);
      RightB:           assert (&right_b);
      InOrder:          assert (&in_order);
      Leaves:           assert (&leaves_soon);
      Enters:           assert (&enters_soon);
      SecondAfterFirst: assert (&seconds_ok);
    end
  end

  // The environment lets these happen.
  always_comb begin
    if (rst_ni) begin
      CoverBoth: cover (sent_a && sent_b && left_a == route_a && left_b == route_b);
      CoverStall: cover (sent_a && out_waits != '0 && waits != '0);
      CoverMoves: cover (sent_a && sent_b && route_a[0] && (NumOut == 1 || route_b[NumOut-1]));
    end
  end
  if (Reduces) begin : gen_cover_reduce
    always_comb begin
      CoverSum: cover (rst_ni && sent_a && sent_b && beat_a[16] && beat_b[16] && left_b == route_b);
      CoverSumThenNot: cover (rst_ni && sent_a && sent_b && beat_a[16] && !beat_b[16]);
      CoverWaitsForOperand: cover (rst_ni && waits == NumIn'(1) && adds[0] && !join_both && (&out_ready_i));
    end
  end
  if (Distributes) begin : gen_cover_distribute
    always_comb begin
      CoverFork: cover (rst_ni && sent_a && (&route_a) && (&left_a));
      CoverUneven: cover (rst_ni && now_tag[0] && now && left_a == NumOut'(2) && !sent_a);
    end
  end
  if (NumIn > 1 && NumOut > 1) begin : gen_cover_parallel
    always_comb begin
      CoverParallel: cover (rst_ni && !join_both && (active & in_ready) != '0
          && ((active & in_ready) & ((active & in_ready) - NumIn'(1))) != '0);
    end
  end

endmodule
