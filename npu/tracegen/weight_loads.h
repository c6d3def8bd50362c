// SPDX-License-Identifier: Apache-2.0
// Loads of weights that run ahead of their use.
#pragma once

#include <string>
#include <vector>

#include "npu/tracegen/graph_builder.h"
#include "npu/tracegen/tensor_parts.h"

namespace weft::npu {

/// The loads of weights that are used one after the other. With `ahead` a, the load for use i starts when use i - a - 1
/// has ended: a + 1 buffers hold what is in use and what is being loaded, and a = 0 loads between the uses.
class WeightLoads {
 public:
  struct Use {
    std::string name;
    std::uint64_t bytes;
  };

  /// Makes the first a + 1 loads, which wait for `start`. `graph` outlives the loads; `group` as for
  /// GraphBuilder::load, and `parts` says how its tensors are loaded. A load in parts begins when the one before it has
  /// ended, so that all ranks gather the parts in one order.
  WeightLoads(GraphBuilder& graph, std::vector<Use> uses, GraphBuilder::Group group, std::uint64_t ahead,
              const GraphBuilder::Ids& start = {}, TensorParts parts = {});

  /// What the use under way waits for: its load, or the parts of it.
  const GraphBuilder::Ids& current() const { return loads_.at(used_); }
  /// The use under way ends with `ends`; makes the load that this sets free, and returns what says that it has come, or
  /// nothing where no load is left.
  GraphBuilder::Ids use_ends_with(const GraphBuilder::Ids& ends);

 private:
  void load_next(const GraphBuilder::Ids& deps);

  GraphBuilder& graph_;
  std::vector<Use> uses_;
  GraphBuilder::Group group_;
  TensorParts parts_;
  std::vector<GraphBuilder::Ids> loads_;
  std::size_t used_ = 0;
};

}  // namespace weft::npu
