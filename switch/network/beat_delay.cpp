// SPDX-License-Identifier: Apache-2.0
#include "switch/network/beat_delay.h"

#include <algorithm>

#include "base/error.h"

namespace weft::fred {

BeatDelay::BeatDelay(const DatapathPlan& plan, bool values)
    : moves_by_age_(plan.depth + std::size_t{1}), joins_by_age_(plan.depth + std::size_t{1}) {
  WEFT_CHECK(!plan.skewed && plan.depth <= kMost, "a datapath whose beats wait for each other is no delay");
  std::vector<std::uint32_t> shows(plan.registers.size(), 0);  // by wire: the age at which its end shows a beat
  for (std::size_t i = plan.ops.size(); i-- > 0;) {            // producers before consumers
    const DatapathOp& op = plan.ops[i];
    const std::uint32_t age = shows[op.from[0]];
    for (int k = 0; k < op.outputs; ++k) shows[op.to[k]] = age + plan.registers[op.to[k]];
    moves_by_age_[age] += op.outputs;
    moves_ += op.outputs;
    if (op.inputs < 2) continue;
    ++joins_by_age_[age];
    ++joins_;
  }
  for (const std::uint16_t wire : plan.out_wires) depths_.push_back(shows[wire]);
  std::size_t ring = 1;
  while (ring <= plan.depth) ring *= 2;
  ring_mask_ = ring - 1;
  still_inside_ = (std::uint64_t{1} << plan.depth) - 1;
  beats_.resize(ring);
  if (values) data_.resize(ring * depths_.size());
}

/// The ages that a beat reaches in later steps.
std::uint64_t BeatDelay::after(const std::vector<std::uint32_t>& by_age, std::uint64_t age) {
  std::uint64_t sum = 0;
  for (std::uint64_t later = age + 1; later < by_age.size(); ++later) sum += by_age[later];
  return sum;
}

std::uint64_t BeatDelay::ahead(const std::vector<std::uint32_t>& by_age) const {
  std::uint64_t sum = 0;
  for_each([&](std::uint32_t age, const Beat&) { sum += after(by_age, age); });
  return sum;
}

}  // namespace weft::fred
