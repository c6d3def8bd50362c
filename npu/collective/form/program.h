// SPDX-License-Identifier: Apache-2.0
// The one small form of every collective: per rank a sequence of instructions over fragments. A program is a generator;
// nothing is ever held for all ranks. Start here, then shape.h (what the fragments are), then one generator (ring.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/inline_vector.h"
#include "npu/collective/form/shape.h"

namespace weft::npu {

/// What an instruction does. `received` is the data that comes from `from`.
enum class Op : std::uint8_t {
  kSend,            ///< src goes to every rank of `to`
  kRecv,            ///< dst = received
  kRecvReduce,      ///< dst = src + received ("+" is the collective's operator; src is usually dst)
  kCopy,            ///< dst = src, within the rank
  kReduce,          ///< dst = dst + src, within the rank
  kFlow,            ///< in-fabric flow `hints.flow`: src (if any) goes in, the result comes out into dst (if any)
  kRecvReduceSend,  ///< src + received goes to every rank of `to`, element by element as complete, and into dst
  kRecvCopySend,    ///< received goes to every rank of `to`, element by element as it comes, and into dst
};

/// Name in files and messages: "send", "recv_reduce", ...
const char* op_name(Op op);
constexpr bool op_receives(Op op) {
  return op == Op::kRecv || op == Op::kRecvReduce || op == Op::kRecvReduceSend || op == Op::kRecvCopySend;
}
constexpr bool op_sends(Op op) { return op == Op::kSend || op == Op::kRecvReduceSend || op == Op::kRecvCopySend; }
/// dst = something that includes src and other data.
constexpr bool op_reduces(Op op) { return op == Op::kRecvReduce || op == Op::kReduce || op == Op::kRecvReduceSend; }
constexpr bool op_reads_src(Op op) { return op != Op::kRecv && op != Op::kRecvCopySend; }
constexpr bool op_streams(Op op) { return op == Op::kRecvReduceSend || op == Op::kRecvCopySend; }

/// What a fabric may make use of; never needed for a right result.
struct Hints {
  std::uint8_t priority = 0;        ///< higher goes first at the sender
  std::uint8_t queue = 0;           ///< dimension or queue (0 = x, 1 = y where dimensions exist)
  int vc_class = -1;                ///< VC class, -1 = none asked for
  int colour = -1;                  ///< colour of a wafer route, -1 = none
  int flow = -1;                    ///< in-fabric flow, with kFlow
  std::vector<std::uint32_t> path;  ///< explicit path: nodes in the group's coordinates after this rank
};

/// A list of ranks or of instructions, which mostly has one or two.
using ShortList = InlineVector<std::uint32_t, 2>;

inline constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

/// One step of one rank. Ranks are positions within the group.
/// A message from a to b is matched by its tag: (a, b, tag) names at most one message of a program.
struct Instruction {
  Op op = Op::kSend;
  std::uint32_t from = kNoRank;  ///< who sends what is received here
  std::uint32_t recv_tag = 0;    ///< tag of what is received
  ShortList to;                  ///< who receives what is sent here
  std::uint32_t send_tag = 0;    ///< tag of what is sent, the same for all of `to`
  Slice src;                     ///< read
  Slice dst;                     ///< written; count 0 = nothing is kept (fused forms only)
  ShortList deps;                ///< smaller indices of this rank's sequence that must be done before
  Hints hints;
};

/// "recv_reduce input[3] from rank 2 (tag 4)": an instruction in words.
std::string to_text(const Instruction& instruction);

/// One step of an in-fabric reduction: what stands for rank `into` becomes the sum of it and what stands for `from`.
struct FlowMerge {
  std::uint32_t into = 0;
  std::uint32_t from = 0;
  friend bool operator==(FlowMerge a, FlowMerge b) { return a.into == b.into && a.from == b.from; }
};

/// A collective's program. An instruction may start when all it depends on is done; index order says nothing more.
/// Instructions of one rank that touch the same fragment, one of them writing, are ordered by dependencies, so every
/// order of execution gives the same bits. Immutable; may be shared by threads.
class Program {
 public:
  explicit Program(const ProgramShape& shape) : shape_(shape) {}
  virtual ~Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const ProgramShape& shape() const { return shape_; }
  std::uint32_t ranks() const { return shape_.ranks; }
  /// Number of instructions of `rank`.
  virtual std::uint32_t length(std::uint32_t rank) const = 0;
  /// Instruction `index` (< length(rank)) of `rank`; a pure function.
  virtual Instruction at(std::uint32_t rank, std::uint32_t index) const = 0;
  /// True if executing each rank's instructions strictly one after the other (sends never waiting) finishes too. Then
  /// an executor may look at a limited window of each sequence. Generators promise it, files need not.
  virtual bool in_order() const { return true; }
  /// The merges of flow `flow`, in the order in which the fabric does them; the last one's `into` is the result. Empty
  /// for a flow with a single operand.
  virtual std::vector<FlowMerge> flow_merges(int /*flow*/) const { return {}; }
  /// Returns which of these merges are the last ones in their switch, ascending: their sums leave it through an output
  /// port. Where a switch adds in a wider format than the elements', it rounds there and nowhere else.
  virtual std::vector<std::size_t> flow_borders(int /*flow*/) const { return {}; }

 private:
  ProgramShape shape_;
};

}  // namespace weft::npu
