// SPDX-License-Identifier: Apache-2.0
// What is saved comes back, whatever follows it, and what is no whole checkpoint is refused.
#include "base/checkpoint.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/queue_ring.h"
#include "base/timing_wheel.h"

namespace weft {
namespace {

/// One of everything that can be kept.
struct Everything {
  std::uint32_t number = 0;
  bool flag = false;
  double share = 0;
  NodeId node{};
  std::string text;
  std::vector<std::uint16_t> list;
  std::deque<std::uint64_t> deque;
  std::vector<bool> bits;
  std::set<int> set;
  std::map<std::uint64_t, std::string> map;
  std::optional<std::uint64_t> some;
  std::optional<std::uint64_t> none;
  QueueRing<std::uint32_t> queue;
  std::unordered_map<std::uint64_t, std::uint8_t> hashed;

  void keep(Checkpoint& checkpoint) {
    checkpoint.section("everything");
    checkpoint.values(number, flag, share, node);
    checkpoint.text(text);
    checkpoint.list(list);
    checkpoint.list(deque);
    checkpoint.bits(bits);
    checkpoint.set(set);
    checkpoint.map(map, [&](std::uint64_t& key, std::string& value) {
      checkpoint.values(key);
      checkpoint.text(value);
    });
    checkpoint.optional(some);
    checkpoint.optional(none);
    checkpoint.queue(queue, [&](std::uint32_t& item) { checkpoint.values(item); });
    checkpoint.hashed(hashed, [&](std::uint8_t& value) { checkpoint.values(value); });
  }
};

Everything filled() {
  Everything all;
  all.number = 7;
  all.flag = true;
  all.share = 0.25;
  all.node = NodeId{12};
  all.text = "a word";
  all.list = {1, 2, 65535};
  all.deque = {9, 8};
  all.bits = {true, false, true};
  all.set = {-3, 5};
  all.map = {{1, "one"}, {2, ""}};
  all.some = 4;
  for (std::uint32_t i = 0; i < 6; ++i) all.queue.push(i);
  all.queue.pop();
  for (std::uint64_t i = 0; i < 40; ++i) all.hashed[i * i] = static_cast<std::uint8_t>(i);
  return all;
}

std::string saved(Everything all) {
  Checkpoint checkpoint;
  all.keep(checkpoint);
  return checkpoint.bytes();
}

// The map of many entries stands last, with nothing behind it.
TEST(Checkpoint, what_is_saved_comes_back) {
  const std::string bytes = saved(filled());
  Everything all;
  all.none = 3;
  all.list = {4};
  all.queue.push(99);
  all.hashed[1000] = 1;
  Checkpoint checkpoint(bytes);
  all.keep(checkpoint);
  checkpoint.require_end();
  EXPECT_EQ(all.number, 7u);
  EXPECT_TRUE(all.flag);
  EXPECT_EQ(all.share, 0.25);
  EXPECT_EQ(all.node, NodeId{12});
  EXPECT_EQ(all.text, "a word");
  EXPECT_EQ(all.list, (std::vector<std::uint16_t>{1, 2, 65535}));
  EXPECT_EQ(all.deque, (std::deque<std::uint64_t>{9, 8}));
  EXPECT_EQ(all.bits, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(all.set, (std::set<int>{-3, 5}));
  EXPECT_EQ(all.map, (std::map<std::uint64_t, std::string>{{1, "one"}, {2, ""}}));
  EXPECT_EQ(all.some, 4u);
  EXPECT_FALSE(all.none.has_value());
  ASSERT_EQ(all.queue.size(), 5u);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(all.queue[i], i + 1);
  EXPECT_EQ(all.hashed, filled().hashed);
  EXPECT_EQ(saved(all), bytes);
}

TEST(Checkpoint, every_shorter_one_and_every_longer_one_is_refused) {
  const std::string bytes = saved(filled());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Everything all;
    Checkpoint checkpoint(bytes.substr(0, size));
    EXPECT_THROW(all.keep(checkpoint), ViolationError) << size;
  }
  Everything all;
  Checkpoint longer(bytes + "x");
  all.keep(longer);
  EXPECT_THROW(longer.require_end(), ViolationError);
}

TEST(Checkpoint, another_section_and_another_number_of_parts_are_refused) {
  std::vector<std::uint32_t> parts = {1, 2, 3};
  Checkpoint saving;
  saving.section("routers");
  saving.all(parts);
  Checkpoint other(saving.bytes());
  try {
    other.section("switches");
    FAIL();
  } catch (const ViolationError& error) {
    EXPECT_STREQ(error.what(), "a checkpoint has the state of routers where that of switches should be");
  }
  Checkpoint fewer(saving.bytes());
  fewer.section("routers");
  parts.pop_back();
  EXPECT_THROW(fewer.all(parts), ViolationError);
}

TEST(Checkpoint, events_near_and_far_come_in_their_cycles_and_in_their_order) {
  TimingWheel<int> wheel;
  wheel.at(100);
  wheel.clear(100);
  for (const Cycle at : {101, 101, 130, 162, 163, 164, 5000}) wheel.push(at, static_cast<int>(at));
  wheel.push(101, -1);
  const auto keep = [](Checkpoint& checkpoint, TimingWheel<int>& kept) {
    kept.keep(checkpoint, [&](int& event) { checkpoint.values(event); });
  };
  Checkpoint saving;
  keep(saving, wheel);
  TimingWheel<int> loaded;
  loaded.push(3, 42);
  Checkpoint loading(saving.bytes());
  keep(loading, loaded);
  loading.require_end();
  EXPECT_EQ(loaded.pending(), 8u);
  const auto events_at = [&loaded](Cycle at) {
    const EventList<int>& events = loaded.at(at);
    return std::vector<int>(events.begin(), events.end());
  };
  EXPECT_EQ(events_at(101), (std::vector<int>{101, 101, -1}));
  loaded.clear(101);
  Cycle now = 101;
  for (const Cycle at : {130, 162, 163, 164, 5000}) {
    ASSERT_EQ(loaded.next_after(now), at);
    EXPECT_EQ(events_at(at), (std::vector<int>{static_cast<int>(at)}));
    loaded.clear(at);
    now = at;
  }
  EXPECT_TRUE(loaded.empty());
}

}  // namespace
}  // namespace weft
