// SPDX-License-Identifier: Apache-2.0
// One element of the interconnect: R, D, RD, demux or mux, with the registers of its output wires.
//
// The setting that applies to a beat comes with it (encoding: docs/rtl_ports.md). An input that reduces waits for the
// other operand (join); one that is copied is a fork in which each output takes its copy as soon as it can, one done
// bit each. An input is taken when all outputs of its operation have taken the beat. A sum passes ReduceCycles
// stages, whose registers are the adder's pipeline (to be retimed into it), everything else one stage. Different inputs
// may at once lead to different outputs, with different settings.
//
// Contract, inputs and outputs: valid holds, with side and data (and the setting) stable, until ready; valid never
// depends on ready; ready may depend on valid. Two operands of one sum have the same setting. No two operations use one
// output at once, and of the settings only legal ones occur; beats whose setting leads nowhere wait for ever.

module uswitch #(
  parameter  int unsigned Kind           = fred_pkg::KindBoth,
  parameter  int unsigned M              = 2,   // middle stages; of an RD not used
  parameter  int unsigned Lanes          = 4,
  parameter  int unsigned AccumulateFp32 = 0,
  parameter  int unsigned SideBits       = 8,
  // Lowest side bits that are the same in two operands of a sum, such as head and tail.
  // verilator lint_off UNUSEDPARAM
  parameter  int unsigned MatchBits      = 0,
  // verilator lint_on UNUSEDPARAM
  parameter  int unsigned ReduceCycles   = 1,
  parameter  int unsigned Skid           = 0,
  localparam int unsigned NumIn          = Kind == fred_pkg::KindDemux ? 1 :
                                           Kind == fred_pkg::KindDistribute || Kind == fred_pkg::KindMux ? M : 2,
  localparam int unsigned NumOut         = Kind == fred_pkg::KindMux ? 1 :
                                           Kind == fred_pkg::KindReduce || Kind == fred_pkg::KindDemux ? M : 2,
  // The width of one select: 0..M, in an RD a mask of two inputs.
  localparam int unsigned SelectBits     = Kind == fred_pkg::KindBoth ? 2 : $clog2(M + 1),
  localparam int unsigned SettingBits    = Kind == fred_pkg::KindBoth ? 6 :
                                           Kind == fred_pkg::KindReduce || Kind == fred_pkg::KindDistribute ?
                                           2 * SelectBits + 1 : SelectBits,
  localparam int unsigned DataBits       = Lanes * (AccumulateFp32 != 0 ? 64 : 32)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // verilator lint_off UNUSEDSIGNAL
  input  fred_pkg::format_e            format_i,  // used by kinds that reduce
  input  fred_pkg::op_e                op_i,
  // verilator lint_on UNUSEDSIGNAL
  input  logic [NumIn-1:0]             in_valid_i,
  output logic [NumIn-1:0]             in_ready_o,
  input  logic [NumIn*SideBits-1:0]    in_side_i,
  input  logic [NumIn*DataBits-1:0]    in_data_i,
  input  logic [NumIn*SettingBits-1:0] in_setting_i,
  output logic [NumOut-1:0]            out_valid_o,
  input  logic [NumOut-1:0]            out_ready_i,
  output logic [NumOut*SideBits-1:0]   out_side_o,
  output logic [NumOut*DataBits-1:0]   out_data_o
);
  // verilator no_inline_module

  localparam bit Reduces     = Kind == fred_pkg::KindReduce || Kind == fred_pkg::KindBoth;
  localparam bit Distributes = Kind == fred_pkg::KindDistribute || Kind == fred_pkg::KindBoth;
  localparam int unsigned BeatBits = SideBits + DataBits;

  // By input and output, at index input * NumOut + output: the input's beat is for that output.
  logic [NumIn*NumOut-1:0] route;
  // By input: its beat is to be added to the other's; it has an operation that can go on; that copies.
  logic [NumIn-1:0]        adds, active, copies;
  logic                    join_both;
  // By output: offered a beat; takes it.
  logic [NumOut-1:0]          entry_valid, entry_ready, taken;
  logic [NumOut*BeatBits-1:0] entry_beat;
  // verilator lint_off UNUSEDSIGNAL
  logic [NumOut-1:0]          entry_sum;  // the beat is a sum; of kinds that reduce
  logic [1:0]                 done_d;     // by output of a fork: it has its copy
  // verilator lint_on UNUSEDSIGNAL
  logic [1:0]                 done_q;

  // Settings of the beats.
  always_comb begin
    route = '0;
    adds  = '0;
    for (int unsigned i = 0; i < NumIn; i++) begin
      for (int unsigned o = 0; o < NumOut; o++) begin
        if (Kind == fred_pkg::KindReduce) begin
          route[i*NumOut + o] = in_setting_i[i*SettingBits + i*SelectBits +: SelectBits] == SelectBits'(o + 1);
        end else if (Kind == fred_pkg::KindDistribute) begin
          route[i*NumOut + o] = in_setting_i[i*SettingBits + o*SelectBits +: SelectBits] == SelectBits'(i + 1);
        end else if (Kind == fred_pkg::KindBoth) begin
          route[i*NumOut + o] = in_setting_i[i*SettingBits + o*SelectBits + i];
        end else begin
          route[i*NumOut + o] = in_setting_i[i*SettingBits +: SelectBits] == SelectBits'(i + o + 1);
        end
      end
      if (Reduces) adds[i] = in_setting_i[i*SettingBits + 2*SelectBits];
    end
  end

  // Operations: a join is that of the lower input.
  always_comb begin
    join_both = Reduces && (&in_valid_i) && (&adds);
    active    = in_valid_i & ~adds;
    active[0] = active[0] | join_both;
    copies = '0;
    for (int unsigned i = 0; i < NumIn; i++) begin
      copies[i] = Distributes && (&route[i*NumOut +: NumOut]);
    end
  end

  // What the lanes compute.
  logic [DataBits-1:0] joined;
  if (Reduces) begin : gen_lanes
    logic [DataBits-1:0] total;
    reduce_lanes #(.Lanes(Lanes), .AccumulateFp32(AccumulateFp32)) u_lanes (
      .en_i    (join_both),
      .format_i(format_i),
      .op_i    (op_i),
      .a_i     (in_data_i[0 +: DataBits]),
      .b_i     (in_data_i[(NumIn-1)*DataBits +: DataBits]),
      .y_o     (total)
    );
    assign joined = join_both ? total : in_data_i[0 +: DataBits];
  end else begin : gen_no_lanes
    assign joined = in_data_i[0 +: DataBits];
  end

  // Offers to the outputs.
  always_comb begin
    entry_valid = '0;
    entry_sum   = '0;
    // verilator lint_off WIDTHCONCAT
    entry_beat  = '0;  // with many lanes more than 8192 bits
    // verilator lint_on WIDTHCONCAT
    for (int unsigned o = 0; o < NumOut; o++) begin
      for (int unsigned i = 0; i < NumIn; i++) begin
        if (active[i] && route[i*NumOut + o]) begin
          entry_valid[o] = ~(copies[i] & done_q[o % 2]);
          entry_sum[o]   = join_both;
          entry_beat[o*BeatBits +: BeatBits] =
              {in_side_i[i*SideBits +: SideBits], i == 0 ? joined : in_data_i[i*DataBits +: DataBits]};
        end
      end
    end
  end

  assign taken = entry_valid & entry_ready;

  // An input is complete once it has given all it had to give; forks remember what they have given (done).
  logic complete;
  always_comb begin
    in_ready_o = '0;
    done_d     = done_q;
    complete   = 1'b0;
    for (int unsigned i = 0; i < NumIn; i++) begin
      complete = active[i] && route[i*NumOut +: NumOut] != '0;
      for (int unsigned o = 0; o < NumOut; o++) begin
        if (route[i*NumOut + o] && !(taken[o] || (copies[i] && done_q[o % 2]))) complete = 1'b0;
      end
      if (Distributes && active[i] && copies[i]) begin
        for (int unsigned o = 0; o < 2; o++) done_d[o] = ~complete & (done_q[o] | taken[o % NumOut]);
      end
      in_ready_o[i] = complete;
    end
    if (join_both) in_ready_o = {NumIn{in_ready_o[0]}};
  end

  if (Distributes) begin : gen_done
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) done_q <= '0;
      else         done_q <= done_d;
    end
  end else begin : gen_no_done
    assign done_q = '0;
  end

  for (genvar o = 0; o < NumOut; o++) begin : gen_output
    logic                last_valid, last_ready;
    logic [BeatBits-1:0] last_beat, out_beat;

    if (Reduces && ReduceCycles > 1) begin : gen_pipeline
      logic                sum_valid, sum_ready;
      logic [BeatBits-1:0] sum_beat;

      elastic_reg #(.Width(BeatBits), .Skid(Skid), .Depth(ReduceCycles - 1)) u_sum (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .valid_i(entry_valid[o] && entry_sum[o]),
        .ready_o(sum_ready),
        .data_i (entry_beat[o*BeatBits +: BeatBits]),
        .valid_o(sum_valid),
        .ready_i(last_ready),
        .data_o (sum_beat)
      );

      // Sums on their way come first; others enter at the last stage.
      assign last_valid     = sum_valid || (entry_valid[o] && !entry_sum[o]);
      assign last_beat      = sum_valid ? sum_beat : entry_beat[o*BeatBits +: BeatBits];
      assign entry_ready[o] = entry_sum[o] ? sum_ready : last_ready && !sum_valid;
    end else begin : gen_direct
      assign last_valid     = entry_valid[o];
      assign last_beat      = entry_beat[o*BeatBits +: BeatBits];
      assign entry_ready[o] = last_ready;
    end

    elastic_reg #(.Width(BeatBits), .Skid(Skid), .Depth(1)) u_last (
      .clk_i  (clk_i),
      .rst_ni (rst_ni),
      .valid_i(last_valid),
      .ready_o(last_ready),
      .data_i (last_beat),
      .valid_o(out_valid_o[o]),
      .ready_i(out_ready_i[o]),
      .data_o (out_beat)
    );

    assign out_side_o[o*SideBits +: SideBits] = out_beat[DataBits +: SideBits];
    assign out_data_o[o*DataBits +: DataBits] = out_beat[DataBits-1:0];
  end

