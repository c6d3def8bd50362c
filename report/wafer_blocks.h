// SPDX-License-Identifier: Apache-2.0
// A wafer with more links than a picture shows: several tiles of a mesh as one, the chiplets of a FRED switch as one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/floor_plan.h"

namespace weft::report {

/// A wafer in blocks: where the blocks lie, and which line of the picture each link belongs to.
struct WaferBlocks {
  FloorPlan plan;
  std::string text;  ///< what a block is, for the page; empty where no blocks make the lines few enough
  struct Line {
    int from = 0;  ///< outlines of `plan`; the same twice for links within a block
    int to = 0;
    std::string label;  ///< as in the page's data: @ stands for the sender
  };
  std::vector<Line> lines;
  std::vector<std::size_t> line_of;  ///< for each link
};

/// Blocks of a mesh or torus of size_x by size_y: the smallest squares of routers that leave at most `most` lines.
/// `labels` are those of the links. Throws InputError for an end that such a wafer does not have.
WaferBlocks mesh_blocks(int size_x, int size_y, const std::vector<BorderIo>& controllers,
                        const std::vector<LinkEnds>& ends, const std::vector<std::string>& labels, std::size_t most);

/// Blocks of FRED switches: all chiplets of a logical switch, and where that does not do all NPUs of one, too.
WaferBlocks fred_blocks(const std::vector<LinkEnds>& ends, std::size_t most);

}  // namespace weft::report
