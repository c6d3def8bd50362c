// SPDX-License-Identifier: Apache-2.0
// Files of this machine, for configurations.
#include <filesystem>
#include <system_error>

#include "base/read_file.h"
#include "config/load.h"
#include "config/tree.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

class DiskFiles : public ConfigFiles {
 public:
  std::string read(const std::string& path) const override { return read_file(path, kMaxConfigBytes); }

  bool exists(const std::string& path) const override {
    std::error_code error;
    return fs::exists(path, error) && !fs::is_directory(path, error);
  }

  bool prefix_exists(const std::string& prefix) const override {
    const fs::path path(prefix);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const std::string start = path.filename().string() + ".";
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      const std::string name = at->path().filename().string();
      if (name.size() > start.size() && name.compare(0, start.size(), start) == 0) return true;
    }
    return false;
  }
};

}  // namespace

const ConfigFiles& disk_files() {
  static const DiskFiles files;
  return files;
}

}  // namespace weft
