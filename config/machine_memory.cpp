// SPDX-License-Identifier: Apache-2.0
#include "config/machine_memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <fstream>

#include "base/units.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

void tighten(std::optional<MemoryBound>& bound, std::uint64_t bytes, const std::string& source) {
  if (!bound || bytes < bound->bytes) bound = MemoryBound{bytes, source};
}

/// The number in a file of a control group; "max" and what is no number are none.
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

std::optional<std::uint64_t> machine_bytes(const fs::path& root) {
  std::ifstream in(root / "proc/meminfo");
  for (std::string key; in >> key;) {
    std::uint64_t kilobytes = 0;
    if (key == "MemTotal:" && in >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

/// A limit holds for all groups below it. `group` is a path below `mount`; inside a container it may not exist there,
/// and the mount itself is the process's group.
void add_group_limits(const fs::path& mount, fs::path group, const char* file, std::optional<MemoryBound>& bound) {
  for (;; group = group.parent_path()) {
    const auto limit = number_in(mount / group.relative_path() / file);
    if (limit) tighten(bound, *limit, "that its control group may use");
    if (group.relative_path().empty()) return;
  }
}

}  // namespace

std::optional<MemoryBound> memory_bound(const fs::path& root) {
  std::optional<MemoryBound> bound;
  if (const auto bytes = machine_bytes(root)) tighten(bound, *bytes, "that this machine has");
  const fs::path mount = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  // Version 2: "0::/path"; version 1: "9:memory:/path", other controllers have lines of their own.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) add_group_limits(mount, group, "memory.max", bound);
    if (controllers == "memory") add_group_limits(mount / "memory", group, "memory.limit_in_bytes", bound);
  }
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    tighten(bound, space.rlim_cur, "that this process may use (ulimit -v)");
  return bound;
}

std::string memory_warning(double bytes, const std::optional<MemoryBound>& bound) {
  if (!bound || bytes <= static_cast<double>(bound->bytes)) return "";
  return fmt::format("the run needs about {} bytes of memory, more than the {} bytes {}: it will probably not get them",
                     short_number(bytes), short_number(static_cast<double>(bound->bytes)), bound->source);
}

}  // namespace weft
