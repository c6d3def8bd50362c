// SPDX-License-Identifier: Apache-2.0
// Who writes into a results directory: one process at a time. Two runs that start at the same moment get directories of
// their own, or one of them is refused.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::cli {

/// A results directory that this process alone writes while the object lives. The claim is a lock on the file `.lock`
/// in it, which the system takes back when the process ends, however it ends. On file systems that know no locks
/// nothing is refused.
class DirectoryClaim {
 public:
  /// Makes `directory` if it is not there. Throws InputError that begins with `--out` where it cannot be made or
  /// written, or where another process has claimed it.
  explicit DirectoryClaim(const std::filesystem::path& directory);
  /// `out`, or where that is empty a new directory results/`name`-1, or -2, ...: the first that does not exist.
  static DirectoryClaim of(const std::string& out, std::string name);
  ~DirectoryClaim();
  DirectoryClaim(DirectoryClaim&& other) noexcept;
  DirectoryClaim& operator=(DirectoryClaim&&) = delete;

  const std::filesystem::path& path() const { return directory_; }
  /// Removes the directory with all that is in it if the claim has made it, and directories around it that the claim
  /// has made as far as they are empty; does nothing to a directory that was there before.
  void abandon();

 private:
  DirectoryClaim() = default;
  void make(const std::filesystem::path& directory);
  void lock();
  void release();

  std::filesystem::path directory_;
  std::vector<std::filesystem::path> made_;  ///< from the outermost to the innermost
  int lock_ = -1;
};

}  // namespace weft::cli
