// SPDX-License-Identifier: Apache-2.0
// What tests of links with credits have in common.
#pragma once

#include <cstdint>
#include <string>

#include "base/credit_links.h"

namespace weft {

using Links = CreditLinks<int>;

inline std::string name_of(std::uint32_t vc, bool is_sending) {
  return (is_sending ? "output " : "input ") + std::to_string(vc);
}

/// What came of one cycle, as text: `c2@5` is a credit for VC 2 at node 5, `f2@5` a flit.
inline std::string arrivals(Links& links, Cycle now) {
  std::string all;
  const auto note = [&all](char what) {
    return [&all, what](std::uint32_t node, std::uint32_t vc) {
      all += (all.empty() ? "" : " ") + std::string(1, what) + std::to_string(vc) + "@" + std::to_string(node);
    };
  };
  links.deliver(now, note('c'), note('f'));
  return all;
}

}  // namespace weft
