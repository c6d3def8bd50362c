// SPDX-License-Identifier: Apache-2.0
// Runs a program and keeps what it says.
#pragma once

#include <string>
#include <vector>

namespace weft::tb {

/// How a program ended and what it wrote to standard output and standard error, as one text.
struct ChildOutput {
  int status = 0;  ///< exit status, or 128 + signal
  std::string text;
};

/// Runs `arguments[0]`, a path or a name in $PATH, without standard input, and waits for its end.
/// Throws std::runtime_error where no process can be made.
ChildOutput run_program(const std::vector<std::string>& arguments);

/// The words as a shell takes them.
std::string shell_words(const std::vector<std::string>& arguments);

}  // namespace weft::tb
