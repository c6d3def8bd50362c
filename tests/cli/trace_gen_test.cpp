// SPDX-License-Identifier: Apache-2.0
// `weft trace gen` as a child process: options of training steps, presets, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/cli/program_case.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::write_text;

using Words = std::vector<std::string>;

class TraceGen : public ProgramCase {
 protected:
  ChildResult gen(Words arguments) {
    arguments.insert(arguments.begin(), {"trace", "gen"});
    arguments.insert(arguments.end(), {"--out", "t/x"});
    return weft(arguments);
  }
  /// What `weft trace info` counts, once the trace has been made and checked.
  nlohmann::json made(const Words& arguments) {
    const ChildResult r = gen(arguments);
    EXPECT_EQ(r.status, kExitOk) << r.err;
    const ChildResult check = weft({"trace", "check", "t/x", "--groups", "t/comm_group.json"});
    EXPECT_EQ(check.status, kExitOk) << check.out;
    return nlohmann::json::parse(weft({"trace", "info", "t/x", "--json"}).out);
  }
  void refused(const Words& arguments, const Words& fragments) {
    const ChildResult r = gen(arguments);
    EXPECT_EQ(r.status, kExitBadInput);
    for (const std::string& fragment : fragments) EXPECT_THAT(r.err, HasSubstr(fragment));
    EXPECT_FALSE(std::filesystem::exists(dir_ / "t")) << "left something behind";
  }
};

// Two replicas of two tensor parallel ranks: two groups of each. Without the file nobody says the phases of numbers.
TEST_F(TraceGen, check_says_the_training_phases_of_groups) {
  ASSERT_EQ(gen({"transformer", "--npus", "4", "--mp", "2"}).status, kExitOk);
  write_text(dir_ / "c.yaml", R"(fabric: {kind: fred, levels: [{groups: 1, ports: 4}]}
npu: {count: 4, peak_flops: 1 TFLOP/s}
workload: {trace: {chakra: t/x, groups: t/comm_group.json}}
)");
  EXPECT_THAT(weft({"check", "c.yaml"}).out, HasSubstr("phases     4 groups whose place decides\n"));
  EXPECT_THAT(weft({"check", "c.yaml", "--set", "workload.trace.phases=t/group_phases.json"}).out,
              HasSubstr("phases     2 groups of dp, 2 groups of mp\n"));
  write_text(dir_ / "p.json", R"({"tp": ["1"]})");
  const ChildResult bad = weft({"check", "c.yaml", "--set", "workload.trace.phases=p.json"});
  EXPECT_EQ(bad.status, kExitBadInput);
  EXPECT_THAT(bad.err, HasSubstr("p.json: \"tp\" is no phase; legal: mp, pp, dp"));
}

// h = 12288, V = 51200, 2 bytes: a layer is 12 h h = 1811939328 weights, a table 629145600. Two replicas of two tensor
// parallel ranks load 2 layers twice and 2 tables once, at a thousandth.
TEST_F(TraceGen, options_override_the_preset_and_npus_become_replicas) {
  const auto info = made(
      {"weight-streaming", "--layers", "2", "--model", "gpt3-like", "--npus", "4", "--mp", "2", "--scale", "1000"});
  EXPECT_EQ(info["ranks"], 4);
  EXPECT_EQ(info["memory"]["MEM_LOAD"]["nodes"], 4 * 6);
  const auto part = [](std::uint64_t weights) { return 2 * ((weights / 2 + 999) / 1000); };
  EXPECT_EQ(info["memory"]["MEM_LOAD"]["bytes"], 4 * (4 * part(1811939328) + 2 * part(629145600)));
  EXPECT_EQ(info["memory"]["MEM_STORE"]["bytes"], 4 * (2 * part(1811939328) + 2 * part(629145600)));
  EXPECT_EQ(info["memory_in_groups"], 4 * (6 + 4));
}

// Each of 2 replicas loads 3 parts of 4 tensors and stores 2 of 3, and a collective goes with each.
TEST_F(TraceGen, weight_streaming_has_shares_in_parts) {
  const auto info = made({"weight-streaming", "--npus", "2", "--layers", "1", "--d-model", "64", "--d-ff", "64",
                          "--vocab", "64", "--load-parts", "3", "--store-parts", "2", "--loads-first"});
  EXPECT_EQ(info["memory"]["MEM_LOAD"]["nodes"], 2 * 3 * 4);
  EXPECT_EQ(info["collectives"]["ALL_GATHER"]["nodes"], 2 * 3 * 4);
  EXPECT_EQ(info["collectives"]["REDUCE_SCATTER"]["nodes"], 2 * 2 * 3);
  EXPECT_EQ(info["memory_in_groups"], 0);
}

