// SPDX-License-Identifier: Apache-2.0
// What players did, compared with what they did some cycles before.
#include "npu/player/episodes.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

namespace weft::npu {
namespace {

constexpr Cycle kLater = 1000;

PlayerRequest request() { return {PlayerRequest::Kind::kCollective, 4096, 2, 3, 1, 6, 50}; }

Occurrence chunk_end() { return {70, 4, Occurrence::Kind::kChunkDone, 5, 6, 7, 20}; }

TEST(Episodes, each_field_of_a_request_is_compared) {
  PlayerRequest same = request();
  same.at += kLater;
  EXPECT_TRUE(same.is(request(), kLater));
  const std::vector<std::pair<const char*, std::function<void(PlayerRequest&)>>> changes = {
      {"kind", [](auto& r) { r.kind = PlayerRequest::Kind::kSend; }},
      {"size", [](auto& r) { ++r.size; }},
      {"target", [](auto& r) { ++r.target; }},
      {"detail", [](auto& r) { ++r.detail; }},
      {"plane in which its operands begin", [](auto& r) { ++r.plane; }},
      {"what was heard before", [](auto& r) { ++r.heard; }},
      {"cycle", [](auto& r) { ++r.at; }}};
  for (const auto& [field, change] : changes) {
    PlayerRequest other = same;
    change(other);
    EXPECT_FALSE(other.is(request(), kLater)) << field;
  }
}

TEST(Episodes, each_field_of_an_occurrence_is_compared) {
  Occurrence same = chunk_end();
  same.at += kLater;
  EXPECT_TRUE(same.is(chunk_end(), kLater));
  const std::vector<std::pair<const char*, std::function<void(Occurrence&)>>> changes = {
      {"cycle", [](auto& o) { ++o.at; }},
      {"rank", [](auto& o) { ++o.rank; }},
      {"kind", [](auto& o) { o.kind = Occurrence::Kind::kTimer; }},
      {"number", [](auto& o) { ++o.number; }},
      {"sender", [](auto& o) { ++o.sender; }},
      {"chunk", [](auto& o) { ++o.chunk; }},
      {"cycles that the chunk took", [](auto& o) { ++o.lasted; }}};
  for (const auto& [field, change] : changes) {
    Occurrence other = same;
    change(other);
    EXPECT_FALSE(other.is(chunk_end(), kLater)) << field;
  }
}

// Five planes: collectives 0, 5 and 10 of a group begin in the first one.
TEST(Episodes, collectives_take_planes_in_turn_where_that_matters) {
  Episodes episodes(1, nullptr);
  episodes.begin_exact(5);
  EXPECT_EQ(episodes.plane_of(10), 0U);
  EXPECT_EQ(episodes.plane_of(7), 2U);
  Episodes approximate(1, nullptr);
  approximate.begin();
  EXPECT_EQ(approximate.plane_of(7), 0U);
}

}  // namespace
}  // namespace weft::npu
