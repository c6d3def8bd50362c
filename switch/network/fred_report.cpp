// SPDX-License-Identifier: Apache-2.0
// What a FRED switch tells of itself: counts, its state, and who waits for whom.
#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"
#include "switch/network/fred_switch.h"
#include "switch/network/stall_reasons.h"

namespace weft::fred {

void FredSwitch::require_empty() const {
  WEFT_CHECK(!busy(), net_.name() + ": flits are left inside");
  WEFT_CHECK(pool_.in_use() == 0, net_.name() + ": data is left inside");
  for (std::size_t at = 0; at < credits_.size(); ++at) {
    const auto classes = static_cast<std::size_t>(spec_.traffic_classes);
    const auto vc = static_cast<int>(at % classes);
    const std::uint32_t all = spec_.credits_of(at / classes, vc);
    WEFT_CHECK(credits_[at] == all, fmt::format("{}: output port {} lacks credits of traffic class {}: {} of {}",
                                                net_.name(), at / classes, vc, credits_[at], all));
  }
}

std::uint64_t FredSwitch::state_hash(Cycle now) const {
  std::uint64_t hash = active_;
  const auto add = [&hash](std::uint64_t value) { hash = mix64(hash ^ value) + 0x9e3779b97f4a7c15ULL; };
  add(open_from_ > now ? open_from_ - now : 0);
  add(loaded_from_ > now ? loaded_from_ - now : 0);
  for (const std::uint32_t resident : store_.residents()) add(resident);
  add(drained_ > now ? drained_ - now : 0);
  add(started_since_load_);
  add(next_port_);
  add(next_uplink_);
  for (const PortId port : serve_order_) add(index(port));
  add(std::uint64_t{dirty_} << 1 | std::uint64_t{timed_});
  for (const PortBuffer& each : buffers_) add(each.state());
  for (const std::uint32_t credits : credits_) add(credits);
  for (const OutputPort& output : outputs_) add(output.state(now));
  for (const Stream& stream : streams_) {
    add(stream.datapath == nullptr
            ? 0
            : std::uint64_t{stream.flits_left} << 32 | stream.next_flits << 16 | stream.beat << 4 | stream.vc);
  }
  for (const WireState& wire : wires_) {
    add(wire.busy_until == 0 ? 0 : wire.setting + 1);
    add(wire.busy_until + spec_.reconfigure_cycles > now ? wire.busy_until + spec_.reconfigure_cycles - now : 0);
  }
  for (const Running& running : running_) {
    add(running.tails);
    add(running.datapath->state());
  }
  return hash;
}

// What was counted.

std::uint64_t FredSwitch::uswitch_hops() const {
  std::uint64_t ahead = 0;
  for (const Running& running : running_) ahead += running.datapath->moves_ahead();
  return context_.moves - ahead - train_moves_ahead();
}

std::uint64_t FredSwitch::reductions() const {
  std::uint64_t ahead = 0;
  for (const Running& running : running_) ahead += running.datapath->reductions_ahead();
  return context_.reductions - ahead - train_reductions_ahead();
}

// Who waits.

bool FredSwitch::stalls(std::vector<StallReason>* reasons) const {
  find_stall_reasons(
      spec_, store_, [this](std::uint32_t port, std::uint32_t vc) { return buffer(port, vc).next_head(); },
      [this](std::uint32_t port, std::uint32_t vc) { return credits_seen(slot(port, vc)); },
      [this](std::uint32_t vc, const auto& visit) { waiting_[vc].for_each(visit); }, reasons);
  return true;
}

std::string FredSwitch::waiting_for(const PortFlit& head, std::uint32_t port, std::uint32_t vc) const {
  std::string text;
  if (head.setting == kUnicasts) {
    const std::string to = head.output == kAnyUplink ? "any uplink" : fmt::format("output port {}", head.output);
    text = fmt::format("input port {}: a unicast to {}", port, to);
    if (head.output != kAnyUplink && !output_open(head.output, static_cast<std::uint8_t>(vc), head.packet_flits)) {
      text += fmt::format(", has {} of {} credits there", credits_[slot(head.output, vc)], head.packet_flits);
    }
    return text;
  }
  const StoredSetting& stored = store_[head.setting];
  const Flow& flow = stored.flows[stored.flow_of_input[port]];
  text = fmt::format("input port {}: flow '{}' of stored setting {}", port, flow.name, head.setting);
  for (const PortId other : flow.inputs) {
    const PortFlit* operand = buffer(index(other), vc).next_head();
    if (operand == nullptr || operand->setting != head.setting) {
      text += fmt::format(", waits for a packet at input port {} (uSwitch {})", index(other),
                          net_.elements[net_.inputs[index(other)].element].path);
    }
  }
  for (const PortId output : flow.outputs) {
    const std::uint32_t credits = credits_[slot(index(output), vc)];
    if (credits < head.packet_flits) {
      text += fmt::format(", has {} of {} credits at output port {}", credits, head.packet_flits, index(output));
    }
  }
  if (head.setting != active_) text += ", is not loaded";
  return text;
}

std::vector<std::string> FredSwitch::waiting() const {
  static constexpr const char* kNames[] = {"MP", "PP", "DP", "control"};
  std::vector<std::string> sentences;
  for (std::uint32_t port = 0; port < streams_.size(); ++port) {
    for (int traffic_class = 0; traffic_class < spec_.traffic_classes; ++traffic_class) {
      const auto vc = static_cast<std::uint32_t>(traffic_class);
      const PortBuffer& from = buffer(port, vc);
      if (from.size() == 0) continue;
      const PortFlit* head = from.next_head();
      const std::string of = spec_.traffic_classes > 1 ? fmt::format(" ({})", kNames[vc]) : "";
      if (head == nullptr) {
        sentences.push_back(fmt::format("input port {}: {} of a started packet's flits are still to leave{}", port,
                                        from.started(), of));
        continue;
      }
      sentences.push_back(waiting_for(*head, port, vc) + of);
    }
  }
  return sentences;
}

}  // namespace weft::fred
