// SPDX-License-Identifier: Apache-2.0
// Figures of a summary.json that has been read.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli {

/// The value of `figure`, null when the summary does not have it; a dot goes into an object.
nlohmann::json summary_figure(const nlohmann::json& summary, const std::string& figure);
/// Share of the cycles of an approximate run that were simulated.
inline constexpr const char* kSimulatedShare = "estimate.simulated_share";
/// Whether cycles of the run were left out at measured rates (run.fast_forward: steady).
bool is_approximate(const nlohmann::json& summary);
/// Whether it is the whole summary of a run that finished: every figure of a sweep's tables is there, as a number, a
/// truth value or null, and `finished` is true.
bool is_complete_summary(const nlohmann::json& summary);

}  // namespace weft::cli
