// SPDX-License-Identifier: Apache-2.0
#include "log/named_queries.h"

#include <algorithm>

namespace weft::log {

const std::vector<NamedQuery>& named_queries() {
  static const std::vector<NamedQuery> all = {
      {"critical-path", "What made up the time of the run?", LogLevel::kSteps, "SELECT * FROM critical_path"},
      {"path", "The critical path, step by step", LogLevel::kSteps,
       "SELECT step, start_cycle, end_cycle, end_cycle - start_cycle AS cycles, path.kind, a.name AS node, "
       "b.name AS towards, what FROM path JOIN node AS a ON a.node = path.node "
       "LEFT JOIN node AS b ON b.node = path.towards ORDER BY step"},
      {"path-places", "At which NPUs and on which ways was the critical path?", LogLevel::kSteps,
       "SELECT * FROM path_by_place"},
      {"path-work", "Which work and which collectives were on the critical path?", LogLevel::kSteps,
       "SELECT * FROM path_by_work"},
      {"links", "Which links were busiest?", LogLevel::kRanks, "SELECT * FROM slowest_link"},
      {"waits", "Who waited for whom to begin a collective?", LogLevel::kRanks, "SELECT * FROM waited"},
      {"late-ranks", "For which ranks did others wait most?", LogLevel::kRanks, "SELECT * FROM waited_for"},
      {"ranks", "What did each rank spend its time on, in cycles?", LogLevel::kRanks, "SELECT * FROM rank_time"},
      {"collectives", "All collectives, longest first", LogLevel::kRanks,
       "SELECT name, comm_group, instance, bytes, ranks, start_cycle, end_cycle, end_cycle - start_cycle AS cycles "
       "FROM collective ORDER BY cycles DESC, id"},
      {"compute", "Compute nodes by name, longest first", LogLevel::kRanks,
       "SELECT name, kind, count(*) AS times, min(end_cycle - start_cycle) AS least, "
       "max(end_cycle - start_cycle) AS most, sum(end_cycle - start_cycle) AS cycles FROM activity "
       "WHERE kind IN ('compute', 'host', 'load', 'store') GROUP BY name, kind ORDER BY cycles DESC, name"},
      {"slow-messages", "Which messages took longest from being queued to being complete?", LogLevel::kSteps,
       "SELECT * FROM slow_message"},
      {"slow-packets", "Which packets took longest from being created to being complete, warm-up included?",
       LogLevel::kPackets, "SELECT * FROM slow_packet"},
      {"accesses", "What did each memory do, and how long did it take?", LogLevel::kPackets,
       "SELECT * FROM access_by_place"},
      {"slow-accesses", "Which accesses of DRAM and pool took longest?", LogLevel::kPackets,
       "SELECT * FROM slow_access"},
      {"latency", "How long did packets take? Of synthetic traffic those of its measured phase", LogLevel::kPackets,
       "SELECT * FROM packet_latency"},
      {"phases", "Which stored setting did each switch have, and when?", LogLevel::kSteps,
       "SELECT name, start_cycle, end_cycle, phase FROM switch_phase ORDER BY start_cycle, name"},
  };
  return all;
}

const NamedQuery* find_query(std::string_view name) {
  const auto& all = named_queries();
  const auto found = std::find_if(all.begin(), all.end(), [&](const NamedQuery& query) { return query.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace weft::log
