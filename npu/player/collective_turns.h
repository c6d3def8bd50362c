// SPDX-License-Identifier: Apache-2.0
// One order of issue for collectives whose operands meet in switches.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernel/config.h"
#include "kernel/types.h"

namespace weft::npu {

/// Switches add what comes first at each port, so all members of a group must put in their operands in one order. That
/// is the order in which their traces list the group's collectives, barriers by themselves: a collective that is ready
/// waits until those listed before it have been started. No rank learns anything of others by it; that the lists agree
/// is judged here, from outside. May be used by several threads.
class CollectiveTurns {
 public:
  /// `applies(group, barrier)`: whether these collectives of a group have to go in turn.
  explicit CollectiveTurns(std::function<bool(std::uint32_t, bool)> applies) : applies_(std::move(applies)) {}

  bool applies(std::uint32_t group, bool barrier) const { return applies_(group, barrier); }
  /// A rank starts the collective of number `turn` of a group. InputError if another rank's is not of its kind and
  /// size.
  void started(RankId rank, std::uint32_t group, std::uint32_t turn, CollectiveKind kind, std::uint64_t bytes,
               const std::string& name);

 private:
  struct Listed {
    CollectiveKind kind;
    std::uint64_t bytes;
    RankId rank;
    std::string name;
  };
  std::function<bool(std::uint32_t, bool)> applies_;
  std::mutex mutex_;
  std::map<std::pair<std::uint32_t, bool>, std::vector<Listed>> lists_;  ///< by group, and whether they are barriers
};

}  // namespace weft::npu
