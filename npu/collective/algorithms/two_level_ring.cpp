// SPDX-License-Identifier: Apache-2.0
// Algorithm `two_level_ring`: the endpoints' all-reduce on a tree of switches. A ring reduce-scatter among the NPUs of
// each lowest switch (a row of the grid), a ring all-reduce across the switches among those of the same position (a
// column), a ring all-gather among those of a switch: only an n-th of the data, n NPUs per switch, crosses the levels.
// A collective cut into chunks keeps both levels busy at once. A group on one switch, or of one NPU per switch, is a
// plain ring.
#include "npu/collective/algorithms/plane_steps.h"
#include "npu/collective/algorithms/registry.h"

namespace weft::npu {
namespace {

constexpr const char* kName = "two_level_ring";

class TwoLevelRing final : public Algorithm {
 public:
  TwoLevelRing() : Algorithm({kName, "rings below the lowest switches, then rings across them"}) {}
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::kAllReduce, CollectiveKind::kAllGather, CollectiveKind::kReduceScatter};
  }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    const Plane plane(request, kName);
    if (plane.size(0) == 1 || plane.size(1) == 1) return algorithms().at("ring").make(request);
    return std::make_unique<PlaneSteps>(request, kName, 1);
  }
};

}  // namespace

const Algorithm& two_level_ring_algorithm() {
  static const TwoLevelRing algorithm;
  return algorithm;
}

}  // namespace weft::npu
