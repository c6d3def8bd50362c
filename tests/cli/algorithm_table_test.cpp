// SPDX-License-Identifier: Apache-2.0
// `algorithm: auto` with the program itself: tables from `weft advise collectives`, tables written by hand, and what is
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/error.h"
#include "tests/cli/program_case.h"
#include "tests/support/source.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::write_text;

const std::string kMeshWafer = test::source("configs/mesh-wafer.yaml");
const std::string kFredD = test::source("configs/fred-d.yaml");

class AutoAlgorithm : public ProgramCase {
 protected:
  /// The table of a run's collectives.
  std::string collectives(std::vector<std::string> words) const {
    words.insert(words.end(), {"--quiet", "--out", "r"});
    words.insert(words.begin(), "run");
    const ChildResult r = weft(words);
    EXPECT_EQ(r.status, kExitOk) << r.err;
    return read_text(dir_ / "r" / "collectives.csv");
  }
  /// "kind,algorithm,ranks" of each row, each once.
  static std::set<std::string> methods(const std::string& table) {
    std::set<std::string> found;
    std::istringstream lines(table);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::vector<std::string> cells;
      std::istringstream stream(line);
      for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
      found.insert(cells.at(1) + "," + cells.at(2) + "," + cells.at(11));
    }
    return found;
  }
  void table(const std::string& name, const std::string& fabric, const std::string& collectives) const {
    write_text(dir_ / name, "fabric: {" + fabric + "}\ncollectives: {" + collectives + "}\n");
  }
};

TEST_F(AutoAlgorithm, plays_what_was_found_to_be_fastest) {
  const ChildResult advice = weft({"advise", "collectives", kMeshWafer, "--kinds", "all_reduce,barrier", "--sizes",
                                   "1KiB,256KiB", "--jobs", "2", "--json", "--out", "t.yaml"});
  ASSERT_EQ(advice.status, kExitOk) << advice.err;
  const auto json = nlohmann::json::parse(advice.out);
  ASSERT_EQ(json["collectives"].size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& best = json["collectives"][i]["algorithms"][0];
    const std::string played =
        collectives({kMeshWafer, "--set", "workload.collective.algorithm=auto", "--set",
                     "workload.collective.algorithm_table=t.yaml", "--set",
                     "workload.collective.size=" + std::to_string(json["collectives"][i]["bytes"].get<int>()) + " B"});
    EXPECT_THAT(played, HasSubstr("all_reduce," + best["algorithm"].get<std::string>() + ",all,"));
    EXPECT_THAT(played, HasSubstr(",0," + std::to_string(best["cycles"].get<int>()) + ",0,"));
  }
  EXPECT_NE(json["collectives"][0]["algorithms"][0]["algorithm"], json["collectives"][1]["algorithms"][0]["algorithm"])
      << "messages of 51 B are a matter of latency, those of 13 KiB of bandwidth";
}

// Ranks of one tp group are neighbours, 2k and 2k + 1, and those of one dp group are two apart: 0, 2, 4, 6, 8 are no
// rectangle of a 5 x 4 mesh, 10, 12, 14, 16, 18 neither. Of the tp groups {4, 5} and {14, 15} lie on two rows.
TEST_F(AutoAlgorithm, a_trace_whose_groups_need_several_algorithms) {
  const ChildResult made = weft({"trace", "gen", "transformer", "--layers", "2", "--tp", "2", "--dp", "5", "--pp", "2",
                                 "--batch", "10", "--out", "t/step"});
  ASSERT_EQ(made.status, kExitOk) << made.err;
  const auto with = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> words{kMeshWafer};
    for (const char* common : {"workload.trace.chakra=t/step", "workload.trace.groups=t/comm_group.json",
                               "npu.peak_flops=100 TFLOP/s", "npu.memory_bandwidth=3 TB/s"})
      words.insert(words.end(), {"--set", common});
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    return words;
  };
  std::vector<std::string> check = with({"workload.trace.algorithm=hierarchical_2d"});
  check.insert(check.begin(), "check");
  EXPECT_THAT(weft(check).err, HasSubstr("needs a group that fills every crossing of some rows and columns"));
  table("t.yaml", "kind: mesh, npus: 20",
        "all_reduce: {2: {1 KiB: [hierarchical_2d, double_binary_tree]}, "
        "3: {1 KiB: [hierarchical_2d, two_level_ring]}}");
  EXPECT_EQ(
      methods(collectives(with({"workload.trace.algorithm=auto", "workload.trace.algorithm_table=t.yaml"}))),
      (std::set<std::string>{"all_reduce,hierarchical_2d,2", "all_reduce,double_binary_tree,2", "all_reduce,ring,5"}));
}

