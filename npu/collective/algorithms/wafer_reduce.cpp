// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/wafer_reduce.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "npu/collective/algorithms/auto_gen.h"
#include "npu/collective/algorithms/wafer_colours.h"
#include "npu/collective/form/tag.h"

namespace weft::npu {
namespace {

constexpr Slice kAll{Buffer::kInput, 0, 1, 1};

}  // namespace

WaferReduce::WaferReduce(const ProgramRequest& request, WaferGroup group, const RootedLine::TreeMaker& make)
    : Program({request.kind, request.ranks, request.root, 1, 0, true}),
      group_(std::move(group)),
      row_(group_.columns(), group_.column(request.root), make),
      column_(group_.rows(), group_.row(request.root), make) {
  const std::uint64_t tags = std::uint64_t{group_.columns()} + group_.rows() - 1;
  if (tags > kMaxSteps) {
    throw InputError(fmt::format("{} of {} cores that are no rectangle needs {} tags; there are {}",
                                 kind_name(request.kind), request.ranks, tags, kMaxSteps));
  }
  choose_colours(request);
}

void WaferReduce::choose_colours(const ProgramRequest& request) {
  const int needed = multicasts() ? kMulticastColours : kReduceColours;
  if (request.colours > 0 && request.colours < needed) {
    throw InputError(fmt::format("{} along lines of cores needs {} colours; fabric.router.colours is {}",
                                 kind_name(request.kind), needed, request.colours));
  }
  if (group_.form() != WaferGroup::Form::kList || !reduces()) return;
  const int most = request.colours > 0 ? std::min(request.colours, kListColours) : kListColours;
  auto found = list_colours(row_, nodes_of(request), request.size_x, most);
  coloured_ = found.has_value();
  if (coloured_) list_colours_ = std::move(*found);
}

std::uint32_t WaferReduce::length(std::uint32_t rank) const {
  return steps(rank, Phase::kRow) + steps(rank, Phase::kColumn) + (multicasts() && ranks() > 1 ? 1 : 0);
}

Instruction WaferReduce::at(std::uint32_t rank, std::uint32_t index) const {
  const std::uint32_t in_row = steps(rank, Phase::kRow);
  const std::uint32_t in_column = steps(rank, Phase::kColumn);
  Instruction result;
  if (index < in_row) {
    result = step(rank, Phase::kRow, index);
  } else if (index < in_row + in_column) {
    result = step(rank, Phase::kColumn, index - in_row);
  } else {
    result = multicast(rank);
  }
  if (index > 0) result.deps = {index - 1};
  return result;
}

// kNoRank where the rank has no part in the phase.
std::uint32_t WaferReduce::position(std::uint32_t rank, Phase phase) const {
  if (phase == Phase::kRow) return group_.column(rank);
  return group_.column(rank) == row_.root() ? group_.row(rank) : kNoRank;
}

std::uint32_t WaferReduce::rank_at(std::uint32_t rank, Phase phase, std::uint32_t position) const {
  return phase == Phase::kRow ? group_.rank(position, group_.row(rank)) : group_.rank(row_.root(), position);
}

std::uint32_t WaferReduce::tag(Phase phase, std::uint32_t position) const {
  return line(phase).edge(position) + (phase == Phase::kColumn ? row_.size() - 1 : 0);
}

int WaferReduce::colour(Phase phase, std::uint32_t receiver) const {
  if (!coloured_) return -1;
  if (!list_colours_.empty()) return list_colours_[receiver];
  return line(phase).depth(receiver) % 2 == 0 ? kEvenColour : kOddColour;
}

std::uint32_t WaferReduce::steps(std::uint32_t rank, Phase phase) const {
  const std::uint32_t here = position(rank, phase);
  if (!reduces() || here == kNoRank) return 0;
  const bool sends = here != line(phase).root();
  return std::max(line(phase).child_count(here), sends ? 1u : 0u);
}

Instruction WaferReduce::step(std::uint32_t rank, Phase phase, std::uint32_t k) const {
  const RootedLine& tree = line(phase);
  const std::uint32_t here = position(rank, phase);
  const std::uint32_t children = tree.child_count(here);
  const bool sends = here != tree.root() && k + 1 >= children;
  Instruction out;
  out.src = kAll;
  if (children > 0) {
    const std::uint32_t child = tree.child(here, k);
    out.op = sends ? Op::kRecvReduceSend : Op::kRecvReduce;
    out.from = rank_at(rank, phase, child);
    out.recv_tag = tag(phase, child);
    if (!sends) out.dst = kAll;
  }
  if (sends) {
    const std::uint32_t parent = tree.parent(here);
    out.to = {rank_at(rank, phase, parent)};
    out.send_tag = tag(phase, here);
    out.hints.colour = colour(phase, parent);
  }
  return out;
}

Instruction multicast_step(std::uint32_t rank, std::uint32_t root, const Slice& data, std::uint32_t tag, int colour) {
  Instruction out;
  if (rank != root) {
    out.op = Op::kRecv;
    out.from = root;
    out.recv_tag = tag;
    out.dst = data;
    return out;
  }
  out.op = Op::kSend;
  out.src = data;
  out.send_tag = tag;
  out.hints.colour = colour;
  return out;
}

Instruction WaferReduce::multicast(std::uint32_t rank) const {
  const std::uint32_t tag = reduces() ? row_.size() + column_.size() - 2 : 0;
  const std::uint32_t root = shape().root;
  Instruction out = multicast_step(rank, root, kAll, tag, kMulticastColour);
  if (rank != root) return out;
  out.to.reserve(ranks() - 1);
  for (std::uint32_t y = 0; y < group_.rows(); ++y) {
    for (std::uint32_t x = 0; x < group_.columns(); ++x) {
      if (group_.rank(x, y) != root) out.to.push_back(group_.rank(x, y));
    }
  }
  return out;
}

namespace {

/// A tree by its number of positions.
class LineAlgorithm : public Algorithm {
 public:
  using Maker = LineTree (*)(std::uint32_t size);