TEST_F(TraceGen, zero2_takes_its_bucket) {
  const Words small{"zero2", "--npus", "4", "--layers", "1", "--d-model", "64", "--d-ff", "64", "--vocab", "64"};
  // 4 h h of attention and MLP up, MLP down, head, embedding: 8 x 64 x 64 weights of 2 bytes in one bucket.
  const auto one = made(small);
  EXPECT_EQ(one["collectives"]["REDUCE_SCATTER"]["nodes"], 4);
  EXPECT_EQ(one["collectives"]["REDUCE_SCATTER"]["bytes"], 4 * 8 * 64 * 64 * 2);
  Words cut = small;
  cut.insert(cut.end(), {"--bucket", "8 KiB"});  // one matrix of h h at a time, and qkv of 3
  EXPECT_EQ(made(cut)["collectives"]["REDUCE_SCATTER"]["nodes"], 4 * 6);
}

TEST_F(TraceGen, experts_come_from_the_pool_when_asked) {
  const Words step{"moe", "--npus", "4", "--layers", "2", "--d-model", "64", "--d-ff", "64", "--experts", "4"};
  const auto resident = made(step);
  EXPECT_FALSE(resident["memory"].contains("MEM_LOAD"));
  EXPECT_EQ(resident["collectives"]["ALL_TO_ALL"]["nodes"], 4 * 2 * 4);
  Words pool = step;
  pool.emplace_back("--experts-from-pool");
  const auto loaded = made(pool);
  EXPECT_EQ(loaded["memory"]["MEM_LOAD"]["nodes"], 4 * 2 * 2);
  EXPECT_EQ(loaded["memory"]["MEM_LOAD"]["bytes"], 4 * 2 * 2 * (2 * 64 * 64 * 2));
  EXPECT_EQ(loaded["memory_in_groups"], 0);
}

// 11513626624 multiply-adds and 60192808 parameters of 2 bytes; 155 convolutions and the classifier have gradients.
TEST_F(TraceGen, resnet_overlaps_when_asked) {
  const Words training{"resnet", "--npus", "4", "--batch", "8", "--iterations", "2"};
  const auto one = made(training);
  EXPECT_EQ(one["ranks"], 4);
  EXPECT_EQ(one["num_ops"].get<double>(), 2 * 8 * 3 * 2 * 11513626624.0);
  EXPECT_EQ(one["collectives"]["ALL_REDUCE"]["nodes"], 4 * 2);
  EXPECT_EQ(one["collectives"]["ALL_REDUCE"]["bytes"], 4 * 2 * 120385616L);
  EXPECT_EQ(nlohmann::json::parse(read_text(dir_ / "t/group_phases.json")), (nlohmann::json{{"dp", {"1"}}}));
  Words overlapped = training;
  overlapped.emplace_back("--overlap");
  const auto many = made(overlapped);
  EXPECT_EQ(many["num_ops"], one["num_ops"]);
  EXPECT_EQ(many["collectives"]["ALL_REDUCE"]["nodes"], 4 * 2 * 156);
  EXPECT_EQ(many["collectives"]["ALL_REDUCE"]["bytes"], 4 * 2 * 120385616L);
}

// 2 layers and 2 tables in each of 3 iterations, or all at once.
TEST_F(TraceGen, transformer_repeats_and_does_not_overlap_when_asked) {
  Words training{"transformer", "--npus", "2", "--layers", "2", "--iterations", "3"};
  EXPECT_EQ(made(training)["collectives"]["ALL_REDUCE"]["nodes"], 2 * 3 * 4);
  training.emplace_back("--no-overlap");
  EXPECT_EQ(made(training)["collectives"]["ALL_REDUCE"]["nodes"], 2 * 3 * 1);
  training.back() = "--overlap";
  EXPECT_EQ(made(training)["collectives"]["ALL_REDUCE"]["nodes"], 2 * 3 * 4);
}

// One layer is loaded twice and two tables once by each of 2 replicas; a reduce-scatter and an all-gather of one
// bucket.
TEST_F(TraceGen, other_steps_repeat_when_asked) {
  const auto with = [](const std::string& kind) {
    return Words{kind, "--npus",  "2",  "--layers",     "1", "--d-model", "64", "--d-ff",
                 "64", "--vocab", "64", "--iterations", "3"};
  };
  const auto streamed = made(with("weight-streaming"))["memory"];
  EXPECT_EQ(streamed["MEM_LOAD"]["nodes"], 2 * 3 * 4);
  EXPECT_EQ(streamed["MEM_STORE"]["nodes"], 2 * 3 * 3);
  const auto sharded = made(with("zero2"))["collectives"];
  EXPECT_EQ(sharded["REDUCE_SCATTER"]["nodes"], 2 * 3);
  EXPECT_EQ(sharded["ALL_GATHER"]["nodes"], 2 * 3);
  // A dispatch and a combine, forward and backward.
  EXPECT_EQ(made(with("moe"))["collectives"]["ALL_TO_ALL"]["nodes"], 2 * 3 * 4);
}

