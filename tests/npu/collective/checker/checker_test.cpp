// SPDX-License-Identifier: Apache-2.0
// The checker must find every damage: programs are taken from the generators and broken on purpose.
#include "npu/collective/checker/checker.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "npu/collective/algorithms/registry.h"

namespace weft::npu {
namespace {

/// A program that can be changed.
class Editable final : public Program {
 public:
  explicit Editable(const Program& source) : Program(source.shape()) {
    sequences.resize(source.ranks());
    for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
      for (std::uint32_t i = 0; i < source.length(rank); ++i) sequences[rank].push_back(source.at(rank, i));
    }
  }
  Editable(const ProgramShape& shape, std::vector<std::vector<Instruction>> given)
      : Program(shape), sequences(std::move(given)) {}
  Editable(const Editable& other)
      : Program(other.shape()), sequences(other.sequences), promises_order(other.promises_order) {}
  Editable& operator=(const Editable&) = delete;
  std::uint32_t length(std::uint32_t rank) const override { return static_cast<std::uint32_t>(sequences[rank].size()); }
  Instruction at(std::uint32_t rank, std::uint32_t index) const override { return sequences[rank][index]; }
  bool in_order() const override { return promises_order; }

  std::vector<std::vector<Instruction>> sequences;
  bool promises_order = true;
};

Editable make(const std::string& algorithm, CollectiveKind kind, std::uint32_t ranks) {
  ProgramRequest request;
  request.kind = kind;
  request.ranks = ranks;
  request.size_x = static_cast<int>(ranks);
  request.size_y = 1;
  return Editable(*make_program(algorithm, request));
}

std::string only_error(const Program& program) {
  const CheckReport report = check_program(program);
  return report.errors.empty() ? "no error" : report.errors.front();
}

TEST(Checker, counts) {
  const CheckReport report = check_program(make("ring", CollectiveKind::kAllReduce, 4));
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.instructions, 4u * 12);
  EXPECT_EQ(report.messages, 4u * 6);
}

TEST(Checker, names_a_missing_receive_bad) {
  Editable program = make("direct", CollectiveKind::kAllGather, 3);
  program.sequences[1].pop_back();
  EXPECT_EQ(only_error(program),
            "rank 2 instruction 1 (send output[2] to rank 1 (tag 1)): rank 1 has no receive for it");
}

TEST(Checker, names_a_missing_send_bad) {
  Editable program = make("direct", CollectiveKind::kAllGather, 3);
  program.sequences[2].erase(program.sequences[2].begin() + 1);
  EXPECT_EQ(only_error(program),
            "rank 1 instruction 3 (recv into output[2] from rank 2 (tag 1)): rank 2 sends no such message, or another "
            "receive took it");
}

TEST(Checker, names_a_missing_order_bad) {
  Editable program = make("ring", CollectiveKind::kAllReduce, 3);
  ASSERT_EQ(program.sequences[0][2].deps, std::vector<std::uint32_t>{1});
  program.sequences[0][2].deps.clear();
  // The ring on a line of three is 0, 2, 1: rank 0 receives the fragment of rank 2 first and passes it on to rank 2.
  EXPECT_EQ(only_error(program),
            "rank 0: instructions 1 (recv_reduce input[2] into input[2] from rank 1 (tag 0)) and 2 (send input[2] to "
            "rank 2 (tag 1)) both use input[2] and no dependency orders them");
}

TEST(Checker, names_what_lacks_and_what_counts_twice_bad) {
  Editable lacking = make("ring", CollectiveKind::kAllReduce, 3);
  lacking.sequences[0][1].op = Op::kRecv;
  EXPECT_NE(only_error(lacking).find("lacks fragment 2 of rank 0"), std::string::npos) << only_error(lacking);

  Editable twice = make("direct", CollectiveKind::kReduceScatter, 3);
  Instruction again;
  again.op = Op::kReduce;
  again.src = {Buffer::kInput, 0, 1, 1};
  again.dst = {Buffer::kInput, 0, 1, 1};
  again.deps = {3};
  twice.sequences[0].push_back(again);
  EXPECT_EQ(
      only_error(twice),
      "rank 0: output fragment 0 (last written by instruction 4: reduce input[0] into input[0]) counts fragment 0 of "
      "rank 0 2 times, counts fragment 0 of rank 1 2 times, counts fragment 0 of rank 2 2 times");
}

