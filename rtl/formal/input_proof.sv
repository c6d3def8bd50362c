// SPDX-License-Identifier: Apache-2.0
// Proof of input_port: a beat is offered until it is taken, flits leave in order with all their beats, none lost and none
// doubled, packets are framed as they came, and a slot is told free once, in the cycle after its flit has left. Read by
// Yosys alone (rtl/formal/proofs.txt).
//
// The environment: whole packets of one or two flits, any, where there is room; a packet is started when it may be; what
// comes behind is ready when it likes. Two beats per flit; the second one carries the inverted tag.

module input_proof #(
  parameter  int unsigned DataFlits = 2,
  localparam int unsigned SideBits  = side_pkg::beat_bits(1, 1, 1)
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       arrive_i,
  input logic       long_i,   // two flits
  input logic       stored_i, // stored setting 1
  input logic [1:0] tag_i,
  input logic       start_i,
  input logic       ready_i
);

  (* anyconst *) logic whole;

  logic                freed, next_valid, next_here, next_stored_setting, busy, pending, paced, route, empty, out_valid;
  logic [1:0]          freed_traffic_class, traffic_class, next_inputs, next_outputs;
  logic [15:0]         next_flits;
  logic [7:0]          next_output;
  logic [63:0]         next_match;
  logic [SideBits-1:0] side;
  logic [31:0]         data;

  // The packet that is coming.
  logic       coming_q, stored_q, head, tail, long_now, stored_now;
  assign head       = !coming_q;
  assign long_now   = coming_q || long_i;
  assign tail       = coming_q || !long_i;
  assign stored_now = coming_q ? stored_q : stored_i;

  input_port #(
    .Ports(2), .TrafficClasses(1), .Lanes(1), .Beats(2), .AccumulateFp32(0), .DataFlits(DataFlits), .ControlFlits(1),
    .StoredSettings(2), .TagBits(1), .RouteBits(1)
  ) u_dut (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .format_i             (fred_pkg::Fp32),
    .whole_packets_i      (whole),
    .cfg_clk_i            (clk_i),
    .cfg_we_i             (1'b0),
    .cfg_index_i          (1'b0),
    .cfg_inputs_i         (2'b0),
    .cfg_outputs_i        (2'b0),
    .in_valid_i           (arrive_i),
    .in_head_i            (head),
    .in_tail_i            (tail),
    .in_traffic_class_i   (2'd0),
    .in_output_i          (8'd0),
    .in_stored_setting_i  (stored_now),
    .in_packet_i          (32'd0),
    .in_packet_flits_i    (long_now ? 16'd2 : 16'd1),
    .in_match_i           (64'd0),
    .in_data_i            ({30'd0, ~tag_i, 30'd0, tag_i}),
    .freed_valid_o        (freed),
    .freed_traffic_class_o(freed_traffic_class),
    .next_valid_o         (next_valid),
    .next_here_o          (next_here),
    .next_stored_setting_o (next_stored_setting),
    .next_flits_o         (next_flits),
    .next_output_o        (next_output),
    .next_match_o         (next_match),
    .next_inputs_o        (next_inputs),
    .next_outputs_o       (next_outputs),
    .busy_o               (busy),
    .traffic_class_o      (traffic_class),
    .pending_o            (pending),
    .paced_o              (paced),
    .route_o              (route),
    .empty_o              (empty),
    .start_i              (start_i),
    .start_traffic_class_i(2'd0),
    .start_flits_i        (next_flits),
    .start_route_i        (1'b0),
    .out_valid_o          (out_valid),
    .out_ready_i          (ready_i),
    .out_side_o           (side),
    .out_data_o           (data)
  );

  // Flits that are here, with tag, head, tail and stored setting, the oldest in the lowest bits; those that are promised
  // to leave; the beat of the oldest; what was offered in the cycle before and not taken.
  logic                   begun, second_beat, waits, left;
  logic [2:0]             here, started;
  logic [5*DataFlits-1:0] flits, flits_left;
  logic [SideBits-1:0]    side_before;
  logic [31:0]            data_before;
  logic [3:0]             gone;
  logic                   take;
  initial begun = 1'b0;
  always_ff @(posedge clk_i) begun <= 1'b1;
  assign take = out_valid && ready_i && second_beat;

  always_comb begin
    flits_left = take ? flits >> 5 : flits;
    for (int unsigned p = 0; p < DataFlits; p++) begin
      if (arrive_i && 3'(p) == here - 3'(take)) flits_left[5*p +: 5] = {stored_now, tail, head, tag_i};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      coming_q    <= 1'b0;
      stored_q    <= 1'b0;
      here        <= '0;
      started     <= '0;
      flits       <= '0;
      second_beat <= 1'b0;
      waits       <= 1'b0;
      left        <= 1'b0;
      side_before <= '0;
      data_before <= '0;
      gone        <= '0;
    end else begin
      if (arrive_i) begin
        coming_q <= head && long_i;
        stored_q <= stored_now;
      end
      here        <= here + 3'(arrive_i) - 3'(take);
      started     <= started + (start_i ? next_flits[2:0] : 3'd0) - 3'(take);
      flits       <= flits_left;
      if (out_valid && ready_i) second_beat <= !second_beat;
      waits       <= out_valid && !ready_i;
      left        <= take;
      side_before <= side;
      data_before <= data;
      gone        <= gone + 4'(take && gone != '1);
    end
  end

  always_comb begin
    EnvReset: assume (begun || !rst_ni);
    if (rst_ni) begin
      // A slot that was freed is known one cycle later.
      EnvRoom:  assume (!arrive_i || here + 3'(left) < 3'(DataFlits));
      EnvStart: assume (!start_i || (next_here && (!busy || (!pending && paced))));

`ifndef FORMAL_COVER
      OfferHolds: assert (!waits || (out_valid && side == side_before && data == data_before));
      Offers:     assert (out_valid == ((started != '0 || start_i) && here != '0));
      FlitEnds:   assert (!out_valid || side[side_pkg::BeatLast] == second_beat);
      InOrder:    assert (!out_valid || data == {30'd0, second_beat ? ~flits[1:0] : flits[1:0]});
      Framed:     assert (!out_valid || (side[side_pkg::BeatHead] == (flits[2] && !second_beat)
          && side[side_pkg::BeatTail] == (flits[3] && second_beat) && side[side_pkg::BeatStoredSetting] == flits[4]));
      FreedOnce:  assert (freed == left && (!freed || freed_traffic_class == 2'd0));
      Empty:      assert (empty == (here == '0));
      Busy:       assert (busy == (started != '0));
      NextThere:  assert (next_valid == (started < here));
      NextIsHead: assert (!next_valid || (flits[started*5 + 2]
          && next_flits == (flits[started*5 + 3] ? 16'd1 : 16'd2) && next_stored_setting == flits[started*5 + 4]));
      WaitsForAll: assert (!next_here || !whole || 16'(here - started) >= next_flits);
`else
      // For an engine that knows no covers: each of these has to fail.
      CoverFull:    assert (!(here == 3'd2 && gone == 4'd2));
      CoverWhole:   assert (!(whole && next_valid && !next_here));
      CoverAhead:   assert (!(started == 3'd3));
`endif
    end
  end

endmodule
