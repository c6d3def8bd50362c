// SPDX-License-Identifier: Apache-2.0
// Every class of bad YAML, option and program, given to the real program: exit status 2, and a message
// with the place, what was found, what is legal and the nearest name. The messages of single keys are in tests/kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "tests/cli/bad_input_case.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::write_text;

using Words = std::vector<std::string>;

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
  refused({"trace", "gen", "nothing"}, {"weft trace gen: unknown subcommand 'nothing'",
                                        "collective, transformer, weight-streaming, zero2, moe, resnet"});
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
      {"workload.trace.algorithm_table", {trace, "workload.trace.algorithm=auto"}},
      {"workload.collective.algorithm_table", {"workload.collective={size: 1 KiB, algorithm: auto}"}},
      {"memory.remote", {trace, "memory.tensors=remote"}},
      {"memory.pool", {trace, "memory.tensors=io", "io.controllers=4", "npu.message_classes=2"}},
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

}  // namespace
}  // namespace weft::cli
