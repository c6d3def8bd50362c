// SPDX-License-Identifier: Apache-2.0
// Parts that rest change no byte: each configuration is run with every cycle, and cut into bands of a few columns that
// may rest. Each run is a process of its own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>
#include <unistd.h>

#include "sc_models/system.h"
#include "tests/sc_models/support/random_systems.h"
#include "tests/sc_models/support/skipping.h"

namespace weft::sc_models {
namespace {

using weft::test::config_of;
using weft::test::EnoughSkip;
using weft::test::Outcome;
using weft::test::outcome_of;
using weft::test::random_fabric;
using weft::test::random_wafer;
using weft::test::ring;
using weft::test::same_both_ways;
using weft::test::Words;

TestKnobs bands_of(int columns) {
  TestKnobs knobs;
  knobs.columns_per_part = columns;
  return knobs;
}

void rest(Words sets, double share, int columns) {
  sets.emplace_back("log.windows=0");
  const Config config = config_of("wse-reduce", sets);
  const Outcome all = outcome_of(config, FastForwardMode::kOff);
  const Outcome resting = outcome_of(config, FastForwardMode::kExact, "", 0, bands_of(columns));
  ASSERT_TRUE(all.ran && resting.ran);
  EXPECT_GT(static_cast<double>(resting.skipped), share * static_cast<double>(resting.cycles)) << resting.refusal;
  EXPECT_TRUE(resting.tables == all.tables);
}

// An element takes 6 cycles from core to core, so that 378 pass until the last core of the chain has its first one, and
// 600 more until it has all. As a whole the state comes again only in between; a band is full 42 cycles behind its
// first element.
TEST(RestingParts, bands_rest_while_others_fill_and_empty) {
  const Words sets{"fabric.size=[64, 2]", "workload.collective.size=2400 B", "workload.collective.algorithm=chain"};
  rest(sets, 0.4, 8);
  Words whole = sets;
  whole.emplace_back("log.windows=0");
  const Outcome outcome = outcome_of(config_of("wse-reduce", whole), FastForwardMode::kExact);
  EXPECT_LT(outcome.skipped, outcome.cycles / 4);
}

TEST(RestingParts, nearly_all_of_a_long_reduction_is_left_out) {
  for (const char* const algorithm : {"chain", "tree", "two_phase", "in_router", "auto_gen"}) {
    SCOPED_TRACE(algorithm);
    rest({"fabric.size=[9, 6]", "workload.collective.size=32 KiB",
          fmt::format("workload.collective.algorithm={}", algorithm)},
         0.8, 2);
  }
}

// A limit ends the run while parts rest. With packets of four wavelets a period has four cycles at least.
TEST(RestingParts, a_limit_finds_parts_as_if_they_had_not_rested) {
  for (const int limit : {3000, 3001, 3002, 3003}) {
    SCOPED_TRACE(limit);
    rest({"fabric.size=[6, 5]", "workload.collective.size=32 KiB", "npu.packet_bytes=16 B",
          fmt::format("limits.cycles={}", limit)},
         0.5, 2);
  }
}

// Only links that are there count: a mesh of 100 x 167 routers has 99,666 of them and windows, 100 x 168 have 100,264.
TEST(RestingParts, what_has_windows_is_not_cut) {
  const auto parts = [](int rows) {
    const Config config = config_of("wse-reduce", {fmt::format("fabric.size=[100, {}]", rows)});
    set_time_resolution();
    System system("system", config);
    _exit(static_cast<int>(system.parts().size()));
  };
  EXPECT_EXIT(parts(167), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(parts(168), testing::ExitedWithCode(15), "");  // of 7 columns each
}

RC_GTEST_PROP(RestingParts, random_wafers_give_the_same_bytes, ()) {
  static EnoughSkip enough(3);
  Words sets = random_wafer();
  sets.emplace_back("log.windows=0");
  const TestKnobs knobs = bands_of(*rc::gen::inRange(1, 4));
  const Outcome resting = same_both_ways([&] { return config_of("wse-reduce", sets); }, sets, knobs);
  enough.count(resting.skipped * 10 >= resting.cycles * 3);
}

RC_GTEST_PROP(RestingParts, random_meshes_give_the_same_bytes, ()) {
  static EnoughSkip enough(12);
  Words sets = random_fabric();
  if (sets.front() != "fabric.kind=mesh") RC_DISCARD("is no mesh");
  sets.emplace_back("log.windows=0");
  const TestKnobs knobs = bands_of(*rc::gen::inRange(1, 4));
  enough.count(same_both_ways([&] { return ring(sets); }, sets, knobs).skipped > 0);
}

}  // namespace
}  // namespace weft::sc_models
