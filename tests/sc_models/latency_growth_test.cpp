// SPDX-License-Identifier: Apache-2.0
// Latencies of periods that are left out, against packets that are written out by hand.
#include "sc_models/latency_growth.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace weft::sc_models {
namespace {

using Packets = std::vector<npu::PacketLatency>;

/// The histogram of latencies, as count by latency, after `periods` periods, `passed` behind the second one.
std::map<Cycle, std::uint64_t> after(const Packets& first, const Packets& second, std::uint64_t passed,
                                     std::uint64_t periods) {
  LatencyGrowth growth;
  EXPECT_TRUE(growth.compare(first, second));
  npu::MessageStatistics statistics;
  growth.add(passed, periods, &statistics);
  std::map<Cycle, std::uint64_t> counts;
  statistics.latency.for_each([&](Cycle latency, std::uint64_t count) { counts[latency] += count; });
  return counts;
}

TEST(LatencyGrowth, latencies_grow_as_they_did) {
  // A packet that takes 10 cycles each time, and one that takes 5 more from period to period.
  const Packets first{{0, 10, 4}, {1, 20, 4}};
  const Packets second{{0, 10, 4}, {1, 25, 4}};
  EXPECT_EQ(after(first, second, 0, 3), (std::map<Cycle, std::uint64_t>{{10, 3}, {30, 1}, {35, 1}, {40, 1}}));
  EXPECT_EQ(after(first, second, 2, 1), (std::map<Cycle, std::uint64_t>{{10, 1}, {40, 1}}));
}

// Node 0 has 10 and 30, node 1 has 20 and 40, so that both go on by 20: 50 and 60. Taken as they stand in the lists,
// one would go on by 30 and the other by 10.
TEST(LatencyGrowth, nodes_may_come_in_another_order) {
  const Packets first{{0, 10, 1}, {1, 20, 1}};
  const Packets second{{1, 40, 1}, {0, 30, 1}};
  EXPECT_EQ(after(first, second, 0, 1), (std::map<Cycle, std::uint64_t>{{50, 1}, {60, 1}}));
}

TEST(LatencyGrowth, packets_of_a_node_keep_their_order) {
  const Packets first{{0, 10, 1}, {0, 20, 1}};
  const Packets second{{0, 30, 1}, {0, 25, 1}};
  EXPECT_EQ(after(first, second, 0, 1), (std::map<Cycle, std::uint64_t>{{30, 1}, {50, 1}}));
}

TEST(LatencyGrowth, what_cannot_go_on_is_told) {
  LatencyGrowth growth;
  EXPECT_FALSE(growth.compare({{0, 10, 1}}, {{0, 9, 1}})) << "a latency that shrinks";
  EXPECT_FALSE(growth.compare({{0, 10, 2}}, {{0, 10, 1}})) << "a network latency that shrinks";
  EXPECT_FALSE(growth.compare({{0, 10, 1}}, {{1, 10, 1}})) << "at another node";
  EXPECT_FALSE(growth.compare({{0, 10, 1}}, {})) << "one packet less";
}

}  // namespace
}  // namespace weft::sc_models
