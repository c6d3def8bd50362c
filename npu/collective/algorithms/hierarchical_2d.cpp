// SPDX-License-Identifier: Apache-2.0
// Algorithm `hierarchical_2d`, for groups that are every crossing of some rows and columns of a mesh or torus. The data
// is two halves that use the dimensions in opposite order and run round the rings in opposite directions, so that
// both dimensions and both directions of every wire work at once:
// all_reduce: half 0 is reduce-scattered in x, all-reduced in y, all-gathered in x; half 1 the same with x and y
// exchanged. reduce_scatter and all_gather: one dimension, then the other. broadcast and reduce: along the root's
// line, and from it across. Each line is a ring as in line_ring(); broadcast and reduce go along it both ways. A group
// on one row or column has one dimension only, and its ranks may come in any order.
#include "base/error.h"
#include "npu/collective/algorithms/plane_steps.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/algorithms/tree.h"

namespace weft::npu {
namespace {

constexpr const char* kName = "hierarchical_2d";
constexpr std::uint32_t kHalves = 2;

/// broadcast, reduce, barrier: half 0 runs along the root's row and from each of its ranks along the columns.
class PlaneTrees final : public TreeProgram {
 public:
  explicit PlaneTrees(const ProgramRequest& request)
      : TreeProgram(request.kind, request.ranks, request.root, request.kind == CollectiveKind::kBarrier ? 1 : kHalves),
        plane_(request, kName) {}

 protected:
  TreeNode node(std::uint32_t rank, std::uint32_t tree) const override {
    const std::uint32_t first = tree;
    const std::uint32_t second = 1 - tree;
    TreeNode node;
    // Off the root's line: away from it. On it: away from the root, and across in both directions.
    if (plane_.coordinate(rank, second) == plane_.coordinate(shape().root, second)) {
      extend(rank, first, node);
    }
    extend(rank, second, node);
    return node;
  }

 private:
  void extend(std::uint32_t rank, std::uint32_t dimension, TreeNode& node) const {
    const std::uint32_t here = plane_.coordinate(rank, dimension);
    const std::uint32_t origin = plane_.coordinate(shape().root, dimension);
    if (here > origin) node.parent = plane_.on_line(rank, dimension, here - 1);
    if (here < origin) node.parent = plane_.on_line(rank, dimension, here + 1);
    if (here >= origin && here + 1 < plane_.size(dimension)) {
      node.children.push_back(plane_.on_line(rank, dimension, here + 1));
    }
    if (here <= origin && here > 0) node.children.push_back(plane_.on_line(rank, dimension, here - 1));
  }

  Plane plane_;
};

class Hierarchical2d final : public Algorithm {
 public:
  Hierarchical2d() : Algorithm({kName, "rows and columns of a mesh or torus, half of the data each way"}) {}
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::kAllReduce, CollectiveKind::kReduce,        CollectiveKind::kAllGather,
            CollectiveKind::kBroadcast, CollectiveKind::kReduceScatter, CollectiveKind::kBarrier};
  }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    switch (request.kind) {
      case CollectiveKind::kReduce:
      case CollectiveKind::kBroadcast:
      case CollectiveKind::kBarrier:
        return std::make_unique<PlaneTrees>(request);
      default:
        return std::make_unique<PlaneSteps>(request, kName, kHalves);
    }
  }
};

}  // namespace

const Algorithm& hierarchical_2d_algorithm() {
  static const Hierarchical2d algorithm;
  return algorithm;
}

}  // namespace weft::npu
