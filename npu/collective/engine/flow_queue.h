// SPDX-License-Identifier: Apache-2.0
// The order in which one NPU puts its operands into flows of FRED switches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/checkpoint.h"
#include "base/fabric_flows.h"
#include "base/queue_ring.h"
#include "base/state_form.h"

namespace weft::npu {

class ChunkRun;
struct CollectiveJob;

/// Operands of a traffic class leave collective after collective as they were started, chunk after chunk, and within a
/// chunk in the order of the program: the same at all members of a group, whatever comes and goes at which of them
/// when.
class FlowQueue {
 public:
  /// An operand: an instruction of a chunk.
  struct Operand {
    ChunkRun* run = nullptr;
    std::uint32_t index = 0;
  };

  /// Puts all operands of a collective, whose flows have a traffic class, behind those of the ones before.
  void add(const CollectiveJob& job);
  /// Whether this operand is next. If not, it is kept until `next` hands it out.
  bool may_leave(Operand operand);
  /// The operand that was next has left.
  void left(TrafficClass traffic_class);
  /// An operand that is kept and is next now; takes it out. No run: there is none.
  Operand next(TrafficClass traffic_class);
  /// Gives `form` its state.
  void put_state(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  /// `jobs`: the collectives under way, in their order; `run(chunk)` keeps whose operand it is.
  void keep(Checkpoint& checkpoint, const std::vector<std::unique_ptr<CollectiveJob>>& jobs,
            const std::function<void(ChunkRun*&)>& run);

 private:
  struct Job {
    const CollectiveJob* job = nullptr;
    std::vector<std::uint32_t> operands;  ///< instructions of the program
    std::uint32_t chunk = 0;
    std::size_t at = 0;  ///< in `operands`
  };
  struct Line {
    QueueRing<Job> jobs;
    std::vector<Operand> kept;
  };
  static bool is_next(const Line& line, Operand operand);

  Line lines_[kTrafficClasses];
};

}  // namespace weft::npu
