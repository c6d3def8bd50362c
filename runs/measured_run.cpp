// SPDX-License-Identifier: Apache-2.0
#include "runs/measured_run.h"

#include "sc_models/results_units.h"

namespace weft::runs {
namespace {

/// Takes the rows whose memory is a module of the pool, or the other rows.
std::optional<MemoryParts> memory_parts(const MeasuredRun& run, const std::vector<mem::MemoryRow>& rows, bool modules,
                                        double gbps) {
  if (rows.empty()) return std::nullopt;
  MemoryParts sum;
  sum.gbps = gbps;
  for (const mem::MemoryRow& row : rows) {
    if ((row.memory == "pool.module") != modules) continue;
    ++sum.parts;
    sum.bytes += row.figures.bytes;
  }
  const double most = gbps * static_cast<double>(sum.parts) * cycles_to_ns(run.result.cycles, run.config.clock);
  if (most > 0) sum.share = static_cast<double>(sum.bytes) / most;
  return sum;
}

}  // namespace

MeasuredRun::MeasuredRun(const Config& run_config, const RunResult& run_result, const ProcessFigures& figures,
                         std::size_t most_rows)
    : config(run_config), result(run_result), process(figures), row_limit(most_rows) {
  if (!result.io_streams.empty()) io = io_figures(config, result);
  if (!result.io_controllers.empty()) io_memory = io_memory_figures(config, result);
  dram = memory_parts(*this, result.memory_rows, false, result.dram_channel_gbps);
  pool = memory_parts(*this, result.pool_rows, true, result.pool_module_gbps);
}

}  // namespace weft::runs
