// SPDX-License-Identifier: Apache-2.0
// What chiplets tell the recorder of waves.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/error.h"
#include "switch/fabric/chiplet_group.h"

namespace weft::fred {

void ChipletGroup::connect_probe(FabricProbe* probe) {
  probe_ = probe;
  if (probe == nullptr) return;
  reported_.assign(switches_.size(), SwitchModel::kNothing);
  traffic_classes_.resize(switches_.size());
  for (const Port& port : ports_) {
    const bool wanted =
        port.peer.kind != PortPeer::kNothing && probe->wants_stalls(topology_.link_of(port.chiplet, port.number));
    stalls_wanted_.push_back(wanted ? 1 : 0);
    notes_stalls_ = notes_stalls_ || wanted;
  }
}

/// A step in which RTL and model differ shows what led to that.
void ChipletGroup::step_and_report(std::uint32_t chiplet, Cycle now) {
  try {
    switch_at(chiplet).step(now);
  } catch (const ViolationError&) {
    if (wire_probe_ != nullptr && switch_at(chiplet).wires() != nullptr) {
      report_wires(chiplet, now);
      report_last_flits(chiplet, now);
    }
    throw;
  }
  report_state(chiplet, now);
  if (wire_probe_ != nullptr) report_wires(chiplet, now);
}

/// What leaves in a step after which nothing goes on.
void ChipletGroup::report_last_flits(std::uint32_t chiplet, Cycle now) {
  const SwitchModel& fred = switch_at(chiplet);
  for (const SentFlit& sent : fred.sent()) {
    const PacketIdentity* const packet = packet_names_[chiplet - first_].find(sent.flit.packet);
    if (packet == nullptr) continue;
    probe_->flit_sent(now, topology_.link_of(chiplet, index(sent.port)), VcId{sent.flit.traffic_class}, *packet,
                      sent.flit.head, sent.flit.tail,
                      static_cast<int>(fred.credits(sent.port, sent.flit.traffic_class)));
  }
}

/// Which setting is active, where that has changed.
void ChipletGroup::report_state(std::uint32_t chiplet, Cycle now) {
  const SwitchModel& fred = switch_at(chiplet);
  const std::uint32_t active = fred.active_setting();
  std::uint32_t& reported = reported_[chiplet - first_];
  if (active == reported) return;
  reported = active;
  NodeActivity activity;
  activity.setting = active;
  activity.text = "unicasts";
  if (active != kUnicasts) {
    static constexpr const char* kPhases[] = {"mp", "pp", "dp", "control"};
    const auto& traffic_classes = traffic_classes_[chiplet - first_];
    if (active < traffic_classes.size()) activity.phase = kPhases[traffic_classes[active]];
    for (const Flow& flow : fred.settings()[active].flows) {
      activity.flow += (activity.flow.empty() ? "" : " ") + flow.name;
    }
    activity.text = fmt::format("stored setting {}: {}", active, activity.flow);
  }
  probe_->node_activity(now, NodeId{topology_.nodes() + chiplet}, activity);
}

/// Why the chiplet's outputs carry nothing, where that has changed.
void ChipletGroup::note_stalls(std::uint32_t chiplet, Cycle now) {
  const SwitchModel& fred = switch_at(chiplet);
  Stalled& stalled = stalled_[chiplet - first_];
  if (!fred.stalls_may_differ(stalled.any, stalled.for_credits) || !fred.stalls(&stalls_now_)) return;
  const std::uint32_t first = first_port(chiplet);
  StallReason* const noted = &stalls_noted_[first];
  if (std::memcmp(stalls_now_.data(), noted, stalls_now_.size()) == 0) return;
  stalled = Stalled{};
  for (std::uint32_t i = 0; i < stalls_now_.size(); ++i) {
    const StallReason reason = stalls_now_[i];
    stalled.any |= reason != StallReason::kNone;
    stalled.for_credits |= reason == StallReason::kNoCredit;
    if (reason == noted[i]) continue;
    noted[i] = reason;
    if (trains_) settle_port(first + i, now);
    stall_clocks_[first + i].set(now, reason);
    if (probe_ == nullptr || stalls_wanted_[first + i] == 0) continue;
    probe_->link_stalled(now, topology_.link_of(chiplet, ports_[first + i].number), reason);
  }
}

LinkValues ChipletGroup::link_values(std::uint32_t port) const {
  std::vector<StallReason> reasons;
  if (!fabric_.statistics || !switch_at(ports_[port].chiplet).stalls(&reasons)) return {};
  return stall_clocks_[port].values();
}

void ChipletGroup::finish_stalls(Cycle end) {
  for (StallClock& stalls : stall_clocks_) stalls.finish(end);
}

void ChipletGroup::show_wires(UswitchProbe* probe) {
  wire_probe_ = probe;
  if (probe != nullptr) packet_names_.resize(switches_.size());
}

/// What is on the wires, where somebody watches them.
void ChipletGroup::report_wires(std::uint32_t chiplet, Cycle now) {
  const SwitchModel& fred = switch_at(chiplet);
  const WireWatch* const watch = fred.wires();
  if (watch == nullptr) return;
  PacketNames& names = packet_names_[chiplet - first_];
  for (std::size_t port = 0; port < static_cast<std::size_t>(fred.spec().ports); ++port) {
    const WireSample& wire = watch->wires()[port];
    if (wire.valid && wire.head) names.enter(wire.packet);
  }
  wire_probe_->wires(now, chiplet, fred, names);
}

}  // namespace weft::fred
