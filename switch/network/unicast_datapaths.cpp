// SPDX-License-Identifier: Apache-2.0
#include "switch/network/unicast_datapaths.h"

#include <algorithm>

#include "base/error.h"

namespace weft::fred {

ElasticDatapath* UnicastDatapaths::find(PortId input, PortId output, const std::vector<Terminal>& route) const {
  if (route.empty()) return for_any_route_[index(input) * by_input_.size() + index(output)];
  const auto& of_input = by_input_[index(input)];
  if (of_input.empty()) return nullptr;
  for (const Kept& kept : of_input[index(output)]) {
    if (kept.route == route) return kept.datapath.get();
  }
  return nullptr;
}

ElasticDatapath& UnicastDatapaths::keep(PortId input, PortId output, const std::vector<Terminal>& route,
                                        std::unique_ptr<ElasticDatapath> datapath) {
  auto& of_input = by_input_[index(input)];
  if (of_input.empty()) of_input.resize(by_input_.size());
  ages_.push_back({input, output, datapath.get()});
  if (route.empty()) for_any_route_[index(input) * by_input_.size() + index(output)] = datapath.get();
  return *of_input[index(output)].emplace_back(Kept{route, std::move(datapath)}).datapath;
}

void UnicastDatapaths::remove(const Age& age) {
  auto& kept = by_input_[index(age.input)][index(age.output)];
  const auto found =
      std::find_if(kept.begin(), kept.end(), [&](const Kept& each) { return each.datapath.get() == age.datapath; });
  WEFT_CHECK(found != kept.end(), "a datapath of unicasts is let go that is not kept");
  if (found->route.empty()) for_any_route_[index(age.input) * by_input_.size() + index(age.output)] = nullptr;
  kept.erase(found);
}

}  // namespace weft::fred
