// SPDX-License-Identifier: Apache-2.0
#include "sc_models/system_tables.h"

namespace weft::sc_models {

void add_tables(const std::shared_ptr<System>& system, RunResult* result) {
  const Cycle cycles = result->cycles;
  result->links =
      RecordTable<LinkRecord>(system->links(), [system, cycles](std::size_t i) { return system->link(i, cycles); });
  const bool ranks = !std::holds_alternative<TrafficWorkload>(system->config().workload);
  std::vector<std::optional<RankId>> rank_at(system->nodes());
  const std::vector<NodeId>& placement = system->config().npu.placement;
  for (std::uint32_t rank = 0; ranks && rank < placement.size(); ++rank) rank_at[index(placement[rank])] = RankId{rank};
  result->node_table = RecordTable<NodeRecord>(system->nodes(), [system, rank_at](std::size_t i) {
    NodeRecord record = system->node(i);
    record.rank = rank_at[i];
    return record;
  });
}

}  // namespace weft::sc_models
