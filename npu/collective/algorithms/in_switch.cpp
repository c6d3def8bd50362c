// SPDX-License-Identifier: Apache-2.0
// Algorithms `in_switch` and `in_switch_series`: the switches of a FRED fabric reduce on the way up and copy on the way
// down. all_reduce, reduce and broadcast are one flow each; reduce_scatter is a reduce flow per rank and all_gather a
// multicast flow per rank, issued in the order of the ranks; barrier is an all-reduce flow of nothing. scatter, gather
// and all_to_all move every byte to one rank, which no switch can help with: they are unicasts, an all_to_all as
// permutations: in round r rank i serves rank i + r.
//
// In a series each flow waits for the one before. Several flows at once follow each other without a gap: all of them in
// reduce_scatter, all_gather, scatter and gather, whose flows meet at one port anyway. An all_to_all has as many rounds
// at once as a port has planes: so parts of one packet fill all planes, and longer ones stay permutations, in which no
// two senders meet at a port.
//
// Source: "FRED: A Wafer-scale Fabric for 3D Parallel DNN Training", ISCA 2025.
#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/tree_order.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/algorithms/wafer_group.h"

namespace weft::npu {
namespace {

/// Flows of a series that a rank has under way at once.
struct Pace {
  std::uint32_t at_once = 0;  ///< 0 = all

  /// Flow `index` comes after this many others that are under way: it waits for the one before those.
  bool waits(std::uint32_t index) const { return at_once > 0 && index >= at_once; }
};

/// What all switches do to the operands of a flow.
struct SwitchMerges {
  std::vector<FlowMerge> merges;
  std::vector<std::size_t> borders;  ///< see Program::flow_borders
};

/// Who sits where below the switches.
class SwitchTree {
 public:
  explicit SwitchTree(const ProgramRequest& request) : nodes_(nodes_of(request)), groups_(request.switch_groups) {
    const std::uint32_t last = weft::index(*std::max_element(nodes_.begin(), nodes_.end()));
    ports_ = request.size_x > 0 ? static_cast<std::uint32_t>(request.size_x) : last + 1;
    if (groups_.empty()) groups_ = {last / ports_ + 1, 1};
    if (last / ports_ < groups_.front()) return;
    throw InputError("algorithm in_switch: a rank of the group lies outside the switches");
  }

  /// In the order of the switches: the NPUs of a lowest switch by port, then at each level the children in order. What
  /// comes through a switch without a partner is passed on as it is.
  SwitchMerges merges() const {
    SwitchMerges result;
    const auto add = [&result](std::uint32_t left, std::uint32_t right) {
      result.merges.push_back({left, right});
      return left;
    };
    Operands standing(std::size_t{groups_.front()} * ports_);
    for (std::uint32_t rank = 0; rank < nodes_.size(); ++rank) standing[weft::index(nodes_[rank])] = rank;
    for (const std::uint32_t groups : groups_) {
      const std::size_t children = standing.size() / groups;
      Operands sums(groups);
      for (std::uint32_t group = 0; group < groups; ++group) {
        const auto first = standing.begin() + static_cast<std::ptrdiff_t>(group * children);
        Operands operands(first, first + static_cast<std::ptrdiff_t>(children));
        const bool any = std::any_of(operands.begin(), operands.end(), [](const auto& each) { return bool(each); });
        const std::size_t before = result.merges.size();
        if (any) sums[group] = reduce_in_tree_order(std::move(operands), add);
        if (result.merges.size() > before) result.borders.push_back(result.merges.size() - 1);
      }
      standing = std::move(sums);
    }
    return result;
  }

 private:
  using Operands = std::vector<std::optional<std::uint32_t>>;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> groups_;
  std::uint32_t ports_;
};

/// Flows, all of them with the tag of their number.
class SwitchFlows final : public Program {
 public:
  SwitchFlows(const ProgramRequest& request, Pace pace)
      : Program({request.kind, request.ranks, request.root, 1, 0, true}),
        pace_(pace),
        merges_(SwitchTree(request).merges()) {}

  std::uint32_t length(std::uint32_t /*rank*/) const override {
    if (ranks() == 1) return 0;
    return per_rank() ? ranks() : 1;
  }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    const Buffer buffer = shape().kind == CollectiveKind::kAllGather ? Buffer::kOutput : Buffer::kInput;
    const Slice data{buffer, per_rank() ? index : 0, 1};
    Instruction in;
    in.op = Op::kFlow;
    in.send_tag = index;
    in.recv_tag = index;
    in.hints.flow = static_cast<int>(index);
    if (puts_in(rank, index)) in.src = data;
    if (takes_out(rank, index)) in.dst = data;
    if (pace_.waits(index)) in.deps = {index - pace_.at_once};
    return in;
  }

  std::vector<FlowMerge> flow_merges(int /*flow*/) const override {
    return multicast() ? std::vector<FlowMerge>{} : merges_.merges;
  }
  std::vector<std::size_t> flow_borders(int /*flow*/) const override {
    return multicast() ? std::vector<std::size_t>{} : merges_.borders;
  }

