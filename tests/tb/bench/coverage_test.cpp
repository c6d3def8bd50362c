// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::tb {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Coverage, counts_bins_and_knows_those_never_hit) {
  Coverage coverage;
  const std::size_t full = coverage.bin("full");
  coverage.bin("empty");
  EXPECT_EQ(coverage.bin("full"), full);
  coverage.hit(full);
  coverage.hit(full, 2);
  coverage.hit("stall");
  EXPECT_THAT(coverage.counts(), ElementsAre(Pair("empty", 0U), Pair("full", 3U), Pair("stall", 1U)));
  EXPECT_THAT(coverage.never_hit(), ElementsAre("empty"));
}

TEST(Coverage, of_several_runs_adds_up) {
  Coverage coverage;
  coverage.merge({{"a", 1}, {"b", 0}});
  coverage.merge({{"a", 2}, {"c", 0}});
  coverage.merge({{"b", 5}});
  EXPECT_THAT(coverage.counts(), ElementsAre(Pair("a", 3U), Pair("b", 5U), Pair("c", 0U)));
  EXPECT_THAT(coverage.never_hit(), ElementsAre("c"));
}

}  // namespace
}  // namespace weft::tb
