// SPDX-License-Identifier: Apache-2.0
// Why the output ports of a switch carry nothing, from what waits at the heads of its input buffers.
#pragma once

#include <algorithm>
#include <vector>

#include "base/probe.h"
#include "switch/network/setting_store.h"
#include "switch/network/switch_model.h"

namespace weft::fred {

/// Gives `reasons`, by output port, those of the packets that have not started. `next_head(port, traffic_class)` is the
/// head of the next one of an input buffer or null, `credits(port, traffic_class)` those of an output. Of a flow that
/// is copied, all outputs wait for the credits of each. `each_waiting(traffic_class, visit)` calls `visit(port)` for
/// all ports that may have a next head.
template <typename NextHead, typename Credits, typename EachWaiting>
void find_stall_reasons(const SwitchSpec& spec, const SettingStore& store, const NextHead& next_head,
                        const Credits& credits, const EachWaiting& each_waiting, std::vector<StallReason>* reasons) {
  const auto ports = static_cast<std::uint32_t>(spec.ports);
  reasons->assign(ports, StallReason::kNone);
  const auto note = [&](std::uint32_t port, StallReason reason) {
    StallReason& shown = (*reasons)[port];
    if (shown == StallReason::kNone || reason < shown) shown = reason;
  };
  const auto without_credit = [&](std::uint32_t port, std::uint32_t traffic_class, const PortFlit& head) {
    return credits(port, traffic_class) < (spec.flow_control == PortFlowControl::kWormhole ? 1U : head.packet_flits);
  };
  const auto note_unicast = [&](std::uint32_t traffic_class, const PortFlit& head) {
    const bool any = head.output == kAnyUplink;
    const std::uint32_t first = any ? static_cast<std::uint32_t>(spec.first_uplink) : head.output;
    const std::uint32_t count = any ? static_cast<std::uint32_t>(spec.uplinks) : 1;
    for (std::uint32_t port = first; port < first + count; ++port) {
      note(port, without_credit(port, traffic_class, head) ? StallReason::kNoCredit : StallReason::kLostArbitration);
    }
  };
  const auto note_flow = [&](std::uint32_t input, std::uint32_t traffic_class, const PortFlit& head) {
    const StoredSetting& stored = store[head.setting];
    const Flow& flow = stored.flows[static_cast<std::size_t>(stored.flow_of_input[input])];
    const auto is_here = [&](PortId other) {
      const PortFlit* const operand = next_head(index(other), traffic_class);
      return operand != nullptr && operand->setting == head.setting && operand->match == head.match;
    };
    // The first operand speaks for all, if it is here.
    const bool first = index(flow.inputs.front()) == input;
    if (!first && is_here(flow.inputs.front())) return;
    const bool here = first && std::all_of(flow.inputs.begin() + 1, flow.inputs.end(), is_here);
    const bool open = std::none_of(flow.outputs.begin(), flow.outputs.end(),
                                   [&](PortId output) { return without_credit(index(output), traffic_class, head); });
    const StallReason reason = !here  ? StallReason::kWaitingOperand
                               : open ? StallReason::kLostArbitration
                                      : StallReason::kNoCredit;
    for (const PortId output : flow.outputs) note(index(output), reason);
  };
  for (std::uint32_t traffic_class = 0; traffic_class < static_cast<std::uint32_t>(spec.traffic_classes);
       ++traffic_class) {
    each_waiting(traffic_class, [&](std::uint32_t port) {
      const PortFlit* const head = next_head(port, traffic_class);
      if (head == nullptr) return;
      head->setting == kUnicasts ? note_unicast(traffic_class, *head) : note_flow(port, traffic_class, *head);
    });
  }
}

template <typename NextHead, typename Credits>
void find_stall_reasons(const SwitchSpec& spec, const SettingStore& store, const NextHead& next_head,
                        const Credits& credits, std::vector<StallReason>* reasons) {
  const auto all = [&](std::uint32_t, const auto& visit) {
    for (int port = 0; port < spec.ports; ++port) visit(static_cast<std::uint32_t>(port));
  };
  find_stall_reasons(spec, store, next_head, credits, all, reasons);
}

}  // namespace weft::fred
