// SPDX-License-Identifier: Apache-2.0
// How much memory a process may use here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace weft {

/// The tightest bound on a process's memory, and where it comes from.
struct MemoryBound {
  std::uint64_t bytes = 0;
  std::string source;  ///< "that this machine has": words behind the figure
};

/// The least of the machine's memory, the limits of the process's control groups and its address space (`ulimit -v`).
/// Files are read below `root`: proc/meminfo, proc/self/cgroup, sys/fs/cgroup. None if nothing is known.
std::optional<MemoryBound> memory_bound(const std::filesystem::path& root = "/");

/// "" or the sentence that warns of a run that needs about `bytes` bytes.
std::string memory_warning(double bytes, const std::optional<MemoryBound>& bound);

}  // namespace weft