TEST(Checker, names_undefined_and_misplaced_data_bad) {
  Editable undefined = make("ring", CollectiveKind::kBroadcast, 3);
  undefined.sequences[2][0].op = Op::kSend;
  undefined.sequences[2][0].src = {Buffer::kInput, 0, 1, 1};
  undefined.sequences[2][0].from = kNoRank;
  undefined.sequences[0].clear();
  EXPECT_EQ(only_error(undefined),
            "rank 2 instruction 0 (send input[0] to rank 1 (tag 0)) reads input[0], which holds nothing then");

  Editable misplaced = make("direct", CollectiveKind::kAllGather, 3);
  std::swap(misplaced.sequences[0][2].dst, misplaced.sequences[0][3].dst);
  EXPECT_NE(only_error(misplaced).find("holds fragment 0 of rank 2, which does not belong there"), std::string::npos)
      << only_error(misplaced);
}

// The error about an all_gather of three ranks, after a change.
std::string after_change(const std::function<void(Editable&)>& change) {
  Editable program = make("direct", CollectiveKind::kAllGather, 3);
  change(program);
  return only_error(program);
}

TEST(Checker, names_bad_form_bad) {
  EXPECT_EQ(after_change([](Editable& p) { p.sequences[0][0].to = {3}; }),
            "rank 0 instruction 0 (send output[0] to rank 3 (tag 1)) sends to rank 3; the group has ranks 0..2");
  EXPECT_EQ(after_change([](Editable& p) { p.sequences[1][0].src.first = 7; }),
            "rank 1 instruction 0 (send output[7] to rank 2 (tag 1)) uses output[7]; output has 3 fragments");
  EXPECT_EQ(
      after_change([](Editable& p) { p.sequences[1][0].deps = {0}; }),
      "rank 1 instruction 0 (send output[1] to rank 2 (tag 1)) depends on instruction 0; only smaller indices are "
      "possible");
  EXPECT_EQ(after_change([](Editable& p) { p.sequences[1][0].op = Op::kFlow; }),
            "rank 1 instruction 0 (flow output[1] flow -1) is an in-fabric flow without a number");
}

TEST(Checker, names_bad_sizes_and_messages_bad) {
  EXPECT_EQ(after_change([](Editable& p) { p.sequences[1][0].to = {1}; }),
            "rank 1 instruction 0 (send output[1] to rank 1 (tag 1)) sends to itself");
  EXPECT_EQ(after_change([](Editable& p) { p.sequences[1][0].to.clear(); }),
            "rank 1 instruction 0 (send output[1] to rank (tag 1)) sends to nobody");
  EXPECT_EQ(after_change([](Editable& p) { p.sequences[1][0].src.count = 0; }),
            "rank 1 instruction 0 (send to rank 2 (tag 1)) reads no fragment");
  EXPECT_EQ(after_change([](Editable& p) { p.sequences[1][2].dst.count = 0; }),
            "rank 1 instruction 2 (recv from rank 0 (tag 1)) writes no fragment");
  EXPECT_EQ(after_change([](Editable& p) { p.sequences[1][0].from = 2; }),
            "rank 1 instruction 0 (send output[1] to rank 2 (tag 1)) names a sender but receives nothing");
  EXPECT_EQ(after_change([](Editable& p) { p.sequences[1][2].to = {2}; }),
            "rank 1 instruction 2 (recv into output[0] from rank 0 (tag 1)) names a receiver but sends nothing");
  EXPECT_EQ(after_change([](Editable& p) { p.sequences[1][0].send_tag = 1u << 19; }),
            "rank 1 instruction 0 (send output[1] to rank 2 (tag 524288)) has tag 524288; tags go up to 524287");
  EXPECT_EQ(
      after_change([](Editable& p) { p.sequences[1].push_back(p.sequences[1][0]); }),
      "rank 1 instruction 0 (send output[1] to rank 2 (tag 1)) and rank 1 instruction 4 (send output[1] to rank 2 "
      "(tag 1)) send to rank 2 with the same tag");
  EXPECT_EQ(
      after_change([](Editable& p) { p.sequences[1][2].dst.count = 2; }),
      "rank 1 instruction 2 (recv into output[0..1] from rank 0 (tag 1)) does not have the size of what comes from "
      "rank 0 instruction 0 (send output[0] to rank 1 (tag 1))");
  // In an all_reduce of three fragments these have different sizes for most amounts of data.
  Editable mixed = make("direct", CollectiveKind::kAllReduce, 3);
  mixed.sequences[0][2].src.first = 1;
  EXPECT_EQ(
      only_error(mixed),
      "rank 0 instruction 2 (recv_reduce input[1] into input[0] from rank 2 (tag 0)) combines fragments of different "
      "size: input[1] and input[0]");
}

