// SPDX-License-Identifier: Apache-2.0
// This package says where fields of a beat lie in what switch_small shows of the inside of Fred_2(4), the lowest bit
// first. They are cut to the bits that are in use there; those of a whole switch are in side_pkg. Read by Yosys alone.

package small_pkg;

  // A beat: head, tail, stored setting (2), packet length (2), traffic class (2), route (3), data (4).
  localparam int unsigned BeatHead          = 0;
  localparam int unsigned BeatTail          = 1;
  localparam int unsigned BeatStoredSetting = 2;
  localparam int unsigned BeatLength        = 4;
  localparam int unsigned BeatTrafficClass  = 6;
  localparam int unsigned BeatRoute         = 8;
  localparam int unsigned BeatData          = 11;
  localparam int unsigned BeatBits          = 15;

  // In the data, the mark of the operand (reduce_lanes_marks.sv).
  localparam int unsigned DataMark = 2;

endpackage
