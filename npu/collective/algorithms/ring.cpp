// SPDX-License-Identifier: Apache-2.0
// Algorithm `ring`: each rank sends to its successor and receives from its predecessor only.
//
// all_reduce is the usual 2(n-1) steps of one n-th of the data; reduce_scatter and all_gather are its halves; barrier
// is an all_reduce of nothing. all_to_all carries each item hop by hop, one item in flight per rank, n(n-1)/2 steps, as
// ring implementations of training simulators do. Kinds with a root are chains round the ring that stream.
//
// Where the fabric has colours, the ring of a row or column follows the line and closes by one message back over all of
// it: that is the ring of wafer-scale machines, whose routes do not hinder each other.
#include <cmath>

#include "base/error.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/algorithms/ring_order.h"
#include "npu/collective/algorithms/wafer_colours.h"
#include "npu/collective/algorithms/wafer_group.h"

namespace weft::npu {
namespace {

/// The ring itself: who is where. Positions are taken modulo n.
class Ring {
 public:
  Ring(const ProgramRequest& request, std::vector<std::uint32_t> order) : order_(std::move(order)) {
    const std::vector<NodeId> nodes = nodes_of(request);
    if (order_.empty()) {
      order_ = request.switch_groups.empty() ? ring_order(nodes, request.size_x, request.size_y, request.torus)
                                             : switch_ring_order(nodes, request.size_x);
    }
    coloured_ = request.colours >= kRingColours && ring_suits_colours(order_, nodes, request.size_x);
    position_.resize(order_.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
  }
  std::int64_t position(std::uint32_t rank) const { return position_[rank]; }
  std::uint32_t rank(std::int64_t position) const { return order_[ring_index(position, order_.size())]; }
  /// Colour of what a rank sends to its successor; -1 if the ring uses none.
  int colour(std::uint32_t rank) const {
    if (!coloured_) return -1;
    if (position_[rank] + 1 == order_.size()) return kRingWrapColour;
    return position_[rank] % 2 == 0 ? kEvenColour : kOddColour;
  }
  /// Steps forward from one rank to another.
  std::uint32_t distance(std::uint32_t from, std::uint32_t to) const {
    return static_cast<std::uint32_t>(ring_index(position(to) - position(from), order_.size()));
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> position_;
  bool coloured_ = false;
};

// The ranks of a line in their order, if the group is one and the fabric has the colours for it; else empty.
std::vector<std::uint32_t> coloured_line(const ProgramRequest& request) {
  if (request.colours < kRingColours || request.size_x <= 0) return {};
  const WaferGroup group = WaferGroup::as_it_lies(request);
  if (group.form() != WaferGroup::Form::kLine) return {};
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < group.columns(); ++i) order.push_back(group.rank(i, 0));
  return order;
}

class RingProgram : public Program {
 public:
  RingProgram(const ProgramRequest& request, std::uint32_t share, std::uint32_t scratch, bool in_place,
              std::vector<std::uint32_t> order = {})
      : Program({request.kind, request.ranks, request.root, share, scratch, in_place}),
        ring_(request, std::move(order)) {}

 protected:
  Instruction send(std::uint32_t rank, Slice src, std::uint32_t tag) const {
    Instruction out;
    out.op = Op::kSend;
    out.to.push_back(ring_.rank(ring_.position(rank) + 1));
    out.send_tag = tag;
    out.src = src;
    return out;
  }
  Instruction recv(std::uint32_t rank, Op op, Slice dst, std::uint32_t tag) const {
    Instruction in;
    in.op = op;
    in.from = ring_.rank(ring_.position(rank) - 1);
    in.recv_tag = tag;
    in.dst = dst;
    if (op_reduces(op)) in.src = dst;
    if (op_sends(op)) {
      in.to.push_back(ring_.rank(ring_.position(rank) + 1));
      in.send_tag = tag;
    }
    return in;
  }

