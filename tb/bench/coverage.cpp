// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/coverage.h"

namespace weft::tb {

std::size_t Coverage::bin(const std::string& name) {
  const auto [found, made] = numbers_.emplace(name, counts_.size());
  if (made) counts_.push_back(0);
  return found->second;
}

std::map<std::string, std::uint64_t> Coverage::counts() const {
  std::map<std::string, std::uint64_t> all;
  for (const auto& [name, number] : numbers_) all[name] = counts_[number];
  return all;
}

void Coverage::merge(const std::map<std::string, std::uint64_t>& other) {
  for (const auto& [name, count] : other) hit(bin(name), count);
}

std::vector<std::string> Coverage::never_hit() const {
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers_) {
    if (counts_[number] == 0) names.push_back(name);
  }
  return names;
}

}  // namespace weft::tb
