// SPDX-License-Identifier: Apache-2.0
// What `weft trace check` has found.
#pragma once

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cstddef>
#include <map>
#include <ostream>
#include <string>

namespace weft::npu {

/// Prints the first problems of each class and counts all.
class TraceProblems {
 public:
  explicit TraceProblems(std::ostream& out) : out_(out) {}

  /// `what` is the class.
  void add(const std::string& what, const std::string& text) {
    const std::size_t number = ++count_of_[what];
    if (number <= kShown) fmt::print(out_, "{}: {}\n", what, text);
  }
  /// Prints what was left out; the number of all problems.
  std::size_t close() const {
    std::size_t sum = 0;
    for (const auto& [what, count] : count_of_) {
      if (count > kShown) fmt::print(out_, "{}: ... and {} more\n", what, count - kShown);
      sum += count;
    }
    return sum;
  }

 private:
  static constexpr std::size_t kShown = 20;
  std::ostream& out_;
  std::map<std::string, std::size_t> count_of_;
};

}  // namespace weft::npu
