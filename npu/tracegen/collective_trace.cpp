// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/collective_trace.h"

#include <fmt/format.h>

#include "base/error.h"
#include "npu/collective/form/shape.h"

namespace weft::npu {

CollectiveTrace::CollectiveTrace(const CollectiveTraceSpec& spec) : spec_(spec) {
  if (spec.ranks == 0) throw InputError("a trace needs at least 1 rank; 0 were asked for");
  if (spec.count == 0) throw InputError("a trace needs at least 1 collective; 0 were asked for");
  const bool barrier = spec.kind == CollectiveKind::kBarrier;
  if (barrier != (spec.bytes == 0)) {
    throw InputError(fmt::format("{} of {} bytes: {}", kind_name(spec.kind), spec.bytes,
                                 barrier ? "a barrier carries no data, its size is 0" : "the size is 1 byte or more"));
  }
}

std::vector<TraceNode> CollectiveTrace::nodes(RankId /*rank*/) const {
  std::vector<TraceNode> list;
  for (std::uint32_t i = 0; i < spec_.count; ++i) {
    TraceNode node;
    node.id = i;
    node.name = fmt::format("{}_{}", kind_name(spec_.kind), i);
    node.type = TraceNodeType::kCollective;
    node.collective = spec_.kind;
    node.comm_bytes = spec_.bytes;
    if (i > 0) node.deps.push_back(i - 1);
    list.push_back(std::move(node));
  }
  return list;
}

}  // namespace weft::npu
