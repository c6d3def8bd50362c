// SPDX-License-Identifier: Apache-2.0
#include "sc_models/latency_growth.h"

#include <algorithm>

namespace weft::sc_models {
namespace {

/// Packets of a period that are compared at most.
constexpr std::size_t kMostPackets = std::size_t{1} << 26;

void put_in_order(std::vector<npu::PacketLatency>& packets) {
  std::stable_sort(packets.begin(), packets.end(),
                   [](const npu::PacketLatency& a, const npu::PacketLatency& b) { return a.node < b.node; });
}

}  // namespace

bool LatencyGrowth::compare(std::vector<npu::PacketLatency> first, std::vector<npu::PacketLatency> second) {
  latency_.clear();
  network_latency_.clear();
  if (first.size() != second.size() || first.size() > kMostPackets) return false;
  put_in_order(first);
  put_in_order(second);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].node != second[i].node || !count(first[i].latency, second[i].latency, &latency_) ||
        !count(first[i].network_latency, second[i].network_latency, &network_latency_)) {
      return false;
    }
  }
  return true;
}

/// False: the latency shrinks, which ends some time.
bool LatencyGrowth::count(Cycle first, Cycle second, Groups* groups) {
  if (second < first) return false;
  ++(*groups)[{second, second - first}];
  return true;
}

void LatencyGrowth::add(std::uint64_t passed, std::uint64_t periods, npu::MessageStatistics* statistics) const {
  add(latency_, passed, periods, &statistics->latency);
  add(network_latency_, passed, periods, &statistics->network_latency);
}

void LatencyGrowth::add(const Groups& groups, std::uint64_t passed, std::uint64_t periods,
                        LatencyHistogram* histogram) {
  for (const auto& [packets, times] : groups) {
    const auto [latency, growth] = packets;
    if (growth == 0) {
      histogram->add(latency, times * periods);
      continue;
    }
    for (std::uint64_t i = 1; i <= periods; ++i) histogram->add(latency + (passed + i) * growth, times);
  }
}

void repeat_latencies(const npu::MessageStatistics& before, std::uint64_t times, npu::MessageStatistics* all) {
  all->latency.repeat_since(before.latency, times);
  all->network_latency.repeat_since(before.network_latency, times);
}

}  // namespace weft::sc_models
