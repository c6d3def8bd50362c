// SPDX-License-Identifier: Apache-2.0
// Trains that pass one point, one behind the other, counted when somebody asks.
#pragma once

#include <cstdint>

#include "base/flit_train.h"
#include "base/queue_ring.h"
#include "base/types.h"

namespace weft {

/// The flits, or credits, of packets that pass one point in the order of their packets.
class TrainQueue {
 public:
  /// Adds a train whose first flit passes after the last one of the train before.
  void push(const FlitTrain& train) { first_.empty() ? void(first_ = train) : behind_.push(train); }
  bool empty() const { return first_.empty(); }
  /// Cycle of the next flit; not empty.
  Cycle next() const { return first_.next(); }
  /// Cycle of the next tail; not empty.
  Cycle next_tail() const { return first_.last(); }
  /// Takes off what passes up to and with cycle `end`; how many flits these are.
  std::uint32_t pop_until(Cycle end) { return first_.empty() || first_.next() > end ? 0 : pop_some(end); }
  /// The cycle of flit number `n` from now on, 1 = the next; kNever if so many are not known.
  Cycle nth(std::uint32_t n) const {
    if (n <= first_.left()) return first_.nth(n);
    n -= first_.left();
    for (std::size_t i = 0; i < behind_.size(); ++i) {
      if (n <= behind_[i].left()) return behind_[i].nth(n);
      n -= behind_[i].left();
    }
    return kNever;
  }
  /// Gives `form` its state. What has passed has been taken off.
  template <typename Form>
  void put_state(Form& form) {
    form.same(std::uint64_t{behind_.size()} << 1 | std::uint64_t{!first_.empty()});
    first_.empty() ? form.rest(1) : first_.put_state(form);
    for (std::size_t i = 0; i < behind_.size(); ++i) behind_[i].put_state(form);
  }
  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    first_.keep(checkpoint);
    checkpoint.queue(behind_, [&](FlitTrain& train) { train.keep(checkpoint); });
  }

 private:
  std::uint32_t pop_some(Cycle end) {
    std::uint32_t sum = 0;
    while (first_.next() <= end) {
      sum += first_.pop_until(end);
      if (!first_.empty() || behind_.empty()) break;
      first_ = behind_.front();
      behind_.pop();
    }
    return sum;
  }

  FlitTrain first_;  ///< here, since most queues have one train: what asks for it reads one place in memory
  QueueRing<FlitTrain> behind_;
};

}  // namespace weft
