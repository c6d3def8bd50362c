// SPDX-License-Identifier: Apache-2.0
// What a node of a trace must say so that its rank can play it: the player asks before it starts a node, `weft check`
// before anything runs.
#pragma once

#include <string>

#include "npu/player/group_table.h"
#include "npu/trace/trace_node.h"

namespace weft::npu {

/// The rules for the nodes of one rank. Whatever breaks one throws InputError "trace of rank 3, node 7 'name': ...".
class NodeRules {
 public:
  /// `groups` outlives the rules.
  NodeRules(RankId rank, const GroupTable& groups) : rank_(rank), groups_(groups) {}

  /// The group of a collective, which has a kind; the rank is a member of it.
  const ProcessGroup& group_of(const TraceNode& collective) const;
  /// The group of a load or store that names one; the rank is a member of it.
  const ProcessGroup& group_of_access(const TraceNode& access) const { return named_group(access); }
  /// The receiver of a send, whose tag fits into a message.
  RankId receiver_of(const TraceNode& send) const;
  /// The sender of a receive.
  RankId sender_of(const TraceNode& receive) const;
  [[noreturn]] void refuse(const TraceNode& node, const std::string& reason) const;

 private:
  const ProcessGroup& named_group(const TraceNode& node) const;
  RankId checked_peer(const TraceNode& node, const std::optional<RankId>& peer, const char* attribute) const;

  RankId rank_;
  const GroupTable& groups_;
};

/// The position of a member within its group.
std::uint32_t position_in(const ProcessGroup& group, RankId member);
/// The part of `bytes` that a member of a group has: of as equal a size as whole bytes allow.
std::uint64_t part_of(std::uint64_t bytes, const ProcessGroup& group, RankId member);

/// True for a collective in which nothing moves: of no bytes (barriers excepted) or of one rank.
bool moves_nothing(const TraceNode& collective, const ProcessGroup& group);

}  // namespace weft::npu
