// SPDX-License-Identifier: Apache-2.0
// The datapaths of unicasts in a checkpoint: their plans, for the route that a packet has found is found but once.
#include <algorithm>

#include "base/checkpoint.h"
#include "switch/network/unicast_datapaths.h"

namespace weft::fred {
namespace {

void keep_plan(Checkpoint& checkpoint, DatapathPlan& plan) {
  checkpoint.list(plan.inputs);
  checkpoint.list(plan.outputs);
  checkpoint.list(plan.out_wires);
  checkpoint.each(plan.ops,
                  [&](DatapathOp& op) { checkpoint.values(op.element, op.inputs, op.outputs, op.from, op.to); });
  checkpoint.list(plan.registers);
  checkpoint.each(plan.uses, [&](WireUse& use) { checkpoint.values(use.channel, use.entry); });
  checkpoint.values(plan.depth, plan.skewed);
}

}  // namespace

const UnicastDatapaths::Kept& UnicastDatapaths::find_kept(const Age& age) const {
  const auto& kept = by_input_[index(age.input)][index(age.output)];
  return *std::find_if(kept.begin(), kept.end(), [&](const Kept& each) { return each.datapath.get() == age.datapath; });
}

std::size_t UnicastDatapaths::age_of(const ElasticDatapath* datapath) const {
  const auto found = std::find_if(ages_.begin(), ages_.end(), [&](const Age& age) { return age.datapath == datapath; });
  WEFT_CHECK(found != ages_.end(), "a datapath of unicasts is in use that is not kept");
  return static_cast<std::size_t>(found - ages_.begin());
}

void UnicastDatapaths::keep(Checkpoint& checkpoint,
                            const std::function<std::unique_ptr<ElasticDatapath>(DatapathPlan)>& make) {
  std::size_t count = ages_.size();
  checkpoint.values(count);
  for (std::size_t i = 0; i < count; ++i) {
    Age age;
    std::vector<Terminal> route;
    DatapathPlan plan;
    if (!checkpoint.loads()) {
      age = ages_[i];
      route = find_kept(age).route;
      plan = age.datapath->plan();
    }
    checkpoint.values(age.input, age.output);
    checkpoint.list(route);
    keep_plan(checkpoint, plan);
    if (checkpoint.loads()) keep(age.input, age.output, route, make(std::move(plan)));
  }
}

}  // namespace weft::fred