`ifdef WEFT_ASSERTIONS
  // Each input's beat that was offered in the cycle before and not taken.
  for (genvar i = 0; i < NumIn; i++) begin : gen_input_contract
    logic                                     waits;
    logic [SettingBits+SideBits+DataBits-1:0] beat, beat_before;
    assign beat = {in_setting_i[i*SettingBits +: SettingBits], in_side_i[i*SideBits +: SideBits],
                   in_data_i[i*DataBits +: DataBits]};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        waits       <= 1'b0;
        beat_before <= '0;
      end else begin
        waits       <= in_valid_i[i] && !in_ready_o[i];
        beat_before <= beat;
      end
    end

    `WEFT_ASSERT(SenderHolds, !waits || (in_valid_i[i] && beat == beat_before))
    `WEFT_ASSERT(LeadsSomewhere, !in_valid_i[i] || (|route[i*NumOut +: NumOut]))
    `WEFT_ASSERT(TakesOnlyOffers, !in_ready_o[i] || in_valid_i[i])
  end

  for (genvar o = 0; o < NumOut; o++) begin : gen_output_contract
    // Operations that lead here; of them those that are finished in this cycle; a fork has given its copy here and
    // waits for its other output.
    logic [7:0]                   users, given;
    logic                         copied, waits;
    logic [SideBits+DataBits-1:0] beat, beat_before;
    // Beats of finished operations that have not left, and one more, as a fork's first copy may leave before its
    // operation is finished.
    logic [15:0]                  owed;
    assign beat = {out_side_o[o*SideBits +: SideBits], out_data_o[o*DataBits +: DataBits]};
    always_comb begin
      users  = '0;
      given  = '0;
      copied = 1'b0;
      for (int unsigned b = 0; b < 2; b++) copied = copied | (b == o && done_q[b]);
      for (int unsigned i = 0; i < NumIn; i++) begin
        if (active[i] && route[i*NumOut + o]) begin
          users = users + 8'd1;
          if (in_ready_o[i]) given = given + 8'd1;
        end
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        waits       <= 1'b0;
        beat_before <= '0;
        owed        <= 16'd1;
      end else begin
        waits       <= out_valid_o[o] && !out_ready_i[o];
        beat_before <= beat;
        owed        <= owed + 16'(given) - 16'(out_valid_o[o] && out_ready_i[o]);
      end
    end

    `WEFT_ASSERT(OutputHolds, !waits || (out_valid_o[o] && beat == beat_before))
    `WEFT_ASSERT(OneUser, users <= 8'd1)
    `WEFT_ASSERT(NothingMade, !out_valid_o[o] || owed > 16'd1 || copied)
    `WEFT_ASSERT(NothingLost, owed <= 16'(ReduceCycles * (1 + Skid) + 1))
  end

  // A sum needs the pins of the second operand, and the side wires that both operands have in common.
  localparam int unsigned Other = NumIn - 1;
  localparam logic [SideBits-1:0] MatchMask = ~({SideBits{1'b1}} << MatchBits);
  `WEFT_ASSERT(SameSetting, !join_both
      || in_setting_i[0 +: SettingBits] == in_setting_i[Other*SettingBits +: SettingBits])
  `WEFT_ASSERT(SameBeat, !join_both
      || ((in_side_i[0 +: SideBits] ^ in_side_i[Other*SideBits +: SideBits]) & MatchMask) == '0)
`endif

endmodule
