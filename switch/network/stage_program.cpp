// SPDX-License-Identifier: Apache-2.0
#include "switch/network/stage_program.h"

#include "kernel/error.h"

namespace weft::fred {

ChannelNumbers::ChannelNumbers(const Interconnect& net) : count_(static_cast<std::uint32_t>(net.ports)) {
  for (const Element& element : net.elements) {
    first_.push_back(count_);
    count_ += static_cast<std::uint32_t>(element.sinks.size());
  }
}

StageProgram make_stage_program(const Interconnect& net, const Configuration& configuration) {
  const ChannelNumbers channels(net);
  StageProgram program;
  std::vector<bool> carries(channels.count(), false);
  for (std::uint32_t e = 0; e < net.elements.size(); ++e) {
    const Element& element = net.elements[e];
    for (std::uint32_t o = 0; o < element.sinks.size(); ++o) {
      StageOp op;
      op.element = e;
      for (std::uint32_t i = 0; i < element.sources.size(); ++i) {
        if (!feeds(element.kind, configuration[e], i, o)) continue;
        WEFT_CHECK(op.inputs < 2, "three inputs of one uSwitch lead to one output");
        op.from[op.inputs++] = channels.of(element.sources[i]);
      }
      if (op.inputs == 0) continue;
      carries[channels.of({e, o})] = true;
      StageOp* last = program.ops.empty() ? nullptr : &program.ops.back();
      const bool copy = configuration[e].distribute && last != nullptr && last->element == e;
      if (!copy) program.ops.push_back(op);
      StageOp& target = program.ops.back();
      target.to[target.outputs++] = channels.of({e, o});
    }
  }
  // Wires lead to higher elements, so backwards each consumer comes before its producer.
  program.ops = {program.ops.rbegin(), program.ops.rend()};
  for (std::uint32_t port = 0; port < net.outputs.size(); ++port) {
    const std::uint32_t channel = channels.of(net.outputs[port]);
    if (carries[channel]) program.sinks.push_back({port, channel});
  }
  return program;
}

}  // namespace weft::fred
