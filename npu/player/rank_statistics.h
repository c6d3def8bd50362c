// SPDX-License-Identifier: Apache-2.0
// What a rank reports of its run, and how its time is divided into compute and exposed communication.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.h"
#include "config/config.h"

namespace weft::npu {

/// One collective as one rank saw it.
struct RankCollective {
  std::string name;  ///< name of the trace node
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::string algorithm;   ///< "" = nothing had to be sent
  std::string group_name;  ///< "" = all ranks
  std::uint32_t group_size = 0;
  std::uint32_t group = 0;      ///< group, signature and instance together name the same
  std::uint32_t signature = 0;  ///< collective on all its ranks
  std::uint32_t instance = 0;
  std::uint64_t bytes = 0;
  Cycle start_cycle = 0;  ///< issued by this rank
  Cycle end_cycle = 0;    ///< finished on this rank
};

/// Totals of one rank.
struct RankStatistics {
  Cycle finish_cycle = 0;           ///< end of the last node
  Cycle compute_cycles = 0;         ///< a compute node (accelerator or host) was running
  Cycle exposed_comm_cycles = 0;    ///< no compute node was running while a collective, send or receive was under way
  std::uint64_t nodes = 0;          ///< finished
  std::uint64_t compute_nodes = 0;  ///< finished compute nodes
  std::uint64_t memory_bound_nodes = 0;  ///< compute nodes that their data kept longer than their operations
  Cycle memory_wait_cycles = 0;          ///< by so much, added up
  std::uint64_t sends = 0;
  std::uint64_t receives = 0;
  std::uint64_t sent_bytes = 0;             ///< by send nodes; collectives not included
  std::vector<RankCollective> collectives;  ///< in order of their ends
};

/// Divides time between compute, exposed communication and the rest. A receive is under way from the moment it is
/// issued until its message is complete, a send until its tail has left.
class ActivityMeter {
 public:
  void compute_started(Cycle now) { advance(now), ++computing_; }
  void compute_ended(Cycle now) { advance(now), --computing_; }
  void communication_started(Cycle now) { advance(now), ++communicating_; }
  void communication_ended(Cycle now) { advance(now), --communicating_; }

  /// Counts what is under way up to cycle `now`.
  void stop(Cycle now) { advance(now); }

  Cycle compute_cycles() const { return compute_cycles_; }
  Cycle exposed_cycles() const { return exposed_cycles_; }

 private:
  void advance(Cycle now) {
    if (computing_ > 0) {
      compute_cycles_ += now - last_;
    } else if (communicating_ > 0) {
      exposed_cycles_ += now - last_;
    }
    last_ = now;
  }

  Cycle last_ = 0;
  int computing_ = 0;
  int communicating_ = 0;
  Cycle compute_cycles_ = 0;
  Cycle exposed_cycles_ = 0;
};

}  // namespace weft::npu
