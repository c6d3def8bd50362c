// SPDX-License-Identifier: Apache-2.0
// Lanes of the RTL and words of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "config/config.h"
#include "switch/arith/lane_format.h"

namespace weft::tb {

/// fred_pkg::format_e, in its order: a number of 0 to 5.
struct RtlFormat {
  int code;
  fred::LaneFormat lanes;
};
/// The formats that RTL without (4) and with FP32 accumulation (6) has.
std::vector<RtlFormat> rtl_formats(bool accumulate_fp32);

/// How words lie in the lanes between uSwitches.
class LaneWords {
 public:
  LaneWords(const fred::LaneFormat& format, bool accumulate_fp32, std::size_t lanes);
  /// Words of all lanes.
  std::size_t count() const { return count_; }
  /// Bytes of all lanes.
  std::size_t bytes() const { return bytes_; }
  /// Writes words as the wires carry them; other bits are 0.
  void pack(const std::uint32_t* words, std::uint8_t* wires) const;

 private:
  std::size_t lanes_;
  std::size_t lane_bytes_;
  std::size_t per_lane_;
  std::size_t word_bytes_;
  std::size_t count_;
  std::size_t bytes_;
};

}  // namespace weft::tb
