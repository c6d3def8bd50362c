// SPDX-License-Identifier: Apache-2.0
// Bad traces and their groups, given to the real program: exit status 2, and a message with the place, what was found
// and what is legal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/cli/bad_input_case.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using weft::test::ChildResult;
using weft::test::read_text;

using Words = std::vector<std::string>;

TEST_F(BadInput, traces_that_are_no_files_bad) {
  make_trace();
  for (const std::string name : {"t/x.2.et", "t/x.2.json"}) {
    std::filesystem::remove(dir_ / "t/x.2.et");
    std::filesystem::create_symlink("/dev/zero", dir_ / name);
    for (const char* command : {"check", "run"}) refused(trace_run(command), {name + ": is a device or a pipe"});
    std::filesystem::remove(dir_ / name);
    ASSERT_EQ(mkfifo((dir_ / name).c_str(), 0600), 0);
    for (const char* command : {"check", "run"}) refused(trace_run(command), {name + ": is a device or a pipe"});
    std::filesystem::remove(dir_ / name);
  }
}

TEST_F(BadInput, traces_that_cannot_be_read) {
  make_trace();
  const std::string good = read_text(dir_ / "t/x.2.et");
  const auto file = [this](const std::string& bytes, const std::string& fragment) {
    write("t/x.2.et", bytes);
    for (const char* command : {"check", "run"}) refused(trace_run(command), {fragment});
  };
  file(good.substr(0, 20), "t/x.2.et: byte 8: record 1 has 63 bytes by its length but the file ends after 11 of them");
  file("not a trace", "t/x.2.et: byte 0: record 0 has 110 bytes by its length");
  file("", "t/x.2.et: byte 0: the file is empty, expected a GlobalMetadata record");
  file("\x1f\x8b\x08garbage", "t/x.2.et: byte 4 of the gzip data is damaged");
  std::filesystem::remove(dir_ / "t/x.2.et");
  refused(trace_run("run"), {"t/x.2.et: missing, but rank 3 of the same trace is there; ranks must be 0 to n-1"});
  write("t/x.2.json", "{\"workload_graph\": 1\n");
  refused(trace_run("run"), {"t/x.2.json: not valid JSON: line 2, column 1"});
  refused({"trace", "info", "t/y"}, {"t/y.0.et: no such trace file (nor t/y.0.et.gz or t/y.0.json)"});
}

TEST_F(BadInput, traces_that_do_not_fit) {
  make_trace();
  for (const char* command : {"check", "run"}) {
    refused(trace_run(command, {"fabric.size=[3, 1]"}),
            {"t.yaml:2:28: workload.trace.chakra: the trace has 4 ranks, but the fabric has places for 3"});
    refused(trace_run(command, {"npu.placement=[0, 1]"}), {"the fabric has places for 2"});
  }
}

// What stands in the nodes of a trace is known to `weft check` beforehand, and to `weft run` where the trace is small.
// A large one is read while it is played: a node that cannot be played is found when its turn comes.
TEST_F(BadInput, nodes_that_cannot_be_played) {
  make_trace();
  const Words settings{"workload.trace.algorithm=double_binary_tree"};
  const std::string text =
      "trace of rank 0, node 0 'all_to_all_0': algorithm double_binary_tree does not do all_to_all";
  for (const char* command : {"check", "run"}) refused(trace_run(command, settings), {text, "trace of rank 3, node 0"});
  std::filesystem::remove(dir_ / "t/x.3.et");
  write("t/x.3.json", R"({"workload_graph": [{"Id": 1, "Name": "c", "NodeType": 4, "runtime": 1}]})" +
                          std::string(std::size_t{4} << 20, ' '));
  Words arguments = trace_run("run", settings);
  arguments.insert(arguments.end(), {"--quiet", "--out", "o"});
  const ChildResult r = weft(arguments);
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, StartsWith("weft: error: " + text));
  EXPECT_THAT(r.err, HasSubstr("stopped at cycle 0; what there is lies in o\n"));
  EXPECT_THAT(read_text(dir_ / "o/summary.json"), HasSubstr("\"stop\": \"bad input\""));
}

