// SPDX-License-Identifier: Apache-2.0
// The collectives of a log, and which of them an activity or a message belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "log/log_names.h"
#include "log/run_log.h"

namespace weft::log {

/// One collective of one group, from the first start to the last end on its ranks.
struct CollectiveEntry {
  std::string name;
  std::uint32_t group = 0;
  std::uint32_t instance = 0;
  std::uint64_t bytes = 0;
  std::uint32_t ranks = 0;  ///< that have ended it
  Cycle start = 0;
  Cycle end = 0;
};

class CollectiveIndex {
 public:
  /// `instances`: tags tell instances apart modulo this.
  CollectiveIndex(const RunLog& log, std::uint32_t instances);

  const std::vector<CollectiveEntry>& entries() const { return entries_; }
  /// Number of the collective of an activity; nothing for other kinds.
  std::optional<std::uint32_t> of(const Activity& activity) const;
  /// Number of the collective of a message that was queued at `queued`.
  std::optional<std::uint32_t> of(const MessageMeaning& meaning, Cycle queued) const;

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< group, signature, instance
  std::uint32_t instances_;
  std::vector<CollectiveEntry> entries_;
  std::map<Key, std::uint32_t> by_key_;
  std::map<Key, std::vector<std::uint32_t>> by_tag_;  ///< instances modulo, in order of instance
};

}  // namespace weft::log
