// SPDX-License-Identifier: Apache-2.0
// Pool files of tests.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_dir.h"

namespace weft::mem {

/// A pool in cycles of 1 ns with flits of 64 bytes: links of 10, 20 and 30 ns that carry `link`, and modules.
struct PoolText {
  std::string size = "16 TiB";
  std::string line = "1024 GB/s";  ///< bandwidth of a controller
  std::string link = "1024 GB/s";
  int groups = 1;
  int modules = 1;
  std::string module = "{latency: 100 ns, bandwidth: 1024 GB/s}";
  std::string interleave = "4 KiB";
  std::string more;  ///< sections behind

  std::string text() const {
    return fmt::format(
        "size: {}\nflit: 64 B\npacket: 512 B\ninterleave: {}\ncontrollers: {{bandwidth: {}}}\ngroups: {}\nmodules: {}\n"
        "links:\n  controller: {{bandwidth: {}, latency: 10 ns, buffer: 256 KiB}}\n"
        "  group: {{bandwidth: {}, latency: 20 ns, buffer: 256 KiB}}\n"
        "  module: {{bandwidth: {}, latency: 30 ns, buffer: 256 KiB}}\nmodule: {}\n{}",
        size, interleave, line, groups, modules, link, link, link, module, more);
  }
  /// Writes it; returns the setting that names it.
  std::string in(const std::filesystem::path& folder) const {
    const std::string path = (folder / "pool.yaml").string();
    std::ofstream(path) << text();
    return "memory.pool=" + path;
  }
};

}  // namespace weft::mem
