// SPDX-License-Identifier: Apache-2.0
// Writes log.sqlite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/link_quantities.h"
#include "log/collective_index.h"
#include "log/critical_path.h"
#include "log/log_names.h"
#include "log/run_log.h"

namespace weft::log {

/// A phase of a switch: which setting was active.
struct SwitchPhase {
  NodeId node{};
  std::string name;  ///< name of the switch
  std::string phase;
  Cycle start = 0;
  Cycle end = 0;
};

struct LinkRow {
  std::string name;
  std::string from;
  std::string to;
  std::uint64_t flits = 0;
  double utilisation = 0;
  LinkValues values;  ///< none where the sender does not know
};

/// Everything that goes into the file.
struct LogContents {
  const RunLog* log = nullptr;
  const LogNames* names = nullptr;
  const CriticalPath* path = nullptr;
  std::vector<std::pair<std::string, std::string>> run;  ///< what the run was: key, value
  LogLevel level = LogLevel::kRanks;
  std::vector<SwitchPhase> phases;
  std::size_t links = 0;
  std::function<LinkRow(std::size_t)> link;
};

/// Writes `file` anew, complete or not at all. Throws std::runtime_error.
void write_log_file(const std::filesystem::path& file, const LogContents& contents);

/// "all_reduce_0 chunk 1 step 3", "send", ...: what a message with this tag is.
std::string message_text(const LogNames& names, const CollectiveIndex& collectives, std::uint64_t tag, Cycle queued);
/// "compute", "collective", ...
const char* activity_name(ActivityKind kind);

}  // namespace weft::log
