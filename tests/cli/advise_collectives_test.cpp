// SPDX-License-Identifier: Apache-2.0
// `weft advise collectives` with a stand-in for the program: what is simulated, the ranking, what is left out, tables.
// algorithm_table_test.cpp has the program itself.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "cli/advise/collectives_advice.h"
#include "npu/collective/files/algorithm_table.h"
#include "tests/support/refusal.h"
#include "tests/support/source.h"
#include "tests/support/stand_in.h"

namespace weft::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using weft::test::read_text;
using weft::test::refusal;
using weft::test::TempDir;
using weft::test::write_script;
using weft::test::write_text;

const std::string kMesh = test::source("configs/mesh-wafer.yaml");
const std::string kFred = test::source("configs/fred-d.yaml");

CollectivesRequest collectives(const std::string& kinds, const std::string& sizes, const std::string& groups = "all") {
  CollectivesRequest request;
  request.config = kMesh;
  request.kinds = parse_kinds(kinds);
  request.sizes = parse_sizes(sizes);
  request.groups = parse_groups(groups);
  return request;
}

std::vector<std::string> algorithms_in(const Ranking& ranking) {
  std::vector<std::string> names;
  for (const AlgorithmTime& time : ranking.algorithms) names.push_back(time.algorithm);
  return names;
}

TEST(CollectivesPlan, words_of_the_command_line) {
  EXPECT_THAT(parse_kinds("barrier, all_reduce,barrier"),
              ElementsAre(CollectiveKind::kBarrier, CollectiveKind::kAllReduce));
  EXPECT_EQ(parse_kinds("all").size(), 9U);
  EXPECT_THAT(parse_sizes("1 MiB,4KiB,4096 B"), ElementsAre(4096U, 1048576U));
  EXPECT_THAT(parse_groups("all,5, 2"), ElementsAre(0U, 5U, 2U));
}

TEST(CollectivesPlan, words_of_the_command_line_bad) {
  EXPECT_THAT(refusal([] { parse_kinds("all_reduc"); }),
              HasSubstr("--kinds all_reduc: legal are all_reduce, reduce_scatter"));
  EXPECT_EQ(refusal([] { parse_kinds(","); }), "--kinds ',': an empty list");
  EXPECT_THAT(refusal([] { parse_sizes("4KiB,4 apples"); }), HasSubstr("--sizes 4 apples: "));
  EXPECT_EQ(refusal([] { parse_sizes("0 B"); }), "--sizes 0 B: legal: 1 B to 1024 TiB");
  for (const std::string bad : {"1", "0", "-2", "2.5", "some"}) {
    EXPECT_EQ(refusal([&] { parse_groups(bad); }),
              "--groups " + bad + ": legal are 'all' and numbers of ranks, at least 2");
  }
}

TEST(CollectivesPlan, every_algorithm_that_does_the_kind_on_the_fabric) {
  const CollectivesAdvice advice = plan_collectives(collectives("all_to_all,all_gather", "4KiB,1MiB", "5,all"));
  EXPECT_EQ(advice.name, "mesh-wafer");
  EXPECT_EQ(advice.fabric_kind, "mesh");
  EXPECT_EQ(advice.npus, 20U);
  ASSERT_EQ(advice.rankings.size(), 8U);
  EXPECT_EQ(advice.rankings[1].ranks, 5U);
  EXPECT_EQ(advice.rankings[1].bytes, 1048576U);
  EXPECT_EQ(advice.rankings[2].ranks, 20U);
  EXPECT_THAT(algorithms_in(advice.rankings[0]), ElementsAre("ring", "direct"));
  EXPECT_THAT(algorithms_in(advice.rankings[4]),
              ElementsAre("ring", "direct", "halving_doubling", "hierarchical_2d", "two_level_ring"));
  ASSERT_FALSE(advice.left_out.empty());
  EXPECT_EQ(advice.left_out[0].algorithm, "in_switch");
  EXPECT_EQ(advice.left_out[0].reason, "'in_switch' is for fabric.kind fred, but fabric.kind is mesh");
  EXPECT_EQ(advice.left_out[0].runs, 8U);
}

