// SPDX-License-Identifier: Apache-2.0
// How runs of the real program end where no one finishes them: deadlocks, and what is shown meanwhile on a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/cli/program_case.h"
#include "tests/support/csv_table.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using weft::test::ChildResult;
using weft::test::CsvTable;
using weft::test::read_text;
using weft::test::run_child;
using weft::test::write_text;

class RunEnd : public ProgramCase {
 protected:
  /// One file per rank, each a list of nodes.
  void write_trace(const std::vector<std::string>& ranks) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      write_text(dir_ / ("x." + std::to_string(rank) + ".json"), "{\"workload_graph\": [" + ranks[rank] + "]}");
    }
    write_text(dir_ / "c.yaml", "fabric: {size: [2, 1]}\nworkload: {trace: {chakra: x}}\n");
  }
};

// Rank 0 computes for 1 us; then rank 1 waits for a message of 64 bytes that nobody sends.
TEST_F(RunEnd, a_receive_without_its_send_is_a_deadlock) {
  write_trace({R"({"Id": 1, "Name": "c", "NodeType": 4, "runtime": 1})",
               R"({"Id": 7, "Name": "r", "NodeType": 6, "comm_size": 64, "comm_src": 0, "comm_tag": 3})"});
  const ChildResult r = weft({"run", "c.yaml", "--quiet", "--out", "o"});
  EXPECT_EQ(r.status, kExitViolation);
  EXPECT_EQ(r.out, "");
  EXPECT_THAT(r.err, HasSubstr("weft: error: deadlock: the workload is not done, and since cycle 1000 nothing is left "
                               "to do\nrank 1 waits for receive of 64 bytes from rank 0, tag 3 (trace node 7)\n"));
  const auto summary = nlohmann::json::parse(read_text(dir_ / "o/summary.json"));
  EXPECT_EQ(summary["finished"], false);
  EXPECT_EQ(summary["stop"], "violation");
  EXPECT_THAT(summary["stop_text"].get<std::string>(), HasSubstr("rank 1 waits for receive of 64 bytes"));
  EXPECT_EQ(summary["cycles"], 1000);
}

// Rank 1 never joins the collective: rank 0 has sent its part and waits.
TEST_F(RunEnd, a_collective_without_all_its_members_is_a_deadlock) {
  write_trace({R"({"Id": 1, "Name": "ar", "NodeType": 7, "comm_type": 0, "comm_size": 64})",
               R"({"Id": 1, "Name": "c", "NodeType": 4, "runtime": 1})"});
  const ChildResult r = weft({"run", "c.yaml", "--quiet", "--out", "o"});
  EXPECT_EQ(r.status, kExitViolation);
  EXPECT_THAT(r.err, HasSubstr("rank 0 waits for collective 'ar' (all_reduce 0 of all ranks, 64 bytes): "));
  EXPECT_THAT(r.err, HasSubstr("waits in step 0 for data from member 1"));
  const CsvTable collectives(dir_ / "o/collectives.csv");
  EXPECT_EQ(collectives.rows(), 1U);
}

// Ranks 1 and 3 never join a broadcast of 512 bytes from rank 0, which sends and needs nothing of them.
TEST_F(RunEnd, a_broadcast_that_half_of_the_ranks_issue_is_unsound_bad) {
  const std::string node = R"({"Id": 4, "Name": "bc", "NodeType": 7, "comm_type": 5, "comm_size": 512})";
  write_trace({node, "", node, ""});
  for (const std::string algorithm : {"direct", "ring", "halving_doubling", "star"}) {
    const ChildResult r = weft({"run", "c.yaml", "--set", "fabric.size=[4,1]", "--set",
                                "workload.trace.algorithm=" + algorithm, "--quiet", "--out", algorithm});
    EXPECT_EQ(r.status, kExitViolation) << algorithm;
    EXPECT_THAT(r.err, HasSubstr("ranks 1, 3")) << algorithm;
    const auto result = summary(algorithm);
    EXPECT_EQ(result["finished"], false);
    EXPECT_EQ(result["stop"], "violation");
    EXPECT_EQ(CsvTable(dir_ / algorithm / "collectives.csv").rows(), 1U);
  }
  const ChildResult r = weft({"run", "c.yaml", "--set", "fabric.size=[4,1]", "--set", "workload.trace.algorithm=direct",
                              "--quiet", "--out", "o"});
  EXPECT_THAT(r.err, HasSubstr("weft: error: all ranks have finished, but the workload is unsound:\n"
                               "collective 'bc' (broadcast 0 of all ranks, 512 bytes): issued by ranks 0, 2, never by "
                               "ranks 1, 3\n"));
}

// Rank 0 sends three messages of 64 bytes with tag 3 and one of 8 bytes; rank 1 receives one of the former.
TEST_F(RunEnd, sends_without_receives_are_unsound_bad) {
  const std::string send = R"("NodeType": 5, "comm_size": 64, "comm_dst": 1, "comm_tag": 3)";
  write_trace({R"({"Id": 1, "Name": "a", )" + send + R"(}, {"Id": 2, "Name": "b", )" + send +
                   R"(, "data_deps": [1]}, {"Id": 3, "Name": "c", )" + send + R"(, "data_deps": [2]},
                   {"Id": 4, "Name": "d", "NodeType": 5, "comm_size": 8, "comm_dst": 1, "comm_tag": 9})",
               R"({"Id": 7, "Name": "r", "NodeType": 6, "comm_size": 64, "comm_src": 0, "comm_tag": 3})"});
  const ChildResult r = weft({"run", "c.yaml", "--quiet", "--out", "o"});
  EXPECT_EQ(r.status, kExitViolation);
  EXPECT_THAT(r.err,
              HasSubstr("all ranks have finished, but the workload is unsound:\n"
                        "rank 1 never receives 2 messages of 64 bytes from rank 0, tag 3: sent by 'b' (node 2), "
                        "'c' (node 3)\n"
                        "rank 1 never receives a message of 8 bytes from rank 0, tag 9: sent by 'd' (node 4)\n"));
  EXPECT_EQ(summary("o")["finished"], false);
  EXPECT_EQ(summary("o")["packets"], 4);
}