TEST_F(AutoAlgorithm, flows_in_switches_are_those_of_the_algorithm_by_name) {
  table("t.yaml", "kind: fred, npus: 20", "all_reduce: {20: {1 KiB: [ring], 64 KiB: [in_switch]}}");
  const auto played = [&](const std::string& size, const std::vector<std::string>& settings) {
    std::vector<std::string> words{kFredD, "--set", "workload.collective.size=" + size};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", "workload.collective." + setting});
    return collectives(words);
  };
  const std::vector<std::string> by_table{"algorithm=auto", "algorithm_table=t.yaml"};
  EXPECT_EQ(played("64 KiB", by_table), played("64 KiB", {"algorithm=in_switch"}));
  EXPECT_EQ(played("32 KiB", by_table), played("32 KiB", {"algorithm=ring"}));
  // int32 is not among the formats of these switches.
  table("t.yaml", "kind: fred, npus: 20", "all_reduce: {20: {1 KiB: [in_switch, direct]}}");
  std::vector<std::string> words{kFredD, "--set", "fabric.formats=[bf16]"};
  for (const char* setting : {"dtype=int32", "data=values", "size=64 KiB", "algorithm=auto", "algorithm_table=t.yaml"})
    words.insert(words.end(), {"--set", std::string("workload.collective.") + setting});
  EXPECT_EQ(methods(collectives(words)), std::set<std::string>{"all_reduce,direct,20"});
}

// Four groups of five ranks at once, each rank 4 apart.
TEST_F(AutoAlgorithm, a_workload_is_played_as_it_stands_to_make_its_table) {
  const std::vector<std::string> own{"--set", "workload.collective.parallelism=[2, 2, 5]",
                                     "--set", "workload.collective.phase=dp",
                                     "--set", "workload.collective.size=64 KiB"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), own.begin(), own.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto set = [](const std::string& setting) {
    return std::vector<std::string>{"--set", "workload.collective." + setting};
  };
  write_text(dir_ / "c.yaml",
             std::string("include: ") + kMeshWafer + "\n" + "workload: {collective: {algorithm: ring}}\n");
  const ChildResult advice = weft(with({"advise", "collectives", "c.yaml"}, {"--played", "--json", "--out", "t.yaml"}));
  ASSERT_EQ(advice.status, kExitOk) << advice.err;
  const auto json = nlohmann::json::parse(advice.out);
  ASSERT_EQ(json["collectives"].size(), 1U);
  EXPECT_EQ(json["collectives"][0]["ranks"], 5);
  EXPECT_EQ(json["collectives"][0]["bytes"], 65536);
  std::set<std::string> known;
  for (const auto& each : json["collectives"][0]["algorithms"]) known.insert(each["algorithm"]);
  EXPECT_EQ(known.count("ring"), 1U);
  EXPECT_EQ(known.count("halving_doubling"), 1U) << "it does no all_to_all, which does not matter here";
  EXPECT_EQ(known.count("hierarchical_2d"), 0U) << "the groups are no rectangles";
  const std::string best = json["collectives"][0]["algorithms"][0]["algorithm"];
  const std::string by_name = collectives(with({"c.yaml"}, set("algorithm=" + best)));
  std::vector<std::string> by_table = set("algorithm=auto");
  by_table.insert(by_table.end(), {"--set", "workload.collective.algorithm_table=t.yaml"});
  EXPECT_EQ(collectives(with({"c.yaml"}, by_table)), by_name);
}

TEST_F(AutoAlgorithm, what_is_refused_bad) {
  const auto refused = [&](const std::vector<std::string>& settings, const std::string& text) {
    std::vector<std::string> words{"check", kMeshWafer};
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", "workload.collective." + setting});
    const ChildResult r = weft(words);
    EXPECT_EQ(r.status, kExitBadInput) << text;
    EXPECT_THAT(r.err, HasSubstr(text));
  };
  refused({"algorithm=auto"},
          "needs the key 'algorithm_table', a file that `weft advise collectives CONFIG --out FILE`");
  table("other.yaml", "kind: mesh, npus: 16", "all_reduce: {16: {1 KiB: [ring]}}");
  refused(
      {"algorithm=auto", "algorithm_table=other.yaml"},
      "workload.collective.algorithm_table: other.yaml: the table is for a mesh of 16 NPUs, but the fabric is a mesh "
      "of 20");
  table("small.yaml", "kind: mesh, npus: 20", "barrier: {16: {0 B: [ring]}}");
  refused({"algorithm=auto", "algorithm_table=small.yaml"},
          "workload.collective.algorithm: small.yaml: the table has no all_reduce; `weft advise collectives CONFIG "
          "--kinds all_reduce --out FILE`");
  table("wrong.yaml", "kind: mesh, npus: 20", "all_reduce: {16: {1 KiB: [rings]}}");
  refused({"algorithm=auto", "algorithm_table=wrong.yaml"},
          "workload.collective.algorithm_table: wrong.yaml:2:41: unknown collective algorithm 'rings'");
  const ChildResult r = weft({"advise", "collectives", kMeshWafer, "--out", "no/such/folder/t.yaml"});
  EXPECT_NE(r.status, kExitOk);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(weft({"advise", "collectives", kMeshWafer, "--kinds", "all_reduc"}).err,
              HasSubstr("weft: error: --kinds all_reduc: legal are all_reduce, "));
}

}  // namespace
}  // namespace weft::cli
