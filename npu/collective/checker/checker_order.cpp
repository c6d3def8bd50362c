// SPDX-License-Identifier: Apache-2.0
// The checker's graphs: order of accesses within a rank, and order of everything between ranks.
#include <fmt/format.h>

#include <array>
#include <map>

#include "npu/collective/checker/checker_image.h"

namespace weft::npu::check {
namespace {

/// Answers whether an instruction of one rank must come before another by the rank's own dependencies.
class Ancestry {
 public:
  explicit Ancestry(const std::vector<Instruction>& sequence) : sequence_(sequence), seen_(sequence.size(), 0) {}

  bool before(std::uint32_t early, std::uint32_t late) {
    ++round_;
    std::vector<std::uint32_t> open{late};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t dep : sequence_[at].deps) {
        if (dep == early) return true;
        if (dep < early || seen_[dep] == round_) continue;
        seen_[dep] = round_;
        open.push_back(dep);
      }
    }
    return false;
  }

 private:
  const std::vector<Instruction>& sequence_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t round_ = 0;
};

/// Accesses to one fragment since its last write.
struct Accesses {
  std::int64_t writer = -1;
  std::vector<std::uint32_t> readers;
};

class RankDeterminism {
 public:
  RankDeterminism(const Image& image, std::uint32_t rank, Errors& errors)
      : image_(image), rank_(rank), errors_(errors), ancestry_(image.sequences[rank]) {}

  void run() {
    const std::vector<Instruction>& sequence = image_.sequences[rank_];
    for (std::uint32_t i = 0; i < sequence.size(); ++i) {
      const Instruction& in = sequence[i];
      if (op_reads_src(in.op)) visit(in.src, [&](Accesses& a, const std::string& fragment) { read(a, i, fragment); });
      if (in.op == Op::kReduce) visit(in.dst, [&](Accesses& a, const std::string& fragment) { read(a, i, fragment); });
      if (in.op != Op::kSend) visit(in.dst, [&](Accesses& a, const std::string& fragment) { write(a, i, fragment); });
    }
  }

 private:
  template <typename Visit>
  void visit(const Slice& slice, Visit visit) {
    const Slice real = image_.program.shape().canonical(rank_, slice);
    for (std::uint32_t k = 0; k < real.count; ++k) {
      visit(accesses_[{real.buffer, real.fragment(k)}], to_text(Slice{slice.buffer, slice.fragment(k), 1, 1}));
    }
  }

  void read(Accesses& accesses, std::uint32_t i, const std::string& fragment) {
    if (accesses.writer >= 0) ordered(static_cast<std::uint32_t>(accesses.writer), i, fragment);
    accesses.readers.push_back(i);
  }

  void write(Accesses& accesses, std::uint32_t i, const std::string& fragment) {
    if (accesses.writer >= 0) ordered(static_cast<std::uint32_t>(accesses.writer), i, fragment);
    for (const std::uint32_t reader : accesses.readers) {
      if (reader != i) ordered(reader, i, fragment);
    }
    accesses.readers.clear();
    accesses.writer = i;
  }

  void ordered(std::uint32_t early, std::uint32_t late, const std::string& fragment) {
    if (early == late || ancestry_.before(early, late)) return;
    errors_.add(fmt::format("rank {}: instructions {} ({}) and {} ({}) both use {} and no dependency orders them",
                            rank_, early, to_text(image_.sequences[rank_][early]), late,
                            to_text(image_.sequences[rank_][late]), fragment));
  }

  const Image& image_;
  std::uint32_t rank_;
  Errors& errors_;
  Ancestry ancestry_;
  std::map<std::pair<Buffer, std::uint32_t>, Accesses> accesses_;
};

/// Events and what must come before them.
class EventGraph {
 public:
  EventGraph(const Image& image, Execution execution) : image_(image), waits_(3 * image.instructions.size()) {
    for (const InstructionId which : image.instructions) add_local(which, execution);
    for (const InstructionId which : image.instructions) add_messages(which, execution);
    for (const auto& [number, flow] : image.flows) add_flow(flow, execution);
  }

