// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/tensor_parts.h"

#include <fmt/format.h>

namespace weft::npu {
namespace {

constexpr std::uint32_t kLoadPriority = 1;  // computations wait for it
constexpr std::uint32_t kStorePriority = 0;

}  // namespace

std::uint64_t TensorParts::share(std::uint64_t part, std::uint64_t bytes, const GraphBuilder::Group& group) const {
  const std::uint64_t elements = (bytes / element_bytes + group.ranks - 1) / group.ranks;
  return (elements * (part + 1) / parts - elements * part / parts) * element_bytes;
}

// Calls make(name of the part, bytes that a rank has of it, what it waits for, what ends last) for each part. What a
// part leaves in `before` is what the next one waits for.
template <typename Make>
GraphBuilder::Ids TensorParts::in_parts(const std::string& name, std::uint64_t bytes, const GraphBuilder::Group& group,
                                        const GraphBuilder::Ids& deps, const Make& make) const {
  GraphBuilder::Ids before = deps;
  GraphBuilder::Ids last;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t own = share(part, bytes, group);
    if (own > 0) make(fmt::format("{}_part{}", name, part), own, &before, &last);
  }
  return last.empty() ? deps : last;
}

GraphBuilder::Ids TensorParts::load(GraphBuilder& graph, const std::string& name, std::uint64_t bytes,
                                    const GraphBuilder::Group& group, const GraphBuilder::Ids& deps) const {
  using Ids = GraphBuilder::Ids;
  if (whole(group)) return {graph.load(name, bytes, group, deps)};
  return in_parts(name, bytes, group, deps, [&](const std::string& part, std::uint64_t own, Ids* before, Ids* last) {
    *before = {graph.load(part, own, {}, *before)};
    const Ids gathered =
        graph.collective(part + "_all_gather", CollectiveKind::kAllGather, own, group, kLoadPriority, *before);
    last->insert(last->end(), gathered.begin(), gathered.end());
  });
}

GraphBuilder::Ids TensorParts::store(GraphBuilder& graph, const std::string& name, std::uint64_t bytes,
                                     const GraphBuilder::Group& group, const GraphBuilder::Ids& deps) const {
  using Ids = GraphBuilder::Ids;
  if (whole(group)) return {graph.store(name, bytes, group, deps)};
  return in_parts(name, bytes, group, deps, [&](const std::string& part, std::uint64_t own, Ids* before, Ids* last) {
    *before = graph.collective(part + "_reduce_scatter", CollectiveKind::kReduceScatter, own * group.ranks, group,
                               kStorePriority, *before);
    last->push_back(graph.store(part, own, {}, *before));
  });
}

}  // namespace weft::npu
