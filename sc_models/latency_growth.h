// SPDX-License-Identifier: Apache-2.0
// Latencies of the packets of periods that are left out.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "npu/interface/message_interfaces.h"

namespace weft::sc_models {

/// How the latencies of the packets of a period grow from each period to the next.
class LatencyGrowth {
 public:
  /// Compares a period with the one behind it. Packets pair up by node, in the order in which they came there: that in
  /// which nodes get theirs within a cycle decides nothing. False: they cannot go on like this.
  bool compare(std::vector<npu::PacketLatency> first, std::vector<npu::PacketLatency> second);
  /// Adds the packets of `periods` periods; `passed` periods lie between `second` and the first of them.
  void add(std::uint64_t passed, std::uint64_t periods, npu::MessageStatistics* statistics) const;

 private:
  /// Packets by their latency in the second period and what it grows by in each later one, in cycles.
  using Groups = std::map<std::pair<Cycle, Cycle>, std::uint64_t>;

  static bool count(Cycle first, Cycle second, Groups* groups);
  static void add(const Groups& groups, std::uint64_t passed, std::uint64_t periods, LatencyHistogram* histogram);

  Groups latency_;
  Groups network_latency_;
};

/// Adds what `all` has counted since it was as in `before`, `times` times.
void repeat_latencies(const npu::MessageStatistics& before, std::uint64_t times, npu::MessageStatistics* all);

}  // namespace weft::sc_models
