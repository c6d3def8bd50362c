// SPDX-License-Identifier: Apache-2.0
// Shares of loads and stores that a pool is serving.
#include "mem/io/pool_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::mem {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr IoTag kLoad{false, false, 3, 0, 0, 0};
constexpr IoTag kStore{true, false, 3, 0, 0, 0};

// Packets of 100 bytes.
TEST(PoolClient, a_load_is_ready_as_far_as_no_packet_is_missing) {
  PoolClient client(100);
  const std::uint64_t number = client.load(kLoad, NodeId{3}, 250);
  const std::vector<PoolAsk> asks = client.take_asks();
  ASSERT_THAT(asks, SizeIs(3));
  EXPECT_EQ(asks[2].offset, 200U);
  EXPECT_EQ(asks[2].bytes, 50U);
  EXPECT_EQ(asks[2].command, Command::kRead);
  EXPECT_THAT(client.take_asks(), IsEmpty());

  const PoolProgress second = client.apply({asks[1].id, Reason::kNone, 0, 100});
  EXPECT_EQ(second.share, number);
  EXPECT_EQ(second.ready, 0U);
  const PoolProgress first = client.apply({asks[0].id, Reason::kNone, 0, 100});
  EXPECT_EQ(first.ready, 200U);
  EXPECT_FALSE(first.ended);
  const PoolProgress last = client.apply({asks[2].id, Reason::kNone, 0, 50});
  EXPECT_EQ(last.ready, 250U);
  EXPECT_TRUE(last.ended);
  EXPECT_EQ(last.peer, NodeId{3});
  EXPECT_THROW(client.apply({asks[2].id, Reason::kNone, 0, 50}), ViolationError);
}

TEST(PoolClient, a_store_has_ended_when_its_last_packet_has_come_and_all_are_there) {
  PoolClient client(100);
  client.store(kStore, NodeId{3}, 0, 100, false);
  client.store(kStore, NodeId{4}, 0, 60, true);  // a store of somebody else: a share of its own
  std::vector<PoolAsk> asks = client.take_asks();
  EXPECT_TRUE(client.apply({asks[1].id, Reason::kNone, 0, 60}).ended);
  EXPECT_FALSE(client.apply({asks[0].id, Reason::kNone, 0, 100}).ended);  // more will come
  client.store(kStore, NodeId{3}, 100, 50, true);
  asks = client.take_asks();
  const PoolProgress last = client.apply({asks[0].id, Reason::kNone, 0, 50});
  EXPECT_TRUE(last.ended);
  EXPECT_EQ(last.peer, NodeId{3});
}

TEST(PoolClient, of_a_share_the_first_refusal_is_told) {
  PoolClient client(100);
  client.load(kLoad, NodeId{3}, 300);
  const std::vector<PoolAsk> asks = client.take_asks();
  const PoolAnswer refusals[] = {{asks[0].id, Reason::kNotGranted, 4096, 100},
                                 {asks[1].id, Reason::kOutside, 4196, 100}};
  EXPECT_EQ(client.apply(refusals[0]).refusal, &refusals[0]);
  const PoolProgress second = client.apply(refusals[1]);
  EXPECT_EQ(second.refusal, nullptr);
  EXPECT_EQ(second.ready, 200U);  // what was refused counts as served
}

}  // namespace
}  // namespace weft::mem