// 2 stages of 2 replicas, 3 micro-batches: rank 2 is in the last stage.
TEST_F(TraceGen, stages_follow_the_schedule_that_is_asked_for) {
  const Words step{"transformer", "--npus", "4", "--pp", "2", "--layers", "2", "--batch", "6", "--microbatches", "3"};
  const auto with = [&](const Words& more) {
    Words taken = step;
    taken.insert(taken.end(), more.begin(), more.end());
    return taken;
  };
  refused(with({"--schedule", "gpip"}), {"--schedule gpip: legal are gpipe, 1f1b; did you mean 'gpipe'?"});
  refused({"zero2", "--schedule", "gpipe"}, {"unknown option '--schedule'"});
  const auto last_stage = [&](const Words& more) {
    EXPECT_EQ(made(with(more))["ranks"], 4);
    return read_text(dir_ / "t/x.2.et");
  };
  const std::string by_default = last_stage({});
  EXPECT_GT(by_default.find("fwd_m2_recv"), by_default.find("bwd_m0_logits_dgrad"));
  EXPECT_EQ(last_stage({"--schedule", "1f1b"}), by_default);
  const std::string gpipe = last_stage({"--schedule", "gpipe"});
  EXPECT_LT(gpipe.find("fwd_m2_recv"), gpipe.find("bwd_m0_logits_dgrad"));
}

// 3 of 8 heads are 24 wide, 43 is the third of 128, V = 100 is padded to 102.
TEST_F(TraceGen, uneven_shapes_are_taken_when_asked) {
  const Words step{"transformer", "--npus", "3", "--tp",    "3", "--layers", "1",   "--d-model", "64", "--d-ff",
                   "128",         "--seq",  "8", "--batch", "1", "--vocab",  "100", "--heads",   "8"};
  refused(step, {"heads (8) is not a multiple of tp (3)", "uneven is refuse; largest and ideal take", "(--uneven)"});
  Words bad = step;
  bad.insert(bad.end(), {"--uneven", "largets"});
  refused(bad, {"--uneven largets: legal are refuse, largest, ideal; did you mean 'largest'?"});
  const auto ops = [&](const std::string& word) {
    Words taken = step;
    taken.insert(taken.end(), {"--uneven", word});
    return made(taken)["num_ops"];
  };
  // 8 tokens with 3 x 2 operations a weight, and 3 x 4 x 8 x 8 x 24 of attention.
  EXPECT_EQ(ops("largest"), 3 * (8 * 6 * (64 * 72 + 24 * 64 + 2 * 64 * 43 + 64 * 34) + 3 * 4 * 8 * 8 * 24));
  // Shares of fractions: qkv 65536, proj 21846, MLP 2 x 43691, logits 34816, thrice; attention 5462 and 10923.
  EXPECT_EQ(ops("ideal"), 3 * (3 * (65536 + 21846 + 2 * 43691 + 34816) + 5462 + 10923));
}

TEST_F(TraceGen, numbers_that_do_not_fit_bad) {
  refused({"weight-streaming", "--model", "gpt3"},
          {"model gpt3: legal are gpt3-like, transformer-1t-like, turing-nlg-like"});
  refused({"weight-streaming", "--npus", "7", "--mp", "2"}, {"npus (7) is not a multiple of tp x pp (2)"});
  refused({"weight-streaming", "--npus", "8", "--dp", "4"}, {"npus is 8, but dp x tp x pp is 4 x 1 x 1"});
  refused({"weight-streaming", "--zero", "2"}, {"unknown option '--zero'"});
  refused({"zero2", "--bucket", "8"}, {"--bucket 8: '8' has no unit"});
  refused({"zero2", "--pp", "2"}, {"unknown option '--pp'"});
  refused({"moe", "--npus", "4", "--ep", "3"}, {"dp (4) is not a multiple of ep (3)"});
  refused({"moe", "--top-k", "9"}, {"top-k is 9; legal are 1 to experts (8)"});
  refused({"resnet", "--npus", "3", "--batch", "16"}, {"batch (16) is not a multiple of npus (3)"});
  refused({"resnet", "--iterations", "0"}, {"--iterations: Value 0 not in range 1 to 1000"});
  refused({"transformer", "--iterations", "1001"}, {"--iterations: Value 1001 not in range 1 to 1000"});
  refused({"weight-streaming", "--iterations", "0"}, {"--iterations: Value 0 not in range 1 to 1000"});
  refused({"resnet", "--model", "x"}, {"unknown option '--model'"});
  refused({"transformer", "--scale", "0"}, {"--scale: Value 0 not in range 1 to 1073741824"});
}

}  // namespace
}  // namespace weft::cli
