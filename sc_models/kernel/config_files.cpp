// SPDX-License-Identifier: Apache-2.0
// Files of this machine, for configurations.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "kernel/config_load.h"
#include "kernel/config_tree.h"
#include "kernel/error.h"
#include "kernel/text_distance.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

class DiskFiles : public ConfigFiles {
 public:
  std::string read(const std::string& path) const override {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) throw InputError(fmt::format("cannot read {}: no such file", in_quotes(path)));
    if (fs::is_directory(status)) throw InputError(fmt::format("cannot read {}: it is a directory", in_quotes(path)));
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw InputError(fmt::format("cannot read {}: {}", in_quotes(path), std::strerror(errno)));
    // One byte more than is legal is enough to say so, even where a device never ends.
    std::string text(kMaxConfigBytes + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
  }

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
