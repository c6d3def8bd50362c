// SPDX-License-Identifier: Apache-2.0
// How NPUs and I/O controllers talk of loads and stores: the tags of their messages, and who brings which bytes.
//
// A load or store is cut into pieces; the packets of a piece go round the controllers. An NPU asks each controller for
// its share of a piece. Of a group only the first member asks, once all others have told it that they have room for the
// piece. Shares of stores are sent unasked, and the controller confirms them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/checked.h"
#include "npu/interface/network_interface.h"
#include "npu/player/point_to_point.h"

namespace weft::sc_models {

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

/// A tag or cookie for the port of an NPU.
constexpr std::uint64_t for_npu(IoTag tag) { return npu::kMemoryOwner << npu::kOwnerShift | pack_io_tag(tag); }
/// A tag for a controller.
constexpr std::uint64_t for_controller(IoTag tag) { return npu::kIoOwner << npu::kOwnerShift | pack_io_tag(tag); }

/// In the place of the controller: a member of a group tells its first member that it has room for a piece.
inline constexpr std::uint32_t kRoomReport = kMostIoControllers - 1;

/// In the place of the controller: a controller tells who has asked or sent that the pool has refused a packet.
inline constexpr std::uint32_t kRefusalReport = kMostIoControllers - 2;

/// What an NPU asks a controller for.
struct IoRequest {
  std::uint64_t bytes = 0;  ///< of its share of the piece
};

/// What a refusal report says.
struct IoRefusal {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t controller = 0;
  std::uint32_t reason = 0;  ///< a mem::Reason
};

template <typename Words>
std::shared_ptr<npu::Payload> to_payload(const Words& words) {
  auto payload = std::make_shared<npu::Payload>(sizeof(words));
  std::memcpy(payload->data(), &words, sizeof(words));
  return payload;
}
template <typename Words>
Words from_payload(const std::uint8_t* data) {
  Words words;
  std::memcpy(&words, data, sizeof(words));
  return words;
}
inline IoRequest to_request(const std::uint8_t* data) { return from_payload<IoRequest>(data); }

/// Whose packets are whose.
struct IoShares {
  std::uint32_t controllers = 1;
  std::uint64_t piece_bytes = 65536;  ///< of each controller
  std::uint64_t packet_bytes = 4096;

  std::uint64_t packets(std::uint64_t bytes) const { return divided_up(bytes, packet_bytes); }
  std::uint64_t span() const { return piece_bytes * controllers; }
  std::uint64_t pieces(std::uint64_t bytes) const { return divided_up(bytes, span()); }
  std::uint64_t bytes_of(std::uint64_t bytes, std::uint64_t piece) const {
    return std::min(span(), bytes - piece * span());
  }
  /// The most that one controller brings or takes of a load or store of `bytes`.
  std::uint64_t most_of_one(std::uint64_t bytes) const {
    const std::uint64_t last = pieces(bytes) - 1;
    return last * piece_bytes + share(bytes_of(bytes, last), 0, 0);
  }
  /// Bytes of a piece of `bytes` that controller `number` has, where packet 0 is that of controller `first`.
  std::uint64_t share(std::uint64_t bytes, std::uint32_t number, std::uint32_t first) const {
    const std::uint64_t turn = (number + controllers - first % controllers) % controllers;
    const std::uint64_t all = packets(bytes);
    if (turn >= all) return 0;
    const std::uint64_t mine = (all - turn + controllers - 1) / controllers;
    const bool has_last = (all - 1) % controllers == turn;
    return mine * packet_bytes - (has_last ? all * packet_bytes - bytes : 0);
  }
};

}  // namespace weft::sc_models
