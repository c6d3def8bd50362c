// SPDX-License-Identifier: Apache-2.0
// Short forms of flows, and random ones.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/random.h"
#include "switch/routing/flow.h"

namespace weft::fred::testing {

inline std::vector<PortId> ports(std::initializer_list<int> numbers) {
  std::vector<PortId> list;
  for (const int number : numbers) list.push_back(PortId{static_cast<std::uint8_t>(number)});
  return list;
}

/// All-reduces named a, b, c, ...
inline FlowSet all_reduces(std::initializer_list<std::initializer_list<int>> groups) {
  FlowSet flows;
  for (const auto& group : groups) {
    flows.push_back(all_reduce_flow(std::string(1, static_cast<char>('a' + flows.size())), ports(group)));
  }
  return flows;
}

/// Up to `most` flows whose inputs and outputs are drawn from all ports; some ports stay idle.
inline FlowSet random_flows(int port_count, std::size_t most, RandomStream& random) {
  FlowSet flows(1 + random.below(most));
  for (std::size_t f = 0; f < flows.size(); ++f) flows[f].name = std::string(1, static_cast<char>('a' + f % 26));
  for (int p = 0; p < port_count; ++p) {
    const PortId port{static_cast<std::uint8_t>(p)};
    const std::size_t in = random.below(flows.size() + 1);
    const std::size_t out = random.below(flows.size() + 1);
    if (in < flows.size()) flows[in].inputs.push_back(port);
    if (out < flows.size()) flows[out].outputs.push_back(port);
  }
  flows.erase(std::remove_if(flows.begin(), flows.end(),
                             [](const Flow& flow) { return flow.inputs.empty() || flow.outputs.empty(); }),
              flows.end());
  return flows;
}

}  // namespace weft::fred::testing
