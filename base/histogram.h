// SPDX-License-Identifier: Apache-2.0
// Exact histogram of cycle counts: every value is kept, so mean, percentiles and maximum carry no rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.h"

namespace weft {

/// Counts how often each latency (cycles) occurred. `add` is one comparison and one increment for values below
/// 65,536; larger ones go to a list, which is sorted now and then. Two histograms merged equal one that saw both
/// streams.
class LatencyHistogram {
 public:
  /// Counts `value` once.
  void add(Cycle value) {
    if (value < dense_.size()) {
      ++dense_[value];
    } else {
      add_slow(value, 1);
    }
  }
  /// Counts `value` `times` times.
  void add(Cycle value, std::uint64_t times);
  /// Adds what has been counted since it was `before` another `times` times; ViolationError where `before` has a value
  /// more often than this.
  void repeat_since(const LatencyHistogram& before, std::uint64_t times);
  /// Adds all counts of `other`.
  void merge(const LatencyHistogram& other);

  /// Different values that have been counted, about: one in eight of those up to the greatest, and all very large ones.
  std::size_t distinct() const { return dense_.size() / 8 + sparse_.size() + unsorted_.size(); }
  /// Samples.
  std::uint64_t count() const;
  /// Sum of all values in cycles; exact below 2^64.
  std::uint64_t sum() const;
  /// Arithmetic mean in cycles. Needs count() > 0.
  double mean() const;
  /// The smallest value that at least `percent` % of the samples do not exceed (nearest rank), 0 < percent <= 100.
  /// Needs count() > 0.
  Cycle percentile(unsigned percent) const;
  /// Needs count() > 0.
  Cycle max() const;

  /// Calls `visit(value, count)` for each value that occurred, in ascending order.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t value = 0; value < dense_.size(); ++value) {
      if (dense_[value] != 0) visit(static_cast<Cycle>(value), dense_[value]);
    }
    sort();
    for (const Count& each : sparse_) visit(each.value, each.times);
  }

  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    sort();
    checkpoint.list(dense_);
    checkpoint.each(sparse_, [&](Count& each) { checkpoint.values(each.value, each.times); });
  }

  friend bool operator==(const LatencyHistogram& a, const LatencyHistogram& b);

 private:
  // Bounds the memory that one outlier can cost: 512 KiB.
  static constexpr Cycle kDenseLimit = 65536;

  struct Count {
    Cycle value = 0;
    std::uint64_t times = 0;
  };

  void add_slow(Cycle value, std::uint64_t times);
  void sort() const;
  void add_sorted(const std::vector<Count>& counts) const;

  std::vector<std::uint64_t> dense_;     ///< counts of 0, 1, 2, ...; grows to the largest value seen
  mutable std::vector<Count> sparse_;    ///< counts of values from kDenseLimit on, in ascending order
  mutable std::vector<Count> unsorted_;  ///< further counts of such values
};

}  // namespace weft