TEST(Checker, finds_few_errors_if_asked_for_few) {
  Editable program = make("direct", CollectiveKind::kAllGather, 3);
  for (auto& sequence : program.sequences) sequence[0].to = {7};
  EXPECT_EQ(check_program(program, 2).errors.size(), 2u);
  EXPECT_EQ(check_program(program).errors.size(), 3u);
}

// Two ranks that exchange fragments; each waits for the other's message before it sends its own.
Editable exchange(bool receive_first) {
  std::vector<std::vector<Instruction>> sequences(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    Instruction send;
    send.op = Op::kSend;
    send.to = {1 - rank};
    send.src = {Buffer::kOutput, rank, 1, 1};
    Instruction recv;
    recv.op = Op::kRecv;
    recv.from = 1 - rank;
    recv.dst = {Buffer::kOutput, 1 - rank, 1, 1};
    Instruction& second = receive_first ? send : recv;
    second.deps = {0};
    sequences[rank] = receive_first ? std::vector<Instruction>{recv, send} : std::vector<Instruction>{send, recv};
  }
  return Editable({CollectiveKind::kAllGather, 2, 0, 1, 0, true}, sequences);
}

TEST(Checker, finds_deadlocks_bad) {
  EXPECT_EQ(only_error(exchange(true)).substr(0, 30), "deadlock: rank 0 instruction 0");
  // Sends that never wait make this one possible; sends that wait for their receives do not.
  EXPECT_EQ(only_error(exchange(false)).substr(0, 44), "deadlock if a send waits for its receive: ra");
  EXPECT_TRUE(check_program(exchange(false), 20, true).ok());
  EXPECT_FALSE(check_program(exchange(true), 20, true).ok());
}

TEST(Checker, says_when_only_the_order_of_indices_is_stuck) {
  Editable program = exchange(true);
  for (auto& sequence : program.sequences) sequence[1].deps.clear();
  EXPECT_EQ(only_error(program).substr(0, 52), "deadlock if each rank goes strictly by its indices: ");
  program.promises_order = false;
  const CheckReport report = check_program(program);
  EXPECT_TRUE(report.ok());
  EXPECT_FALSE(report.in_order);
}

// Whatever single thing is broken in any generator's program, the checker says so.
using Mutation = std::function<bool(Editable&, std::uint32_t rank, std::uint32_t index)>;

void expect_all_found(const std::string& name, const Mutation& mutate) {
  std::mt19937 random(7);
  std::size_t tried = 0;
  for (const Algorithm* algorithm : algorithms()) {
    for (const CollectiveKind kind : algorithm->kinds()) {
      const Editable original = make(std::string(algorithm->name), kind, 6);
      for (std::uint32_t rank = 0; rank < 6; ++rank) {
        for (std::uint32_t i = 0; i < original.length(rank); ++i) {
          if (original.length(rank) > 12 && random() % 4 != 0) continue;
          Editable broken(original);
          if (!mutate(broken, rank, i)) continue;
          ++tried;
          EXPECT_FALSE(check_program(broken, 1).ok()) << name << " at rank " << rank << " instruction " << i << " of "
                                                      << algorithm->name << " " << kind_name(kind);
        }
      }
    }
  }
  EXPECT_GT(tried, 100u);
}

