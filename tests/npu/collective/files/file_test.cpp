// SPDX-License-Identifier: Apache-2.0
// Program files: round trips, what is refused, and what `weft program` prints.
#include "npu/collective/files/program_file.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/error.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/checker/checker.h"
#include "npu/collective/files/program_text.h"
#include "tests/npu/collective/files/program_texts.h"

namespace weft::npu {
namespace {

using testing::message_of;
using testing::replaced;
using testing::written;

std::string stored(const Program& program) {
  std::ostringstream out;
  store_program(program, out);
  return out.str();
}

TEST(ProgramFile, every_generator_survives_storing_and_loading) {
  for (const Algorithm* algorithm : algorithms()) {
    for (const CollectiveKind kind : algorithm->kinds()) {
      ProgramRequest request;
      request.kind = kind;
      request.ranks = 6;
      request.root = 2;
      request.size_x = 3;
      request.size_y = 2;
      const auto program = make_program(std::string(algorithm->name), request);
      const std::string text = stored(*program);
      const auto loaded = parse_program(text, "stored.yaml");
      EXPECT_EQ(stored(*loaded), text) << algorithm->name << " " << kind_name(kind);
      EXPECT_TRUE(loaded->in_order());
      for (std::uint32_t rank = 0; rank < 6; ++rank) {
        ASSERT_EQ(loaded->length(rank), program->length(rank));
        for (std::uint32_t i = 0; i < program->length(rank); ++i) {
          EXPECT_EQ(to_text(loaded->at(rank, i)), to_text(program->at(rank, i)));
          EXPECT_EQ(loaded->at(rank, i).deps, program->at(rank, i).deps);
          EXPECT_EQ(loaded->at(rank, i).hints.queue, program->at(rank, i).hints.queue);
        }
      }
    }
  }
}

constexpr const char* kExchange = R"(weft_program: 1
kind: all_gather
ranks: 2
sequences:
  -  # rank 0
    - {op: send, to: 1, src: "input[0]", priority: 2, vc_class: 1, colour: 3, path: [1]}
    - {op: recv, from: 1, dst: "output[1]"}
  -  # rank 1
    - {op: send, to: [0], src: "output[1]"}
    - {op: recv, from: 0, dst: "output[0]"}
)";

TEST(ProgramFile, tags_may_be_left_out_and_hints_are_kept) {
  const auto program = parse_program(kExchange, "x.yaml");
  EXPECT_TRUE(check_program(*program).ok());
  const Hints hints = program->at(0, 0).hints;
  EXPECT_EQ(hints.priority, 2);
  EXPECT_EQ(hints.vc_class, 1);
  EXPECT_EQ(hints.colour, 3);
  EXPECT_EQ(hints.path, std::vector<std::uint32_t>{1});
  EXPECT_EQ(stored(*parse_program(stored(*program), "y.yaml")), stored(*program));
}

constexpr const char* kFlow = R"(weft_program: 1
kind: reduce
ranks: 3
merges: {7: [[2, 1], [0, 2]]}
sequences:
  - [{op: flow, flow: 7, src: "input[0]", dst: "output[0]", colour: 0}]
  - [{op: flow, flow: 7, src: "input[0]", colour: 0, path: [2, 0]}]
  - [{op: flow, flow: 7, src: "input[0]", colour: 0}]
)";

