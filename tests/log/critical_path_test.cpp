// SPDX-License-Identifier: Apache-2.0
#include "log/critical_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/log/support/small_log.h"

namespace weft::log {
namespace {

Cycle of(const CriticalPath& path, PathKind kind) { return path.of_kind[static_cast<std::size_t>(kind)]; }

TEST(CriticalPath, by_hand) {
  RunLog log(2);
  fill_small_log(log);
  const CriticalPath path = critical_path(log, small_names());
  EXPECT_EQ(path.cycles, 33U);
  EXPECT_EQ(path.last, NodeId{1});
  EXPECT_EQ(of(path, PathKind::kCompute), 10U);
  EXPECT_EQ(of(path, PathKind::kCredit), 3U);
  EXPECT_EQ(of(path, PathKind::kInjection), 7U);
  EXPECT_EQ(of(path, PathKind::kLink), 6U);
  EXPECT_EQ(of(path, PathKind::kSwitch), 3U);
  EXPECT_EQ(of(path, PathKind::kEndpoint), 4U);
}

TEST(CriticalPath, its_steps_follow_each_other_from_the_start_to_the_end) {
  RunLog log(2);
  fill_small_log(log);
  const CriticalPath path = critical_path(log, small_names());
  ASSERT_EQ(path.steps.size(), 6U);
  Cycle at = 0;
  for (const PathStep& step : path.steps) {
    EXPECT_EQ(step.from, at);
    EXPECT_GT(step.to, step.from);
    at = step.to;
  }
  EXPECT_EQ(at, 33U);
  EXPECT_EQ(path.steps[0].what, "multiply");
  EXPECT_EQ(path.steps[0].node, NodeId{0});
  EXPECT_EQ(path.steps[3].towards, NodeId{1});
  EXPECT_EQ(path.steps[3].tag, kSumTag);
  EXPECT_EQ(path.steps[5].node, NodeId{1});
}

// The second half of the message is released later, by a timer that ends at 18: what had to be waited for is that one.
TEST(CriticalPath, goes_back_to_the_release_of_the_last_bytes) {
  RunLog log(2);
  const NodeId first{0};
  log.message_queued(first, 0, {0, NodeId{1}, kSumTag, 128, false, false}, 64);
  log.timer_set(first, 0, 9, kComputeTimer);
  log.packet_entered(first, 1, 0, 0);
  log.timer_fired(first, 18, 9);
  log.message_released(first, 18, 0, 128);
  log.packet_entered(first, 19, 0, 64);
  Packet packet = small_packet(0, 19);
  packet.offset = 64;
  packet.message_bytes = 128;
  log.packet_received(NodeId{1}, 25, packet);
  log.rank_finished(NodeId{1}, 25);
  const CriticalPath path = critical_path(log, small_names());
  EXPECT_EQ(of(path, PathKind::kCompute), 18U);
  EXPECT_EQ(of(path, PathKind::kInjection), 1U);
  EXPECT_EQ(of(path, PathKind::kLink), 6U);
}

// Operands of ranks 0 and 1 are summed on the way. The packet bears the name of rank 0; rank 1's entered later.
TEST(CriticalPath, of_a_sum_goes_back_to_the_operand_that_entered_last) {
  RunLog log(3);
  LogNames names = small_names();
  names.nodes.push_back("npu[2]");
  names.ranks.push_back(RankId{2});
  for (const std::uint32_t n : {0u, 1u}) {
    const Cycle computed = n == 0 ? 4 : 11;
    log.timer_set(NodeId{n}, 0, n, kComputeTimer);
    log.timer_fired(NodeId{n}, computed, n);
    log.message_queued(NodeId{n}, computed, {0, NodeId{2}, 5, 64, true, false}, 64);
    log.packet_entered(NodeId{n}, computed, 0, 0);
  }
  Packet packet = small_packet(0, 4);
  packet.tag = 5;
  packet.flow = true;
  log.packet_received(NodeId{2}, 20, packet);
  log.rank_finished(NodeId{2}, 20);
  const CriticalPath path = critical_path(log, names);
  EXPECT_EQ(of(path, PathKind::kCompute), 11U);
  EXPECT_EQ(of(path, PathKind::kLink), 9U);
  EXPECT_EQ(path.steps.front().node, NodeId{1});
}

// A timer that was set outside of any event, as by a model that serves several nodes: what lies between is its time.
TEST(CriticalPath, counts_what_nobody_has_told_as_memory) {
  RunLog log(1);
  LogNames names = small_names();
  log.timer_set(NodeId{0}, 0, 0, kComputeTimer);
  log.timer_fired(NodeId{0}, 10, 0);
  log.timer_set(NodeId{0}, 14, 1, kComputeTimer);
  log.timer_fired(NodeId{0}, 15, 1);
  log.rank_finished(NodeId{0}, 15);
  const CriticalPath path = critical_path(log, names);
  EXPECT_EQ(of(path, PathKind::kMemory), 4U);
  EXPECT_EQ(of(path, PathKind::kCompute), 11U);
}

TEST(CriticalPath, is_empty_without_a_rank_that_finished) {
  const RunLog log(2);
  EXPECT_TRUE(critical_path(log, small_names()).steps.empty());
}

TEST(RunLog, refuses_what_cannot_be) {
  RunLog log(1);
  EXPECT_THROW(log.timer_fired(NodeId{0}, 3, 7), ViolationError);
  EXPECT_THROW(log.message_left(NodeId{0}, 3, 0), ViolationError);
  EXPECT_THROW(log.message_queued(NodeId{0}, 3, {1, NodeId{0}, 0, 1, false, false}, 1), ViolationError);
}

}  // namespace
}  // namespace weft::log
