// SPDX-License-Identifier: Apache-2.0
// Where the elements of an interconnect stand in a picture.
#pragma once

#include <vector>

#include "switch/topology/interconnect.h"

namespace weft::fred {

/// A point in units: columns of elements from left to right, rows of the innermost stages from top to bottom.
struct LayoutPoint {
  double column = 0;
  double row = 0;
};

struct Layout {
  std::vector<LayoutPoint> elements;  ///< the middle of each
  int columns = 1;                    ///< 1 + 2 x depth of the recursion
  double rows = 1;
};

/// R-uSwitches and demux of a stage stand left of its middle stages, D-uSwitches and mux to the right of them. No two
/// elements of a column are nearer than one row.
Layout lay_out(const Interconnect& net);

}  // namespace weft::fred