TEST(ProgramFile, holds_flows_and_the_order_of_their_merges) {
  const auto program = parse_program(kFlow, "p.yaml");
  EXPECT_EQ(program->flow_merges(7), (std::vector<FlowMerge>{{2, 1}, {0, 2}}));
  EXPECT_EQ(program->at(1, 0).hints.path, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_TRUE(check_program(*program).ok());
  const auto again = parse_program(stored(*program), "stored.yaml");
  EXPECT_EQ(stored(*again), stored(*program));
  EXPECT_EQ(again->flow_merges(7), program->flow_merges(7));
  const auto listed = parse_program(replaced(kFlow, "merges: {7: [[2, 1], [0, 2]]}\n", ""), "p.yaml");
  EXPECT_EQ(listed->flow_merges(7), (std::vector<FlowMerge>{{0, 1}, {0, 2}})) << "all into the first";
  EXPECT_TRUE(check_program(*listed).ok());
}

TEST(ProgramFile, flows_with_wrong_merges_bad) {
  EXPECT_EQ(message_of(replaced(kFlow, "{7: [[2, 1]", "{8: [[2, 1]")), "p.yaml:4:10: no instruction belongs to flow 8");
  EXPECT_EQ(message_of(replaced(kFlow, "[2, 1]", "[2, 1, 0]")), "p.yaml:4:14: a merge must be [into, from], two ranks");
  EXPECT_EQ(message_of(replaced(kFlow, "[2, 1]", "[2, 3]")),
            "p.yaml:4:18: from must be a whole number 0..2, found '3'");
  EXPECT_EQ(message_of(replaced(kFlow, "flow: 7, src", "src")), "p.yaml:6:6: flow needs the key 'flow', its number");
  const auto missing = parse_program(replaced(kFlow, "[2, 1], ", ""), "p.yaml");
  EXPECT_EQ(check_program(*missing).errors.front(), "flow 7: 1 of its 3 operands are never merged");
}

TEST(ProgramFile, says_what_is_wrong_and_where_bad) {
  EXPECT_EQ(message_of(""), "p.yaml: the file is empty; a program was expected");
  EXPECT_EQ(message_of("[1, 2"), "p.yaml:1:1: end of sequence flow not found");
  EXPECT_EQ(message_of("hello"), "p.yaml:1:1: a program file is a map that begins with 'weft_program: 1'");
  EXPECT_EQ(message_of("weft_program: 2"), "p.yaml:1:15: version 2 of the form is not known; known: 1");
  EXPECT_EQ(message_of(replaced(kExchange, "kind: all_gather", "kind: allgather")),
            "p.yaml:2:7: unknown kind 'allgather'; known: all_reduce, reduce, all_gather, gather, scatter, broadcast, "
            "all_to_all, reduce_scatter, barrier; did you mean 'all_gather'?");
  EXPECT_EQ(message_of(replaced(kExchange, "ranks: 2", "rank: 2")),
            "p.yaml:3:1: unknown key 'rank'; known: weft_program, kind, ranks, root, share, scratch, in_place, "
            "sequences, merges; did you mean 'ranks'?");
  EXPECT_EQ(message_of(replaced(kExchange, "ranks: 2\n", "")), "p.yaml:1:1: key 'ranks' is missing");
  EXPECT_EQ(message_of(replaced(kExchange, "ranks: 2", "ranks: 3")),
            "p.yaml:5:3: sequences must be a list of 3 sequences, one per rank, found 2");
  EXPECT_EQ(message_of(replaced(kExchange, "op: send, to: 1", "op: sent, to: 1")),
            "p.yaml:6:12: unknown op 'sent'; known: send, recv, recv_reduce, copy, reduce, flow, recv_reduce_send, "
            "recv_copy_send; did you mean 'send'?");
  EXPECT_EQ(message_of(replaced(kExchange, "to: 1", "to: 2")),
            "p.yaml:6:22: to must be a whole number 0..1, found '2'");
  EXPECT_EQ(message_of(replaced(kExchange, "to: 1,", "")), "p.yaml:6:7: send needs the key 'to'");
  EXPECT_EQ(
      message_of(replaced(kExchange, "input[0]", "inputs[0]")),
      "p.yaml:6:30: src must be like input[3], output[0..3] or scratch[1,3..7] (every second), found 'inputs[0]'");
  EXPECT_NE(message_of(replaced(kExchange, "input[0]", "input[3..1]")), "no error");
  EXPECT_NE(message_of(replaced(kExchange, "input[0]", "input[0,2..5]")), "no error");
  EXPECT_EQ(message_of(replaced(kExchange, "from: 1,", "from: 1, tag: 7,")),
            "p.yaml:5:3: either all messages of a program have tags or none");
  EXPECT_EQ(message_of(replaced(kExchange, "ranks: 2", "ranks: 2\nranks: 2")),
            "p.yaml:4:1: key 'ranks' stands here twice");
  EXPECT_EQ(message_of(replaced(kExchange, "all_gather", "all_to_all\nin_place: true")),
            "p.yaml:3:11: all_to_all needs an output buffer of its own: in_place must be false");
}

TEST(ProgramFile, missing_file_bad) {
  try {
    load_program("/nowhere/program.yaml");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "cannot read '/nowhere/program.yaml': no such file");
  }
}

TEST(ProgramText, check_show_and_export) {
  ProgramChoice choice;
  choice.algorithm = "direct";
  choice.request.kind = CollectiveKind::kBroadcast;
  choice.request.ranks = 3;
  choice.request.root = 1;
  std::ostringstream check;
  EXPECT_TRUE(program_check(choice, check));
  EXPECT_EQ(
      check.str(),
      "direct: broadcast of 3 ranks, root 1, 1 input, 1 output, 0 scratch fragments a rank, input and output are one "
      "buffer\n"
      "4 instructions, 2 messages\n"
      "sound: every rank ends with the right data, and no order of issue can deadlock\n");
  std::ostringstream show;
  program_show(choice, 1, show);
  EXPECT_NE(
      show.str().find("rank 1\n     0  send input[0] to rank 2 (tag 0)\n     1  send input[0] to rank 0 (tag 0)\n"),
      std::string::npos)
      << show.str();
  EXPECT_THROW(program_show(choice, 3, show), InputError);

  std::ostringstream text;
  program_export(choice, text);
  ProgramChoice from_file;
  from_file.file = written(replaced(text.str(), "- {op: recv, from: 1, dst: \"input[0]\", tag: 0}", "[]"));
  std::ostringstream broken;
  EXPECT_FALSE(program_check(from_file, broken));
  EXPECT_NE(broken.str().find("error: rank 1 instruction"), std::string::npos) << broken.str();
}

}  // namespace
}  // namespace weft::npu
