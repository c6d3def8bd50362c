// SPDX-License-Identifier: Apache-2.0
// What senders and receivers of I/O streams have in common.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/checked.h"
#include "base/random.h"

namespace weft::sc_models {

/// The streams of a run.
struct IoStreamRules {
  std::uint64_t bytes = 0;  ///< bytes of each stream
  std::uint64_t packet_bytes = 4096;
  std::uint32_t streams = 0;
  bool values = false;       ///< streams carry numbers, which receivers check
  std::uint64_t window = 0;  ///< packets of each stream that a receiver has room for; 0 = all

  std::uint64_t packets() const { return divided_up(bytes, packet_bytes); }
  std::uint64_t packet_size(std::uint64_t number) const {
    return std::min(packet_bytes, bytes - number * packet_bytes);
  }
};

/// Tag of a packet that is a message, or of a whole stream (packet 0).
constexpr std::uint64_t stream_tag(std::uint32_t stream, std::uint64_t packet) { return packet << 16 | stream; }
constexpr std::uint32_t stream_of(std::uint64_t tag) { return static_cast<std::uint32_t>(tag & 0xffff); }
constexpr std::uint64_t packet_of(std::uint64_t tag) { return tag >> 16; }

/// The numbers of a stream: any that tell its bytes, and it from others.
inline std::uint8_t stream_byte(std::uint32_t stream, std::uint64_t offset) {
  return static_cast<std::uint8_t>(random_bits(stream, offset / 8, 0) >> offset % 8 * 8);
}

}  // namespace weft::sc_models
