// SPDX-License-Identifier: Apache-2.0
// A file with its SHA-256 beside it: what is loaded later is what was written.
#pragma once

#include <filesystem>
#include <string>

namespace weft::tb {

/// Writes the SHA-256 of `file` to the file `<file>.sha256`, in the form of `sha256sum`, and takes the right to write
/// `file` from all but its owner.
void seal(const std::filesystem::path& file);

/// A file that is open for reading.
class OpenFile {
 public:
  /// Throws InputError where it cannot be opened.
  explicit OpenFile(const std::filesystem::path& file);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }
  /// Leaves the file open until the process ends, so that no other file gets its number.
  void keep_open() { descriptor_ = -1; }

 private:
  int descriptor_;
};

/// An open file whose contents are those that were sealed. It stays open: whoever reads `path` gets the very bytes that
/// were compared, whatever becomes of the name.
class SealedFile {
 public:
  /// Throws InputError where the file or its seal is missing, where they do not fit, and where the file is another
  /// user's or others may write it.
  explicit SealedFile(const std::filesystem::path& file);
  /// A name of the open file in this process.
  std::string path() const;
  /// As `OpenFile::keep_open`.
  void keep_open() { file_.keep_open(); }

 private:
  OpenFile file_;
};

}  // namespace weft::tb
