// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/weight_loads.h"

#include <utility>

namespace weft::npu {

WeightLoads::WeightLoads(GraphBuilder& graph, std::vector<Use> uses, GraphBuilder::Group group, std::uint64_t ahead,
                         const GraphBuilder::Ids& start)
    : graph_(graph), uses_(std::move(uses)), group_(std::move(group)) {
  while (loads_.size() < uses_.size() && loads_.size() <= ahead) load_next(start);
}

void WeightLoads::use_ends_with(const GraphBuilder::Ids& ends) {
  ++used_;
  if (loads_.size() < uses_.size()) load_next(ends);
}

void WeightLoads::load_next(const GraphBuilder::Ids& deps) {
  const Use& use = uses_[loads_.size()];
  loads_.push_back(graph_.load("load_" + use.name, use.bytes, group_, deps));
}

}  // namespace weft::npu
