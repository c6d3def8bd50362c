// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "runs/report_parts.h"
#include "runs/summary.h"
#include "sc_models/io_figures.h"
#include "sc_models/results_units.h"

namespace weft::runs {
namespace {

void print_io(const MeasuredRun& run, std::ostream& out) {
  if (!run.io) return;
  const IoFigures& figures = *run.io;
  out << "\n";
  line(out, "I/O streams",
       fmt::format("{} of {}, line rate {:.4g} GB/s each", run.result.io_streams.size(),
                   readable_bytes(run.result.io_streams.front().bytes), figures.line_gbps));
  line(out, "  line rate", fmt::format("{} reached by the slowest over the whole run", percent(figures.line_share)));
  line(out, "  while all ran",
       fmt::format("{} on average, {} the slowest", percent(figures.steady_mean), percent(figures.steady_slowest)));
  if (figures.busiest_link_streams > 0) {
    line(out, "  meet on a link", fmt::format("{:.4g}: {}", figures.busiest_link_streams, figures.busiest_link));
  }
}

void print_pool(const MeasuredRun& run, std::ostream& out) {
  if (!run.pool) return;
  double longest_queue = 0;
  for (const mem::MemoryRow& row : run.result.pool_rows) {
    if (row.memory == "pool.module") longest_queue = std::max(longest_queue, row.figures.queue_mean);
  }
  line(out, "  pool",
       fmt::format("{}: {} by {} modules, up to {:.1f} accesses at one on average", run.config.memory.pool,
                   readable_bytes(run.pool->bytes), run.pool->parts, longest_queue));
  if (run.result.refused_accesses > 0)
    line(out, "  refused", fmt::format("{} accesses (refused.csv)", with_separators(run.result.refused_accesses)));
}

void print_io_memory(const MeasuredRun& run, std::ostream& out) {
  if (!run.io_memory) return;
  const IoMemoryFigures& figures = *run.io_memory;
  out << "\n";
  line(out, "I/O controllers",
       fmt::format("{}, line rate {:.4g} GB/s each", run.result.io_controllers.size(), figures.line_gbps));
  line(out, "  into the wafer",
       fmt::format("{}, {} of all lines while loads were under way", readable_bytes(figures.bytes_in),
                   percent(figures.line_share)));
  if (figures.early_line_share) {
    line(out, "  before stores",
         fmt::format("{} of all lines at the rank that got least", percent(figures.early_line_share)));
  }
  line(out, "  out of the wafer", readable_bytes(figures.bytes_out));
  print_pool(run, out);
}

void print_dram(const MeasuredRun& run, std::ostream& out) {
  if (!run.dram) return;
  const std::uint64_t bytes = run.dram->bytes;
  std::uint64_t bursts = 0;
  std::uint64_t hits = 0;
  for (const mem::MemoryRow& row : run.result.memory_rows) {
    bursts += row.figures.reads + row.figures.writes;
    hits += row.figures.row_hits;
  }
  const double ns = cycles_to_ns(run.result.cycles, run.config.clock);
  out << "\n";
  line(out, "DRAM",
       fmt::format("{}: {} over {} channels, {:.4g} GB/s over the run, row hits {}", run.config.memory.timing,
                   readable_bytes(bytes), run.result.memory_rows.size(), ns > 0 ? static_cast<double>(bytes) / ns : 0.0,
                   percent(bursts == 0 ? std::nullopt
                                       : std::optional(static_cast<double>(hits) / static_cast<double>(bursts)))));
}

}  // namespace

void print_memory(const MeasuredRun& run, std::ostream& out) {
  print_io(run, out);
  print_io_memory(run, out);
  print_dram(run, out);
}

}  // namespace weft::runs
