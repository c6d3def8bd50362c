// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/combinational_bench.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::tb {

CombinationalBench::CombinationalBench(const BenchSetup& setup) : BlockBench(setup) { CombinationalBench::reset(); }

void CombinationalBench::reset() {
  recent_.clear();
  if (latencies_.empty()) {
    for (std::size_t latency = 0; latency <= kMostLatency; ++latency) latencies_.push_back(latency);
  }
}

std::optional<Mismatch> CombinationalBench::check(std::uint64_t now) {
  if (setup_.compare == Compare::kCycle) return BlockBench::check(now);
  const Expected& output = expected().front();
  recent_.push_front(output.value);
  if (recent_.size() > kMostLatency + 1) recent_.pop_back();
  const std::vector<std::uint8_t> actual = bytes_of(output.port, output.lsb, output.width);
  const auto refuted = [&](std::size_t latency) { return latency < recent_.size() && recent_[latency] != actual; };
  last_latency_ = latencies_.front();
  for (const std::size_t latency : latencies_) {
    if (refuted(latency)) last_latency_ = latency;
  }
  latencies_.erase(std::remove_if(latencies_.begin(), latencies_.end(), refuted), latencies_.end());
  if (!latencies_.empty()) return std::nullopt;
  const std::vector<std::uint8_t>& expected_value = recent_[std::min(last_latency_, recent_.size() - 1)];
  return Mismatch{now, output.name, fmt::format("{}, latency {}", output.flow, last_latency_),
                  hex_of(expected_value.data(), expected_value.size()), hex_of(actual.data(), actual.size())};
}

}  // namespace weft::tb
