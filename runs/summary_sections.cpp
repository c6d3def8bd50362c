// SPDX-License-Identifier: Apache-2.0
#include "runs/summary_sections.h"

#include <map>

#include "runs/run_logging.h"
#include "runs/summary.h"
#include "sc_models/results_units.h"

namespace weft::runs {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json warnings_section(const MeasuredRun& run) {
  Json list = run.result.warnings;
  const std::string drift = warmup_warning(run.config, run.result);
  if (!drift.empty()) list.push_back(drift);
  return list;
}

Json switches_section(const MeasuredRun& run) {
  const std::vector<SwitchRecord>& records = run.result.switches;
  if (records.empty()) return Json::value_t::discarded;
  std::map<std::string, std::uint64_t> models;
  std::uint64_t compared = 0;
  Json each = Json::array();
  for (const SwitchRecord& record : records) {
    ++models[record.model];
    compared += record.compared_cycles;
    if (records.size() <= run.row_limit) {
      each.push_back({{"name", record.path}, {"model", record.model}, {"compared_cycles", record.compared_cycles}});
    }
  }
  return {{"models", models},
          {"compared_cycles", compared},
          {"each", records.size() <= run.row_limit ? each : Json(nullptr)}};
}

Json replaced_section(const MeasuredRun& run) {
  if (!run.result.moved) return Json::value_t::discarded;
  const PlacementRecord& record = *run.result.moved;
  Json moved = Json::array();
  Json npus = Json::array();
  for (std::size_t rank = 0; rank < record.placement.size(); ++rank) {
    const std::uint32_t from = index(record.before[rank]);
    const std::uint32_t to = index(record.placement[rank]);
    npus.push_back(to);
    if (from != to) moved.push_back({{"rank", rank}, {"from", from}, {"to", to}});
  }
  return {{"conflicts", record.conflicts}, {"moved", moved}, {"placement", npus}};
}

Json rank_memory_section(const MeasuredRun& run) {
  if (run.result.rank_memory.empty()) return nullptr;
  Json ranks = Json::array();
  for (const RankMemoryRecord& rank : run.result.rank_memory) {
    ranks.push_back({{"loads", rank.loads},
                     {"stores", rank.stores},
                     {"loaded_bytes", rank.loaded_bytes},
                     {"stored_bytes", rank.stored_bytes},
                     {"load_cycles", rank.load_cycles}});
  }
  return ranks;
}

Json critical_path_section(const MeasuredRun& run) {
  const RunLogging* kept = run.result.log.get();
  if (kept == nullptr || kept->path().steps.empty()) return nullptr;
  const log::CriticalPath& path = kept->path();
  Json object = {{"cycles", path.cycles}, {"ends_on", kept->names().nodes.at(index(path.last))}};
  for (int kind = 0; kind < log::kPathKinds; ++kind) {
    object[log::path_kind_name(static_cast<log::PathKind>(kind))] = path.of_kind[static_cast<std::size_t>(kind)];
  }
  return object;
}

Json ranks_section(const MeasuredRun& run) {
  if (run.result.ranks.size() > run.row_limit) return nullptr;
  const ClockSpec& clock = npu_clock(run.config);
  Json list = Json::array();
  for (const RankRecord& rank : run.result.ranks) {
    list.push_back({{"finished", rank.finished},
                    {"finish_ns", rank.finished ? Json(cycles_to_ns(rank.finish_cycle, clock)) : Json(nullptr)},
                    {"compute_ns", cycles_to_ns(rank.compute_cycles, clock)},
                    {"exposed_comm_ns", cycles_to_ns(rank.exposed_comm_cycles, clock)},
                    {"compute_nodes", rank.compute_nodes},
                    {"memory_bound_nodes", rank.memory_bound_nodes},
                    {"memory_wait_ns", cycles_to_ns(rank.memory_wait_cycles, clock)}});
  }
  return list;
}

}  // namespace weft::runs
