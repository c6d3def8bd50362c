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
  void push(const FlitTrain& train) { trains_.push(train); }
  bool empty() const { return trains_.empty(); }
  /// Cycle of the next flit; not empty.
  Cycle next() const { return trains_.front().next(); }
  /// Cycle of the next tail; not empty.
  Cycle next_tail() const { return trains_.front().last(); }
  /// Takes off what passes up to and with cycle `end`; how many flits these are.
  std::uint32_t pop_until(Cycle end) {
    std::uint32_t sum = 0;
    while (!trains_.empty() && trains_.front().next() <= end) {
      sum += trains_.front().pop_until(end);
      if (!trains_.front().empty()) break;
      trains_.pop();
    }
    return sum;
  }
  /// The cycle of flit number `n` from now on, 1 = the next; kNever if so many are not known.
  Cycle nth(std::uint32_t n) const {
    for (std::size_t i = 0; i < trains_.size(); ++i) {
      if (n <= trains_[i].left()) return trains_[i].nth(n);
      n -= trains_[i].left();
    }
    return kNever;
  }
  /// Gives `form` its state. What has passed has been taken off.
  template <typename Form>
  void put_state(Form& form) {
    form.same(trains_.size());
    for (std::size_t i = 0; i < trains_.size(); ++i) trains_[i].put_state(form);
  }
  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.queue(trains_, [&](FlitTrain& train) { train.keep(checkpoint); });
  }

 private:
  QueueRing<FlitTrain> trains_;
};

}  // namespace weft
