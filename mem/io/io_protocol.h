// SPDX-License-Identifier: Apache-2.0
// How NPUs and I/O controllers talk of loads and stores: the tags and contents of their messages.
//
// An NPU asks each controller for its share of a piece. Of a group only the first member asks, once all others have
// told it that they have room for the piece. Shares of stores are sent unasked, and the controller confirms them.
#pragma once

#include <cstdint>

namespace weft::mem {

/// What the tag of such a message says, below the owner: 60 bits.
struct IoTag {
  bool store = false;
  bool grouped = false;          ///< `who` is a group, not a rank
  std::uint32_t who = 0;         ///< 16 bits
  std::uint32_t instance = 0;    ///< 16 bits; modulo
  std::uint32_t piece = 0;       ///< 16 bits
  std::uint32_t controller = 0;  ///< 10 bits
};

inline constexpr std::uint64_t kMostIoPieces = 1u << 16;
inline constexpr std::uint32_t kMostIoControllers = 1u << 10;

constexpr std::uint64_t pack_io_tag(IoTag tag) {
  std::uint64_t bits = tag.store ? 1 : 0;
  bits = bits << 1 | (tag.grouped ? 1 : 0);
  bits = bits << 16 | (tag.who & 0xffff);
  bits = bits << 16 | (tag.instance & 0xffff);
  bits = bits << 16 | (tag.piece & 0xffff);
  return bits << 10 | (tag.controller & 0x3ff);
}

constexpr IoTag unpack_io_tag(std::uint64_t bits) {
  const auto field = [bits](int shift, std::uint64_t mask) { return static_cast<std::uint32_t>(bits >> shift & mask); };
  return {field(59, 1) != 0, field(58, 1) != 0, field(42, 0xffff),
          field(26, 0xffff), field(10, 0xffff), field(0, 0x3ff)};
}

/// Makes the tag of a message of the tag below its owner.
using FullTag = std::uint64_t (*)(IoTag tag);

/// The same for all pieces and controllers of a load or store: names it among those under way.
constexpr std::uint64_t job_of(IoTag tag) {
  tag.piece = 0;
  tag.controller = 0;
  return pack_io_tag(tag);
}

/// In the place of the controller: a member of a group tells its first member that it has room for a piece.
inline constexpr std::uint32_t kRoomReport = kMostIoControllers - 1;

/// In the place of the controller: a controller tells who has asked or sent that the pool has refused a packet.
inline constexpr std::uint32_t kRefusalReport = kMostIoControllers - 2;

/// What an NPU asks a controller for.
struct IoRequest {
  std::uint64_t bytes = 0;  ///< bytes in the controller's share of the piece
};

/// What a refusal report says.
struct IoRefusal {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t controller = 0;
  std::uint32_t reason = 0;  ///< a Reason
};

}  // namespace weft::mem
