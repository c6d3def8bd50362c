// SPDX-License-Identifier: Apache-2.0
// Checks Chrome Trace Event JSON, whoever wrote it.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <vector>

namespace weft::log {

struct TimelineFindings {
  std::vector<std::string> problems;  ///< sentences; empty = none
  std::size_t spans = 0;
  std::size_t flows = 0;
  std::size_t tracks = 0;
};

/// Every event is an object with what its kind (X, M, s, f) needs; X events of a track nest or follow each other and no
/// duration is negative; every flow id has one start and one end, not before it, each within a span of its track.
TimelineFindings check_timeline(std::istream& json);

}  // namespace weft::log
