// SPDX-License-Identifier: Apache-2.0
// Functional coverage: how often things that matter have happened, by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft::tb {

/// Counters of bins. All bins of a bench are declared before it starts, so those that are never hit are known.
class Coverage {
 public:
  /// Number of the bin; declared once however often it is asked for.
  std::size_t bin(const std::string& name);
  void hit(std::size_t bin, std::uint64_t times = 1) { counts_[bin] += times; }
  void hit(const std::string& name) { hit(bin(name)); }
  /// By name.
  std::map<std::string, std::uint64_t> counts() const;
  void merge(const std::map<std::string, std::uint64_t>& other);
  std::vector<std::string> never_hit() const;

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace weft::tb
