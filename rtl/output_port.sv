// SPDX-License-Identifier: Apache-2.0
// An output port: the buffer of flits that have passed the interconnect, what of it and of the receiver's buffer has
// been promised, and the serialiser that puts flits on the link.
//
// Contract: in_ready_o is always high, because the control unit starts a packet only when its flits have been promised
// slots here and credits (free_o and room_o at least its length). A promise counts from the next cycle on, so does a
// credit. A flit is complete with its last beat; it is sent in that cycle if nothing is before it and the link is free.
// out_* are registers, data and side wires meaningful with out_valid_o.
//
// The link takes num / den flits per cycle; a packet's header takes it for its share of a flit after the tail. debt
// counts parts of a cycle, rate_unit_i = num x flit bytes of them in a cycle, for which the link is taken: a flit can
// be sent when it is not positive. After a pause the link starts at a cycle's edge.

module output_port #(
  parameter  int unsigned TrafficClasses = 4,
  parameter  int unsigned Lanes          = 4,
  parameter  int unsigned Beats          = 1,
  parameter  int unsigned AccumulateFp32 = 0,
  parameter  int unsigned OutputFlits    = 32,
  parameter  int unsigned StoredSettings = 2,
  parameter  int unsigned TagBits        = 1,
  parameter  int unsigned RouteBits      = 4,
  localparam int unsigned CfgBits        = $clog2(StoredSettings),
  localparam int unsigned FlitBits       = 32 * Lanes * Beats,
  localparam int unsigned DataBits       = Lanes * (AccumulateFp32 != 0 ? 64 : 32),
  localparam int unsigned SideBits       = side_pkg::beat_bits(CfgBits, TagBits, RouteBits)
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // verilator lint_off UNUSEDSIGNAL
  input  fred_pkg::format_e            format_i,  // with AccumulateFp32
  // verilator lint_on UNUSEDSIGNAL
  input  logic [TrafficClasses*16-1:0] credits_i,
  input  logic [15:0]                  output_flits_i,
  input  logic [39:0]                  rate_unit_i,
  input  logic [39:0]                  rate_flit_i,
  input  logic [39:0]                  rate_header_i,
  // From the interconnect.
  input  logic                         in_valid_i,
  output logic                         in_ready_o,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [SideBits-1:0]          in_side_i,  // the route and the match tag end here
  // verilator lint_on UNUSEDSIGNAL
  input  logic [DataBits-1:0]          in_data_i,
  // To and from the control unit.
  output logic [TrafficClasses*16-1:0] free_o,   // credits that are left, by traffic class
  output logic [15:0]                  room_o,   // slots that are promised to nobody
  output logic                         empty_o,  // nothing is promised: nothing is here or on its way to here
  output logic                         rested_o, // the link is at rest
  input  logic                         promise_i,
  input  logic [1:0]                   promise_traffic_class_i,
  input  logic [15:0]                  promise_flits_i,
  // To and from the link.
  input  logic [TrafficClasses-1:0]    credit_i,
  output logic                         out_valid_o,
  output logic                         out_head_o,
  output logic                         out_tail_o,
  output logic [1:0]                   out_traffic_class_o,
  output logic [CfgBits-1:0]           out_stored_setting_o,
  output logic [31:0]                  out_packet_o,
  output logic [15:0]                  out_packet_flits_o,
  output logic [FlitBits-1:0]          out_data_o
);
  // verilator no_inline_module

  localparam int unsigned LengthLow       = side_pkg::beat_length(CfgBits);
  localparam int unsigned TrafficClassLow = side_pkg::beat_traffic_class(CfgBits, TagBits);
  localparam int unsigned PacketLow       = side_pkg::beat_packet(CfgBits, TagBits);
  localparam int unsigned FlitSideBits    = side_pkg::out_bits(CfgBits);
  localparam int unsigned SlotBits    = OutputFlits > 1 ? $clog2(OutputFlits) : 1;
  localparam int unsigned CountBits    = $clog2(OutputFlits + 1);
  localparam int unsigned BeatBits     = Beats > 1 ? $clog2(Beats) : 1;

  // What has been promised and is not free again.
  logic [TrafficClasses*16-1:0] used_q;
  logic [15:0]                  promised_q;
  logic                   send;

  assign in_ready_o = 1'b1;
  assign room_o     = output_flits_i - promised_q;

  for (genvar c = 0; c < TrafficClasses; c++) begin : gen_credits
    logic [15:0] used_d;
    assign free_o[c*16 +: 16] = credits_i[c*16 +: 16] - used_q[c*16 +: 16];

    always_comb begin
      used_d = used_q[c*16 +: 16];
      if (promise_i && 32'(promise_traffic_class_i) == c) used_d = used_d + promise_flits_i;
      if (credit_i[c]) used_d = used_d - 16'd1;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) used_q[c*16 +: 16] <= '0;
      else         used_q[c*16 +: 16] <= used_d;
    end
  end

  logic [15:0] promised_d;
  always_comb begin
    promised_d = promised_q;
    if (promise_i) promised_d = promised_d + promise_flits_i;
    if (send) promised_d = promised_d - 16'd1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) promised_q <= '0;
    else         promised_q <= promised_d;
  end

  // The flit that comes in.
  logic                    complete, head;
  logic [FlitBits-1:0]     in_flit;
  logic [Lanes*32-1:0]     narrow;
  logic [FlitSideBits-1:0] in_flit_side;

  if (AccumulateFp32 != 0) begin : gen_leave
    lanes_leave #(.Lanes(Lanes)) u_leave (
      .format_i(!in_valid_i || in_side_i[side_pkg::BeatStoredSetting +: CfgBits] == '0 ? fred_pkg::Fp32 : format_i),
      .data_i  (in_data_i),
      .data_o  (narrow)
    );
  end else begin : gen_through
    assign narrow = in_data_i;
  end

  assign complete = in_valid_i && in_side_i[side_pkg::BeatLast];
  if (Beats > 1) begin : gen_beats
    logic [BeatBits-1:0]             beat_q;
    logic                            head_q;
    logic [(Beats-1)*Lanes*32-1:0]   part_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) beat_q <= '0;
      else if (in_valid_i) beat_q <= in_side_i[side_pkg::BeatLast] ? '0 : beat_q + BeatBits'(1);
    end
    always_ff @(posedge clk_i) begin
      if (in_valid_i && !in_side_i[side_pkg::BeatLast]) part_q[beat_q*Lanes*32 +: Lanes*32] <= narrow;
      if (in_valid_i && beat_q == '0) head_q <= in_side_i[side_pkg::BeatHead];
    end
    assign head    = head_q;
    assign in_flit = {narrow, part_q};
  end else begin : gen_one_beat
    assign head    = in_side_i[side_pkg::BeatHead];
    assign in_flit = narrow;
  end

  // The fields of a flit in an output port of side_pkg, the highest first.
  assign in_flit_side = {in_side_i[PacketLow +: 32], in_side_i[TrafficClassLow +: 2], in_side_i[LengthLow +: 16],
                         in_side_i[side_pkg::BeatStoredSetting +: CfgBits], in_side_i[side_pkg::BeatTail], head};

  // The ring.
  logic [FlitSideBits-1:0] side_mem [OutputFlits];
  logic [FlitBits-1:0]     data_mem [OutputFlits];
  logic [SlotBits-1:0]    first_q, last_q;
  logic [CountBits-1:0]    size_q;
  logic                    push, pop;

  function automatic logic [SlotBits-1:0] after(input logic [SlotBits-1:0] slot);
    after = 32'(slot) == OutputFlits - 1 ? '0 : slot + SlotBits'(1);
  endfunction

  assign empty_o = promised_q == '0;
  assign pop     = send && size_q != '0;
  assign push    = complete && !(send && size_q == '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= '0;
      last_q  <= '0;
      size_q  <= '0;
    end else begin
      if (pop) first_q <= after(first_q);
      if (push) last_q <= after(last_q);
      size_q <= size_q + CountBits'(push) - CountBits'(pop);
    end
  end
  always_ff @(posedge clk_i) begin
    if (push) begin
      side_mem[last_q] <= in_flit_side;
      data_mem[last_q] <= in_flit;
    end
  end

  // The link.
  logic signed [43:0]      debt_q, debt_d, unit;
  logic [FlitSideBits-1:0] out_side;
  logic                    out_tail;

  assign unit     = $signed({4'b0, rate_unit_i});
  assign send     = (size_q != '0 || complete) && debt_q <= 0;
  assign out_side = size_q != '0 ? side_mem[first_q] : in_flit_side;
  assign out_tail = out_side[side_pkg::OutTail];
  assign rested_o = debt_q <= -unit;

  always_comb begin
    debt_d = debt_q;
    if (send) begin
      if (debt_q <= -unit) debt_d = '0;
      debt_d = debt_d + $signed({4'b0, rate_flit_i});
      if (out_tail) debt_d = debt_d + $signed({4'b0, rate_header_i});
    end
    debt_d = debt_d <= 0 ? -unit : debt_d - unit;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      debt_q      <= '0;
      out_valid_o <= 1'b0;
    end else begin
      debt_q      <= debt_d;
      out_valid_o <= send;
    end
  end
  always_ff @(posedge clk_i) begin
    if (send) begin
      out_head_o          <= out_side[side_pkg::OutHead];
      out_tail_o          <= out_side[side_pkg::OutTail];
      out_stored_setting_o <= out_side[side_pkg::OutStoredSetting +: CfgBits];
      out_packet_flits_o  <= out_side[side_pkg::out_length(CfgBits) +: 16];
      out_traffic_class_o <= out_side[side_pkg::out_traffic_class(CfgBits) +: 2];
      out_packet_o        <= out_side[side_pkg::out_packet(CfgBits) +: 32];
      out_data_o          <= size_q != '0 ? data_mem[first_q] : in_flit;
    end
  end

`ifdef WEFT_ASSERTIONS
  // Flits: promised and still to come, inside.
  logic [31:0] coming, here;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      coming <= '0;
      here   <= '0;
    end else begin
      coming <= coming + (promise_i ? 32'(promise_flits_i) : '0) - 32'(complete);
      here   <= here + 32'(complete) - 32'(send);
    end
  end

  `WEFT_ASSERT(PromisesSomething, !promise_i || (promise_flits_i != '0 && promise_flits_i <= room_o))
  `WEFT_ASSERT(WasPromised, !complete || coming != '0)
  `WEFT_ASSERT(NothingMade, !send || here != '0 || complete)
  `WEFT_ASSERT(NothingLost, 32'(size_q) == here && here <= OutputFlits)
  `WEFT_ASSERT(SlotsAddUp, 32'(room_o) + coming + here == 32'(output_flits_i))
  `WEFT_ASSERT(EmptyIsEmpty, empty_o == (coming + here == '0))

  for (genvar c = 0; c < TrafficClasses; c++) begin : gen_traffic_class_contract
    // Flits: that hold a credit, that are sent and of which it has not come back.
    logic [31:0] used, behind;
    logic        promise, sent;
    assign promise = promise_i && 32'(promise_traffic_class_i) == c;
    assign sent    = out_valid_o && 32'(out_traffic_class_o) == c;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        used   <= '0;
        behind <= '0;
      end else begin
        used   <= used + (promise ? 32'(promise_flits_i) : '0) - 32'(credit_i[c]);
        behind <= behind + 32'(sent) - 32'(credit_i[c]);
      end
    end

    `WEFT_ASSERT(HasCredits, !promise || promise_flits_i <= free_o[c*16 +: 16])
    `WEFT_ASSERT(CreditsAddUp, 32'(free_o[c*16 +: 16]) + used == 32'(credits_i[c*16 +: 16]))
    `WEFT_ASSERT(CreditOfAFlit, !credit_i[c] || behind != '0 || sent)
  end
`endif

endmodule
