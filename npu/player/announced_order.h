// SPDX-License-Identifier: Apache-2.0
// One order of issue for collectives whose operands meet in switches.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/checkpoint.h"
#include "config/config.h"
#include "npu/interface/network_interface.h"
#include "npu/player/group_table.h"

namespace weft::npu {

/// Switches add what comes first at each port, so all members of a group must start its collectives in one order, but
/// become ready for them in different ones. The group's first member starts what it is ready for and tells the others
/// by a message each; they start in that order, and wait for the word where they are ready before it comes. Barriers
/// have a traffic class, and so an order, of their own. One object per NPU.
class AnnouncedOrder {
 public:
  /// `message_class`: the class of the announcements.
  AnnouncedOrder(RankId me, NetworkInterface& network, const std::vector<NodeId>& placement, MessageClass message_class)
      : me_(me), network_(network), placement_(placement), message_class_(message_class) {}

  /// Whether a collective that is ready here may start.
  bool may_start(const ProcessGroup& group, CollectiveKind kind, std::uint64_t bytes) const;
  /// It starts; may_start must hold.
  void started(const ProcessGroup& group, CollectiveKind kind, std::uint64_t bytes);
  /// An announcement has come; `tag` without its owner.
  void announced(std::uint64_t tag);
  /// False: the message is no announcement of this NPU.
  bool on_sent(MessageId id) { return open_.erase(id) > 0; }
  /// Whether a message is an announcement of this NPU that has not left.
  bool sends(MessageId id) const { return open_.count(id) > 0; }
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// Why a collective that is ready here waits, for reports.
  std::string reason(const ProcessGroup& group, CollectiveKind kind) const;

 private:
  using Key = std::pair<std::uint32_t, bool>;  // group, whether barriers
  struct Line {
    std::uint32_t next = 0;                            ///< number of the next to start
    std::map<std::uint32_t, std::uint64_t> announced;  ///< by number: what it is
  };

  RankId me_;
  NetworkInterface& network_;
  const std::vector<NodeId>& placement_;
  MessageClass message_class_;
  std::map<Key, Line> lines_;
  std::set<MessageId> open_;  ///< announcements that have not left
};

}  // namespace weft::npu
