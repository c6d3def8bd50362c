// SPDX-License-Identifier: Apache-2.0
// Traces that hold nothing but collectives, for microbenchmarks.
#pragma once

#include "npu/tracegen/trace_generator.h"

namespace weft::npu {

/// `weft trace gen collective`.
struct CollectiveTraceSpec {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::uint32_t ranks = 8;
  std::uint64_t bytes = 1 << 20;  ///< as Chakra's comm_size; 0 for a barrier
  std::uint32_t count = 1;        ///< one after the other
};

/// `count` collectives over all ranks, each waiting for the one before.
class CollectiveTrace final : public TraceGenerator {
 public:
  /// Throws InputError for no ranks, no collectives, or a size that does not go with the kind.
  explicit CollectiveTrace(const CollectiveTraceSpec& spec);
  std::uint32_t ranks() const override { return spec_.ranks; }
  std::map<std::string, std::vector<RankId>> groups() const override { return {}; }
  std::vector<TraceNode> nodes(RankId rank) const override;

 private:
  CollectiveTraceSpec spec_;
};

}  // namespace weft::npu
