// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/weight_loads.h"

#include <utility>

namespace weft::npu {

WeightLoads::WeightLoads(GraphBuilder& graph, std::vector<Use> uses, GraphBuilder::Group group, std::uint64_t ahead,
                         const GraphBuilder::Ids& start, TensorParts parts)
    : graph_(graph), uses_(std::move(uses)), group_(std::move(group)), parts_(parts) {
  while (loads_.size() < uses_.size() && loads_.size() <= ahead) load_next(start);
}

GraphBuilder::Ids WeightLoads::use_ends_with(const GraphBuilder::Ids& ends) {
  ++used_;
  if (loads_.size() == uses_.size()) return {};
  load_next(ends);
  return loads_.back();
}

void WeightLoads::load_next(const GraphBuilder::Ids& deps) {
  const Use& use = uses_[loads_.size()];
  GraphBuilder::Ids behind = deps;
  if (parts_.parts > 0 && !loads_.empty()) behind.insert(behind.end(), loads_.back().begin(), loads_.back().end());
  loads_.push_back(parts_.load(graph_, "load_" + use.name, use.bytes, group_, behind));
}

}  // namespace weft::npu
