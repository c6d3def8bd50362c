// SPDX-License-Identifier: Apache-2.0
#include "sc_models/io_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "sc_models/results_units.h"

namespace weft::sc_models {
namespace {

std::optional<double> rate(std::uint64_t bytes, Cycle cycles, const Config& config) {
  if (cycles == 0) return std::nullopt;
  return static_cast<double>(bytes) / cycles_to_ns(cycles, npu_clock(config));
}

std::uint64_t flits_of_a_stream(const Config& config, std::uint64_t bytes) {
  const std::uint64_t packet = config.npu.packet_bytes;
  const auto flits = [&](std::uint64_t size) {
    return (size + config.fabric.flit_bytes - 1) / config.fabric.flit_bytes;
  };
  return bytes / packet * flits(packet) + flits(bytes % packet);
}

}  // namespace

IoRates io_rates(const Config& config, const IoStreamRecord& stream) {
  IoRates rates;
  if (stream.finished) rates.gbps = rate(stream.bytes, stream.end_cycle, config);
  rates.steady_gbps = rate(stream.steady_bytes, stream.steady_cycles, config);
  return rates;
}

IoFigures io_figures(const Config& config, const RunResult& result) {
  IoFigures figures;
  figures.line_gbps = io_line_gbps(config);
  double sum = 0;
  bool all_finished = true;
  bool all_steady = true;
  for (const IoStreamRecord& stream : result.io_streams) {
    const IoRates rates = io_rates(config, stream);
    const auto least = [&](std::optional<double>& value, const std::optional<double>& gbps, bool& all) {
      if (gbps) value = std::min(value.value_or(*gbps / figures.line_gbps), *gbps / figures.line_gbps);
      all = all && gbps;
    };
    least(figures.line_share, rates.gbps, all_finished);
    least(figures.steady_slowest, rates.steady_gbps, all_steady);
    sum += rates.steady_gbps.value_or(0) / figures.line_gbps;
  }
  if (!all_finished) figures.line_share.reset();
  if (!all_steady) figures.steady_slowest.reset();
  if (figures.steady_slowest) figures.steady_mean = sum / static_cast<double>(result.io_streams.size());
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkRecord link = result.links.at(i);
    if (link.flits <= most || link.at_endpoint) continue;
    most = link.flits;
    figures.busiest_link = link.name;
  }
  const std::uint64_t each = result.io_streams.empty() ? 0 : flits_of_a_stream(config, result.io_streams.front().bytes);
  if (each > 0) figures.busiest_link_streams = static_cast<double>(most) / static_cast<double>(each);
  return figures;
}

IoMemoryFigures io_memory_figures(const Config& config, const RunResult& result) {
  IoMemoryFigures figures;
  figures.line_gbps = io_line_gbps(config);
  for (const IoControllerRecord& controller : result.io_controllers) {
    figures.bytes_in += controller.bytes_in;
    figures.bytes_out += controller.bytes_out;
  }
  figures.load_cycles = result.io_load_cycles;
  bool same = true;
  for (const RankMemoryRecord& rank : result.rank_memory) {
    const auto early = rate(rank.early_bytes, rank.early_cycles, config);
    same = same && rank.loaded_bytes == figures.bytes_in;
    if (early) figures.early_line_share = std::min(figures.early_line_share.value_or(*early), *early);
  }
  const double all_lines = figures.line_gbps * static_cast<double>(result.io_controllers.size());
  if (figures.early_line_share) *figures.early_line_share /= all_lines;
  if (!same) figures.early_line_share.reset();
  const auto gbps = rate(result.io_loaded_bytes, figures.load_cycles, config);
  if (gbps) figures.line_share = *gbps / all_lines;
  WEFT_CHECK(figures.line_share.value_or(0) <= 1,
             fmt::format("{} bytes in {} cycles with loads are more than {} lines bring", result.io_loaded_bytes,
                         figures.load_cycles, result.io_controllers.size()));
  return figures;
}

}  // namespace weft::sc_models
