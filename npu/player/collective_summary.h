// SPDX-License-Identifier: Apache-2.0
// One row per collective, made of what each of its ranks saw.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "npu/player/rank_statistics.h"
#include "npu/player/value_check.h"

namespace weft::npu {

/// A collective from the first member's start to the last member's end, in cycles of the NPU clock.
struct CollectiveSummary {
  std::string name;  ///< as the member that started first calls it
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::string algorithm;
  std::string group;          ///< "all" = all ranks
  std::uint32_t members = 0;  ///< ranks of the group
  std::uint64_t bytes = 0;    ///< as Chakra's comm_size
  Cycle start_cycle = 0;
  Cycle end_cycle = 0;
  bool finished = false;  ///< on every member; otherwise end_cycle is the cycle in which the run stopped
};

/// A collective that some members of its group have not ended.
struct HalfDoneCollective {
  CollectiveKey key;
  CollectiveSummary summary;
};

/// Joins the records of all ranks. Ranks are to be added in ascending order.
class CollectiveMerger {
 public:
  void add(const RankCollective& record, bool finished);
  /// In order of start, then of the first member's rank. `now` ends what has not finished.
  std::vector<CollectiveSummary> rows(Cycle now) const;
  /// The collectives that some members of their group have not ended, by group.
  std::vector<HalfDoneCollective> half_done() const;

 private:
  struct Row {
    CollectiveSummary summary;
    std::uint32_t done = 0;
    std::size_t order = 0;
  };
  std::map<CollectiveKey, Row> rows_;
};

}  // namespace weft::npu
