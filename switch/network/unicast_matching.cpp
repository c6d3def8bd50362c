// SPDX-License-Identifier: Apache-2.0
#include "switch/network/unicast_matching.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "config/names.h"

namespace weft::fred {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<UnicastMatching> (*make)(int ports);
};
constexpr Entry kPolicies[] = {{"maximum", make_maximum_matching}, {"greedy", make_greedy_matching}};

}  // namespace

std::unique_ptr<UnicastMatching> make_unicast_matching(std::string_view name, int ports) {
  for (const Entry& entry : kPolicies) {
    if (entry.name == name) return entry.make(ports);
  }
  throw InputError(
      fmt::format("unknown matching of unicasts '{}'; known: {}", name, fmt::join(unicast_matching_names(), ", ")));
}

}  // namespace weft::fred
