// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/transformer_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/npu/trace/trace_test_util.h"

namespace weft::npu {
namespace {

using ::testing::HasSubstr;

// 12 h h weights a layer and one table: GPT-3 has 175e9, the largest 1.008e12, Turing-NLG 17.2e9.
TEST(TransformerSpec, presets_have_the_published_sizes) {
  const auto weights = [](const char* model) {
    TransformerSpec spec;
    spec.tp = 2;
    spec.batch = 24;
    apply_preset(spec, model);
    EXPECT_EQ(spec.tp, 2u);
    EXPECT_EQ(spec.batch, 24u);
    check_transformer(spec);
    const std::uint64_t layer = 4 * spec.d_model * spec.d_model + 2 * spec.d_model * spec.d_ff;
    return static_cast<double>(spec.layers * layer + spec.vocab * spec.d_model);
  };
  EXPECT_NEAR(weights("gpt3-like"), 175e9, 1e9);
  EXPECT_NEAR(weights("transformer-1t-like"), 1008e9, 1e9);
  EXPECT_EQ(weights("turing-nlg-like"), 12.0 * 78 * 4256 * 4256 + 51200 * 4256);
}

TEST(TransformerSpec, unknown_presets_bad) {
  TransformerSpec spec;
  EXPECT_EQ(error_of([&] { apply_preset(spec, "gpt4-like"); }),
            "model gpt4-like: legal are gpt3-like, transformer-1t-like, turing-nlg-like; did you mean 'gpt3-like'?");
  EXPECT_EQ(spec.layers, TransformerSpec{}.layers);
}

TEST(TransformerSpec, ranks_become_replicas) {
  TransformerSpec spec;
  spec.tp = 2;
  spec.pp = 2;
  spread_over(spec, 20, false);
  EXPECT_EQ(spec.dp, 5u);
  spread_over(spec, 20, true);
  EXPECT_EQ(spec.dp, 5u);
}

TEST(TransformerSpec, ranks_that_do_not_fit_bad) {
  TransformerSpec spec;
  spec.tp = 2;
  spec.pp = 3;
  const auto error = [&](std::uint64_t ranks, bool dp_given) {
    return error_of([&] { spread_over(spec, ranks, dp_given); });
  };
  EXPECT_EQ(error(20, false), "npus (20) is not a multiple of tp x pp (6)");
  EXPECT_THAT(error(0, false), HasSubstr("npus is 0; legal are 1 to 1048576"));
  spec.dp = 4;
  EXPECT_EQ(error(18, true), "npus is 18, but dp x tp x pp is 4 x 2 x 3");
  EXPECT_EQ(spec.dp, 4u);
  spec.tp = 0;
  EXPECT_THAT(error(18, false), HasSubstr("tp is 0; legal are 1 to 1048576"));
}

}  // namespace
}  // namespace weft::npu