// mesh-wafer.yaml has chunks of 32 KiB, 64 at most, and all in flight.
TEST(CollectivesPlan, method_is_that_of_the_configuration) {
  const CollectivesAdvice advice = plan_collectives(collectives("reduce,barrier", "4KiB", "3"));
  EXPECT_THAT(advice.rankings[0].algorithms[0].settings,
              ElementsAre("workload=",
                          "workload.collective={kind: reduce, algorithm: ring, chunks: 64, chunk_bytes: "
                          "32768 B, active_chunks: 0, dtype: fp32, size: 4096 B, group: [0, 1, 2]}"));
  EXPECT_THAT(advice.rankings[1].algorithms[0].settings[1], Not(HasSubstr("size")));
  EXPECT_EQ(advice.rankings[1].bytes, 0U) << "a barrier has no bytes";
}

TEST(CollectivesPlan, the_table_that_is_to_be_made_need_not_be_there) {
  TempDir dir;
  CollectivesRequest request = collectives("all_to_all", "4KiB");
  request.config = (dir / "c.yaml").string();
  write_text(dir / "c.yaml",
             "fabric: {size: [2, 2]}\n"
             "workload: {collective: {size: 1 KiB, chunks: 7, algorithm: auto, algorithm_table: t.yaml}}\n");
  const CollectivesAdvice advice = plan_collectives(request);
  EXPECT_THAT(algorithms_in(advice.rankings.at(0)), ElementsAre("ring", "direct"));
  EXPECT_THAT(advice.rankings[0].algorithms[0].settings[1], HasSubstr("algorithm: ring, chunks: 7,"));
}

TEST(CollectivesPlan, switches_that_reduce_take_part) {
  CollectivesRequest request = collectives("all_reduce", "4KiB");
  request.config = kFred;
  const CollectivesAdvice advice = plan_collectives(request);
  EXPECT_THAT(algorithms_in(advice.rankings[0]), Contains("in_switch"));
  EXPECT_THAT(advice.left_out[0].reason, HasSubstr("it needs fabric.router.colours of 2 or more"));
}

TEST(CollectivesPlan, what_is_refused_bad) {
  EXPECT_EQ(refusal([] { plan_collectives(collectives("all_reduce", "4KiB", "21")); }),
            "--groups 21: there are 20 ranks");
  CollectivesRequest request = collectives("all_reduce", "4KiB");
  request.settings = {"workload.collective.algorithm=ring"};
  EXPECT_EQ(refusal([&] { plan_collectives(request); }),
            "--set workload.collective.algorithm=ring: `weft advise collectives` sets workload.collective.algorithm "
            "itself");
  request.settings = {"fabric.router.vc=4"};
  EXPECT_THAT(refusal([&] { plan_collectives(request); }), HasSubstr("did you mean 'vcs'?"));
}