  LineAlgorithm(const Policy& policy, Maker maker) : Algorithm({policy}), maker_(maker) {}
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::kReduce, CollectiveKind::kAllReduce, CollectiveKind::kBroadcast};
  }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    return std::make_unique<WaferReduce>(request, WaferGroup::as_it_lies(request), maker_);
  }

 private:
  Maker maker_;
};

/// Looks at the size of the data and the cost of the machine.
class AutoGenAlgorithm final : public LineAlgorithm {
 public:
  AutoGenAlgorithm()
      : LineAlgorithm({"auto_gen", "a tree on each line that is made for the size of the data"}, star_tree) {}
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    const WaferCost cost{request.ramp_cycles, request.hop_cycles, 0};
    // A broadcast needs no tree, and where nothing is known of the data a vector is as long as its line.
    return std::make_unique<WaferReduce>(request, WaferGroup::as_it_lies(request), [&](std::uint32_t size) {
      if (request.kind == CollectiveKind::kBroadcast) return star_tree(size);
      return auto_gen_tree(size, request.elements > 0 ? request.elements : size, cost);
    });
  }
};

class SnakeAlgorithm final : public LineAlgorithm {
 public:
  SnakeAlgorithm() : LineAlgorithm({"snake", "one chain through all rows"}, chain_tree) {}
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    return std::make_unique<WaferReduce>(request, WaferGroup::as_snake(request), chain_tree);
  }
};

class MulticastAlgorithm final : public LineAlgorithm {
 public:
  MulticastAlgorithm() : LineAlgorithm({"multicast", "one message that routers copy"}, star_tree) {}
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::kBroadcast}; }
};

}  // namespace

const Algorithm& star_algorithm() {
  static const LineAlgorithm algorithm({"star", "each core of a line sends to its root"}, star_tree);
  return algorithm;
}

const Algorithm& chain_algorithm() {
  static const LineAlgorithm algorithm({"chain", "from core to core along a line"}, chain_tree);
  return algorithm;
}

const Algorithm& tree_algorithm() {
  static const LineAlgorithm algorithm({"tree", "a binary tree on each line"}, binary_tree);
  return algorithm;
}

const Algorithm& two_phase_algorithm() {
  static const LineAlgorithm algorithm({"two_phase", "chains of parts of a line, then a chain of their sums"},
                                       two_phase_tree);
  return algorithm;
}

const Algorithm& auto_gen_algorithm() {
  static const AutoGenAlgorithm algorithm;
  return algorithm;
}

const Algorithm& snake_algorithm() {
  static const SnakeAlgorithm algorithm;
  return algorithm;
}

const Algorithm& multicast_algorithm() {
  static const MulticastAlgorithm algorithm;
  return algorithm;
}

}  // namespace weft::npu
