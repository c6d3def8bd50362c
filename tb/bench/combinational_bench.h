// SPDX-License-Identifier: Apache-2.0
// Benches of blocks without a clock: an output that follows from the inputs of the same cycle.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "tb/bench/block_bench.h"

namespace weft::tb {

/// With Compare::kOrder the RTL may have a clock and any constant latency up to kMostLatency: those that disagree with
/// what is seen are given up one by one, and it is wrong when none is left.
class CombinationalBench : public BlockBench {
 public:
  explicit CombinationalBench(const BenchSetup& setup);
  void reset() override;
  std::optional<Mismatch> check(std::uint64_t now) override;

  static constexpr std::size_t kMostLatency = 64;

 private:
  std::deque<std::vector<std::uint8_t>> recent_;  ///< expected values of the output, the newest first
  std::vector<std::size_t> latencies_;            ///< not yet refuted
  std::size_t last_latency_ = 0;                  ///< the last one that was
};

}  // namespace weft::tb
