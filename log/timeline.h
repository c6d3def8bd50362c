// SPDX-License-Identifier: Apache-2.0
// The log as Chrome Trace Event JSON, which Perfetto and speedscope read.
#pragma once

#include <cstddef>
#include <filesystem>

#include "log/log_file.h"

namespace weft::log {

/// Most arrows from sends to receives that a timeline has; those of the longest messages are kept.
inline constexpr std::size_t kMostArrows = 50'000;

/// Writes `file` anew, complete or not at all. A process per rank with tracks for compute, host, memory, messages and
/// each group's collectives with their chunks; a process per switch with its phases; arrows from where a message was
/// queued to where it was complete (level kSteps and up). Spans of a track nest or follow each other: what would
/// overlap lies on a further track of the same name. What took no
/// time is left out. Times are microseconds, to 2^-20 of them. Throws std::runtime_error.
void write_timeline(const std::filesystem::path& file, const LogContents& contents);

}  // namespace weft::log
