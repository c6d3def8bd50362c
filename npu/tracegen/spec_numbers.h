// SPDX-License-Identifier: Apache-2.0
// The numbers that a workload is made from: names, legal ranges, and what is wrong with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::npu {

inline constexpr std::uint64_t kLargestSpecNumber = 1 << 20;

/// One number of a specification, as a command line asks for it: "--" + name.
struct SpecNumber {
  std::string name;
  std::string help;
  std::uint64_t* value;  ///< in the specification that was asked for its numbers
  std::uint64_t least;
  std::uint64_t most;
};

/// How often something is done, one after the other.
SpecNumber iterations_number(std::uint64_t& value);

/// The numbers but those with one of these names.
std::vector<SpecNumber> without(std::vector<SpecNumber> numbers, const std::vector<std::string>& names);

/// Collects what is wrong with a specification, so that all of it can be said at once.
class SpecProblems {
 public:
  /// Every number against its range.
  void ranges(const std::vector<SpecNumber>& numbers);
  /// `value` has to be a multiple of `by`; says whether it is.
  bool divides(const std::string& name, std::uint64_t value, const std::string& by_name, std::uint64_t by);
  void add(const std::string& text);
  /// Throws InputError with one line for each problem.
  void throw_if_any() const;

 private:
  std::string text_;
};

}  // namespace weft::npu