  Ring ring_;
};

/// all_reduce, reduce_scatter, all_gather, barrier: step k is instruction 2k (send) and 2k + 1 (receive).
class RingSteps final : public RingProgram {
 public:
  RingSteps(const ProgramRequest& request, bool scatter, bool gather, Buffer buffer)
      : RingProgram(request, buffer == Buffer::kInput && gather ? request.ranks : 1, 0, true, coloured_line(request)),
        buffer_(buffer),
        scatter_steps_(scatter ? request.ranks - 1 : 0),
        steps_(scatter_steps_ + (gather ? request.ranks - 1 : 0)) {}

  std::uint32_t length(std::uint32_t /*rank*/) const override { return 2 * steps_; }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    return index % 2 == 0 ? send_step(rank, index / 2) : receive_step(rank, index / 2);
  }

 private:
  bool scatters(std::uint32_t step) const { return step < scatter_steps_; }
  // Scattering, position p ends with its own fragment; gathering, it starts by sending that one.
  std::int64_t sent(std::uint32_t rank, std::uint32_t step) const {
    const std::int64_t p = ring_.position(rank);
    return scatters(step) ? p - 1 - step : p - (step - scatter_steps_);
  }
  Instruction send_step(std::uint32_t rank, std::uint32_t step) const {
    Instruction out = send(rank, fragment(sent(rank, step)), step);
    out.hints.colour = ring_.colour(rank);
    if (step > 0) out.deps.push_back(2 * step - 1);
    return out;
  }
  Instruction receive_step(std::uint32_t rank, std::uint32_t step) const {
    const Op op = scatters(step) ? Op::kRecvReduce : Op::kRecv;
    Instruction in = recv(rank, op, fragment(sent(rank, step) - 1), step);
    // A final fragment must not overwrite the partial one before that has left: it left in the step of the same number.
    if (!scatters(step) && scatter_steps_ > 0) in.deps.push_back(2 * (step - scatter_steps_));
    return in;
  }
  Slice fragment(std::int64_t position) const { return {buffer_, ring_.rank(position), 1}; }

  Buffer buffer_;
  std::uint32_t scatter_steps_;
  std::uint32_t steps_;
};

/// Instruction 0 copies the rank's own part; step k is 2k + 1 (send) and 2k + 2 (receive). Step k belongs to hop h
/// of the items that travel distance d, in the order of (d, h). Items on the way wait in the scratch fragment of their
/// destination.
class RingAllToAll final : public RingProgram {
 public:
  explicit RingAllToAll(const ProgramRequest& request) : RingProgram(request, 1, request.ranks, false) {}

  std::uint32_t length(std::uint32_t /*rank*/) const override { return 1 + ranks() * (ranks() - 1); }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    if (index == 0) {
      Instruction copy;
      copy.op = Op::kCopy;
      copy.src = {Buffer::kInput, rank, 1};
      copy.dst = {Buffer::kOutput, rank, 1};
      return copy;
    }
    const std::uint32_t step = (index - 1) / 2;
    const Hop hop = hop_of(step);
    const std::int64_t p = ring_.position(rank);
    if (index % 2 == 1) {
      const std::uint32_t to = ring_.rank(p + hop.distance - hop.hop + 1);
      Instruction out = send(rank, {hop.hop == 1 ? Buffer::kInput : Buffer::kScratch, to, 1}, step);
      if (step > 0) out.deps = {index - 1};
      return out;
    }
    if (hop.hop == hop.distance) {
      return recv(rank, Op::kRecv, {Buffer::kOutput, ring_.rank(p - hop.distance), 1}, step);
    }
    Instruction in = recv(rank, Op::kRecv, {Buffer::kScratch, ring_.rank(p + hop.distance - hop.hop), 1}, step);
    if (hop.hop > 1) in.deps = {2 * step_of({hop.distance - 1, hop.hop}) + 1};  // the fragment's last user has left
    return in;
  }

 private:
  struct Hop {
    std::uint32_t distance;
    std::uint32_t hop;
  };
  static std::uint32_t step_of(Hop hop) { return hop.distance * (hop.distance - 1) / 2 + hop.hop - 1; }
  static Hop hop_of(std::uint32_t step) {
    auto distance = static_cast<std::uint32_t>((1 + std::sqrt(1 + 8.0 * step)) / 2);
    while (step_of({distance, 1}) > step) --distance;
    while (step_of({distance + 1, 1}) <= step) ++distance;
    return {distance, step - step_of({distance, 1}) + 1};
  }
};

/// broadcast and reduce: the whole data streams along the ring away from the root, or towards it.
class RingChain final : public RingProgram {
 public:
  explicit RingChain(const ProgramRequest& request) : RingProgram(request, 1, 0, true) {}

