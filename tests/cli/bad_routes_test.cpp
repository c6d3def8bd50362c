// SPDX-License-Identifier: Apache-2.0
// Routes that cannot be set up, and groups that do not fit a wafer, given to the real program: exit status 2, the place
// and the reason, before the first cycle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/cli/program_case.h"
#include "tests/support/run_child.h"

namespace weft::cli {
namespace {

using weft::test::ChildResult;
using weft::test::run_child;
using weft::test::TempDir;
using weft::test::write_text;

using Words = std::vector<std::string>;

class BadRoutes : public testing::Test {
 protected:
  /// Both `weft check` and `weft run` end with status 2 and this sentence, and leave nothing behind.
  void refused(const Words& settings, const std::string& sentence) {
    for (const char* command : {"check", "run"}) {
      Words words{WEFT_PROGRAM, command, kWse};
      for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
      const ChildResult r = run_child(words, dir_.path().string());
      EXPECT_EQ(r.status, kExitBadInput) << command << ": " << sentence;
      EXPECT_EQ(r.out, "") << command;
      EXPECT_EQ(r.err, "weft: error: " + sentence + "\n") << command;
      EXPECT_FALSE(std::filesystem::exists(dir_ / "results")) << command << " left results behind";
    }
  }
  /// The same for a setting whose place stands before the sentence.
  void refused_at(const std::string& setting, const Words& others, const std::string& sentence) {
    Words settings{setting};
    settings.insert(settings.end(), others.begin(), others.end());
    refused(settings, "--set " + setting + ": " + setting.substr(0, setting.find('=')) + sentence);
  }
  /// A reduction over 2 x 2 cores from a file: rank 3 sends as `send` says.
  void program(const std::string& send) {
    write_text(dir_ / "p", R"(weft_program: 1
kind: reduce
ranks: 4
sequences:
  -
    - {op: recv_reduce, from: 1, dst: "output[0]", tag: 0}
    - {op: recv_reduce, from: 2, dst: "output[0]", tag: 1, deps: [0]}
    - {op: recv_reduce, from: 3, dst: "output[0]", tag: 1, deps: [1]}
  -
    - {op: send, to: 0, src: "input[0]", tag: 0, colour: 0}
  -
    - {op: send, to: 0, src: "input[0]", tag: 1, colour: 1}
  -
    - {op: send, to: 0, src: "input[0]", tag: 1, )" +
                               send + "}\n");
  }
  const Words from_file_{"fabric.size=[2, 2]", "workload.collective.algorithm_file=p"};
  void program_refused(const std::string& send, const std::string& sentence) {
    program(send);
    refused_at("workload.collective.algorithm=file", from_file_, ": " + sentence);
  }

  TempDir dir_;
};

TEST_F(BadRoutes, too_few_colours) {
  refused_at("workload.collective.algorithm=in_router", {"fabric.router.colours=0"},
             ": algorithm in_router adds in the routers, on routes that are set up before the run: it needs "
             "fabric.router.colours of 2 or more, and a single collective as workload");
  refused_at("workload.collective.algorithm=tree", {"fabric.router.colours=1"},
             ": reduce along lines of cores needs 2 colours; fabric.router.colours is 1");
  refused_at("workload.collective.algorithm=tree", {"fabric.router.colours=2", "workload.collective.kind=all_reduce"},
             ": all_reduce along lines of cores needs 3 colours; fabric.router.colours is 2");
  refused_at("workload.collective.algorithm=in_router",
             {"fabric.router.colours=1", "workload.collective.kind=all_reduce"},
             ": the program needs colour 1 (rank 0, instruction 1), but the routers have 1; set fabric.router.colours "
             "to 2 or more, or to 0 to send through VCs");
}

TEST_F(BadRoutes, pieces_and_slow_links) {
  refused_at("workload.collective.algorithm=chain", {"workload.collective.chunks=2"},
             ": workload.collective.chunks: 2 chunks cannot share set-up routes; legal: 1, or fabric.router.colours: "
             "0");
  refused_at("workload.collective.algorithm=chain", {"fabric.link.bandwidth=1.7 GB/s"},
             ": fabric.router.colours: set-up routes need links of exactly one flit per cycle, found 0.5; leave out "
             "the bandwidth of the links, or set fabric.router.colours to 0");
}

TEST_F(BadRoutes, groups) {
  refused_at("workload.collective.group=[1, 2, 2]", {"workload.collective.root=1"},
             "[2]: rank 2 stands twice in the list");
  refused_at("workload.collective.group=[1, 2, 64]", {"workload.collective.root=1"},
             "[2]: rank 64 does not exist; legal: 0 to 63");
  refused_at("workload.collective.root=5", {"workload.collective.group=[1, 2, 3]"},
             ": rank 5 is not in the group; legal: a rank of the group");
}

TEST_F(BadRoutes, colours_of_a_program_file) {
  program("colour: 0, path: [1, 0]");
  Words words{WEFT_PROGRAM, "run", kWse, "--quiet", "--out", "o", "--set", "workload.collective.algorithm=file"};
  for (const std::string& setting : from_file_) words.insert(words.end(), {"--set", setting});
  const ChildResult good = run_child(words, dir_.path().string());
  EXPECT_EQ(good.status, kExitOk) << good.err;

  program_refused("colour: 1",
                  "colour conflict at router [0,0]: two messages of colour 1 with tag 1 pass it, so that their order "
                  "is open; give one of them another colour or tag");
  program_refused("colour: 24",
                  "the program needs colour 24 (rank 3, instruction 0), but the routers have 24; set "
                  "fabric.router.colours to 25 or more, or to 0 to send through VCs");
}

TEST_F(BadRoutes, paths_of_a_program_file) {
  const std::string path = "path of rank 3 to rank 0 (tag 1): ";
  program_refused("colour: 0, path: [0]", path + "the path goes from router [1,1] to [0,0], which is not beside it");
  program_refused("colour: 0, path: [2, 3, 1, 0]",
                  path + "the path comes to router [1,1] twice, which makes a circle of the route");
  program_refused("colour: 0, path: [1]", path + "the path does not come to rank 0");
  const auto outside = [this](const char* place, const char* rank) {
    program("colour: 0, path: [1, " + std::string(rank) + "]");
    refused_at("workload.collective.algorithm_file=p", {"fabric.size=[2, 2]", "workload.collective.algorithm=file"},
               std::string(": p:14:") + place + ": path must be a whole number 0..3, found '" + rank + "'");
  };
  outside("71", "4");
  outside("71", "-1");
}

}  // namespace
}  // namespace weft::cli
