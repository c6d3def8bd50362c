// SPDX-License-Identifier: Apache-2.0
#include "npu/player/announced_order.h"

#include <fmt/format.h>

#include "base/error.h"
#include "npu/collective/form/shape.h"
#include "npu/player/point_to_point.h"

namespace weft::npu {
namespace {

// Tag of an announcement: group 16 bits | number 16 | what 28.
constexpr int kWhatBits = 28;
constexpr int kNumberBits = 16;
static_assert((std::uint64_t{kMaxGroups} << (kNumberBits + kWhatBits)) == kLargestTraceTag + 1);

/// Kind, and a hash of the size.
std::uint64_t what(CollectiveKind kind, std::uint64_t bytes) {
  const std::uint64_t size = (bytes * 0x9E3779B97F4A7C15ull) >> 40;
  return static_cast<std::uint64_t>(kind) << 24 | size;
}

bool is_barrier(CollectiveKind kind) { return kind == CollectiveKind::kBarrier; }

}  // namespace

bool AnnouncedOrder::may_start(const ProcessGroup& group, CollectiveKind kind, std::uint64_t bytes) const {
  if (group.members.front() == me_) return true;
  const auto line = lines_.find({group.number, is_barrier(kind)});
  if (line == lines_.end()) return false;
  const auto first = line->second.announced.find(line->second.next);
  return first != line->second.announced.end() && first->second == what(kind, bytes);
}

void AnnouncedOrder::started(const ProcessGroup& group, CollectiveKind kind, std::uint64_t bytes) {
  Line& line = lines_[{group.number, is_barrier(kind)}];
  const std::uint32_t number = line.next++;
  if (group.members.front() != me_) {
    line.announced.erase(number);
    return;
  }
  Message message;
  message.tag = kAnnouncementOwner << kOwnerShift |
                (std::uint64_t{group.number} << kNumberBits | (number & 0xFFFF)) << kWhatBits | what(kind, bytes);
  message.message_class = message_class_;
  message.priority = 255;
  for (std::size_t i = 1; i < group.members.size(); ++i) {
    message.dst = placement_[index(group.members[i])];
    open_.insert(network_.send(message));
  }
}

void AnnouncedOrder::announced(std::uint64_t tag) {
  const std::uint64_t what = tag & ((std::uint64_t{1} << kWhatBits) - 1);
  const auto number = static_cast<std::uint16_t>(tag >> kWhatBits);
  const auto group = static_cast<std::uint32_t>(tag >> (kWhatBits + kNumberBits));
  const auto kind = static_cast<CollectiveKind>(what >> 24);
  Line& line = lines_[{group, is_barrier(kind)}];
  // Announcements may overtake each other, but not by half of all numbers.
  const auto ahead = static_cast<std::uint16_t>(number - static_cast<std::uint16_t>(line.next));
  WEFT_CHECK(ahead < 0x8000, "a collective is announced that has started already");
  line.announced[line.next + ahead] = what;
}

std::string AnnouncedOrder::reason(const ProcessGroup& group, CollectiveKind kind) const {
  const auto line = lines_.find({group.number, is_barrier(kind)});
  const auto leader = index(group.members.front());
  const bool none = line == lines_.end() || line->second.announced.count(line->second.next) == 0;
  if (none) return fmt::format("rank {} has not started it", leader);
  const auto other = static_cast<CollectiveKind>(line->second.announced.at(line->second.next) >> 24);
  return fmt::format("rank {} has started another {} first", leader, kind_name(other));
}

}  // namespace weft::npu
