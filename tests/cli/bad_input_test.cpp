// SPDX-License-Identifier: Apache-2.0
// Every class of bad YAML, option, trace, group and program, given to the real program: exit status 2, and a message
// with the place, what was found, what is legal and the nearest name. The messages of single keys are in tests/kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "tests/cli/program_case.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::write_text;

using Words = std::vector<std::string>;

class BadInput : public ProgramCase {
 protected:
  void write(const std::string& name, const std::string& text) { write_text(dir_ / name, text); }

  /// The program refuses `arguments` with all `fragments` on standard error, and leaves nothing behind.
  void refused(const Words& arguments, const Words& fragments) {
    const ChildResult r = weft(arguments);
    const std::string call = testing::PrintToString(arguments);
    EXPECT_EQ(r.status, kExitBadInput) << call;
    EXPECT_EQ(r.out, "") << call;
    EXPECT_THAT(r.err, StartsWith("weft: error: ")) << call;
    for (const std::string& fragment : fragments) EXPECT_THAT(r.err, HasSubstr(fragment)) << call;
    EXPECT_FALSE(std::filesystem::exists(dir_ / "results")) << call << " left results behind";
  }
  /// The same for a configuration as text: `weft check` and `weft run` agree.
  void refused_text(const std::string& text, const Words& fragments) {
    write("bad.yaml", text);
    refused({"check", "bad.yaml"}, fragments);
    refused({"run", "bad.yaml"}, fragments);
  }
  /// The same for settings on top of a good configuration of 2 x 2 nodes.
  void refused_set(const Words& settings, const Words& fragments) {
    write("good.yaml", "fabric: {size: [2, 2]}\nworkload: {traffic: {measure_cycles: 100}}\n");
    for (const char* command : {"check", "run"}) {
      Words arguments{command, "good.yaml"};
      for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
      refused(arguments, fragments);
    }
  }
  /// Traces of one all-to-all of four ranks at t/x.
  void make_trace() {
    const Words gen{"trace", "gen",    "collective", "--kind", "all_to_all", "--ranks",
                    "4",     "--size", "1 KiB",      "--out",  "t/x"};
    ASSERT_EQ(weft(gen).status, kExitOk);
  }
  /// A run of the traces at t/x, with more settings.
  Words trace_run(const std::string& command, const Words& settings = {}) {
    write("t.yaml", "fabric: {size: [2, 2]}\nworkload: {trace: {chakra: t/x}}\n");
    Words arguments{command, "t.yaml"};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return arguments;
  }
};

TEST_F(BadInput, yaml_that_is_none) {
  refused_text("fabric: [1, 2\n", {"bad.yaml:2:1: not valid YAML: "});
  refused_text("fabric: {size: [2, 2]}\n\tworkload: 1\n", {"bad.yaml:2:2: not valid YAML: "});
  refused_text("", {"bad.yaml:1:1: fabric.size: is missing", "workload is missing"});
  refused_text("a: 1\n---\nb: 2\n", {"bad.yaml:3:1: a second YAML document"});
}

TEST_F(BadInput, keys_unknown_misplaced_or_twice) {
  refused_text("fabric: {size: [2, 2]}\nworkload: {traffic: {}}\nthread: 2\n",
               {"bad.yaml:3:1: unknown key 'thread'; did you mean 'threads'? Known: name, seed, threads"});
  refused_text("fabric: {size: [2, 2], vcs: 4}\nworkload: {traffic: {}}\n",
               {"bad.yaml:1:24: unknown key 'vcs' in 'fabric'; did you mean 'fabric.router.vcs'?"});
  refused_text("fabric: {size: [2, 2]}\nworkload: {traffic: {}}\nseed: 1\nseed: 2\n",
               {"bad.yaml:4:1: duplicate key 'seed'; first given in line 3"});
}

