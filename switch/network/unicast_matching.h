// SPDX-License-Identifier: Apache-2.0
// Which of the unicasts that could start do start: a policy. Each is one file and one line in the registry.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

/// "maximum": as many as possible, those of higher priority first. "greedy": one after the other, as long as input and
/// output are free. Throws InputError for an unknown name.
std::unique_ptr<UnicastMatching> make_unicast_matching(std::string_view name, int ports);

// The policies.
std::unique_ptr<UnicastMatching> make_maximum_matching(int ports);
std::unique_ptr<UnicastMatching> make_greedy_matching(int ports);

}  // namespace weft::fred
