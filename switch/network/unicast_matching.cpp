// SPDX-License-Identifier: Apache-2.0
#include "switch/network/unicast_matching.h"

namespace weft::fred {

// Each is in the file of its name.
extern const MatchingPolicy kMaximum, kGreedy;

const PolicyList<MatchingPolicy>& matching_policies() {
  static const PolicyList<MatchingPolicy> list("unknown matching of unicasts", {&kMaximum, &kGreedy});
  return list;
}

std::unique_ptr<UnicastMatching> make_unicast_matching(std::string_view name, int ports) {
  return matching_policies().at(name).make(ports);
}

}  // namespace weft::fred
