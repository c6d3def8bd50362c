// SPDX-License-Identifier: Apache-2.0
// Proof of port_buffer: each ring keeps its flits in order, none lost, none doubled, none in another ring; what is to
// be started next is the flit behind those that are started; counts are right. Read by Yosys alone
// (rtl/formal/proofs.txt).
//
// The environment: any flits, any packets that fit, on any traffic class, where there is room; any started flit leaves.
// One traffic class, any, is watched.

module buffer_proof #(
  parameter  int unsigned TrafficClasses = 4,
  parameter  int unsigned DataFlits      = 2,
  parameter  int unsigned ControlFlits   = 1,
  localparam int unsigned Most           = DataFlits,
  localparam int unsigned CountBits      = $clog2(Most + 1)
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       push_i,
  input logic [1:0] push_traffic_class_i,
  input logic [1:0] tag_i,
  input logic       pop_i,
  input logic [1:0] pop_traffic_class_i,
  input logic       start_i,
  input logic [1:0] start_traffic_class_i,
  input logic [1:0] start_flits_i
);

  (* anyconst *) logic [1:0] watched;

  logic                          front_valid, empty;
  logic [1:0]                          front_side, front_data;
  logic [TrafficClasses-1:0]           next_valid;
  logic [TrafficClasses*2-1:0]         next_side;
  logic [TrafficClasses*CountBits-1:0] waiting;

  port_buffer #(
    .TrafficClasses(TrafficClasses), .DataFlits(DataFlits), .ControlFlits(ControlFlits), .SideBits(2), .DataBits(2)
  ) u_dut (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .push_i               (push_i),
    .push_traffic_class_i (push_traffic_class_i),
    .push_side_i          (tag_i),
    .push_data_i          (~tag_i),
    .front_traffic_class_i(pop_traffic_class_i),
    .front_valid_o        (front_valid),
    .front_side_o         (front_side),
    .front_data_o         (front_data),
    .pop_i                (pop_i),
    .start_i              (start_i),
    .start_traffic_class_i(start_traffic_class_i),
    .start_flits_i        ({14'b0, start_flits_i}),
    .empty_o              (empty),
    .next_valid_o         (next_valid),
    .next_side_o          (next_side),
    .waiting_o            (waiting)
  );

  // Flits of each traffic class that are here and that are of started packets, here or to come; tags of the watched one
  // in order, the oldest in the lowest bits.
  logic                  begun;
  logic [TrafficClasses*3-1:0] here, started;
  logic [2*Most-1:0]           tags, tags_left;
  logic [3:0]                  left;
  logic                  push, pop, start;
  logic [2:0]            here_now, started_now, room;
  initial begun = 1'b0;
  always_ff @(posedge clk_i) begun <= 1'b1;

  function automatic logic [2:0] slots(input logic [1:0] traffic_class);
    slots = traffic_class == 2'd3 ? 3'(ControlFlits) : 3'(DataFlits);
  endfunction

  assign push        = push_i && push_traffic_class_i == watched;
  assign pop         = pop_i && pop_traffic_class_i == watched;
  assign start       = start_i && start_traffic_class_i == watched;
  assign here_now    = here[watched*3 +: 3];
  assign started_now = started[watched*3 +: 3];
  assign room        = slots(push_traffic_class_i);

  always_comb begin
    tags_left = pop ? tags >> 2 : tags;
    for (int unsigned p = 0; p < Most; p++) begin
      if (push && 3'(p) == here_now - 3'(pop)) tags_left[2*p +: 2] = tag_i;
    end
  end

  for (genvar c = 0; c < TrafficClasses; c++) begin : gen_traffic_class
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        here[c*3 +: 3]    <= '0;
        started[c*3 +: 3] <= '0;
      end else begin
        here[c*3 +: 3]    <= here[c*3 +: 3] + 3'(push_i && push_traffic_class_i == c)
            - 3'(pop_i && pop_traffic_class_i == c);
        started[c*3 +: 3] <= started[c*3 +: 3] + (start_i && start_traffic_class_i == c ? 3'(start_flits_i) : 3'd0)
            - 3'(pop_i && pop_traffic_class_i == c);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tags <= '0;
      left <= '0;
    end else begin
      tags <= tags_left;
      left <= left + 4'(pop && left != '1);
    end
  end

  always_comb begin
    EnvReset:   assume (begun || !rst_ni);
    EnvWatched: assume (32'(watched) < TrafficClasses);
    if (rst_ni) begin
      EnvPush:  assume (!push_i || (32'(push_traffic_class_i) < TrafficClasses
          && here[push_traffic_class_i*3 +: 3] < room));
      EnvStart: assume (!start_i || (32'(start_traffic_class_i) < TrafficClasses && next_valid[start_traffic_class_i]
          && start_flits_i != '0 && 3'(start_flits_i) <= slots(start_traffic_class_i)));
      EnvPop:   assume (!pop_i || (32'(pop_traffic_class_i) < TrafficClasses && here[pop_traffic_class_i*3 +: 3] != '0
          && (started[pop_traffic_class_i*3 +: 3] != '0 || (start_i && start_traffic_class_i == pop_traffic_class_i))));

`ifndef FORMAL_COVER
      FrontThere:  assert (pop_traffic_class_i != watched || front_valid == (here_now != '0));
      FrontOldest: assert (pop_traffic_class_i != watched || !front_valid
          || (front_side == tags[1:0] && front_data == ~tags[1:0]));
      NextThere:   assert (next_valid[watched] == (started_now < here_now));
      NextIsNext:  assert (!next_valid[watched] || next_side[watched*2 +: 2] == tags[started_now*2 +: 2]);
      Waiting:     assert (3'(waiting[watched*CountBits +: CountBits])
          == (started_now < here_now ? here_now - started_now : 3'd0));
      Bound:       assert (here_now <= slots(watched));
      Empty:       assert (empty == (here == '0));
`else
      // For an engine that knows no covers: each of these has to fail.
      CoverFull:    assert (!(here_now == 3'(DataFlits) && started_now == '0 && left == 4'd2));
      CoverFollows: assert (!(started_now == 3'd3 && here_now == 3'd2));
      CoverBoth:    assert (!(push && pop && start));
`endif
    end
  end

endmodule
