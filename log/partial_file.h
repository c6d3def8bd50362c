// SPDX-License-Identifier: Apache-2.0
// A file that appears when it is complete, or not at all.
#pragma once

#include <filesystem>
#include <system_error>

namespace weft::log {

/// Write to `path`, then say `complete`; what is not complete is removed.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path target) : target_(std::move(target)), path_(target_.string() + ".part") {
    remove();
  }
  ~PartialFile() { remove(); }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void complete() const { std::filesystem::rename(path_, target_); }

 private:
  void remove() const {
    std::error_code none;
    std::filesystem::remove(path_, none);
  }

  std::filesystem::path target_;
  std::filesystem::path path_;
};

}  // namespace weft::log