TEST_F(BadInput, values_of_a_wrong_type_unit_or_range) {
  refused_text("fabric: {size: 2}\nworkload: {traffic: {}}\n",
               {"bad.yaml:1:16: fabric.size: 2 is one number; legal for a mesh: [x, y]"});
  refused_text("fabric: {size: [2, 2]}\nworkload: {traffic: {}}\nclock: 1\n",
               {"bad.yaml:3:8: clock: '1' has no unit; legal units: THz, GHz, MHz, kHz, Hz"});
  refused_text("fabric: {size: [2, 2], router: {vcs: 26}}\nworkload: {traffic: {}}\n",
               {"bad.yaml:1:38: fabric.router.vcs: 26 is out of range; legal: an integer from 1 to "});
  refused_text("fabric: {size: [2, 2], routing: xyz}\nworkload: {traffic: {}}\n",
               {"bad.yaml:1:33: fabric.routing: unknown name 'xyz'; known: xy, yx, o1turn, ", "; did you mean 'xy'?"});
}

TEST_F(BadInput, keys_that_contradict_each_other) {
  refused_text(
      "fabric: {size: [4, 4], kind: torus, router: {vcs: 1}}\nworkload: {traffic: {}}\n",
      {"bad.yaml:1:51: fabric.router.vcs: 1 VC can deadlock with routing 'dimension_order': ", "legal: at least 2"});
  refused_text("fabric: {size: [2, 2]}\nworkload:\n  traffic: {}\n  collective: {size: 1 KiB}\n",
               {"bad.yaml:3:12: workload has collective and traffic; legal: exactly one of"});
}

TEST_F(BadInput, files_that_are_not_there) {
  refused({"check", "none.yaml"}, {"cannot read 'none.yaml': no such file"});
  refused({"run", "/"}, {"cannot read '/': it is a directory"});
  refused_text("include: base.yaml\n", {"bad.yaml:1:10: include: cannot read 'base.yaml': no such file"});
  write("base.yaml", "include: bad.yaml\n");
  refused_text("include: base.yaml\n", {"base.yaml:1:10: include: 'bad.yaml' includes itself: bad.yaml -> base.yaml"});
  refused_set({"workload.trace.chakra=t/none"}, {"workload.trace.chakra: no such file; looked for 't/none.*'"});
  refused_set({"workload.traffic.pattern=permutation", "workload.traffic.file=p"},
              {"--set workload.traffic.file=p: workload.traffic.file: no such file; looked for 'p'"});
}

TEST_F(BadInput, all_errors_of_a_file_at_once) {
  refused_text("fabric: {size: [0, 2]}\nworkload: {traffic: {rate: -1}}\nsede: 1\n",
               {"bad.yaml:1:17: fabric.size[0]: 0 is out of range", "bad.yaml:2:28: workload.traffic.rate: '-1'",
                "bad.yaml:3:1: unknown key 'sede'; did you mean 'seed'?"});
}

TEST_F(BadInput, settings) {
  refused_set({"seed"}, {"--set seed: no '='; legal: path=value"});
  refused_set({"=1"}, {"--set =1: '' is no path of keys: a name is missing; legal: a.b or a.b[0]"});
  refused_set({"fabric.size[x]=1"}, {"an index must be a number in brackets"});
  refused_set({"fabric.size[5]=1"}, {"[5] is out of range; the list has 2 elements, legal: 0 to 2"});
  refused_set({"include=x"}, {"'include' cannot be set; it belongs into a file"});
  refused_set({"fabric.size=[1,"}, {"--set fabric.size=[1,: not valid YAML: "});
  refused_set({"fabric.kidn=mesh"}, {"--set fabric.kidn=mesh: unknown key 'kidn' in 'fabric'; did you mean 'kind'?"});
  refused_set({"waves.file=x.vcd", "waves.scope=['fabric.routr[*]']"},
              {"waves.scope: 'fabric.routr[*]' matches nothing: 'fabric' holds no 'routr[*]'; nearest: router[0,0]"});
  refused_set({"waves.file=x.vcd", "waves.scope=['npu[3']"}, {"'npu[3' has no closing ']'"});
}

