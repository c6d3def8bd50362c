// SPDX-License-Identifier: Apache-2.0
// A unit of an NPU that works on one node at a time: accelerator, host core or memory port.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/checkpoint.h"
#include "base/queue_ring.h"
#include "base/types.h"
#include "config/config.h"

namespace weft::npu {

/// What a unit does for one node.
struct UnitWork {
  std::uint64_t node = 0;
  std::string name;
  Cycle cycles = 0;
  std::uint64_t bytes = 0;  ///< that it moves meanwhile from or to the NPU's own memory
  bool store = false;
  Cycle own_cycles = 0;  ///< without what it moves
};

/// Holds the running work and what waits for the unit, in order of becoming ready.
class SerialUnit {
 public:
  void queue(UnitWork work) { waiting_.add() = std::move(work); }
  std::size_t waiting() const { return waiting_.size(); }
  const std::optional<UnitWork>& running() const { return running_; }

  /// Takes up the next work if the unit is free and there is any. FIFO: what became ready first; LIFO: last.
  bool start_next(IssueOrder order) {
    if (running_ || waiting_.empty()) return false;
    if (order == IssueOrder::kFifo) {
      running_ = std::move(waiting_.front());
      waiting_.pop();
    } else {
      running_ = std::move(waiting_.back());
      waiting_.pop_back();
    }
    return true;
  }

  /// Ends the running work and returns its node.
  std::uint64_t end() {
    const std::uint64_t node = running_->node;
    running_.reset();
    return node;
  }

  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);

 private:
  std::optional<UnitWork> running_;
  QueueRing<UnitWork> waiting_;
};

}  // namespace weft::npu
