// SPDX-License-Identifier: Apache-2.0
// Who may touch which tensor of a pool.
#include "mem/io/pool_access_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "base/error.h"

namespace weft::mem {
namespace {

using testing::HasSubstr;

constexpr NodeId kSummed{0xffffffff};

/// Two controllers, pages of 4 KiB; ranks 0 to 3 at nodes 0 to 3 of 5 nodes, groups a (0, 1) and b (2, 3).
struct Bench {
  explicit Bench(const std::vector<PoolGrant>& grants = {}) {
    pool.size = 1 << 20;
    pool.spec.controllers = 2;
    pool.access.emplace();
    pool.grants = grants;
    layout.emplace(pool, 4, 2);
    guard.emplace(pool, *layout, std::vector<NodeId>{NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}}, 5, kSummed);
    guard->use_groups({{"a", {NodeId{0}, NodeId{1}}}, {"b", {NodeId{2}, NodeId{3}}}});
  }
  /// What `who` hears of an access to 64 bytes at `offset` in the slice of controller 1.
  Reason judge(Initiator who, Command command, std::uint64_t offset) {
    Request request;
    request.initiator = who;
    request.command = command;
    request.address = layout->slice_bytes() + offset;
    request.bytes = 64;
    return guard->unit(1).judge_debug(request).reason;
  }

  PoolFile pool;
  std::optional<PoolLayout> layout;
  std::optional<PoolAccessControl> guard;
};

// A node that is no member does not become one by naming the group.
TEST(PoolAccessControl, identity_is_the_source_of_the_flits) {
  Bench bench;
  const PoolAccessControl& guard = *bench.guard;
  EXPECT_EQ(guard.initiator(NodeId{1}, false, 1), 1U);
  EXPECT_EQ(guard.initiator(NodeId{1}, true, 0), 5U + 0);
  EXPECT_EQ(guard.initiator(NodeId{2}, true, 1), 5U + 1);
  EXPECT_EQ(guard.initiator(NodeId{1}, true, 1), 1U);
  EXPECT_EQ(guard.initiator(NodeId{1}, true, 9), 1U);
  EXPECT_EQ(guard.initiator(kSummed, true, 1), 5U + 1);
}

TEST(PoolAccessControl, without_a_grant_owners_and_whole_groups_have_their_own) {
  Bench bench;
  bench.guard->admit({{}, {false, 1}, "mine", 4096, 4096});
  bench.guard->admit({{}, {true, 0}, "ours", 8192, 4096});
  EXPECT_EQ(bench.judge(1, Command::kWrite, 4096), Reason::kNone);
  EXPECT_EQ(bench.judge(0, Command::kRead, 4096), Reason::kNotGranted);
  for (const Initiator who : {0U, 1U, 5U}) EXPECT_EQ(bench.judge(who, Command::kWrite, 8192), Reason::kNone) << who;
  for (const Initiator who : {2U, 6U}) EXPECT_EQ(bench.judge(who, Command::kRead, 8192), Reason::kNotGranted) << who;
  EXPECT_EQ(bench.judge(1, Command::kRead, 0), Reason::kNotGranted);
}

// Rank 0 owns everything, ranks 1 and 2 may read. A traffic class may do what all members of its group may.
TEST(PoolAccessControl, a_grant_decides_for_ranks_and_traffic_classes) {
  PoolGrant grant;
  grant.owner = 0;
  grant.readers = {{1, 2}};
  Bench bench({grant});
  bench.guard->admit({{}, {false, 1}, "mine", 4096, 4096});
  bench.guard->admit({{}, {true, 0}, "ours", 8192, 4096});
  bench.guard->admit({{}, {true, 1}, "theirs", 12'288, 4096});
  EXPECT_EQ(bench.judge(0, Command::kWrite, 4096), Reason::kNone);
  EXPECT_EQ(bench.judge(1, Command::kRead, 4096), Reason::kNone);
  EXPECT_EQ(bench.judge(1, Command::kWrite, 4096), Reason::kReadOnly);
  EXPECT_EQ(bench.judge(5, Command::kRead, 8192), Reason::kNone);
  EXPECT_EQ(bench.judge(5, Command::kWrite, 8192), Reason::kReadOnly);
  EXPECT_EQ(bench.judge(2, Command::kRead, 12'288), Reason::kNone);
  EXPECT_EQ(bench.judge(6, Command::kRead, 12'288), Reason::kNotGranted);  // rank 3 may not
}

TEST(PoolAccessControl, a_grant_to_a_group_that_does_not_exist_bad) {
  PoolGrant grant;
  grant.group = "c";
  try {
    const Bench bench({grant});
    FAIL() << "the grant was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("group: there is no process group 'c'"));
  }
}

}  // namespace
}  // namespace weft::mem
