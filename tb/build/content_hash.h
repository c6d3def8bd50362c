// SPDX-License-Identifier: Apache-2.0
// A name for contents: equal where they are equal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.h"

namespace weft::tb {

/// 128 bits over a row of texts; not for adversaries.
class ContentHash {
 public:
  ContentHash& add(std::string_view text) {
    mix(text.size());
    for (const char c : text) {
      low_ = (low_ ^ static_cast<std::uint8_t>(c)) * 0x100000001b3ULL;
      high_ = (high_ + static_cast<std::uint8_t>(c)) * 0xd1342543de82ef95ULL;
      high_ ^= high_ >> 29;
    }
    return *this;
  }
  /// 32 hexadecimal digits.
  std::string text() const {
    std::string digits;
    for (const std::uint64_t part : {mix64(low_ ^ high_ << 1), mix64(high_)}) {
      for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[part >> shift & 15];
    }
    return digits;
  }

 private:
  void mix(std::uint64_t value) {
    low_ = mix64(low_ ^ value);
    high_ = mix64(high_ + value);
  }
  std::uint64_t low_ = 0xcbf29ce484222325ULL;
  std::uint64_t high_ = 0x9e3779b97f4a7c15ULL;
};

}  // namespace weft::tb
