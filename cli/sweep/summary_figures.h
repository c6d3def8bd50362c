// SPDX-License-Identifier: Apache-2.0
// The figures of summary.json that the tables of a sweep have.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weft::cli {

/// Names of the figures in the order of their columns; a dot goes into an object.
const std::vector<std::string>& summary_figures();
/// The value of `figure`, null when the summary does not have it.
nlohmann::json summary_figure(const nlohmann::json& summary, const std::string& figure);
/// Whether it is the whole summary of a run that finished: every figure is there, as a number, a truth value or null,
/// and `finished` is true.
bool is_complete_summary(const nlohmann::json& summary);

}  // namespace weft::cli
