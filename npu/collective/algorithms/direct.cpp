// SPDX-License-Identifier: Apache-2.0
// Algorithm `direct`: every pair of ranks that has something for each other exchanges it in one message. Rank r serves
// r+1, r+2, ... in this order, so that no rank is everybody's first. Sums are formed in the order own, r-1, r-2, ...
#include "base/error.h"
#include "npu/collective/algorithms/registry.h"

namespace weft::npu {
namespace {

class DirectProgram : public Program {
 public:
  using Program::Program;

 protected:
  std::uint32_t peers() const { return ranks() - 1; }
  std::uint32_t after(std::uint32_t rank, std::uint32_t k) const { return (rank + k) % ranks(); }
  std::uint32_t before(std::uint32_t rank, std::uint32_t k) const { return (rank + ranks() - k) % ranks(); }

  static Instruction send(Slice src, std::uint32_t to, std::uint32_t tag) {
    Instruction out;
    out.op = Op::kSend;
    out.to = {to};
    out.send_tag = tag;
    out.src = src;
    return out;
  }
  static Instruction recv(Op op, Slice dst, std::uint32_t from, std::uint32_t tag) {
    Instruction in;
    in.op = op;
    in.from = from;
    in.recv_tag = tag;
    in.dst = dst;
    if (op_reduces(op)) in.src = dst;
    return in;
  }
  static Instruction copy(Slice src, Slice dst) {
    Instruction result;
    result.op = Op::kCopy;
    result.src = src;
    result.dst = dst;
    return result;
  }
};

/// all_reduce, reduce_scatter, all_gather: blocks of n-1 instructions, at most four: scatter sends, scatter receives,
/// gather sends, gather receives.
class DirectSteps final : public DirectProgram {
 public:
  DirectSteps(const ProgramRequest& request, bool scatter, bool gather)
      : DirectProgram({request.kind, request.ranks, request.root, scatter && gather ? request.ranks : 1, 0, true}),
        scatter_(scatter),
        gather_(gather) {}

  std::uint32_t length(std::uint32_t /*rank*/) const override {
    return peers() * ((scatter_ ? 2u : 0u) + (gather_ ? 2u : 0u));
  }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    const std::uint32_t k = index % peers() + 1;
    const std::uint32_t block = index / peers() + (scatter_ ? 0 : 2);
    Instruction result;
    switch (block) {
      case 0:
        return send(fragment(after(rank, k)), after(rank, k), 0);
      case 1:
        result = recv(Op::kRecvReduce, fragment(rank), before(rank, k), 0);
        if (k > 1) result.deps = {index - 1};
        return result;
      case 2:
        result = send(fragment(rank), after(rank, k), 1);
        if (scatter_) result.deps = {2 * peers() - 1};
        return result;
      default:
        result = recv(Op::kRecv, fragment(before(rank, k)), before(rank, k), 1);
        if (scatter_) result.deps = {ranks() - k - 1};  // the partial fragment of that rank has left
        return result;
    }
  }

 private:
  Slice fragment(std::uint32_t owner) const { return {scatter_ ? Buffer::kInput : Buffer::kOutput, owner, 1}; }

  bool scatter_;
  bool gather_;
};

/// all_to_all: copy, sends, receives.
class DirectAllToAll final : public DirectProgram {
 public:
  explicit DirectAllToAll(const ProgramRequest& request)
      : DirectProgram({request.kind, request.ranks, 0, 1, 0, false}) {}

  std::uint32_t length(std::uint32_t /*rank*/) const override { return 1 + 2 * peers(); }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    if (index == 0) return copy({Buffer::kInput, rank, 1}, {Buffer::kOutput, rank, 1});
    const std::uint32_t k = (index - 1) % peers() + 1;
    if (index <= peers()) return send({Buffer::kInput, after(rank, k), 1}, after(rank, k), 0);
    return recv(Op::kRecv, {Buffer::kOutput, before(rank, k), 1}, before(rank, k), 0);
  }
};

/// barrier: everyone tells everyone, in one round.
class DirectBarrier final : public DirectProgram {
 public:
  explicit DirectBarrier(const ProgramRequest& request)
      : DirectProgram({request.kind, request.ranks, 0, 1, 0, false}) {}

  std::uint32_t length(std::uint32_t /*rank*/) const override { return 1 + 2 * peers(); }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    const Slice in{Buffer::kInput, 0, 1};
    const Slice out{Buffer::kOutput, 0, 1};
    if (index == 0) return copy(in, out);
    const std::uint32_t k = (index - 1) % peers() + 1;
    if (index <= peers()) return send(in, after(rank, k), 0);
    Instruction result = recv(Op::kRecvReduce, out, before(rank, k), 0);
    result.deps = {k == 1 ? 0 : index - 1};
    return result;
  }
};

/// broadcast, reduce, gather, scatter: the root talks to everybody.
class DirectRooted final : public DirectProgram {
 public:
  explicit DirectRooted(const ProgramRequest& request)
      : DirectProgram({request.kind, request.ranks, request.root, 1, 0, true}) {}

  std::uint32_t length(std::uint32_t rank) const override {
    if (ranks() == 1) return 0;
    return rank == shape().root ? peers() : 1;
  }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    const std::uint32_t root = shape().root;
    const std::uint32_t peer = rank == root ? after(rank, index + 1) : root;
    const Slice data = fragment(rank == root ? peer : rank);
    const bool from_root = shape().kind == CollectiveKind::kBroadcast || shape().kind == CollectiveKind::kScatter;
    if (from_root == (rank == root)) return send(data, peer, 0);
    const bool reduce = shape().kind == CollectiveKind::kReduce;
    Instruction result = recv(reduce ? Op::kRecvReduce : Op::kRecv, data, peer, 0);
    if (reduce && index > 0) result.deps = {index - 1};
    return result;
  }

 private:
  Slice fragment(std::uint32_t owner) const {
    switch (shape().kind) {
      case CollectiveKind::kGather:
        return {Buffer::kOutput, owner, 1};
      case CollectiveKind::kScatter:
        return {Buffer::kInput, owner, 1};
      default:
        return {Buffer::kInput, 0, 1};
    }
  }
};

class DirectAlgorithm final : public Algorithm {
 public:
  DirectAlgorithm() : Algorithm({"direct", "one message between every two ranks"}) {}
  std::vector<CollectiveKind> kinds() const override { return all_kinds(); }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    switch (request.kind) {
      case CollectiveKind::kAllReduce:
        return std::make_unique<DirectSteps>(request, true, true);
      case CollectiveKind::kReduceScatter:
        return std::make_unique<DirectSteps>(request, true, false);
      case CollectiveKind::kAllGather:
        return std::make_unique<DirectSteps>(request, false, true);
      case CollectiveKind::kAllToAll:
        return std::make_unique<DirectAllToAll>(request);
      case CollectiveKind::kBarrier:
        return std::make_unique<DirectBarrier>(request);
      case CollectiveKind::kBroadcast:
      case CollectiveKind::kReduce:
      case CollectiveKind::kGather:
      case CollectiveKind::kScatter:
        return std::make_unique<DirectRooted>(request);
    }
    violation("a collective kind that direct does not know");
  }
};

}  // namespace

const Algorithm& direct_algorithm() {
  static const DirectAlgorithm algorithm;
  return algorithm;
}

}  // namespace weft::npu
