// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/lane_words.h"

#include <cstring>

namespace weft::tb {

std::vector<RtlFormat> rtl_formats(bool accumulate_fp32) {
  std::vector<RtlFormat> formats = {{0, {DataType::kFp32, false}},
                                    {1, {DataType::kInt32, false}},
                                    {2, {DataType::kFp16, false}},
                                    {3, {DataType::kBf16, false}}};
  if (accumulate_fp32) {
    formats.push_back({4, {DataType::kFp16, true}});
    formats.push_back({5, {DataType::kBf16, true}});
  }
  return formats;
}

LaneWords::LaneWords(const fred::LaneFormat& format, bool accumulate_fp32, std::size_t lanes)
    : lanes_(lanes),
      lane_bytes_(accumulate_fp32 ? 8 : 4),
      per_lane_(format.element == DataType::kFp16 || format.element == DataType::kBf16 ? 2 : 1),
      word_bytes_(format.fp32_accumulation || per_lane_ == 1 ? 4 : 2),
      count_(lanes * per_lane_),
      bytes_(lanes * lane_bytes_) {}

void LaneWords::pack(const std::uint32_t* words, std::uint8_t* wires) const {
  std::memset(wires, 0, bytes_);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    for (std::size_t i = 0; i < per_lane_; ++i) {
      std::memcpy(wires + lane * lane_bytes_ + i * word_bytes_, &words[lane * per_lane_ + i], word_bytes_);
    }
  }
}

}  // namespace weft::tb
