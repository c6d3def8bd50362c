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
  wafer::RunDetails details_;
  wafer::RunProgress progress_;
};

constexpr std::chrono::seconds kTenSeconds{10};

TEST_F(Watch, lines_for_a_terminal) {
  EXPECT_THAT(watch_lines(config_, progress_, kTenSeconds, 200),
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
  for (const std::string& line : watch_lines(config_, progress_, kTenSeconds, 20)) EXPECT_LE(line.size(), 20U) << line;
}

TEST_F(Watch, one_line_for_a_log) {
  EXPECT_EQ(watch_line(config_, progress_, kTenSeconds),
            "small: 12.3 us simulated, 25 % done, 2.00 M flit-hops/s, about 30 s left; fabric.router[0,0].east 50 % "
            "busy; all?reduce and 2 more under way");
  details_ = {};
  EXPECT_EQ(watch_line(config_, progress_, kTenSeconds),
            "small: 12.3 us simulated, 25 % done, 2.00 M flit-hops/s, about 30 s left");
  EXPECT_THAT(watch_lines(config_, progress_, kTenSeconds, 200),
              ElementsAre(testing::_, "no flit has moved since the last look"));
}

}  // namespace
}  // namespace weft::cli
