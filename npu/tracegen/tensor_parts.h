// SPDX-License-Identifier: Apache-2.0
// How the tensors of a group of ranks are loaded and stored.
#pragma once

#include <string>

#include "npu/tracegen/graph_builder.h"

namespace weft::npu {

/// A tensor that all ranks of a group load, or a sum of theirs that they store. With no `parts` it is one load or store
/// of the group. With some, each of r ranks has a share, one r-th of the tensor, which is split into so many parts. It
/// loads one part behind the other, and each part of all ranks is all-gathered while the next one is loaded. The parts
/// of a sum are reduce-scattered one behind the other, and each rank stores its own. A share is rounded up to whole
/// elements; parts without one are left out. Groups of one rank load and store whole tensors.
struct TensorParts {
  std::uint64_t parts = 0;
  std::uint64_t element_bytes = 1;

  /// Makes the nodes that load a tensor of `bytes`, behind `deps`. Returns those that end last.
  GraphBuilder::Ids load(GraphBuilder& graph, const std::string& name, std::uint64_t bytes,
                         const GraphBuilder::Group& group, const GraphBuilder::Ids& deps) const;
  /// The same for a sum that is stored.
  GraphBuilder::Ids store(GraphBuilder& graph, const std::string& name, std::uint64_t bytes,
                          const GraphBuilder::Group& group, const GraphBuilder::Ids& deps) const;

 private:
  bool whole(const GraphBuilder::Group& group) const { return parts == 0 || group.ranks == 1; }
  // The bytes that a rank has of part `part`.
  std::uint64_t share(std::uint64_t part, std::uint64_t bytes, const GraphBuilder::Group& group) const;
  template <typename Make>
  GraphBuilder::Ids in_parts(const std::string& name, std::uint64_t bytes, const GraphBuilder::Group& group,
                             const GraphBuilder::Ids& deps, const Make& make) const;
};

}  // namespace weft::npu
