// SPDX-License-Identifier: Apache-2.0
// What the graph player needs of whoever carries out collectives, and nothing more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.h"
#include "config/config.h"

namespace weft::npu {

/// One collective as one rank of its group issues it.
struct CollectiveOrder {
  std::uint64_t handle = 0;     ///< names it when it is done
  std::string name;             ///< for people: waves, logs, reports
  std::string group_name;       ///< "" = all ranks
  std::uint32_t group = 0;      ///< number of the group, the same on every rank
  std::uint32_t signature = 0;  ///< small hash of kind and size, the same on every rank
  std::uint32_t instance = 0;   ///< how many of this group and signature this rank has issued before
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::uint64_t bytes = 0;  ///< as Chakra's comm_size
  std::uint32_t priority = 0;
  const std::vector<RankId>* members = nullptr;  ///< the group in its order; outlives the collective
  std::uint32_t my_index = 0;                    ///< index of this rank within `members`
};

/// Carries out collectives of one rank. `collective_done(handle)` of the player may be called from within `start`.
class CollectiveStarter {
 public:
  virtual ~CollectiveStarter() = default;
  virtual void start(const CollectiveOrder& order) = 0;
  /// Whether the members of a group have to start collectives of this kind in one order.
  virtual bool goes_in_order(std::uint32_t /*group*/, CollectiveKind /*kind*/) { return false; }
  /// By which algorithm, where that is not the workload's for all.
  virtual std::string algorithm_of(const CollectiveOrder& /*order*/) { return ""; }
  /// For the stall report, for example "chunk 2 step 3 waits for data from rank 5".
  virtual std::string waiting_for(std::uint64_t handle) const = 0;
};

}  // namespace weft::npu