// What a node says is judged by the reader where it makes no sense by itself, and by the player's rules otherwise.
TEST_F(BadInput, attributes_of_nodes) {
  make_trace();
  std::filesystem::remove(dir_ / "t/x.0.et");
  const auto graph = [this](const std::string& attributes, const std::string& fragment) {
    write("t/x.0.json", R"({"workload_graph": [{"Id": 1, "Name": "n", )" + attributes + "}]}");
    refused(trace_run("check"), {fragment});
  };
  const std::string at = "t/x.0.json: workload_graph[0]: key ";
  graph(R"("NodeType": 9)", at + "NodeType is 9, expected 1 (METADATA_NODE) to 7 (COMM_COLL_NODE)");
  graph(R"("NodeType": 4, "runtime": -1)", at + "runtime is -1, expected an integer from 0 to ");
  graph(R"("NodeType": 7, "comm_type": 99)", at + "comm_type is 99, expected 0 (ALL_REDUCE) to 9 (BARRIER)");
  const std::string rule = "trace of rank 0, node 1 'n': ";
  graph(R"("NodeType": 4, "num_ops": 10)",
        "compute node 1 'n' has 10 operations but no recorded duration: set npu.peak_flops");
  graph(R"("NodeType": 5, "comm_size": 8, "comm_dst": 7)", rule + "comm_dst is 7; the workload has ranks 0 to 3");
  graph(R"("NodeType": 5, "comm_size": 8)", rule + "has no comm_dst");
  graph(R"("NodeType": 6, "comm_size": 8, "comm_src": 4)", rule + "comm_src is 4; the workload has ranks 0 to 3");
  graph(R"("NodeType": 7, "comm_type": 0, "comm_size": 8, "pg_name": "5")",
        rule + "process group '5' does not exist; ");
  write("g.json", R"({"5": [1, 2]})");
  refused(trace_run("check", {"workload.trace.groups=g.json"}),
          {rule + "rank is not a member of its process group '5'"});
}

/// One missing key makes all nodes without a duration unplayable: they are one problem.
TEST_F(BadInput, many_nodes_without_a_compute_rate_bad) {
  make_trace();
  std::filesystem::remove(dir_ / "t/x.0.et");
  std::string nodes;
  for (int i = 1; i <= 50; ++i)
    nodes += (i == 1 ? "" : ", ") + std::string(R"({"NodeType": 4, "Name": "n", "num_ops": 10, "Id": )") +
             std::to_string(i) + "}";
  write("t/x.0.json", "{\"workload_graph\": [" + nodes + "]}");
  const ChildResult r = weft(trace_run("check"));
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, StartsWith("weft: error: compute node 1 'n' has 10 operations but no recorded duration: set "
                                "npu.peak_flops"));
  EXPECT_THAT(r.err, testing::EndsWith("; 49 more compute nodes cannot be played\n"));
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1);
}

TEST_F(BadInput, dependencies_on_absent_nodes) {
  make_trace();
  std::filesystem::remove(dir_ / "t/x.0.et");
  write("t/x.0.json", R"({"workload_graph": [{"Id": 1, "NodeType": 4, "runtime": 1, "data_deps": [99]}]})");
  Words arguments = trace_run("run", {"workload.trace.strict=true"});
  arguments.insert(arguments.end(), {"--quiet", "--out", "o"});
  const ChildResult r = weft(arguments);
  EXPECT_EQ(r.status, kExitBadInput) << r.err;
  EXPECT_THAT(r.err, HasSubstr("99"));
  EXPECT_THAT(r.err, HasSubstr("t/x.0.json"));
}

TEST_F(BadInput, groups) {
  make_trace();
  const auto groups = [this](const std::string& text, const std::string& fragment) {
    write("g.json", text);
    for (const char* command : {"check", "run"}) {
      refused(trace_run(command, {"workload.trace.groups=g.json"}),
              {"--set workload.trace.groups=g.json: workload.trace.groups: g.json: ", fragment});
    }
  };
  groups("{\"1\": [0, 1\n", "not valid JSON: ");
  groups("[1]", "is array, expected an object like {\"1\": [0, 1], \"2\": [2, 3]}");
  groups("{\"1\": \"a\"}", "group \"1\" is string, expected a list of ranks");
  groups("{\"1\": [0, 0]}", "group \"1\" names rank 0 twice");
  groups("{\"1\": [0, 9]}", "process group '1': rank 9 does not exist; the workload has ranks 0 to 3");
}

TEST_F(BadInput, numbers_of_trace_gen) {
  refused({"trace", "gen", "collective", "--kind", "all_reduce", "--ranks", "0", "--out", "a"},
          {"a trace needs at least 1 rank; 0 were asked for"});
  refused({"trace", "gen", "collective", "--kind", "all_reduce", "--size", "5", "--out", "a"},
          {"--size 5: '5' has no unit; legal units: TiB, GiB"});
  refused({"trace", "gen", "collective", "--kind", "allreduce", "--out", "a"}, {"did you mean 'all_reduce'"});
}

}  // namespace
}  // namespace weft::cli
