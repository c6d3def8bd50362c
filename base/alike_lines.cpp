// SPDX-License-Identifier: Apache-2.0
#include "base/alike_lines.h"

#include <fmt/format.h>

#include <utility>

namespace weft {

AlikeLines::AlikeLines(std::string one, std::string several, std::size_t most)
    : one_(std::move(one)), several_(std::move(several)), most_(most) {}

void AlikeLines::add(std::uint64_t number, const std::string& says) {
  const auto known = newest_.find(says);
  if (known != newest_.end() && lines_[known->second].last + 1 == number) {
    lines_[known->second].last = number;
    return;
  }
  if (lines_.size() >= most_) {
    ++more_;
    return;
  }
  newest_.insert_or_assign(says, lines_.size());
  lines_.push_back({number, number, says});
}

std::vector<std::string> AlikeLines::take() const {
  std::vector<std::string> sentences;
  for (const Line& line : lines_) {
    sentences.push_back(line.first == line.last
                            ? fmt::format("{} {} {}", one_, line.first, line.says)
                            : fmt::format("each of {} {} to {} {}", several_, line.first, line.last, line.says));
  }
  if (more_ > 0) sentences.push_back(fmt::format("and {} more", more_));
  return sentences;
}

}  // namespace weft
