// SPDX-License-Identifier: Apache-2.0
// Which I/O controller brings which bytes of a load or store.
//
// A load or store is cut into pieces; the packets of a piece go round the controllers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/checked.h"

namespace weft::mem {

/// Says which member each packet of a load or store belongs to.
struct IoShares {
  std::uint32_t controllers = 1;
  std::uint64_t piece_bytes = 65536;  ///< bytes of a piece per controller
  std::uint64_t packet_bytes = 4096;
  std::uint32_t planes = 1;  ///< that packets of switches' flows take in turn

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
    const std::uint64_t distance = (number + controllers - first % controllers) % controllers;
    const std::uint64_t all = packets(bytes);
    if (distance >= all) return 0;
    const std::uint64_t mine = (all - distance + controllers - 1) / controllers;
    const bool has_last = (all - 1) % controllers == distance;
    return mine * packet_bytes - (has_last ? all * packet_bytes - bytes : 0);
  }
};

}  // namespace weft::mem
