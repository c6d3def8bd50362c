// SPDX-License-Identifier: Apache-2.0
// A text file that is whole lines at any moment: after Ctrl-C, an error, a full disk or a kill.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace weft::waves {

/// Buffers text and writes it in blocks that end where the caller says that a block may end.
class LineFile {
 public:
  /// Creates or empties the file. Throws InputError if that is not possible.
  explicit LineFile(const std::filesystem::path& path);
  /// Writes what is left; errors are lost here, call `close` to see them.
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// The text that waits to be written; the caller appends to it.
  std::string& buffer() { return buffer_; }
  /// Says that the buffer ends with a whole line; writes it if it is long enough to be worth a call.
  void line_end() {
    if (buffer_.size() >= kBlockBytes) flush();
  }
  /// Writes the buffer, which must end with a whole line. Throws std::runtime_error when the disk is full; the file
  /// then ends with the last block that was written completely.
  void flush();
  /// Flushes and closes. Nothing may be written after it.
  void close();

  const std::filesystem::path& path() const { return path_; }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{256} * 1024;

  [[noreturn]] void fail(const char* what);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t written_bytes_ = 0;
  std::string buffer_;
};

}  // namespace weft::waves