// Node 9 names a peer that does not exist and can only start after the first compute node.
TEST_F(RunEnd, a_node_that_cannot_be_played_is_refused_before_time_0_bad) {
  write_trace({R"({"Id": 1, "Name": "c", "NodeType": 4, "runtime": 1},
                  {"Id": 9, "Name": "s", "NodeType": 5, "comm_size": 64, "comm_dst": 5, "data_deps": [1]})",
               R"({"Id": 1, "Name": "c", "NodeType": 4, "runtime": 1})"});
  const ChildResult r = weft({"run", "c.yaml", "--quiet", "--out", "o"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("trace of rank 0, node 9 's'"));
  EXPECT_THAT(r.err, Not(HasSubstr("stopped at cycle")));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "o"));
}

// Flits of 512 bytes over 333 MB/s take 1537.5 cycles, and the run has 300: a link that gets one carries it to the end.
TEST_F(RunEnd, a_flit_that_is_on_its_way_counts_for_the_cycles_of_the_run) {
  write_text(
      dir_ / "c.yaml",
      "fabric: {size: [2,1], flit_bytes: 512, link: {bandwidth: 333 MB/s}, local: {bandwidth: 100 GB/s}}\n"
      "workload: {traffic: {pattern: neighbor, rate: 1, packet_flits: 2, warmup_cycles: 0, measure_cycles: 300,\n"
      "  drain_cycles: 0}}\n");
  ASSERT_EQ(weft({"run", "c.yaml", "--quiet", "--out", "o"}).status, kExitOk);
  const CsvTable links(dir_ / "o/links.csv");
  int busy = 0;
  for (std::size_t i = 0; i < links.rows(); ++i) {
    const double used = std::stod(links.at(i, "utilisation"));
    EXPECT_LE(used, 1.0);
    if (links.at(i, "from").rfind("router", 0) != 0 || links.at(i, "to").rfind("router", 0) != 0) continue;
    EXPECT_EQ(links.at(i, "flits"), "1");
    EXPECT_GT(used, 0.9);
    EXPECT_LT(used, 1.0);
    ++busy;
  }
  EXPECT_EQ(busy, 2);
}

// A pause of 100,000 cycles, five times the watchdog's, then a message in each direction with another pause between.
TEST_F(RunEnd, a_message_after_a_long_pause_is_no_deadlock) {
  const std::string pause = R"({"Id": 1, "Name": "c", "NodeType": 4, "runtime": 100})";
  const std::string recv = R"({"Id": 2, "NodeType": 6, "comm_size": 64, "comm_src": 0, "comm_tag": 3})";
  write_trace({pause + R"(, {"Id": 2, "NodeType": 5, "comm_size": 64, "comm_dst": 1, "comm_tag": 3, "data_deps": [1]},
                 {"Id": 3, "NodeType": 6, "comm_size": 64, "comm_src": 1, "comm_tag": 4})",
               recv + R"(, {"Id": 3, "Name": "d", "NodeType": 4, "runtime": 50, "data_deps": [2]},
                 {"Id": 4, "NodeType": 5, "comm_size": 64, "comm_dst": 0, "comm_tag": 4, "data_deps": [3]})"});
  const ChildResult r = weft({"run", "c.yaml", "--quiet", "--out", "o"});
  EXPECT_EQ(r.status, kExitOk) << r.err;
  const auto summary = nlohmann::json::parse(read_text(dir_ / "o/summary.json"));
  EXPECT_EQ(summary["packets"], 2);
  EXPECT_GT(summary["cycles"], 150'000);
  EXPECT_LT(summary["cycles"], 150'100);
}

constexpr const char* kLongRun =
    "fabric: {size: [4, 4]}\nworkload: {traffic: {rate: 0.2, warmup_cycles: 0, measure_cycles: 300000}}\n";

// `script` gives the program a terminal; -e hands its exit status on.
TEST_F(RunEnd, progress_is_shown_on_a_terminal_and_nowhere_else) {
  write_text(dir_ / "c.yaml", kLongRun);
  const ChildResult terminal = run_child({"/usr/bin/script", "-qec", "true", "typescript"}, dir_.path().string());
  if (terminal.status != kExitOk) GTEST_SKIP() << "this system gives no pseudo-terminals: " << terminal.err;
  const std::string command = std::string(WEFT_PROGRAM) + " run c.yaml --out ";
  const ChildResult seen = run_child({"/usr/bin/script", "-qec", command + "o", "typescript"}, dir_.path().string());
  ASSERT_EQ(seen.status, kExitOk) << seen.out << seen.err;
  EXPECT_THAT(seen.out, testing::ContainsRegex(
                            "[0-9.]+ us simulated, [0-9]+ % done, [0-9.]+ M flit-hops/s, about [0-9.]+ s left"));
  EXPECT_THAT(seen.out, HasSubstr("outcome          finished"));
  const ChildResult piped = run_child({"/bin/sh", "-c", command + "p | cat"}, dir_.path().string());
  EXPECT_THAT(piped.out, HasSubstr("outcome          finished"));
  EXPECT_THAT(piped.out + piped.err, Not(HasSubstr("% done")));
  EXPECT_THAT(piped.out + piped.err, Not(HasSubstr("\r")));
}

}  // namespace
}  // namespace weft::cli
