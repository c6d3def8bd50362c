// SPDX-License-Identifier: Apache-2.0
// Buffer of one input port: a ring of flits per traffic class, all in one memory, and how many flits of each belong
// to packets that have been started.
//
// Contract: a flit is pushed only into a ring with room (the sender's credits); it is seen from the next cycle on.
// Packets are started at the head of what has not been started, with their whole length, of which a part may still be
// to come; only flits of started packets are popped. front_* is the oldest flit of traffic class front_traffic_class_i;
// next_side_o the first flit that has not been started, for each traffic class, meaningful with next_valid_o; waiting_o
// counts it and what follows.

module port_buffer #(
  parameter  int unsigned TrafficClasses = 4,
  parameter  int unsigned DataFlits      = 16,  // slots of traffic classes 0 to 2
  parameter  int unsigned ControlFlits   = 4,   // slots of traffic class 3
  parameter  int unsigned SideBits       = 8,
  parameter  int unsigned DataBits       = 32,
  localparam int unsigned Most           = TrafficClasses > 3 && ControlFlits > DataFlits ? ControlFlits : DataFlits,
  localparam int unsigned Slots       = TrafficClasses > 3 ? 3 * DataFlits + ControlFlits : TrafficClasses * DataFlits,
  localparam int unsigned SlotBits    = Slots > 1 ? $clog2(Slots) : 1,
  localparam int unsigned CountBits    = $clog2(Most + 1)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                push_i,
  input  logic [1:0]                          push_traffic_class_i,
  input  logic [SideBits-1:0]                 push_side_i,
  input  logic [DataBits-1:0]                 push_data_i,
  input  logic [1:0]                          front_traffic_class_i,
  output logic                                front_valid_o,
  output logic [SideBits-1:0]                 front_side_o,
  output logic [DataBits-1:0]                 front_data_o,
  input  logic                                pop_i,    // takes what front_* shows
  input  logic                                start_i,
  input  logic [1:0]                          start_traffic_class_i,
  input  logic [15:0]                         start_flits_i,
  output logic                                empty_o,
  output logic [TrafficClasses-1:0]           next_valid_o,
  output logic [TrafficClasses*SideBits-1:0]  next_side_o,
  output logic [TrafficClasses*CountBits-1:0] waiting_o
);

  // The bits that are kept of a packet that has started, for itself and for another one behind it.
  localparam int unsigned StartedBits = 17;

  logic [SideBits-1:0] side_mem [Slots];
  logic [DataBits-1:0] data_mem [Slots];

  // By traffic class.
  logic [TrafficClasses*SlotBits-1:0]   first_q, last_q, head_q;  // slots of the oldest, the next free, the next head
  logic [TrafficClasses*CountBits-1:0]   size_q;
  logic [TrafficClasses*StartedBits-1:0] started_q;

  // The slot `steps` (at most its size) behind another one in the ring of a traffic class.
  function automatic logic [SlotBits-1:0] behind(input int unsigned ring, input logic [SlotBits-1:0] slot,
                                                  input logic [31:0] steps);
    logic [31:0] past;
    past   = (ring == 3 ? 32'(ControlFlits) : 32'(DataFlits)) + 32'(ring * DataFlits);
    behind = 32'(slot) + steps >= past
        ? SlotBits'(32'(slot) + steps + 32'(ring * DataFlits) - past) : SlotBits'(32'(slot) + steps);
  endfunction

  logic [SlotBits-1:0] front_slot, push_slot;
  assign front_slot   = first_q[front_traffic_class_i*SlotBits +: SlotBits];
  assign push_slot    = last_q[push_traffic_class_i*SlotBits +: SlotBits];
  assign empty_o       = size_q == '0;
  assign front_valid_o = size_q[front_traffic_class_i*CountBits +: CountBits] != '0;
  assign front_side_o  = side_mem[front_slot];
  assign front_data_o  = data_mem[front_slot];

  for (genvar c = 0; c < TrafficClasses; c++) begin : gen_next
    logic [StartedBits-1:0] size, started;
    logic [SlotBits-1:0]   slot;
    assign size    = StartedBits'(size_q[c*CountBits +: CountBits]);
    assign started = started_q[c*StartedBits +: StartedBits];
    assign slot   = head_q[c*SlotBits +: SlotBits];
    assign next_valid_o[c]                     = started < size;
    assign waiting_o[c*CountBits +: CountBits] = started < size ? CountBits'(size - started) : '0;
    assign next_side_o[c*SideBits +: SideBits] = side_mem[slot];
  end

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      side_mem[push_slot] <= push_side_i;
      data_mem[push_slot] <= push_data_i;
    end
  end

  for (genvar c = 0; c < TrafficClasses; c++) begin : gen_ring
    localparam logic [SlotBits-1:0] Base = SlotBits'(c * DataFlits);
    logic                            push, pop, start;
    logic [StartedBits-1:0]          started_d;
    assign push  = push_i && 32'(push_traffic_class_i) == c;
    assign pop   = pop_i && 32'(front_traffic_class_i) == c;
    assign start = start_i && 32'(start_traffic_class_i) == c;

    always_comb begin
      started_d = started_q[c*StartedBits +: StartedBits];
      if (start) started_d = started_d + StartedBits'(start_flits_i);
      if (pop) started_d = started_d - StartedBits'(1);
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        first_q[c*SlotBits +: SlotBits]       <= Base;
        last_q[c*SlotBits +: SlotBits]        <= Base;
        head_q[c*SlotBits +: SlotBits]        <= Base;
        size_q[c*CountBits +: CountBits]        <= '0;
        started_q[c*StartedBits +: StartedBits] <= '0;
      end else if (push || pop || start) begin
        if (pop) first_q[c*SlotBits +: SlotBits] <= behind(c, first_q[c*SlotBits +: SlotBits], 32'd1);
        if (push) last_q[c*SlotBits +: SlotBits] <= behind(c, push_slot, 32'd1);
        if (start) begin
          head_q[c*SlotBits +: SlotBits] <= behind(c, head_q[c*SlotBits +: SlotBits], 32'(start_flits_i));
        end
        size_q[c*CountBits +: CountBits] <=
            size_q[c*CountBits +: CountBits] + CountBits'(push) - CountBits'(pop);
        started_q[c*StartedBits +: StartedBits] <= started_d;
      end
    end
  end

`ifdef WEFT_ASSERTIONS
  logic [TrafficClasses-1:0] some;
  for (genvar c = 0; c < TrafficClasses; c++) begin : gen_ring_contract
    localparam int unsigned RingSlots = c == 3 ? ControlFlits : DataFlits;
    // Flits that are here, and those of started packets that are here or to come.
    logic [31:0] held, started;
    logic        push, pop, start;
    assign push    = push_i && 32'(push_traffic_class_i) == c;
    assign pop     = pop_i && 32'(front_traffic_class_i) == c;
    assign start   = start_i && 32'(start_traffic_class_i) == c;
    assign some[c] = held != '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        held    <= '0;
        started <= '0;
      end else begin
        held    <= held + 32'(push) - 32'(pop);
        started <= started + (start ? 32'(start_flits_i) : '0) - 32'(pop);
      end
    end

    `WEFT_ASSERT(RoomForIt, !push || held < RingSlots)
    `WEFT_ASSERT(StartsAPacket, !start || (next_valid_o[c] && start_flits_i != '0))
    `WEFT_ASSERT(PopsStarted, !pop || (held != '0 && (started != '0 || start)))
    `WEFT_ASSERT(SizeAddsUp, 32'(size_q[c*CountBits +: CountBits]) == held)
    `WEFT_ASSERT(StartedAddsUp, 32'(started_q[c*StartedBits +: StartedBits]) == started)
    `WEFT_ASSERT(NextIsThere, next_valid_o[c] == (started < held))
  end

  `WEFT_ASSERT(EmptyIsEmpty, empty_o == (some == '0))
`endif

endmodule
