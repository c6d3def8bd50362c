// SPDX-License-Identifier: Apache-2.0
#include "switch/network/unicast_circuits.h"

#include <algorithm>

#include "base/error.h"

namespace weft::fred {

ElasticCircuit* UnicastCircuits::find(PortId input, PortId output, const std::vector<Terminal>& way) const {
  const auto& of_input = by_input_[index(input)];
  if (of_input.empty()) return nullptr;
  for (const Kept& kept : of_input[index(output)]) {
    if (kept.way == way) return kept.circuit.get();
  }
  return nullptr;
}

ElasticCircuit& UnicastCircuits::keep(PortId input, PortId output, const std::vector<Terminal>& way,
                                      std::unique_ptr<ElasticCircuit> circuit) {
  auto& of_input = by_input_[index(input)];
  if (of_input.empty()) of_input.resize(by_input_.size());
  ages_.push_back({input, output, circuit.get()});
  return *of_input[index(output)].emplace_back(Kept{way, std::move(circuit)}).circuit;
}

void UnicastCircuits::remove(const Age& age) {
  auto& kept = by_input_[index(age.input)][index(age.output)];
  const auto found =
      std::find_if(kept.begin(), kept.end(), [&](const Kept& each) { return each.circuit.get() == age.circuit; });
  WEFT_CHECK(found != kept.end(), "a circuit of unicasts is let go that is not kept");
  kept.erase(found);
}

}  // namespace weft::fred
