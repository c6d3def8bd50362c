// SPDX-License-Identifier: Apache-2.0
#include "mem/figures.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/csv_cell.h"

namespace weft::mem {
namespace {

std::string percentile(const LatencyHistogram& latency, unsigned percent) {
  return latency.count() == 0 ? "" : std::to_string(latency.percentile(percent));
}

}  // namespace

std::string memory_csv_columns() {
  return "memory,channel,reads,writes,row_hits,row_misses,row_conflicts,refreshes,queue_mean,queue_max,bytes,refused,"
         "latency_p50_cycles,latency_p99_cycles";
}

void write_memory_csv(const std::vector<MemoryRow>& rows, std::ostream& out) {
  out << memory_csv_columns() << '\n';
  for (const MemoryRow& row : rows) {
    const ChannelFigures& f = row.figures;
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(row.memory), row.channel, f.reads, f.writes,
               f.row_hits, f.row_misses, f.row_conflicts, f.refreshes, f.queue_mean, f.queue_max, f.bytes, f.refused,
               percentile(f.latency, 50), percentile(f.latency, 99));
  }
}

}  // namespace weft::mem
