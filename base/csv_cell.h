// SPDX-License-Identifier: Apache-2.0
// Cells of comma-separated tables. A spreadsheet takes a cell that begins with = + - or @ for a formula and computes
// it, so a text that begins like this gets an apostrophe before it, which readers of our tables take away again.
#pragma once

#include <string>
#include <string_view>

namespace weft {

/// The last column of each table of an approximate run has this name; it is the share of cycles that were simulated.
constexpr std::string_view kApproximateColumn = "approximate_simulated_share";

/// `value` as one cell: with an apostrophe before it where a spreadsheet would take it for a formula, unless it is a
/// number; in quotes where it holds a comma, a quote or a line end (RFC 4180).
std::string csv_cell(std::string_view value);
/// The value of a cell whose quotes are taken away already: undoes the apostrophe of `csv_cell`.
std::string csv_value(std::string cell);

}  // namespace weft
