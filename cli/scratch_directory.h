// SPDX-License-Identifier: Apache-2.0
// A directory for the files of runs that nobody keeps.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace weft::cli {

/// A fresh directory `weft-NAME-XXXXXX` among the temporary ones, gone with all its files at the end.
/// Throws std::runtime_error where none can be made.
class ScratchDirectory {
 public:
  explicit ScratchDirectory(const std::string& name) {
    std::string path = (std::filesystem::temp_directory_path() / ("weft-" + name + "-XXXXXX")).string();
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary directory can be made at " + path);
    path_ = path;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace weft::cli
