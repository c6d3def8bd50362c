// SPDX-License-Identifier: Apache-2.0
// How a packet differs from the one that was in its place a period before.
#pragma once

#include <cstdint>
#include <optional>

#include "base/packet.h"

namespace weft::sc_models {

/// By how much the numbers of a packet grow until the same comes a period later. All else of a packet is the same.
struct PacketGrowth {
  std::uint64_t sequence = 0;
  std::uint64_t message_sequence = 0;
  std::uint64_t tag = 0;
  std::uint64_t offset = 0;
  Cycle created = 0;
  Cycle injected = 0;

  /// Nothing where the two packets differ in anything else, or where the one behind is of an earlier part of a message.
  static std::optional<PacketGrowth> between(const Packet& before, const Packet& behind);
  /// The packet `periods` periods later.
  Packet later(Packet packet, std::uint64_t periods) const;

  friend bool operator==(const PacketGrowth& a, const PacketGrowth& b) {
    return a.sequence == b.sequence && a.message_sequence == b.message_sequence && a.tag == b.tag &&
           a.offset == b.offset && a.created == b.created && a.injected == b.injected;
  }
};

}  // namespace weft::sc_models
