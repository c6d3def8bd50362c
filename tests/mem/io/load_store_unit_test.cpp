// SPDX-License-Identifier: Apache-2.0
// How loads and stores of a rank become messages to controllers, by hand.
#include "mem/io/load_store_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/error.h"

namespace weft::mem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Remembers what is sent: "ask piece.controller bytes", "store piece.controller bytes stripe", "room piece".
class UnitOutlet final : public LoadStoreUnit::Outlet {
 public:
  Cycle now() const override { return time; }
  void ask(IoTag tag, std::uint64_t bytes) override {
    sent.push_back(fmt::format("ask {}.{} {}", tag.piece, tag.controller, bytes));
    last = tag;
  }
  void store(IoTag tag, std::uint64_t bytes, std::uint32_t stripe) override {
    sent.push_back(fmt::format("store {}.{} {} {}", tag.piece, tag.controller, bytes, stripe));
    last = tag;
  }
  void report_room(IoTag tag) override { sent.push_back(fmt::format("room {}", tag.piece)); }
  void done(std::uint64_t handle) override { ended.push_back(handle); }
  std::vector<std::string> take() { return std::exchange(sent, {}); }

  Cycle time = 0;
  std::vector<std::string> sent;
  std::vector<std::uint64_t> ended;
  IoTag last;
};

/// Two controllers, pieces of two packets of 100 bytes from each: 400 bytes a piece; two pieces under way.
constexpr IoShares kShares{2, 200, 100};
constexpr int kPieces = 2;

LoadStore order_of(std::uint64_t handle, bool store, std::uint64_t bytes, PoolOwner owner = {false, 3}) {
  LoadStore order;
  order.handle = handle;
  order.name = "w";
  order.store = store;
  order.bytes = bytes;
  order.owner = owner;
  return order;
}

IoTag tag_of(bool store, PoolOwner owner, std::uint32_t piece, std::uint32_t instance = 0) {
  return {store, owner.grouped, owner.number, instance, piece, 0};
}

// 950 bytes: pieces of 400, 400 and 150. Rank 3's first packet is that of controller 1.
TEST(LoadStoreUnit, a_load_keeps_two_pieces_under_way) {
  UnitOutlet outlet;
  LoadStoreUnit unit(kShares, kPieces, RankId{3}, outlet, nullptr);
  unit.start(order_of(7, false, 950));
  EXPECT_THAT(outlet.take(), ElementsAre("ask 0.0 200", "ask 0.1 200", "ask 1.0 200", "ask 1.1 200"));
  outlet.time = 10;
  unit.arrived(tag_of(false, {false, 3}, 1), 400);
  EXPECT_THAT(outlet.take(), ElementsAre("ask 2.0 50", "ask 2.1 100"));
  EXPECT_EQ(unit.waiting_for(7), "1 of 3 pieces are through, piece 0 lacks 400 bytes, piece 2 lacks 150 bytes");
  unit.arrived(tag_of(false, {false, 3}, 2), 150);
  unit.arrived(tag_of(false, {false, 3}, 0), 100);
  EXPECT_THAT(outlet.ended, IsEmpty());
  outlet.time = 30;
  unit.arrived(tag_of(false, {false, 3}, 0), 300);
  EXPECT_THAT(outlet.ended, ElementsAre(7U));
  EXPECT_EQ(unit.waiting_for(7), "nothing");
  EXPECT_EQ(unit.figures().loads, 1U);
  EXPECT_EQ(unit.figures().loaded_bytes, 950U);
  EXPECT_EQ(unit.load_spans(outlet.time).cycles(), 30U);
}

TEST(LoadStoreUnit, a_store_ends_with_an_answer_of_each_controller) {
  UnitOutlet outlet;
  LoadStoreUnit unit(kShares, kPieces, RankId{3}, outlet, nullptr);
  unit.start(order_of(7, true, 450));
  EXPECT_THAT(outlet.take(), ElementsAre("store 0.0 200 0", "store 0.1 200 1", "store 1.1 50 2"));
  unit.arrived(tag_of(true, {false, 3}, 0), 0);
  unit.arrived(tag_of(true, {false, 3}, 1), 0);
  EXPECT_EQ(unit.waiting_for(7), "1 of 2 pieces are through, piece 0 lacks 1 answers");
  unit.arrived(tag_of(true, {false, 3}, 0), 0);
  EXPECT_THAT(outlet.ended, ElementsAre(7U));
  EXPECT_EQ(unit.figures().stored_bytes, 450U);
}

