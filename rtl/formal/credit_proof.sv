// SPDX-License-Identifier: Apache-2.0
// Proof of output_port: credits and slots never run below zero nor above what there is, the buffer and the
// receiver's are never overrun, and flits leave in order, none lost, none doubled, within a bounded number of cycles.
// Read by Yosys alone (rtl/formal/proofs.txt).
//
// The environment: packets are promised only where credits and slots for all of their flits are left, at most
// promised flits arrive, the receiver gives back slots that it has filled, at any time. Data is a tag. The link
// takes a flit every one, two or four cycles, and a cycle more for a header.

module credit_proof #(
  parameter  int unsigned OutputFlits = 3,
  localparam int unsigned Credits     = 2,
  localparam int unsigned MostFlits   = 2,  // flits of a packet
  localparam int unsigned SideBits    = side_pkg::beat_bits(1, 1, 1),
  localparam int unsigned MostAge     = 6 * OutputFlits
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        arrive_i,
  input logic        tail_i,
  input logic [1:0]  tag_i,
  input logic        promise_i,
  input logic [1:0]  promise_flits_i,
  input logic        credit_i
);

  (* anyconst *) logic [1:0] pace;  // cycles of a flit
  (* anyconst *) logic       header;
  logic [39:0]         rate_flit;
  logic [SideBits-1:0] side;
  logic                in_ready, empty, rested, out_valid, out_head, out_tail, out_stored_setting;
  logic [15:0]         free, room, out_packet_flits;
  logic [1:0]          out_traffic_class;
  logic [31:0]         out_packet, out_data;
  assign rate_flit = pace == 2'd0 ? 40'd4 : pace == 2'd1 ? 40'd8 : 40'd16;
  assign side      = {{(SideBits - side_pkg::BeatStoredSetting){1'b0}}, 1'b1, tail_i, 1'b0};

  output_port #(
    .TrafficClasses(1), .Lanes(1), .Beats(1), .AccumulateFp32(0), .OutputFlits(OutputFlits), .StoredSettings(2),
    .TagBits(1), .RouteBits(1)
  ) u_dut (
    .clk_i                  (clk_i),
    .rst_ni                 (rst_ni),
    .format_i               (fred_pkg::Fp32),
    .credits_i              (16'(Credits)),
    .output_flits_i         (16'(OutputFlits)),
    .rate_unit_i            (40'd4),
    .rate_flit_i            (rate_flit),
    .rate_header_i          (header ? 40'd4 : 40'd0),
    .in_valid_i             (arrive_i),
    .in_ready_o             (in_ready),
    .in_side_i              (side),
    .in_data_i              ({30'b0, tag_i}),
    .free_o                 (free),
    .room_o                 (room),
    .empty_o                (empty),
    .rested_o               (rested),
    .promise_i              (promise_i),
    .promise_traffic_class_i(2'd0),
    .promise_flits_i        ({14'b0, promise_flits_i}),
    .credit_i               (credit_i),
    .out_valid_o            (out_valid),
    .out_head_o             (out_head),
    .out_tail_o             (out_tail),
    .out_traffic_class_o    (out_traffic_class),
    .out_stored_setting_o   (out_stored_setting),
    .out_packet_o           (out_packet),
    .out_packet_flits_o     (out_packet_flits),
    .out_data_o             (out_data)
  );

  // Flits: promised and still to come, inside, at the receiver; their tags in order, the oldest in the lowest bits.
  logic       started;
  logic [7:0] coming, inside, behind, age, sent;
  logic [2*OutputFlits+1:0] tags, tags_left;
  initial started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;

  always_comb begin
    tags_left = out_valid ? tags >> 2 : tags;
    for (int unsigned p = 0; p <= OutputFlits; p++) begin
      if (arrive_i && 8'(p) == inside - 8'(out_valid)) tags_left[2*p +: 2] = tag_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      coming <= '0;
      inside <= '0;
      behind <= '0;
      tags   <= '0;
      age    <= '0;
      sent   <= '0;
    end else begin
      coming <= coming + (promise_i ? 8'(promise_flits_i) : 8'd0) - 8'(arrive_i);
      inside <= inside + 8'(arrive_i) - 8'(out_valid);
      behind <= behind + 8'(out_valid) - 8'(credit_i);
      tags   <= tags_left;
      age    <= inside == '0 || out_valid ? 8'd0 : age + 8'd1;
      sent   <= sent + 8'(out_valid && sent != '1);
    end
  end

  always_comb begin
    EnvReset: assume (started || !rst_ni);
    if (rst_ni) begin
      EnvPromise: assume (!promise_i || (promise_flits_i != '0 && 32'(promise_flits_i) <= MostFlits
          && 16'(promise_flits_i) <= free && 16'(promise_flits_i) <= room));
      EnvArrive:  assume (!arrive_i || coming != '0);
      EnvCredit:  assume (!credit_i || behind != '0);

`ifndef FORMAL_COVER
      CreditBound:  assert (32'(free) <= Credits);
      SlotBound:   assert (32'(room) <= OutputFlits);
      CreditsAdd:   assert (32'(free) + 32'(coming) + 32'(inside) + 32'(behind) == Credits);
      SlotsAdd:    assert (32'(room) + 32'(coming) + 32'(inside) == OutputFlits + 32'(out_valid));
      NotOverrun:   assert (32'(behind) + 32'(out_valid) <= Credits);
      BufferBound:  assert (32'(inside) <= OutputFlits + 1 && in_ready);
      NothingMade:  assert (!out_valid || inside != '0);
      InOrder:      assert (!out_valid || out_data == {30'b0, tags[1:0]});
      Leaves:       assert (32'(age) <= MostAge);
      EmptyIsEmpty: assert (!empty || inside == 8'(out_valid));
`else
      // For an engine that knows no covers: each of these has to fail.
      CoverFull:   assert (!(free == '0 && sent == 8'd3));
      CoverPaced:  assert (!(age == 8'd3 && pace == 2'd2));
      CoverBuffer: assert (!(inside == 8'd2 && !out_valid));
      CoverAgain:  assert (!(sent == 8'd4 && 32'(free) == Credits && header));
`endif
    end
  end

endmodule