/// Takes as many cycles as its table says. `tree` is refused for 1 MiB, `snake` reaches a limit.
constexpr const char* kStandIn = R"sh(#!/bin/sh
out=$5
words="$*"
algorithm=${words##*algorithm: }
algorithm=${algorithm%%,*}
size=${words##*size: }
size=${size%% B*}
case $algorithm/$size in
  tree/1048576) echo "weft: error: --set x={y}: workload.collective.algorithm: too large" >&2; exit 2 ;;
  snake/*) echo "weft: error: limits.cycles reached" >&2; exit 4 ;;
  star/*) if [ -e "$(dirname "$0")/broken" ]; then echo "weft: error: wrong data" >&2; exit 3; fi; cycles=800 ;;
  direct/4096) cycles=100 ;;
  ring/4096 | hierarchical_2d/4096) cycles=150 ;;
  hierarchical_2d/*) cycles=500 ;;
  ring/*) cycles=1000 ;;
  *) cycles=2000 ;;
esac
mkdir -p "$out"
cat > "$out/collectives.csv" <<END
name,end_cycle,start_cycle,start_ns,end_ns
reduce_0,$((cycles + 10)),10,20,$((20 + 2 * cycles))
END
)sh";

class CollectivesRun : public testing::TestWithParam<std::size_t> {
 protected:
  CollectivesRun() : request_(collectives("all_reduce", "4KiB,1MiB")) {
    request_.program = write_script(dir_ / "program", kStandIn);
    request_.jobs = GetParam();
  }
  CollectivesAdvice advise() {
    return advise_collectives(request_, [](const std::string&) {});
  }
  TempDir dir_;
  CollectivesRequest request_;
};

TEST_P(CollectivesRun, the_fastest_come_first_and_equals_as_they_are_documented) {
  const CollectivesAdvice advice = advise();
  ASSERT_EQ(advice.rankings.size(), 2U);
  EXPECT_THAT(algorithms_in(advice.rankings[0]),
              ElementsAre("direct", "ring", "hierarchical_2d", "star", "halving_doubling", "double_binary_tree",
                          "chain", "tree", "two_phase", "auto_gen", "two_level_ring"));
  EXPECT_THAT(algorithms_in(advice.rankings[1]),
              ElementsAre("hierarchical_2d", "star", "ring", "direct", "halving_doubling", "double_binary_tree",
                          "chain", "two_phase", "auto_gen", "two_level_ring"));
  EXPECT_EQ(advice.rankings[1].algorithms[0].cycles, 500U);
  EXPECT_EQ(advice.rankings[1].algorithms[0].ns, 1000);
}

TEST_P(CollectivesRun, refused_runs_and_those_at_a_limit_are_left_out) {
  const CollectivesAdvice advice = advise();
  const auto left = [&](const std::string& algorithm) {
    for (const LeftOutRuns& runs : advice.left_out)
      if (runs.algorithm == algorithm) return fmt::format("{}: {}", runs.runs, runs.reason);
    return std::string("nothing");
  };
  EXPECT_EQ(left("tree"), "1: too large");
  EXPECT_EQ(left("snake"), "2: limits.cycles reached");
  EXPECT_EQ(left("ring"), "nothing");
}

TEST_P(CollectivesRun, table_for_people_and_json) {
  const CollectivesAdvice advice = advise();
  std::ostringstream table;
  print_collectives(advice, table);
  EXPECT_THAT(table.str(), HasSubstr("collectives on mesh-wafer, a mesh of 20 NPUs\n"));
  EXPECT_THAT(table.str(), testing::ContainsRegex("all_reduce +20 +4 KiB +direct +0.200 +ring +0.300 +1.50\n"));
  EXPECT_THAT(table.str(),
              testing::ContainsRegex("all_reduce +20 +1 MiB +hierarchical_2d +1.000 +star +1.600 +1.60\n"));
  EXPECT_THAT(table.str(), HasSubstr("left out: 2 runs of snake: limits.cycles reached\n"));
  const auto json = collectives_json(request_, advice);
  EXPECT_EQ(json["fabric"]["npus"], 20);
  EXPECT_EQ(json["collectives"][1]["bytes"], 1048576);
  EXPECT_EQ(json["collectives"][1]["algorithms"][0]["algorithm"], "hierarchical_2d");
  EXPECT_EQ(json["collectives"][1]["algorithms"][0]["cycles"], 500);
}

TEST_P(CollectivesRun, the_player_reads_what_is_written) {
  const std::string text = collectives_table(request_, advise());
  EXPECT_THAT(text, HasSubstr("\nfabric: {name: \"mesh-wafer\", kind: mesh, npus: 20}\n"
                              "collectives:\n"
                              "  all_reduce:\n"
                              "    20:\n"
                              "      4 KiB: [direct, ring, hierarchical_2d, star, halving_doubling, "
                              "double_binary_tree, chain, tree, two_phase, auto_gen, two_level_ring]  # 0.200, 0.300, "
                              "0.300 us\n"
                              "      1 MiB: [hierarchical_2d, "));
  const npu::AlgorithmTable table = npu::AlgorithmTable::parse(text, "t.yaml");
  EXPECT_EQ(table.algorithms(table.entry_for(CollectiveKind::kAllReduce, 20, 8192)).front(), "direct");
  EXPECT_EQ(table.algorithms(table.entry_for(CollectiveKind::kAllReduce, 20, 1 << 21)).front(), "hierarchical_2d");
}

TEST_P(CollectivesRun, a_name_may_have_any_characters) {
  CollectivesAdvice advice = advise();
  advice.name = "it's a \"wafer\", {of: 20}";
  const npu::AlgorithmTable table = npu::AlgorithmTable::parse(collectives_table(request_, advice), "t.yaml");
  EXPECT_EQ(table.algorithms(table.entry_for(CollectiveKind::kAllReduce, 20, 8192)).front(), "direct");
}

/// Plays two collectives of five ranks and one of two, which nobody but `ring` can do. `tree` reaches a limit. The
/// configuration may have a program file, so that it has to be told that there is none.
constexpr const char* kPlayer = R"sh(#!/bin/sh
out=$5
for word in "$@"; do
  case "$word" in *algorithm_table=*) table=${word#*algorithm_table=} ;; esac
done
algorithm=$(basename "$table" .yaml)
case "$*" in *"--set workload.collective.algorithm_file= "*) ;; *) exit 1 ;; esac
grep -q "^fabric: {kind: mesh, npus: 20}$" "$table" || exit 1
case $algorithm in
  ring) first=100; second=300 ;;
  direct) first=150; second=200 ;;
  tree) echo "weft: error: limits.cycles reached" >&2; exit 4 ;;
  *) first=900; second=900 ;;
esac
mkdir -p "$out"
cat > "$out/collectives.csv" <<END
name,kind,algorithm,group,bytes,start_cycle,end_cycle,start_ns,end_ns,ranks
"a, b",all_reduce,$algorithm,g,1024,0,$first,0,$((2 * first)),5
c,all_reduce,$algorithm,h,1024,10,$((10 + second)),20,$((20 + 2 * second)),5
d,all_reduce,ring,i,1024,0,70,0,140,2
END
)sh";

// ring takes (100 + 300) / 2 cycles, direct (150 + 200) / 2.
TEST_P(CollectivesRun, the_mean_of_what_an_algorithm_has_played_counts) {
  write_text(dir_ / "program", kPlayer);
  const CollectivesAdvice advice = advise_played(request_, [](const std::string&) {});
  ASSERT_EQ(advice.rankings.size(), 2U);
  EXPECT_EQ(advice.rankings[0].ranks, 2U);
  EXPECT_THAT(algorithms_in(advice.rankings[0]), ElementsAre("ring"));
  EXPECT_EQ(advice.rankings[0].algorithms[0].cycles, 70U);
  EXPECT_EQ(advice.rankings[1].ranks, 5U);
  EXPECT_EQ(advice.rankings[1].bytes, 1024U);
  EXPECT_EQ(advice.rankings[1].algorithms[0].algorithm, "direct");
  EXPECT_EQ(advice.rankings[1].algorithms[0].cycles, 175U);
  EXPECT_EQ(advice.rankings[1].algorithms[0].ns, 350);
  EXPECT_EQ(advice.rankings[1].algorithms[1].algorithm, "ring");
  EXPECT_EQ(advice.rankings[1].algorithms[1].cycles, 200U);
  EXPECT_THAT(algorithms_in(advice.rankings[1]), Not(Contains("tree")));
  std::vector<std::string> left;
  for (const LeftOutRuns& runs : advice.left_out) left.push_back(runs.algorithm + ": " + runs.reason);
  EXPECT_THAT(
      left, ElementsAre("tree: limits.cycles reached", "in_router: it needs fabric.router.colours of 2 or more",
                        "in_switch: it needs switches that reduce", "in_switch_series: it needs switches that reduce"));
}

TEST_P(CollectivesRun, only_traces_and_collectives_are_played_bad) {
  write_text(dir_ / "c.yaml", "fabric: {size: [2, 2]}\nworkload: {traffic: {}}\n");
  request_.config = (dir_ / "c.yaml").string();
  EXPECT_EQ(refusal([&] { advise_played(request_, [](const std::string&) {}); }),
            request_.config + ": --played is for traces and collectives");
}

TEST_P(CollectivesRun, wrong_data_ends_it_bad) {
  write_text(dir_ / "broken", "");
  EXPECT_THROW(advise(), ViolationError);
}

INSTANTIATE_TEST_SUITE_P(Jobs, CollectivesRun, testing::Values(1, 4));

}  // namespace
}  // namespace weft::cli
