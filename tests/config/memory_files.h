// SPDX-License-Identifier: Apache-2.0
// Files that exist only in a test, and short forms of loading.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/load.h"

namespace weft {

class MemoryFiles : public ConfigFiles {
 public:
  MemoryFiles() = default;
  explicit MemoryFiles(std::map<std::string, std::string> files) : files_(std::move(files)) {}

  std::string read(const std::string& path) const override {
    const auto at = files_.find(path);
    if (at == files_.end()) throw InputError("cannot read '" + path + "': no such file");
    return at->second;
  }
  bool exists(const std::string& path) const override { return files_.count(path) != 0; }
  bool prefix_exists(const std::string& prefix) const override {
    const auto at = files_.lower_bound(prefix + ".");
    return at != files_.end() && at->first.compare(0, prefix.size() + 1, prefix + ".") == 0;
  }

 private:
  std::map<std::string, std::string> files_;
};

/// The text of the InputError that loading throws, or "" when it throws none.
inline std::string loading_error(const std::string& text, const std::vector<std::string>& sets = {},
                                 const MemoryFiles& files = MemoryFiles()) {
  try {
    load_config_text(text, "a.yaml", sets, files);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// The smallest legal configuration: one line each for fabric and workload.
inline const char* const kSmallConfig = "fabric: {size: [4, 4]}\nworkload: {traffic: {}}\n";

}  // namespace weft