  std::uint32_t length(std::uint32_t /*rank*/) const override { return ranks() > 1 ? 1 : 0; }

  Instruction at(std::uint32_t rank, std::uint32_t /*index*/) const override {
    const Slice all{Buffer::kInput, 0, 1};
    const bool reduce = shape().kind == CollectiveKind::kReduce;
    const std::uint32_t root = shape().root;
    // Links of the chain passed when the data is here.
    const std::uint32_t position = reduce ? ranks() - 1 - ring_.distance(rank, root) : ring_.distance(root, rank);
    if (position == 0) return send(rank, all, 0);
    if (position == ranks() - 1) return recv(rank, reduce ? Op::kRecvReduce : Op::kRecv, all, 0);
    Instruction middle = recv(rank, reduce ? Op::kRecvReduceSend : Op::kRecvCopySend, all, 0);
    if (reduce) middle.dst.count = 0;  // the sum goes on; nobody here needs it
    return middle;
  }
};

/// gather and scatter: parts stream along the ring, each rank adds or takes its own. The tag is the part's owner.
class RingParts final : public RingProgram {
 public:
  explicit RingParts(const ProgramRequest& request) : RingProgram(request, 1, 0, true) {}

  std::uint32_t length(std::uint32_t rank) const override {
    return gather() ? gather_length(rank) : scatter_length(rank);
  }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    const std::uint32_t root = shape().root;
    if (gather()) {
      // The own part first, then those from further away.
      const std::uint32_t owner = ring_.rank(ring_.position(rank) - (rank == root ? index + 1 : index));
      const Slice part{Buffer::kOutput, owner, 1};
      if (rank == root) return recv(rank, Op::kRecv, part, owner);
      return index == 0 ? send(rank, part, owner) : recv(rank, Op::kRecvCopySend, part, owner);
    }
    // The part for the furthest rank goes first.
    const std::uint32_t owner = ring_.rank(ring_.position(root) - 1 - index);
    const Slice part{Buffer::kInput, owner, 1};
    if (rank == root) return send(rank, part, owner);
    return recv(rank, owner == rank ? Op::kRecv : Op::kRecvCopySend, part, owner);
  }

 private:
  bool gather() const { return shape().kind == CollectiveKind::kGather; }
  std::uint32_t gather_length(std::uint32_t rank) const {
    return rank == shape().root ? ranks() - 1 : ranks() - ring_.distance(rank, shape().root);
  }
  std::uint32_t scatter_length(std::uint32_t rank) const {
    return rank == shape().root ? ranks() - 1 : ranks() - ring_.distance(shape().root, rank);
  }
};

class RingAlgorithm final : public Algorithm {
 public:
  RingAlgorithm() : Algorithm({"ring", "from neighbour to neighbour round a ring"}) {}
  std::vector<CollectiveKind> kinds() const override { return all_kinds(); }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    switch (request.kind) {
      case CollectiveKind::kAllReduce:
      case CollectiveKind::kBarrier:
        return std::make_unique<RingSteps>(request, true, true, Buffer::kInput);
      case CollectiveKind::kReduceScatter:
        return std::make_unique<RingSteps>(request, true, false, Buffer::kInput);
      case CollectiveKind::kAllGather:
        return std::make_unique<RingSteps>(request, false, true, Buffer::kOutput);
      case CollectiveKind::kAllToAll:
        return std::make_unique<RingAllToAll>(request);
      case CollectiveKind::kBroadcast:
      case CollectiveKind::kReduce:
        return std::make_unique<RingChain>(request);
      case CollectiveKind::kGather:
      case CollectiveKind::kScatter:
        return std::make_unique<RingParts>(request);
    }
    violation("a collective kind that ring does not know");
  }
};

}  // namespace

const Algorithm& ring_algorithm() {
  static const RingAlgorithm algorithm;
  return algorithm;
}

}  // namespace weft::npu
