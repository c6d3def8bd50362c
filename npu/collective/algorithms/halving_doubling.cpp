// SPDX-License-Identifier: Apache-2.0
// Algorithm `halving_doubling` (Rabenseifner): reduce_scatter by recursive halving, all_gather by recursive doubling,
// all_reduce by both; kinds with a root by binomial trees. If the number of ranks is no power of two, p is the largest
// power below it and the first 2(n-p) ranks work in pairs: the even rank of a pair hands its data to the odd one first
// and gets its result from it last; p ranks, numbered anew, do the rest.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/algorithms/tree.h"

namespace weft::npu {
namespace {

std::uint32_t largest_power_of_two(std::uint32_t n) {
  std::uint32_t p = 1;
  while (2 * p <= n) p *= 2;
  return p;
}

/// A program whose sequences are short: each is made anew when one of its instructions is asked for.
class ShortProgram : public Program {
 public:
  using Program::Program;
  std::uint32_t length(std::uint32_t rank) const final { return static_cast<std::uint32_t>(sequence(rank).size()); }
  Instruction at(std::uint32_t rank, std::uint32_t index) const final { return sequence(rank).at(index); }

 protected:
  virtual std::vector<Instruction> sequence(std::uint32_t rank) const = 0;
};

/// Writes a sequence in which every send waits for all receives before it. With `chained` receives wait for each other.
class SequenceWriter {
 public:
  explicit SequenceWriter(bool chained) : chained_(chained) {}

  void send(std::uint32_t to, Slice src, std::uint32_t tag) {
    if (src.count == 0) return;
    Instruction out;
    out.op = Op::kSend;
    out.to = {to};
    out.send_tag = tag;
    out.src = src;
    out.deps = received_;
    out_.push_back(out);
  }
  /// `after`: sends that read what the receive overwrites.
  void recv(Op op, std::uint32_t from, Slice dst, std::uint32_t tag, const std::vector<std::uint32_t>& after = {}) {
    if (dst.count == 0) return;
    Instruction in;
    in.op = op;
    in.from = from;
    in.recv_tag = tag;
    in.dst = dst;
    if (op_reduces(op)) in.src = dst;
    in.deps = after;
    if (chained_) {
      for (const std::uint32_t received : received_) in.deps.push_back(received);
      received_.clear();
    }
    std::sort(in.deps.begin(), in.deps.end());
    received_.push_back(next());
    out_.push_back(in);
  }
  /// Index that the next instruction gets.
  std::uint32_t next() const { return static_cast<std::uint32_t>(out_.size()); }
  std::vector<Instruction> take() { return std::move(out_); }

 private:
  bool chained_;
  std::vector<Instruction> out_;
  std::vector<std::uint32_t> received_;  ///< what the next send must wait for
};

/// all_reduce, reduce_scatter, all_gather, barrier. Tags: 0 hand over, 1 + i step i of log2 p, kDoubling + i, kReturn.
class HalvingDoubling final : public ShortProgram {
 public:
  explicit HalvingDoubling(const ProgramRequest& request)
      : ShortProgram({request.kind, request.ranks, request.root,
                      has_parts(request.kind) ? 1 : largest_power_of_two(request.ranks), 0, true}),
        workers_(largest_power_of_two(request.ranks)),
        pairs_(request.ranks - workers_) {}

 protected:
  std::vector<Instruction> sequence(std::uint32_t rank) const override {
    SequenceWriter out(true);
    if (rank < 2 * pairs_ && rank % 2 == 0) {
      const std::uint32_t handed = out.next();
      out.send(rank + 1, handed_over(rank), 0);
      out.recv(Op::kRecv, rank + 1, returned(rank), kReturn, {handed});
      return out.take();
    }
    const bool paired = rank < 2 * pairs_;
    if (paired) out.recv(scatters() ? Op::kRecvReduce : Op::kRecv, rank - 1, handed_over(rank - 1), 0);
    const std::uint32_t worker = paired ? rank / 2 : rank - pairs_;
    std::vector<std::uint32_t> sent_at(32, 0);
    if (scatters()) halve(worker, out, sent_at);
    if (gathers()) double_up(worker, out, sent_at);
    if (paired) out.send(rank - 1, returned(rank - 1), kReturn);
    return out.take();
  }

