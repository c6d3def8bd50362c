// SPDX-License-Identifier: Apache-2.0
// Which points of a large sweep a page shows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/csv_reader.h"

namespace weft::report {

/// A parameter as a number in the base unit of what it measures.
struct Amount {
  double value = 0;
  const char* unit = "";  ///< "", B, B/s, FLOP/s, Hz, s
};

/// Reads "0.25", "24 KiB", "750 GB/s"; none where `text` is neither a number nor a quantity.
std::optional<Amount> amount_of(const std::string& text);

/// Rows of sweep.csv, in its order, for a page with room for about `most`: all of them, or a grid with fewer values of
/// the parameters (columns 1 to `axes`), ends kept. To the grid come the points with the least and the greatest of
/// every figure, the first 20 that failed and, on curves of traffic that are kept, the points on both sides of
/// saturation.
std::vector<std::size_t> points_to_show(const CsvReader& csv, std::size_t axes, std::size_t most);

}  // namespace weft::report
