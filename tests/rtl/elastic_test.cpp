// SPDX-License-Identifier: Apache-2.0
// elastic_reg is a wire of the model's datapaths, cycle by cycle.
#include <gtest/gtest.h>

#include "tests/rtl/duts/elastic_dut.h"
#include "tests/rtl/elastic_bench.h"

namespace weft::rtl_test {
namespace {

class RtlElastic : public ::testing::TestWithParam<unsigned> {};

TEST_P(RtlElastic, equals_the_model_in_every_cycle) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const double stall_in : {0.0, 0.3, 0.8}) {
      for (const double stall_out : {0.0, 0.3, 0.8}) {
        ElasticRun run;
        run.seed = seed;
        run.stall_in = stall_in;
        run.stall_out = stall_out;
        EXPECT_EQ(elastic_difference(GetParam(), run), std::nullopt)
            << "seed " << seed << ", stalls " << stall_in << " and " << stall_out;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, RtlElastic, ::testing::Range(0U, ElasticDut::kCount), [](const auto& c) {
  return std::string(ElasticDut::skid(c.param) ? "skid_" : "register_") + std::to_string(ElasticDut::depth(c.param));
});

}  // namespace
}  // namespace weft::rtl_test
