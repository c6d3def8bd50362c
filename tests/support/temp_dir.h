// SPDX-License-Identifier: Apache-2.0
// A directory that lives as long as the test that made it, and small helpers around files.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/scratch_folder.h"

namespace weft::test {

/// Makes a fresh directory and removes it with all its files at the end.
class TempDir {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return path() / name; }

 private:
  ScratchFolder folder_;
};

/// The whole file as text. Throws std::runtime_error when it cannot be read.
inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text)) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace weft::test