 private:
  static constexpr std::uint32_t kDoubling = 40;
  static constexpr std::uint32_t kReturn = 80;

  static bool has_parts(CollectiveKind kind) {
    return kind == CollectiveKind::kReduceScatter || kind == CollectiveKind::kAllGather;
  }
  bool scatters() const { return shape().kind != CollectiveKind::kAllGather; }
  bool gathers() const { return shape().kind != CollectiveKind::kReduceScatter; }
  Buffer buffer() const { return scatters() ? Buffer::kInput : Buffer::kOutput; }
  Slice everything() const { return {buffer(), 0, has_parts(shape().kind) ? ranks() : workers_}; }
  Slice handed_over(std::uint32_t rank) const { return scatters() ? everything() : Slice{buffer(), rank, 1}; }
  Slice returned(std::uint32_t rank) const { return gathers() ? everything() : Slice{buffer(), rank, 1}; }

  std::uint32_t rank_of(std::uint32_t worker) const { return worker < pairs_ ? 2 * worker + 1 : worker + pairs_; }

  // Fragments that workers first .. first+count-1 answer for: with parts, those of the ranks they stand for.
  Slice fragments_of(std::uint32_t first, std::uint32_t count) const {
    if (!has_parts(shape().kind)) return {buffer(), first, count};
    const auto start = [this](std::uint32_t worker) { return worker < pairs_ ? 2 * worker : worker + pairs_; };
    return {buffer(), start(first), start(first + count) - start(first)};
  }

  // Without parts the fragments may be numbered as suits: then the largest message goes to the nearest worker, and the
  // worker's fragment number is its own number with the bits reversed.
  std::uint32_t partner_bit(std::uint32_t step) const {
    return has_parts(shape().kind) ? workers_ >> (step + 1) : 1u << step;
  }

  // Halving step by step; `first` and `count` are the workers whose fragments are still held.
  template <typename Visit>
  void each_step(std::uint32_t worker, Visit visit) const {
    std::uint32_t first = 0;
    std::uint32_t count = workers_;
    for (std::uint32_t step = 0; count > 1; ++step) {
      count /= 2;
      const std::uint32_t bit = partner_bit(step);
      const bool upper = (worker & bit) != 0;
      const std::uint32_t kept = upper ? first + count : first;
      const std::uint32_t given = upper ? first : first + count;
      visit(step, rank_of(worker ^ bit), fragments_of(kept, count), fragments_of(given, count));
      first = kept;
    }
  }

  void halve(std::uint32_t worker, SequenceWriter& out, std::vector<std::uint32_t>& sent_at) const {
    each_step(worker, [&](std::uint32_t step, std::uint32_t partner, Slice kept, Slice given) {
      sent_at[step] = out.next();
      out.send(partner, given, 1 + step);
      out.recv(Op::kRecvReduce, partner, kept, 1 + step);
    });
  }

  void double_up(std::uint32_t worker, SequenceWriter& out, const std::vector<std::uint32_t>& sent_at) const {
    struct Step {
      std::uint32_t step;
      std::uint32_t partner;
      Slice kept;
      Slice given;
    };
    std::vector<Step> steps;
    each_step(worker, [&](std::uint32_t step, std::uint32_t partner, Slice kept, Slice given) {
      steps.push_back({step, partner, kept, given});
    });
    std::reverse(steps.begin(), steps.end());
    for (const Step& s : steps) {
      out.send(s.partner, s.kept, kDoubling + s.step);
      // The partner's half comes back to where it was handed away from.
      out.recv(Op::kRecv, s.partner, s.given, kDoubling + s.step,
               scatters() ? std::vector<std::uint32_t>{sent_at[s.step]} : std::vector<std::uint32_t>{});
    }
  }

