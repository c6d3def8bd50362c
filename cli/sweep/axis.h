// SPDX-License-Identifier: Apache-2.0
// What `--set path=...` of a sweep means: an axis with its values, and the points of several axes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::cli {

/// One parameter and the values it takes, as YAML text.
struct Axis {
  std::string path;
  std::vector<std::string> values;
};

/// The settings of one point, in the order of the axes.
using Point = std::vector<std::pair<std::string, std::string>>;

/// Reads one `--set` argument of a sweep:
///   path=a:b:step    a, a + step, ... up to b, exact; all three may carry the same unit ("1 KiB:8 KiB:1 KiB")
///   path=a:b:*k      a, a k, a k^2, ... up to b ("64 KiB:64 MiB:*4" needs the same unit on both)
///   path=[x, y, z]   these values; values that are lists themselves nest: [[4, 4], [8, 8]]
///   path=x           one value
/// Throws InputError for anything else, and for more than 100,000 values.
Axis parse_axis(std::string_view setting);

/// Number of points of the product. Throws InputError above 1,000,000, and for two axes of the same path.
std::size_t count_points(const std::vector<Axis>& axes);

/// Point `i` of the cartesian product; the last axis runs fastest.
Point point_at(const std::vector<Axis>& axes, std::size_t i);

}  // namespace weft::cli
