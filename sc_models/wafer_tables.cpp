// SPDX-License-Identifier: Apache-2.0
#include "sc_models/wafer_tables.h"

namespace weft::sc_models {

void add_tables(const std::shared_ptr<Wafer>& wafer, RunResult* result) {
  const Cycle cycles = result->cycles;
  result->links =
      RecordTable<LinkRecord>(wafer->links(), [wafer, cycles](std::size_t i) { return wafer->link(i, cycles); });
  const bool ranks = !std::holds_alternative<TrafficWorkload>(wafer->config().workload);
  std::vector<std::optional<RankId>> rank_at(wafer->nodes());
  const std::vector<NodeId>& placement = wafer->config().npu.placement;
  for (std::uint32_t rank = 0; ranks && rank < placement.size(); ++rank) rank_at[index(placement[rank])] = RankId{rank};
  result->node_table = RecordTable<NodeRecord>(wafer->nodes(), [wafer, rank_at](std::size_t i) {
    NodeRecord record = wafer->node(i);
    record.rank = rank_at[i];
    return record;
  });
}

}  // namespace weft::sc_models
