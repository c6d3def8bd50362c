// SPDX-License-Identifier: Apache-2.0
#include "switch/network/datapath_plan.h"

#include <algorithm>

#include "base/error.h"

namespace weft::fred {

ChannelNumbers::ChannelNumbers(const Interconnect& net) : count_(static_cast<std::uint32_t>(net.ports)) {
  for (const Element& element : net.elements) {
    first_.push_back(count_);
    count_ += static_cast<std::uint32_t>(element.sinks.size());
  }
}

namespace {

constexpr std::uint16_t kNoWire = 0xffff;

/// Builds the datapaths of a setting side by side, element after element in topological order.
class Planner {
 public:
  Planner(const Interconnect& net, const FlowSet& flows, const StageTiming& timing)
      : channels_(net),
        ports_(static_cast<std::uint32_t>(net.ports)),
        timing_(timing),
        flow_of_(channels_.count(), -1),
        wire_of_(channels_.count(), kNoWire),
        plans_(flows.size()),
        arrival_(flows.size()) {
    for (std::size_t f = 0; f < flows.size(); ++f) {
      for (const PortId port : flows[f].inputs) {
        plans_[f].inputs.push_back(index(port));
        add_wire(static_cast<int>(f), index(port), 0, 0);
      }
    }
  }

  /// What the element does with the flows that reach it.
  void element(const Interconnect& net, std::uint32_t e, const UswitchSetting& uswitch_setting) {
    const Element& element = net.elements[e];
    const DatapathOp* copied = nullptr;
    for (std::uint32_t o = 0; o < element.sinks.size(); ++o) {
      DatapathOp op;
      op.element = e;
      int flow = -1;
      std::uint32_t ready = 0;
      bool skewed = false;
      for (std::uint32_t i = 0; i < element.sources.size(); ++i) {
        if (!feeds(element.kind, uswitch_setting, i, o)) continue;
        WEFT_CHECK(op.inputs < 2, "three inputs of one uSwitch lead to one output");
        const std::uint32_t channel = channels_.of(element.sources[i]);
        flow = flow_of_[channel];
        if (flow < 0) continue;
        const std::uint16_t wire = wire_of_[channel];
        const std::uint32_t arrival = arrival_[flow][wire];
        skewed = skewed || (op.inputs > 0 && arrival != ready);
        ready = std::max(ready, arrival);
        op.from[op.inputs++] = wire;
      }
      if (op.inputs == 0) continue;
      DatapathPlan& plan = plans_[flow];
      plan.skewed = plan.skewed || skewed;
      const std::uint32_t cycles = timing_.registered[e] == 0 ? 0 : op.inputs == 2 ? timing_.reduce_cycles : 1;
      const std::uint16_t wire = add_wire(flow, channels_.of({e, o}), ready + cycles, cycles);
      // The second output of a copy belongs to the operation of the first.
      const bool copy = uswitch_setting.distribute && copied != nullptr;
      if (!copy) plan.ops.push_back(op);
      DatapathOp& target = plan.ops.back();
      target.to[target.outputs++] = wire;
      copied = &target;
    }
  }

  std::vector<DatapathPlan> finish(const Interconnect& net) {
    for (std::uint32_t port = 0; port < net.outputs.size(); ++port) {
      const std::uint32_t channel = channels_.of(net.outputs[port]);
      const int flow = flow_of_[channel];
      if (flow < 0) continue;
      DatapathPlan& plan = plans_[flow];
      plan.outputs.push_back(static_cast<std::uint8_t>(port));
      plan.out_wires.push_back(wire_of_[channel]);
      const std::uint32_t arrival = arrival_[flow][wire_of_[channel]];
      plan.depth = std::max(plan.depth, arrival);
    }
    // Wires lead to higher elements, so backwards each consumer comes before its producer.
    for (DatapathPlan& plan : plans_) std::reverse(plan.ops.begin(), plan.ops.end());
    return std::move(plans_);
  }

 private:
  std::uint16_t add_wire(int flow, std::uint32_t channel, std::uint32_t arrival, std::uint32_t registers) {
    DatapathPlan& plan = plans_[flow];
    const auto wire = static_cast<std::uint16_t>(plan.registers.size());
    plan.registers.push_back(static_cast<std::uint8_t>(registers));
    arrival_[flow].push_back(arrival);
    if (registers > 0) plan.uses.push_back({channel, arrival - 1});
    if (registers == 0 && channel >= ports_) plan.uses.push_back({channel, arrival});
    flow_of_[channel] = flow;
    wire_of_[channel] = wire;
    return wire;
  }

  ChannelNumbers channels_;
  std::uint32_t ports_;
  const StageTiming& timing_;
  std::vector<int> flow_of_;            ///< by channel
  std::vector<std::uint16_t> wire_of_;  ///< by channel
  std::vector<DatapathPlan> plans_;
  std::vector<std::vector<std::uint32_t>> arrival_;  ///< by flow and wire: first step in which its end shows a beat
};

}  // namespace

std::vector<DatapathPlan> make_datapath_plans(const Interconnect& net, const FlowSet& flows,
                                              const SwitchSetting& setting, const StageTiming& timing) {
  Planner planner(net, flows, timing);
  for (std::uint32_t e = 0; e < net.elements.size(); ++e) planner.element(net, e, setting[e]);
  return planner.finish(net);
}

DatapathPlan make_unicast_plan(const Interconnect& net, PortId input, PortId output, const std::vector<Terminal>& pins,
                               const StageTiming& timing) {
  const ChannelNumbers channels(net);
  DatapathPlan plan;
  plan.inputs = {index(input)};
  plan.outputs = {index(output)};
  plan.registers.push_back(0);
  for (const Terminal pin : pins) {
    const auto wire = static_cast<std::uint16_t>(plan.registers.size());
    DatapathOp op;
    op.element = pin.element;
    op.inputs = op.outputs = 1;
    op.from[0] = static_cast<std::uint16_t>(wire - 1);
    op.to[0] = wire;
    plan.ops.push_back(op);
    plan.registers.push_back(timing.registered[pin.element]);
    plan.uses.push_back({channels.of(pin), plan.depth});
    plan.depth += timing.registered[pin.element];
  }
  std::reverse(plan.ops.begin(), plan.ops.end());
  plan.out_wires = {static_cast<std::uint16_t>(pins.size())};
  return plan;
}

}  // namespace weft::fred