void erase(Editable& program, std::uint32_t rank, std::uint32_t index) {
  auto& sequence = program.sequences[rank];
  sequence.erase(sequence.begin() + index);
  for (Instruction& in : sequence) {
    std::vector<std::uint32_t> deps;
    for (const std::uint32_t dep : in.deps) {
      if (dep != index) deps.push_back(dep < index ? dep : dep - 1);
    }
    in.deps = deps;
  }
}

TEST(CheckerMutations, dropped_instruction_bad) {
  expect_all_found("dropping", [](Editable& program, std::uint32_t rank, std::uint32_t i) {
    erase(program, rank, i);
    return true;
  });
}

TEST(CheckerMutations, reduction_that_overwrites_bad) {
  expect_all_found("overwriting", [](Editable& program, std::uint32_t rank, std::uint32_t i) {
    Instruction& in = program.sequences[rank][i];
    if (in.op == Op::kRecvReduce) {
      in.op = Op::kRecv;
    } else if (in.op == Op::kRecvReduceSend) {
      in.op = Op::kRecvCopySend;
      in.dst = in.src;
    } else {
      return false;
    }
    return true;
  });
}

TEST(CheckerMutations, reduction_done_twice_bad) {
  expect_all_found("reducing twice", [](Editable& program, std::uint32_t rank, std::uint32_t i) {
    auto& sequence = program.sequences[rank];
    if (sequence[i].op != Op::kRecvReduce) return false;
    // The received fragment is added to itself again before anybody reads it.
    Instruction again;
    again.op = Op::kReduce;
    again.src = sequence[i].dst;
    again.dst = sequence[i].dst;
    again.deps = {i};
    for (auto& in : sequence) {
      for (std::uint32_t& dep : in.deps) dep += dep >= i ? 1 : 0;
    }
    sequence.insert(sequence.begin() + i + 1, again);
    return true;
  });
}

TEST(CheckerMutations, wrong_fragment_bad) {
  expect_all_found("moving a slice", [](Editable& program, std::uint32_t rank, std::uint32_t i) {
    Instruction& in = program.sequences[rank][i];
    Slice& slice = in.op == Op::kSend ? in.src : in.dst;
    const std::uint32_t fragments = program.shape().fragments(slice.buffer);
    // Where a relay of a gather keeps its copy does not matter to anybody.
    const bool relay = in.op == Op::kRecvCopySend && program.shape().kind == CollectiveKind::kGather;
    if (slice.count != 1 || fragments < 2 || relay) return false;
    slice.first = (slice.first + 1) % fragments;
    return true;
  });
}

TEST(CheckerMutations, swapped_messages_bad) {
  expect_all_found("exchanging the tags of two sends", [](Editable& program, std::uint32_t rank, std::uint32_t i) {
    auto& sequence = program.sequences[rank];
    for (std::uint32_t j = i + 1; j < sequence.size(); ++j) {
      if (!op_sends(sequence[i].op) || !op_sends(sequence[j].op) || sequence[i].send_tag == sequence[j].send_tag)
        continue;
      std::swap(sequence[i].send_tag, sequence[j].send_tag);
      return true;
    }
    return false;
  });
}

TEST(CheckerMutations, dropped_dependency_of_a_reader_bad) {
  expect_all_found("dropping the dependencies", [](Editable& program, std::uint32_t rank, std::uint32_t i) {
    Instruction& in = program.sequences[rank][i];
    // A send that depends on something reads what that wrote; receives may be ordered more than they need.
    if (in.op != Op::kSend || in.deps.empty() || program.shape().kind == CollectiveKind::kAllToAll ||
        program.shape().kind == CollectiveKind::kScatter) {
      return false;
    }
    in.deps.clear();
    return true;
  });
}

}  // namespace
}  // namespace weft::npu
