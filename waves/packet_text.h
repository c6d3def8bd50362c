// SPDX-License-Identifier: Apache-2.0
// A packet's name as waves show it.
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>

#include "base/probe.h"

namespace weft::waves {

/// "source.sequence", without an allocation.
class PacketText {
 public:
  explicit PacketText(PacketIdentity packet) {
    end_ = std::to_chars(text_, text_ + kDigits, index(packet.src)).ptr;
    *end_++ = '.';
    end_ = std::to_chars(end_, end_ + kDigits, packet.sequence).ptr;
  }
  std::string_view view() const { return {text_, static_cast<std::size_t>(end_ - text_)}; }

 private:
  static constexpr std::size_t kDigits = 10;  // digits of 2^32
  char text_[2 * kDigits + 1];
  char* end_ = text_;
};

}  // namespace weft::waves