TEST_F(BadInput, options_of_the_program) {
  refused({"run"}, {"CONFIG is required", "`weft run --help` shows what is legal"});
  refused({"run", "a.yaml", "b.yaml"}, {"The following argument was not expected: b.yaml"});
  refused({"run", "a.yaml", "--quit"}, {"weft run: unknown option '--quit'; did you mean '--quiet'?"});
  refused({"run", "a.yaml", "--out"}, {"--out"});
  refused({"sweep", "a.yaml"}, {"--out is required"});
  refused({"sweep", "a.yaml", "--out", "s", "--jobs", "0"}, {"--jobs: Value 0 not in range 1 to 1024"});
  refused({"bench", "--filter", "nothing"}, {"--filter nothing: fits no benchmark; there are 1x1, 8x8-0.1"});
  refused({"trace", "gen", "nothing"},
          {"weft trace gen: unknown subcommand 'nothing'", "collective, transformer, weight-streaming, zero2, moe"});
}

TEST_F(BadInput, points_of_a_sweep_that_are_not_legal) {
  write_text(dir_ / "good.yaml", "fabric: {size: [2, 2]}\nworkload: {collective: {kind: all_reduce, size: 1 KiB}}\n");
  const ChildResult alike =
      weft({"sweep", "good.yaml", "-q", "--set", "fabric.router.vcs=2,4", "--set", "seed=[1, 2]", "--out", "s"});
  EXPECT_EQ(alike.status, kExitBadInput);
  EXPECT_THAT(alike.err, testing::StartsWith("weft: error: all 2 runs failed, with the same error:\n"));
  EXPECT_THAT(alike.err, HasSubstr("fabric.router.vcs: "));
  EXPECT_THAT(alike.err,
              testing::EndsWith(
                  "--set fabric.router.vcs=2,4 is one value; several are a list: --set fabric.router.vcs=[2,4]\n"));
  const ChildResult unlike =
      weft({"sweep", "good.yaml", "-q", "--set", "fabric.router.vcs=[1, 0, many]", "--out", "t"});
  EXPECT_THAT(unlike.err, testing::StartsWith("weft: error: 2 runs failed; the first:\n"));
  EXPECT_THAT(unlike.err, testing::EndsWith("\nthe columns status and error of the table have all\n"));
}

TEST_F(BadInput, axes_of_a_sweep) {
  write("good.yaml", "fabric: {size: [2, 2]}\nworkload: {traffic: {}}\n");
  const auto sweep = [this](const std::string& axis, const std::string& fragment) {
    refused({"sweep", "good.yaml", "--set", axis, "--out", "s"}, {fragment});
  };
  sweep("seed", "--set seed: expected path=value, path=a:b:step or path=[x, y, ...]");
  sweep("seed=4:1:1", "--set seed=4:1:1: the last value lies before the first");
  sweep("seed=1:4:0", "--set seed=1:4:0: the step must be above 0");
}

/// What is read as a whole, and holds no file: a device without an end, a directory, a pipe without a writer. Each is
/// refused at the key that names it, within the limit of time and memory of a small file.
TEST_F(BadInput, side_files_that_are_no_files_bad) {
  make_trace();
  ASSERT_EQ(mkfifo((dir_ / "pipe.yaml").c_str(), 0600), 0);
  std::filesystem::create_directory(dir_ / "folder.yaml");
  std::filesystem::create_symlink("/dev/zero", dir_ / "zero.yaml");
  const std::string trace = "workload.trace.chakra=t/x";
  const std::vector<std::pair<std::string, Words>> keys{
      {"workload.traffic.file", {"workload.traffic.pattern=permutation"}},
      {"workload.trace.groups", {trace}},
      {"workload.trace.algorithm_file", {trace, "workload.trace.algorithm=file"}},
      {"workload.collective.algorithm_file", {"workload.collective={size: 1 KiB, algorithm: file}"}},
      {"memory.remote", {trace, "memory.place=remote"}},
      {"memory.pool", {trace, "memory.place=io", "io.controllers=4", "npu.message_classes=2"}},
      {"memory.timing", {trace}}};
  for (const auto& [key, others] : keys) {
    const auto set = [&, key = key, others = others](const std::string& file, const std::string& reason) {
      Words settings = others;
      settings.push_back(key + "=" + file);
      refused_set(settings, {"--set " + key + "=" + file + ": " + key + ": ", file + "'", reason});
    };
    set("zero.yaml", "cannot read 'zero.yaml': it is a device, not a file");
    set("pipe.yaml", "cannot read 'pipe.yaml': it is a pipe that nobody writes into");
    set("folder.yaml", "no such file");
  }
  for (const char* file : {"zero.yaml", "pipe.yaml", "folder.yaml"}) {
    refused({"program", "check", file}, {std::string("cannot read '") + file + "': it is a "});
    refused({"check", file}, {std::string("cannot read '") + file + "': it is a "});
  }
}

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

