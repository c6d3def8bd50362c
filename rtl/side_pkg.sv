// SPDX-License-Identifier: Apache-2.0
// This package says where fields lie in the wires beside the data: those of a beat in the interconnect, of a flit in
// the buffer of an input port, and of a flit in the buffer of an output port. Each list begins with the lowest bit. A
// function gives the lowest bit of a field whose position depends on widths; `*_bits` is the width of the whole. C++
// (tb/switch/rtl_watch.cpp) reads beats by the same numbers.

package side_pkg;

  // Widths of fields; those of the stored setting, the tag and the route depend on the switch. Not every block asks for
  // all of them.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned OutputBits       = 8;
  localparam int unsigned LengthBits       = 16;  // length of a packet, in flits
  localparam int unsigned TrafficClassBits = 2;
  localparam int unsigned PacketBits       = 32;
  localparam int unsigned MatchBits        = 64;

  // A beat: head, tail, whether it is the last of its flit, stored setting, length, tag (the lowest bits of match),
  // traffic class, packet, route. Two operands of a sum are the same below the traffic class.
  localparam int unsigned BeatHead          = 0;
  localparam int unsigned BeatTail          = 1;
  localparam int unsigned BeatLast          = 2;
  localparam int unsigned BeatStoredSetting = 3;

  // A flit in an input port: head, tail, output, length, stored setting, packet, match.
  localparam int unsigned InHead          = 0;
  localparam int unsigned InTail          = 1;
  localparam int unsigned InOutput        = 2;
  localparam int unsigned InLength        = InOutput + OutputBits;
  localparam int unsigned InStoredSetting = InLength + LengthBits;

  // A flit in an output port: head, tail, stored setting, length, traffic class, packet.
  localparam int unsigned OutHead          = 0;
  localparam int unsigned OutTail          = 1;
  localparam int unsigned OutStoredSetting = 2;
  // verilator lint_on UNUSEDPARAM

  function automatic int unsigned beat_length(input int unsigned cfg_bits);
    beat_length = BeatStoredSetting + cfg_bits;
  endfunction

  function automatic int unsigned beat_tag(input int unsigned cfg_bits);
    beat_tag = beat_length(cfg_bits) + LengthBits;
  endfunction

  function automatic int unsigned beat_traffic_class(input int unsigned cfg_bits, input int unsigned tag_bits);
    beat_traffic_class = beat_tag(cfg_bits) + tag_bits;
  endfunction

  function automatic int unsigned beat_packet(input int unsigned cfg_bits, input int unsigned tag_bits);
    beat_packet = beat_traffic_class(cfg_bits, tag_bits) + TrafficClassBits;
  endfunction

  function automatic int unsigned beat_bits(input int unsigned cfg_bits, input int unsigned tag_bits,
                                            input int unsigned route_bits);
    beat_bits = beat_packet(cfg_bits, tag_bits) + PacketBits + route_bits;
  endfunction

  function automatic int unsigned in_packet(input int unsigned cfg_bits);
    in_packet = InStoredSetting + cfg_bits;
  endfunction

  function automatic int unsigned in_match(input int unsigned cfg_bits);
    in_match = in_packet(cfg_bits) + PacketBits;
  endfunction

  function automatic int unsigned in_bits(input int unsigned cfg_bits);
    in_bits = in_match(cfg_bits) + MatchBits;
  endfunction

  function automatic int unsigned out_length(input int unsigned cfg_bits);
    out_length = OutStoredSetting + cfg_bits;
  endfunction

  function automatic int unsigned out_traffic_class(input int unsigned cfg_bits);
    out_traffic_class = out_length(cfg_bits) + LengthBits;
  endfunction

  function automatic int unsigned out_packet(input int unsigned cfg_bits);
    out_packet = out_traffic_class(cfg_bits) + TrafficClassBits;
  endfunction

  function automatic int unsigned out_bits(input int unsigned cfg_bits);
    out_bits = out_packet(cfg_bits) + PacketBits;
  endfunction

endpackage
