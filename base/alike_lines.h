// SPDX-License-Identifier: Apache-2.0
// Sentences about many ranks or chunks, most of which say the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

namespace weft {

/// Sentences whose subject has a number, such as "chunk 3 waits for its operand to leave". Where things that follow
/// each other say the same, they share one: "each of chunks 3 to 9 waits for its operand to leave".
class AlikeLines {
 public:
  /// What one and several of the things are called. Keeps `most` sentences and counts what it is told beyond them.
  AlikeLines(std::string one, std::string several, std::size_t most = std::numeric_limits<std::size_t>::max());

  /// What thing `number` does, as in "waits for its operand to leave". Numbers come in ascending order.
  void add(std::uint64_t number, const std::string& says);
  /// Returns all sentences and, if there are more, one that counts the rest.
  std::vector<std::string> take() const;

 private:
  struct Line {
    std::uint64_t first;
    std::uint64_t last;
    std::string says;
  };

  std::string one_;
  std::string several_;
  std::size_t most_;
  std::size_t more_ = 0;
  std::vector<Line> lines_;
  std::unordered_map<std::string, std::size_t> newest_;  ///< by what is said: the last line that says it
};

}  // namespace weft
