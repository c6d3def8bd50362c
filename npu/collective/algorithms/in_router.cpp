// SPDX-License-Identifier: Apache-2.0
// Algorithm `in_router`: routers add on the way. Every rank puts its data into a flow; the operands go X-then-Y to the
// root and are merged where they meet; the sum comes out at the root. all_reduce goes on with one multicast message.
//
// Colour 0 carries the reduction, colour 1 the broadcast. At a router the operands are added in the order local, east,
// west, north, south, as the colour plane does.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/algorithms/wafer_reduce.h"

namespace weft::npu {
namespace {

constexpr int kReduceColour = 0;
constexpr int kBroadcastColour = 1;
constexpr std::uint32_t kReduceTag = 0;
constexpr std::uint32_t kBroadcastTag = 1;

struct Coordinates {
  int x = 0;
  int y = 0;
  friend bool operator<(Coordinates a, Coordinates b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }
};

class InRouter final : public Program {
 public:
  explicit InRouter(const ProgramRequest& request)
      : Program({request.kind, request.ranks, request.root, 1, 0, true}), request_(request) {}

  std::uint32_t length(std::uint32_t /*rank*/) const override { return ranks() == 1 ? 0 : all_reduce() ? 2 : 1; }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    const Slice all{Buffer::kInput, 0, 1};
    const bool root = rank == shape().root;
    Instruction in;
    if (index == 0) {
      in.op = Op::kFlow;
      in.src = all;
      if (root) in.dst = all;
      in.send_tag = kReduceTag;
      in.recv_tag = kReduceTag;
      in.hints.flow = 0;
      in.hints.colour = kReduceColour;
      return in;
    }
    in = multicast_step(rank, shape().root, all, kBroadcastTag, kBroadcastColour);
    in.deps = {0};
    if (!root) return in;
    for (std::uint32_t other = 0; other < ranks(); ++other) {
      if (other != rank) in.to.push_back(other);
    }
    return in;
  }

  std::vector<FlowMerge> flow_merges(int /*flow*/) const override {
    const Coordinates root = coordinates(shape().root);
    std::map<Coordinates, std::uint32_t> standing;  // which rank the sum at a router stands for; kNoRank: none yet
    std::vector<Coordinates> routers;
    for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
      for (Coordinates at = coordinates(rank);; at = next(at, root)) {
        if (!standing.emplace(at, kNoRank).second) break;
        routers.push_back(at);
        if (at.x == root.x && at.y == root.y) break;
      }
      standing[coordinates(rank)] = rank;
    }
    // Furthest first: what comes into a router is complete before it goes on.
    const auto distance = [&](Coordinates a) { return std::abs(a.x - root.x) + std::abs(a.y - root.y); };
    std::sort(routers.begin(), routers.end(), [&](Coordinates a, Coordinates b) {
      return distance(a) != distance(b) ? distance(a) > distance(b) : a < b;
    });
    std::vector<FlowMerge> merges;
    for (const Coordinates here : routers) {
      std::uint32_t& sum = standing[here];
      for (const Coordinates from : {Coordinates{here.x + 1, here.y}, Coordinates{here.x - 1, here.y},
                                     Coordinates{here.x, here.y + 1}, Coordinates{here.x, here.y - 1}}) {
        const auto found = standing.find(from);
        const bool comes = found != standing.end() && distance(from) > distance(here) && leads(from, here, root);
        if (!comes) continue;
        if (sum == kNoRank) {
          sum = found->second;
        } else {
          merges.push_back({sum, found->second});
        }
      }
    }
    return merges;
  }

 private:
  bool all_reduce() const { return shape().kind == CollectiveKind::kAllReduce; }
  Coordinates coordinates(std::uint32_t rank) const {
    const auto node = static_cast<int>(request_.nodes.empty() ? rank : index(request_.nodes[rank]));
    return request_.size_x > 0 ? Coordinates{node % request_.size_x, node / request_.size_x} : Coordinates{node, 0};
  }
  static Coordinates next(Coordinates at, Coordinates to) {
    if (at.x != to.x) return {at.x + (to.x > at.x ? 1 : -1), at.y};
    if (at.y != to.y) return {at.x, at.y + (to.y > at.y ? 1 : -1)};
    return at;
  }
  static bool leads(Coordinates from, Coordinates to, Coordinates root) {
    const Coordinates after = next(from, root);
    return after.x == to.x && after.y == to.y;
  }
  static std::uint32_t index(NodeId node) { return static_cast<std::uint32_t>(node); }

  ProgramRequest request_;
};

class InRouterAlgorithm final : public Algorithm {
 public:
  InRouterAlgorithm() : Algorithm({{"in_router", "routers add on the way"}, true, false}) {}
  std::vector<CollectiveKind> kinds() const override { return {CollectiveKind::kReduce, CollectiveKind::kAllReduce}; }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    return std::make_unique<InRouter>(request);
  }
};

}  // namespace

const Algorithm& in_router_algorithm() {
  static const InRouterAlgorithm algorithm;
  return algorithm;
}

}  // namespace weft::npu
