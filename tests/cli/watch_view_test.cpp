// SPDX-License-Identifier: Apache-2.0
// What --watch shows, as text.
#include "cli/watch_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::cli {
namespace {

using testing::ElementsAre;

class Watch : public testing::Test {
 protected:
  Watch() {
    config_.name = "small";
    config_.clock.hertz = {1'000'000'000, 1};
    details_.links = {{"fabric.router[0,0].east", 0.5}, {"npu[3].out", 0.04}};
    details_.collectives = {{"all\nreduce", "all", "ring", 65536, 1500}, {"gather", "tp", "direct", 512, 0}};
    details_.all_collectives = 3;
    progress_ = {12'300, 0.25, 20'000'000, &details_};
  }
  Config config_;
  sc_models::RunDetails details_;
  sc_models::RunProgress progress_;
};

constexpr std::chrono::seconds kTenSeconds{10};

TEST_F(Watch, lines_for_a_terminal) {
  EXPECT_THAT(watch_lines(config_, progress_, kTenSeconds, {200, 50}),
              ElementsAre("small [######..................] 12.3 us simulated, 25 % done, 2.00 M flit-hops/s, about "
                          "30 s left",
                          "busiest links just now",                            //
                          "   50.0 % [######......] fabric.router[0,0].east",  //
                          "    4.0 % [............] npu[3].out",               //
                          "collectives under way: 3",                          //
                          "  all?reduce  ring, 64 KiB, all ranks, since 1.5 us",
                          "  gather  direct, 512 B, group tp, since 0 ns"));
}

TEST_F(Watch, no_line_is_longer_than_the_terminal) {
  for (const std::string& line : watch_lines(config_, progress_, kTenSeconds, {20, 50}))
    EXPECT_LE(line.size(), 20U) << line;
}

TEST_F(Watch, speed_and_what_is_left_have_a_line_of_their_own_where_one_is_too_short) {
  const std::vector<std::string> lines = watch_lines(config_, progress_, kTenSeconds, {79, 50});
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[0], "small [######..................] 12.3 us simulated, 25 % done");
  EXPECT_EQ(lines[1], "  2.00 M flit-hops/s, about 30 s left");
  // 9 for "small [] " and 30 for what follows leave 12 cells.
  EXPECT_EQ(watch_lines(config_, progress_, kTenSeconds, {51, 50})[0],
            "small [###.........] 12.3 us simulated, 25 % done");
}

TEST_F(Watch, no_more_lines_than_rows) {
  details_.links.resize(6, details_.links[1]);
  details_.collectives.resize(6, details_.collectives[1]);
  // 7 rows: 2 of the head, 3 and 2 of the lists.
  const std::vector<std::string> lines = watch_lines(config_, progress_, kTenSeconds, {79, 7});
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[2], "busiest links just now");
  EXPECT_EQ(lines[5], "collectives under way: 3");
  EXPECT_EQ(lines[6], "  all?reduce  ring, 64 KiB, all ranks, since 1.5 us");
  details_.collectives.resize(1);
  EXPECT_EQ(watch_lines(config_, progress_, kTenSeconds, {79, 10}).size(), 10U) << "links take what collectives leave";
  EXPECT_EQ(watch_lines(config_, progress_, kTenSeconds, {79, 10})[8], "collectives under way: 3");
  EXPECT_EQ(watch_lines(config_, progress_, kTenSeconds, {79, 1}).size(), 1U);
}

TEST_F(Watch, one_line_for_a_log) {
  EXPECT_EQ(watch_line(config_, progress_, kTenSeconds),
            "small: 12.3 us simulated, 25 % done, 2.00 M flit-hops/s, about 30 s left; fabric.router[0,0].east 50 % "
            "busy; all?reduce and 2 more under way");
  details_ = {};
  EXPECT_EQ(watch_line(config_, progress_, kTenSeconds),
            "small: 12.3 us simulated, 25 % done, 2.00 M flit-hops/s, about 30 s left");
  EXPECT_THAT(watch_lines(config_, progress_, kTenSeconds, {200, 50}),
              ElementsAre(testing::_, "no flit has moved since the last look"));
}

}  // namespace
}  // namespace weft::cli
