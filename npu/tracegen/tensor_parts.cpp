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

GraphBuilder::Ids TensorParts::load(GraphBuilder& graph, const std::string& name, std::uint64_t bytes,
                                    const GraphBuilder::Group& group, const GraphBuilder::Ids& deps) const {
  if (whole(group)) return {graph.load(name, bytes, group, deps)};
  GraphBuilder::Ids before = deps;
  GraphBuilder::Ids all;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t own = share(part, bytes, group);
    if (own == 0) continue;
    const std::string part_name = fmt::format("{}_part{}", name, part);
    before = {graph.load(part_name, own, {}, before)};
    const GraphBuilder::Ids gathered =
        graph.collective(part_name + "_all_gather", CollectiveKind::kAllGather, own, group, kLoadPriority, before);
    all.insert(all.end(), gathered.begin(), gathered.end());
  }
  return all.empty() ? deps : all;
}

GraphBuilder::Ids TensorParts::store(GraphBuilder& graph, const std::string& name, std::uint64_t bytes,
                                     const GraphBuilder::Group& group, const GraphBuilder::Ids& deps) const {
  if (whole(group)) return {graph.store(name, bytes, group, deps)};
  GraphBuilder::Ids before = deps;
  GraphBuilder::Ids all;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t own = share(part, bytes, group);
    if (own == 0) continue;
    const std::string part_name = fmt::format("{}_part{}", name, part);
    before = graph.collective(part_name + "_reduce_scatter", CollectiveKind::kReduceScatter, own * group.ranks, group,
                              kStorePriority, before);
    all.push_back(graph.store(part_name, own, {}, before));
  }
  return all.empty() ? deps : all;
}

}  // namespace weft::npu
