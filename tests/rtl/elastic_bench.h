// SPDX-License-Identifier: Apache-2.0
// elastic_reg beside a wire of ElasticDatapath, cycle by cycle, under random stalls on both sides and resets in
// traffic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft::rtl_test {

struct ElasticRun {
  std::uint64_t seed = 1;
  std::uint64_t cycles = 10'000;
  double stall_in = 0.3;
  double stall_out = 0.3;
  double resets = 0.0005;  ///< per cycle
  int mutant = 0;
};

/// Instance `g` of elastic_top against the model: the first difference, with its cycle, or nothing.
std::optional<std::string> elastic_difference(unsigned g, const ElasticRun& run);

}  // namespace weft::rtl_test
