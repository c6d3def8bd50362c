// SPDX-License-Identifier: Apache-2.0
#include "runs/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"

namespace weft::runs {
namespace {

using Json = nlohmann::ordered_json;

/// Drift between the halves of the measured phase that is worth a word.
constexpr double kDriftLimit = 0.10;
/// Fewer packets than these per half say nothing about a drift.
constexpr std::uint64_t kDriftSamples = 100;

/// Where the value of a dotted key stands; objects on the way are made, and a null becomes one, too.
Json& value_of(const std::string& key, Json* summary) {
  const std::size_t dot = key.find('.');
  Json& value = (*summary)[key.substr(0, dot)];
  return dot == std::string::npos ? value : value_of(key.substr(dot + 1), &value);
}

}  // namespace

std::string_view version() { return WEFT_VERSION; }

std::string_view stop_name(StopReason stop) {
  switch (stop) {
    case StopReason::kFinished:
      return "finished";
    case StopReason::kDrainLimit:
      return "drain limit";
    case StopReason::kCycleLimit:
      return "cycle limit";
    case StopReason::kInterrupted:
      return "interrupted";
    case StopReason::kBadInput:
      return "bad input";
    case StopReason::kViolation:
      return "violation";
    case StopReason::kFullDisk:
      return "full disk";
  }
  violation("a stop reason without a name");
}

std::string warmup_warning(const Config& config, const RunResult& result) {
  const auto* traffic = std::get_if<TrafficWorkload>(&config.workload);
  if (traffic == nullptr || result.saturated) return "";
  if (result.first_half.count < kDriftSamples || result.second_half.count < kDriftSamples) return "";
  const auto mean = [](const LatencySum& s) { return static_cast<double>(s.sum) / static_cast<double>(s.count); };
  const double first = mean(result.first_half);
  const double second = mean(result.second_half);
  if (std::abs(second - first) <= kDriftLimit * std::min(first, second)) return "";
  return fmt::format(
      "mean latency drifts from {:.1f} to {:.1f} cycles between the halves of the measured phase: "
      "workload.traffic.warmup_cycles = {} is too short, or the rate is above what the network carries",
      first, second, traffic->warmup_cycles);
}

std::string summary_json(const Config& config, const RunResult& result, const ProcessFigures& process,
                         std::size_t row_limit) {
  const MeasuredRun run(config, result, process, row_limit);
  Json summary;
  for (const RunQuantity& quantity : run_quantities()) {
    Json value = quantity.value(run);
    if (!value.is_discarded()) value_of(quantity.key, &summary) = std::move(value);
  }
  // Text from traces may hold any bytes; the file stays valid JSON.
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft::runs
