// SPDX-License-Identifier: Apache-2.0
// A folder for files that nobody keeps.
#pragma once

#include <filesystem>

namespace weft {

/// A fresh folder in `parent` (default: among the temporary ones), gone with all its files at the end. Takes away those
/// that processes of this machine left in `parent` when they were killed. Throws std::runtime_error where none can be
/// made.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace weft