 private:
  bool per_rank() const {
    return shape().kind == CollectiveKind::kReduceScatter || shape().kind == CollectiveKind::kAllGather;
  }
  bool multicast() const {
    return shape().kind == CollectiveKind::kBroadcast || shape().kind == CollectiveKind::kAllGather;
  }
  bool is_root(std::uint32_t rank, std::uint32_t flow) const { return rank == (per_rank() ? flow : shape().root); }
  bool puts_in(std::uint32_t rank, std::uint32_t flow) const { return !multicast() || is_root(rank, flow); }
  bool takes_out(std::uint32_t rank, std::uint32_t flow) const {
    const bool reduce = shape().kind == CollectiveKind::kReduce || shape().kind == CollectiveKind::kReduceScatter;
    if (multicast()) return !is_root(rank, flow);
    return !reduce || is_root(rank, flow);
  }

  Pace pace_;
  SwitchMerges merges_;
};

/// scatter and gather: between the root and everybody else, in the order of the ranks after the root.
class SwitchParts final : public Program {
 public:
  SwitchParts(const ProgramRequest& request, Pace pace)
      : Program({request.kind, request.ranks, request.root, 1, 0, true}), pace_(pace) {}

  std::uint32_t length(std::uint32_t rank) const override {
    if (ranks() == 1) return 0;
    return rank == shape().root ? ranks() - 1 : 1;
  }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    const bool root = rank == shape().root;
    const std::uint32_t peer = root ? (rank + index + 1) % ranks() : shape().root;
    const bool scatter = shape().kind == CollectiveKind::kScatter;
    const Slice part{scatter ? Buffer::kInput : Buffer::kOutput, root ? peer : rank, 1};
    Instruction in;
    if (scatter == root) {
      in.op = Op::kSend;
      in.to = {peer};
      in.src = part;
      if (pace_.waits(index)) in.deps = {index - pace_.at_once};
    } else {
      in.op = Op::kRecv;
      in.from = peer;
      in.dst = part;
    }
    return in;
  }

 private:
  Pace pace_;
};

/// all_to_all: the own part, then rounds of a send and a receive. A round waits until the part of another one has left.
class SwitchExchange final : public Program {
 public:
  SwitchExchange(const ProgramRequest& request, Pace pace)
      : Program({request.kind, request.ranks, 0, 1, 0, false}), pace_(pace) {}

  std::uint32_t length(std::uint32_t /*rank*/) const override { return 1 + 2 * (ranks() - 1); }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    const std::uint32_t round = (index + 1) / 2;
    Instruction in;
    if (index == 0) {
      in.op = Op::kCopy;
      in.src = {Buffer::kInput, rank, 1};
      in.dst = {Buffer::kOutput, rank, 1};
    } else if (index % 2 == 1) {
      const std::uint32_t to = (rank + round) % ranks();
      in.op = Op::kSend;
      in.to = {to};
      in.src = {Buffer::kInput, to, 1};
      in.send_tag = round;
      if (pace_.waits(round - 1)) in.deps = {index - 2 * pace_.at_once};
    } else {
      const std::uint32_t from = (rank + ranks() - round) % ranks();
      in.op = Op::kRecv;
      in.from = from;
      in.dst = {Buffer::kOutput, from, 1};
      in.recv_tag = round;
    }
    return in;
  }

 private:
  Pace pace_;
};

std::unique_ptr<const Program> make_switch_program(const ProgramRequest& request, Pace pace) {
  switch (request.kind) {
    case CollectiveKind::kScatter:
    case CollectiveKind::kGather:
      return std::make_unique<SwitchParts>(request, pace);
    case CollectiveKind::kAllToAll:
      return std::make_unique<SwitchExchange>(request, pace);
    default:
      return std::make_unique<SwitchFlows>(request, pace);
  }
}

class InSwitch final : public Algorithm {
 public:
  InSwitch() : Algorithm({{"in_switch", "FRED switches reduce and copy, flows of a series at once"}, false, true}) {}
  std::vector<CollectiveKind> kinds() const override { return all_kinds(); }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    Pace pace;
    if (request.kind == CollectiveKind::kAllToAll)
      pace.at_once = static_cast<std::uint32_t>(std::max(request.planes, 1));
    return make_switch_program(request, pace);
  }
};

class InSwitchSeries final : public Algorithm {
 public:
  InSwitchSeries()
      : Algorithm({{"in_switch_series", "FRED switches reduce and copy, one flow of a series after the other"},
                   false,
                   true}) {}
  std::vector<CollectiveKind> kinds() const override { return all_kinds(); }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    return make_switch_program(request, Pace{1});
  }
};

}  // namespace

const Algorithm& in_switch_algorithm() {
  static const InSwitch algorithm;
  return algorithm;
}

const Algorithm& in_switch_series_algorithm() {
  static const InSwitchSeries algorithm;
  return algorithm;
}

}  // namespace weft::npu
