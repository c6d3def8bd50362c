// SPDX-License-Identifier: Apache-2.0
// Tags and timer cookies of the graph player: its share of the 64 bits; collectives have the other
// one (npu/collective/form/tag.h).
#pragma once

#include <cstdint>

#include "npu/collective/form/tag.h"

namespace weft::npu {

inline constexpr int kOwnerShift = kCollectiveTagBits;
inline constexpr std::uint64_t kCollectiveOwner = 0;
inline constexpr std::uint64_t kPlayerOwner = 1;
inline constexpr std::uint64_t kAnnouncementOwner = 2;  ///< announcements of collectives
inline constexpr std::uint64_t kMemoryOwner = 3;        ///< loads and stores of an NPU
inline constexpr std::uint64_t kIoOwner = 4;            ///< I/O controllers that share an interface with an NPU
inline constexpr std::uint64_t kDramOwner = 5;          ///< timers of the DRAM behind an NPU's interface
inline constexpr std::uint64_t kLargestTraceTag = (std::uint64_t{1} << kOwnerShift) - 1;

/// Message tag of a send with trace tag `tag` <= kLargestTraceTag.
constexpr std::uint64_t point_to_point_tag(std::uint64_t tag) { return kPlayerOwner << kOwnerShift | tag; }
/// Cookie of a timer of the player.
constexpr std::uint64_t player_cookie(std::uint64_t value) { return kPlayerOwner << kOwnerShift | value; }

constexpr std::uint64_t owner_of(std::uint64_t tag_or_cookie) { return tag_or_cookie >> kOwnerShift; }
constexpr std::uint64_t without_owner(std::uint64_t tag_or_cookie) { return tag_or_cookie & kLargestTraceTag; }

}  // namespace weft::npu
