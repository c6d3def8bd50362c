// SPDX-License-Identifier: Apache-2.0
// Figures of I/O streams, for the summary, the table and the report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"
#include "sc_models/run_result.h"

namespace weft::sc_models {

/// Rates of one stream in GB/s (10^9 bytes per second) at the NPU that gets it slowest.
struct IoRates {
  std::optional<double> gbps;         ///< all bytes over the whole time, latency included; none if it did not finish
  std::optional<double> steady_gbps;  ///< while all streams ran, after the first packet; none if nothing came then
};
IoRates io_rates(const Config& config, const IoStreamRecord& stream);

/// All streams of a run. Shares of `io.bandwidth`.
struct IoFigures {
  double line_gbps = 0;                  ///< `io.bandwidth`
  std::optional<double> line_share;      ///< share that the slowest stream got, over the whole time
  std::optional<double> steady_mean;     ///< while all streams ran: mean over the streams
  std::optional<double> steady_slowest;  ///< while all streams ran: the slowest one
  std::string busiest_link;              ///< most flits, of links between routers or switches; "" = none
  double busiest_link_streams = 0;       ///< its flits / flits of one stream: streams that it carried
};
IoFigures io_figures(const Config& config, const RunResult& result);

/// Loads and stores over all I/O controllers.
struct IoMemoryFigures {
  double line_gbps = 0;  ///< `io.bandwidth`
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  Cycle load_cycles = 0;             ///< in which any rank had a load under way, of the NPU clock
  std::optional<double> line_share;  ///< bytes that came in that time, copies once, of what all lines can bring
  /// The same before the first store began: what the slowest rank got, where every rank loads the same.
  std::optional<double> early_line_share;
};
IoMemoryFigures io_memory_figures(const Config& config, const RunResult& result);

}  // namespace weft::sc_models