TEST_F(BadInput, permutations) {
  const auto file = [this](const std::string& text, const std::string& fragment) {
    write("p.txt", text);
    refused_set({"workload.traffic.pattern=permutation", "workload.traffic.file=p.txt"},
                {"--set workload.traffic.file=p.txt: workload.traffic.file: ", fragment});
  };
  file("0 1\n1 4\n", "p.txt:2: '4' is not a node; the fabric has nodes 0 to 3");
  file("0 1\n1\n", "p.txt:2: expected two numbers, 'source destination'");
  file("0 1\n0 2\n", "p.txt:2: node 0 has a destination already");
  file("0 1\n1 2\n2 3\n", "p.txt: node 3 has no destination; every node from 0 to 3 needs one line");
}

TEST_F(BadInput, collectives_that_their_algorithm_does_not_do) {
  refused_text(
      "fabric: {size: [2, 2]}\nworkload: {collective: {kind: all_to_all, algorithm: halving_doubling, size: 1 KiB}}\n",
      {"bad.yaml:2:54: workload.collective.algorithm: algorithm halving_doubling does not do all_to_all; it "
       "does all_reduce, ",
       "all_to_all is done by "});
  refused_set({"workload.collective={kind: all_reduce, size: 1 KiB, chunks: 65}"},
              {"workload.collective.chunks: 65 is out of range; legal: an integer from 1 to 64"});
}

/// Inputs and results of four ranks with 2^50 bytes each: 2^53 bytes, 9.01e15.
TEST_F(BadInput, values_that_no_memory_holds_bad) {
  const std::string text =
      "all_reduce of 1125899906842624 bytes with data 'values' holds the inputs and results of 4 ranks, 9.01e+15 "
      "bytes, more than the ";
  refused_set({"workload.collective={size: 1024 TiB, data: values}"},
              {"--set workload.collective={size: 1024 TiB, data: values}: workload.collective.size: " + text});
  make_trace();
  std::filesystem::remove(dir_ / "t/x.0.et");
  write(
      "t/x.0.json",
      R"({"workload_graph": [{"Id": 1, "Name": "n", "NodeType": 7, "comm_type": 0, "comm_size": 1125899906842624}]})");
  const std::string node = "trace of rank 0, node 1 'n': " + text;
  refused(trace_run("check", {"workload.trace.data=values"}), {node});
  Words arguments = trace_run("run", {"workload.trace.data=values"});
  arguments.insert(arguments.end(), {"--quiet", "--out", "o"});
  const ChildResult r = weft(arguments);
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr(node));
}

TEST_F(BadInput, program_files) {
  const auto program = [this](const std::string& text, const Words& fragments) {
    write("p", text);
    refused_set({"workload.collective={size: 1 KiB, algorithm: file, algorithm_file: p}"}, fragments);
  };
  const std::string key = "workload.collective.algorithm_file: p";
  program("damaged", {key + ":1:1: a program file is a map that begins with 'weft_program: 1'"});
  program("<algo", {key});
  const ChildResult ring = weft({"program", "export", "--algorithm", "ring", "--ranks", "3"});
  ASSERT_EQ(ring.status, kExitOk);
  program(ring.out, {"workload.collective.algorithm: p: the program does all_reduce of 3 ranks (root 0); group 'all' "
                     "wants all_reduce of 4 ranks (root 0)"});
  refused({"program", "check", "none"}, {"cannot read 'none': no such file"});
  refused({"program", "check", "--algorithm", "rong"}, {"unknown collective algorithm 'rong'", "did you mean 'ring'?"});
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