  std::vector<Event> order(std::string& stuck) const {
    std::vector<std::uint32_t> missing(waits_.size(), 0);
    std::vector<std::vector<std::uint64_t>> next(waits_.size());
    std::vector<std::uint64_t> ready;
    for (std::uint64_t node = 0; node < waits_.size(); ++node) {
      missing[node] = static_cast<std::uint32_t>(waits_[node].size());
      for (const std::uint64_t before : waits_[node]) next[before].push_back(node);
      if (missing[node] == 0) ready.push_back(node);
    }
    std::vector<Event> order;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const std::uint64_t node = ready[i];
      order.push_back({node / 3, static_cast<Phase>(node % 3)});
      for (const std::uint64_t after : next[node]) {
        if (--missing[after] == 0) ready.push_back(after);
      }
    }
    if (order.size() == waits_.size()) return order;
    stuck = describe_cycle(missing);
    return {};
  }

 private:
  static std::uint64_t node(std::uint64_t id, Phase phase) { return 3 * id + static_cast<std::uint64_t>(phase); }
  void edge(std::uint64_t before, std::uint64_t after) { waits_[after].push_back(before); }

  void add_local(InstructionId which, Execution execution) {
    const std::uint64_t id = image_.id(which);
    edge(node(id, Phase::kStart), node(id, Phase::kData));
    edge(node(id, Phase::kData), node(id, Phase::kFinish));
    for (const std::uint32_t dep : image_.at(which).deps) {
      edge(node(image_.id(which.rank, dep), Phase::kFinish), node(id, Phase::kStart));
    }
    if (execution == Execution::kInOrder && which.index > 0) {
      edge(node(id - 1, Phase::kFinish), node(id, Phase::kStart));
    }
  }

  // kData of a receive: everything has come. A fused form has something to send when data have come to it.
  void add_messages(InstructionId which, Execution execution) {
    const std::uint64_t to = image_.id(which);
    const InstructionId sender_id = image_.sender[to];
    if (!sender_id.exists()) return;
    const std::uint64_t from = image_.id(sender_id);
    const bool fused = op_streams(image_.at(sender_id).op);
    edge(node(from, fused ? Phase::kData : Phase::kStart), node(to, Phase::kData));
    if (execution != Execution::kRendezvous) return;
    edge(node(to, Phase::kData), node(from, Phase::kFinish));
    if (fused) edge(node(to, Phase::kStart), node(from, Phase::kData));
  }

  // Results come out when all operands are in; without buffers, operands leave when the results have come out.
  void add_flow(const Flow& flow, Execution execution) {
    for (const InstructionId operand : flow.operands) {
      for (const InstructionId result : flow.results) {
        edge(node(image_.id(operand), Phase::kStart), node(image_.id(result), Phase::kData));
        if (execution != Execution::kRendezvous) continue;
        edge(node(image_.id(result), Phase::kStart), node(image_.id(operand), Phase::kData));
      }
    }
  }

  // Goes from something that cannot happen to something it waits for until one comes again.
  std::string describe_cycle(const std::vector<std::uint32_t>& missing) const {
    std::uint64_t at = 0;
    while (missing[at] == 0) ++at;
    std::map<std::uint64_t, std::size_t> seen;
    std::vector<std::uint64_t> path;
    while (seen.emplace(at, path.size()).second) {
      path.push_back(at);
      for (const std::uint64_t before : waits_[at]) {
        if (missing[before] != 0) {
          at = before;
          break;
        }
      }
    }
    std::string text;
    std::uint64_t last = ~std::uint64_t{0};
    std::size_t shown = 0;
    for (std::size_t i = seen[at]; i < path.size(); ++i) {
      if (path[i] / 3 == last) continue;
      last = path[i] / 3;
      if (++shown > 8) continue;
      text += (text.empty() ? "" : " waits for ") + image_.text(image_.instructions[last]);
    }
    if (shown > 8) text += fmt::format(" waits for {} more", shown - 8);
    return text + " waits for the first";
  }

  const Image& image_;
  std::vector<std::vector<std::uint64_t>> waits_;
};

}  // namespace

void check_determinism(const Image& image, Errors& errors) {
  for (std::uint32_t rank = 0; rank < image.sequences.size(); ++rank) RankDeterminism(image, rank, errors).run();
}

void check_flow_order(const Image& image, Errors& errors) {
  std::map<int, std::map<int, InstructionId>> next;  // flow -> the flows that a rank issues right after it, and where
  std::map<int, std::size_t> missing;
  for (const auto& sequence : image.sequences) {
    int last = -1;
    for (std::uint32_t i = 0; i < sequence.size(); ++i) {
      if (sequence[i].op != Op::kFlow || sequence[i].src.count == 0) continue;
      const int flow = sequence[i].hints.flow;
      const InstructionId which{static_cast<std::uint32_t>(&sequence - image.sequences.data()), i};
      missing.emplace(flow, 0);
      if (last >= 0 && next[last].emplace(flow, which).second) ++missing[flow];
      last = flow;
    }
  }
  std::vector<int> ready;
  for (const auto& [flow, before] : missing) {
    if (before == 0) ready.push_back(flow);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const auto& [flow, which] : next[ready[i]]) {
      if (--missing[flow] == 0) ready.push_back(flow);
    }
  }
  if (ready.size() == missing.size()) return;
  // Any flow that is left is behind another one that is left; going back along them comes round.
  std::string text;
  for (const auto& [flow, before] : missing) {
    for (const auto& [after, which] : next[flow]) {
      if (before == 0 || missing[after] == 0) continue;
      text +=
          fmt::format("{}{} issues flow {} after flow {}", text.empty() ? "" : ", ", image.text(which), after, flow);
    }
  }
  errors.add("the ranks put operands into flows in orders that contradict each other: " + text);
}

std::vector<Event> find_order(const Image& image, Execution execution, std::string& stuck) {
  return EventGraph(image, execution).order(stuck);
}

}  // namespace weft::npu::check
