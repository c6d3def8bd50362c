// SPDX-License-Identifier: Apache-2.0
// A policy says which of the unicasts that could start do start. Each is one file and one line in the registry.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/policy.h"

namespace weft::fred {

/// A unicast that could start if it were alone.
struct UnicastRequest {
  std::uint8_t input = 0;
  std::uint8_t output = 0;
  std::uint32_t waiting = 0;  ///< flits in its buffer
};

/// Chooses among requests so that no input and no output is used twice.
class UnicastMatching {
 public:
  virtual ~UnicastMatching() = default;
  /// `requests` in the order of their priority. Returns positions, ascending.
  virtual const std::vector<std::uint32_t>& match(const std::vector<UnicastRequest>& requests) = 0;
};

/// A matching as the registry lists it: a constant of its file.
struct MatchingPolicy : Policy {
  std::unique_ptr<UnicastMatching> (*make)(int ports) = nullptr;
};

/// All matchings, the default first.
const PolicyList<MatchingPolicy>& matching_policies();
/// Throws InputError for an unknown name.
std::unique_ptr<UnicastMatching> make_unicast_matching(std::string_view name, int ports);

}  // namespace weft::fred
