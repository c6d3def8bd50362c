// SPDX-License-Identifier: Apache-2.0
// Files of results that are written one after the other, each of them even if an earlier one could not be.
#pragma once

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace weft::runs {

/// Files that could not be written; a line for each says why.
class ResultsNotWritten : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Tries to write files and keeps what went wrong.
class WriteAttempts {
 public:
  /// Calls `write` with `file`. If that throws, removes `file`, which would be taken for whole, and goes on.
  template <typename Write>
  void attempt(const std::filesystem::path& file, const Write& write) {
    try {
      write(file);
    } catch (const std::exception& error) {
      text_ += (text_.empty() ? "" : "\n") + std::string(error.what());
      std::error_code none;
      std::filesystem::remove(file, none);
    }
  }
  /// Throws ResultsNotWritten if an attempt has failed.
  void require_all() const {
    if (!text_.empty()) throw ResultsNotWritten(text_);
  }

 private:
  std::string text_;
};

}  // namespace weft::runs