  std::uint32_t workers_;
  std::uint32_t pairs_;
};

/// The binomial tree below `root`: v = rank counted from the root; its parent is v without its lowest set bit.
TreeNode binomial_node(std::uint32_t rank, std::uint32_t ranks, std::uint32_t root) {
  const std::uint32_t v = (rank + ranks - root) % ranks;
  TreeNode node;
  std::uint32_t bit = 1;
  while (bit < ranks && (v & bit) == 0) {
    if (v + bit < ranks) node.children.push_back((v + bit + root) % ranks);
    bit *= 2;
  }
  if (v != 0) node.parent = ((v & (v - 1)) + root) % ranks;
  // The largest subtree first.
  std::reverse(node.children.begin(), node.children.end());
  return node;
}

class BinomialTree final : public TreeProgram {
 public:
  explicit BinomialTree(const ProgramRequest& request) : TreeProgram(request.kind, request.ranks, request.root, 1) {}

 protected:
  TreeNode node(std::uint32_t rank, std::uint32_t /*tree*/) const override {
    return binomial_node(rank, ranks(), shape().root);
  }
};

/// gather and scatter along the binomial tree: the parts of a whole subtree in one message, or in two where the ranks
/// counted from the root pass the end of the group. Tag: 0 or 1, the part of the message.
class BinomialParts final : public ShortProgram {
 public:
  explicit BinomialParts(const ProgramRequest& request)
      : ShortProgram({request.kind, request.ranks, request.root, 1, 0, true}) {}

 protected:
  std::vector<Instruction> sequence(std::uint32_t rank) const override {
    const TreeNode node = binomial_node(rank, ranks(), shape().root);
    SequenceWriter out(false);
    if (shape().kind == CollectiveKind::kGather) {
      // The smallest subtree is complete first.
      for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) receive(*child, *child, out);
      if (node.parent != kNoRank) transmit(rank, node.parent, out);
    } else {
      if (node.parent != kNoRank) receive(rank, node.parent, out);
      for (const std::uint32_t child : node.children) transmit(child, child, out);
    }
    return out.take();
  }

 private:
  // The parts of the subtree of `top`, in two runs of ranks of which the second may be empty.
  std::array<Slice, 2> subtree(std::uint32_t top) const {
    const std::uint32_t v = (top + ranks() - shape().root) % ranks();
    const std::uint32_t size = v == 0 ? ranks() : std::min(v & (~v + 1), ranks() - v);
    const std::uint32_t until_end = std::min(size, ranks() - top);
    const Buffer buffer = shape().kind == CollectiveKind::kGather ? Buffer::kOutput : Buffer::kInput;
    return {Slice{buffer, top, until_end}, Slice{buffer, 0, size - until_end}};
  }
  void receive(std::uint32_t top, std::uint32_t from, SequenceWriter& out) const {
    const std::array<Slice, 2> parts = subtree(top);
    for (std::uint32_t i = 0; i < 2; ++i) out.recv(Op::kRecv, from, parts[i], i);
  }
  void transmit(std::uint32_t top, std::uint32_t to, SequenceWriter& out) const {
    const std::array<Slice, 2> parts = subtree(top);
    for (std::uint32_t i = 0; i < 2; ++i) out.send(to, parts[i], i);
  }
};

class HalvingDoublingAlgorithm final : public Algorithm {
 public:
  HalvingDoublingAlgorithm() : Algorithm({"halving_doubling", "exchanges over distances that halve and double"}) {}
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::kAllReduce, CollectiveKind::kReduce,       CollectiveKind::kAllGather,
            CollectiveKind::kGather,    CollectiveKind::kScatter,      CollectiveKind::kBroadcast,
            CollectiveKind::kBarrier,   CollectiveKind::kReduceScatter};
  }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    switch (request.kind) {
      case CollectiveKind::kReduce:
      case CollectiveKind::kBroadcast:
        return std::make_unique<BinomialTree>(request);
      case CollectiveKind::kGather:
      case CollectiveKind::kScatter:
        return std::make_unique<BinomialParts>(request);
      default:
        return std::make_unique<HalvingDoubling>(request);
    }
  }
};

}  // namespace

const Algorithm& halving_doubling_algorithm() {
  static const HalvingDoublingAlgorithm algorithm;
  return algorithm;
}

}  // namespace weft::npu