// Three members: the first one asks when the other two and itself have room, in any order.
TEST(LoadStoreUnit, the_first_member_asks_when_all_have_room) {
  const PoolOwner group{true, 0};
  UnitOutlet outlet;
  LoadStoreUnit first(kShares, kPieces, RankId{3}, outlet, nullptr);
  LoadStore order = order_of(7, false, 100, group);
  order.members = 3;
  IoTag room = tag_of(false, group, 0);
  room.controller = kRoomReport;
  first.has_room(room, 3);  // before the load has begun here
  first.start(order);
  EXPECT_THAT(outlet.take(), IsEmpty());
  first.has_room(room, 3);
  EXPECT_THAT(outlet.take(), ElementsAre("ask 0.0 100"));
  LoadStoreUnit other(kShares, kPieces, RankId{4}, outlet, nullptr);
  order.first_member = false;
  other.start(order);
  EXPECT_THAT(outlet.take(), ElementsAre("room 0"));
}

// The second one waits until all pieces of the first have left, not until they are through.
TEST(LoadStoreUnit, stores_of_a_group_leave_one_after_the_other) {
  const PoolOwner group{true, 0};
  UnitOutlet outlet;
  LoadStoreUnit unit(kShares, kPieces, RankId{3}, outlet, nullptr);
  unit.start(order_of(7, true, 900, group));
  LoadStore second = order_of(8, true, 100, group);
  second.instance = 1;
  unit.start(second);
  EXPECT_THAT(outlet.take(), ElementsAre("store 0.0 200 0", "store 0.1 200 1", "store 1.0 200 2", "store 1.1 200 3"));
  EXPECT_THAT(unit.waiting_for(8), HasSubstr("waits for an earlier store of its group"));
  unit.arrived(tag_of(true, group, 0), 0);
  unit.arrived(tag_of(true, group, 0), 0);
  EXPECT_THAT(outlet.take(), ElementsAre("store 2.0 100 2", "store 0.0 100 0"));
}

TEST(LoadStoreUnit, counts_what_was_loaded_before_the_first_store) {
  UnitOutlet outlet;
  LoadStoreUnit unit(kShares, kPieces, RankId{3}, outlet, nullptr);
  unit.start(order_of(7, false, 200));
  outlet.time = 20;
  unit.arrived(tag_of(false, {false, 3}, 0), 150);
  unit.store_ahead();
  outlet.time = 50;
  unit.arrived(tag_of(false, {false, 3}, 0), 50);
  unit.store_ahead();
  EXPECT_EQ(unit.figures().early_bytes, 150U);
  EXPECT_EQ(unit.figures().early_cycles, 20U);
  EXPECT_EQ(unit.load_spans(outlet.time).cycles(), 50U);
}

TEST(LoadStoreUnit, says_of_what_a_packet_was_refused) {
  UnitOutlet outlet;
  LoadStoreUnit unit(kShares, kPieces, RankId{3}, outlet, nullptr);
  unit.start(order_of(7, false, 100));
  EXPECT_EQ(unit.refused(tag_of(false, {false, 3}, 0)), "node 7 'w', a load");
  unit.arrived(tag_of(false, {false, 3}, 0), 100);
  EXPECT_EQ(unit.refused(tag_of(false, {false, 3}, 0)), "a load that has ended");
  EXPECT_EQ(unit.figures().refused, 2U);
}

// A group's tensor is told to the pool by its first member only.
TEST(LoadStoreUnit, tells_the_pool_what_begins_and_ends) {
  PoolFile pool;
  pool.size = 1 << 20;
  pool.spec.controllers = 2;
  const PoolLayout layout(pool, 4, 2);
  TensorAllocator allocator(layout);
  UnitOutlet outlet;
  LoadStoreUnit unit(kShares, kPieces, RankId{3}, outlet, &allocator);
  LoadStore other = order_of(6, false, 100, {true, 0});
  other.members = 2;
  other.first_member = false;
  unit.start(other);
  unit.start(order_of(7, false, 100));
  const std::vector<PoolOpening> opened = allocator.take_opened();
  ASSERT_EQ(opened.size(), 1U);
  EXPECT_EQ(opened[0].name, "w");
  EXPECT_EQ(opened[0].owner.number, 3U);
  EXPECT_THAT(allocator.take_closed(), IsEmpty());
  unit.arrived(tag_of(false, {false, 3}, 0), 100);
  EXPECT_EQ(allocator.take_closed().size(), 1U);
}

TEST(LoadStoreUnit, too_many_pieces_bad) {
  UnitOutlet outlet;
  LoadStoreUnit unit(kShares, kPieces, RankId{3}, outlet, nullptr);
  try {
    unit.start(order_of(7, false, 400 * kMostIoPieces + 1));
    FAIL() << "they were taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("26214401 bytes are 65537 pieces of 200 from each of 2 I/O controllers"));
  }
}

TEST(LoadStoreUnit, data_that_nobody_has_asked_for_bad) {
  UnitOutlet outlet;
  LoadStoreUnit unit(kShares, kPieces, RankId{3}, outlet, nullptr);
  EXPECT_THROW(unit.arrived(tag_of(false, {false, 3}, 0), 1), ViolationError);
  unit.start(order_of(7, false, 100));
  EXPECT_THROW(unit.arrived(tag_of(false, {false, 3}, 0), 101), ViolationError);
}

}  // namespace
}  // namespace weft::mem
