// SPDX-License-Identifier: Apache-2.0
// Files that are written for a user. A regular file is replaced when its successor is complete, so a reader sees the
// old one or the new one; devices and pipes are written into, never replaced.
#pragma once

#include <filesystem>
#include <string_view>

namespace weft {

/// What a symbolic link under the name of an output means.
enum class OutputLinks {
  kFollow,   ///< the user has named it: what it points to is written
  kReplace,  ///< it stands under a name of ours in a results directory: the file takes its place
};

/// Write to `path()`, then say `complete()`; what is not complete is removed.
class OutputFile {
 public:
  /// Chooses where to write. Throws std::runtime_error where `target` is a directory or a socket, where a device or a
  /// pipe stands in the place of a result (kReplace), or where no file can be made beside it.
  explicit OutputFile(std::filesystem::path target, OutputLinks links = OutputLinks::kFollow);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// An empty file beside the target, or the target itself where it is written into.
  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& target() const { return target_; }
  /// Puts the file in its place. Throws std::runtime_error where that cannot be done.
  void complete();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  bool is_partial_ = false;  ///< `path_` has to be renamed or removed
};

/// Writes all of `text` as an OutputFile. Throws std::runtime_error with the name and the reason.
void write_output(const std::filesystem::path& target, std::string_view text, OutputLinks links = OutputLinks::kFollow);

/// Removes the incomplete files that killed processes have left in `folder`; no other process may be writing there.
void remove_partial_outputs(const std::filesystem::path& folder);

/// Throws std::runtime_error where a directory, device, pipe or socket stands in the place of the result `target`.
void require_replaceable(const std::filesystem::path& target);

}  // namespace weft
