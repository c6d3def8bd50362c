// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "runs/report_parts.h"
#include "runs/summary.h"
#include "sc_models/io_figures.h"
#include "sc_models/results_units.h"

namespace weft::runs {
namespace {

void print_io(const Config& config, const RunResult& result, std::ostream& out) {
  if (result.io_streams.empty()) return;
  const IoFigures figures = io_figures(config, result);
  out << "\n";
  line(out, "I/O streams",
       fmt::format("{} of {}, line rate {:.4g} GB/s each", result.io_streams.size(),
                   readable_bytes(result.io_streams.front().bytes), figures.line_gbps));
  line(out, "  line rate", fmt::format("{} reached by the slowest over the whole run", percent(figures.line_share)));
  line(out, "  while all ran",
       fmt::format("{} on average, {} the slowest", percent(figures.steady_mean), percent(figures.steady_slowest)));
  if (figures.busiest_link_streams > 0) {
    line(out, "  meet on a link", fmt::format("{:.4g}: {}", figures.busiest_link_streams, figures.busiest_link));
  }
}

void print_pool(const Config& config, const RunResult& result, std::ostream& out) {
  if (result.pool_rows.empty()) return;
  std::uint64_t modules = 0;
  std::uint64_t bytes = 0;
  double longest_queue = 0;
  for (const mem::MemoryRow& row : result.pool_rows) {
    if (row.memory != "pool.module") continue;
    ++modules;
    bytes += row.figures.bytes;
    longest_queue = std::max(longest_queue, row.figures.queue_mean);
  }
  line(out, "  pool",
       fmt::format("{}: {} by {} modules, up to {:.1f} accesses at one on average", config.memory.pool,
                   readable_bytes(bytes), modules, longest_queue));
  if (result.refused_accesses > 0)
    line(out, "  refused", fmt::format("{} accesses (refused.csv)", with_separators(result.refused_accesses)));
}

void print_io_memory(const Config& config, const RunResult& result, std::ostream& out) {
  if (result.io_controllers.empty()) return;
  const IoMemoryFigures figures = io_memory_figures(config, result);
  out << "\n";
  line(out, "I/O controllers",
       fmt::format("{}, line rate {:.4g} GB/s each", result.io_controllers.size(), figures.line_gbps));
  line(out, "  into the wafer",
       fmt::format("{}, {} of all lines while loads were under way", readable_bytes(figures.bytes_in),
                   percent(figures.line_share)));
  if (figures.early_line_share) {
    line(out, "  before stores",
         fmt::format("{} of all lines at the rank that got least", percent(figures.early_line_share)));
  }
  line(out, "  out of the wafer", readable_bytes(figures.bytes_out));
  print_pool(config, result, out);
}

void print_dram(const Config& config, const RunResult& result, std::ostream& out) {
  if (result.memory_rows.empty()) return;
  std::uint64_t bytes = 0;
  std::uint64_t bursts = 0;
  std::uint64_t hits = 0;
  for (const mem::MemoryRow& row : result.memory_rows) {
    bytes += row.figures.bytes;
    bursts += row.figures.reads + row.figures.writes;
    hits += row.figures.row_hits;
  }
  const double ns = cycles_to_ns(result.cycles, config.clock);
  out << "\n";
  line(out, "DRAM",
       fmt::format("{}: {} over {} channels, {:.4g} GB/s over the run, row hits {}", config.memory.timing,
                   readable_bytes(bytes), result.memory_rows.size(), ns > 0 ? static_cast<double>(bytes) / ns : 0.0,
                   percent(bursts == 0 ? std::nullopt
                                       : std::optional(static_cast<double>(hits) / static_cast<double>(bursts)))));
}

}  // namespace

void print_memory(const Config& config, const RunResult& result, std::ostream& out) {
  print_io(config, result, out);
  print_io_memory(config, result, out);
  print_dram(config, result, out);
}

}  // namespace weft::runs
