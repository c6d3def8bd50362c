// SPDX-License-Identifier: Apache-2.0
// The state of a group of chiplets for comparing it with itself a period before. Only packets that go as trains take
// part.
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "base/state_form.h"
#include "switch/fabric/chiplet_group.h"

namespace weft::fred {

const char* ChipletGroup::why_not() const {
  if (trains_) return nullptr;
  if (repairs()) return "links that repair losses do not take part yet";
  if (parameters_.values) return "flows of FRED switches carry data";
  return "FRED switches through which flits go one by one do not take part yet";
}

void ChipletGroup::put_state(StateForm& form) {
  if (const char* reason = why_not()) return form.refuse(reason);
  form.time(settled_);
  form.time_ahead(last_event_);
  for (const auto& slots : slots_) {
    form.same(slots.size());
    for (const std::uint32_t slot : slots) form.same(slot);
  }
  for (std::uint32_t chiplet = first_; chiplet < end() && !form.failed(); ++chiplet) {
    if (has(chiplet)) put_chiplet(form, chiplet);
  }
  for (std::uint32_t number = 0; number < ports_.size(); ++number) put_port(form, number);
  if (form.failed()) return;
  const auto port_of = [](const TrainArrival& arrival) { return arrival.port; };
  train_arrivals_.put_state(form, port_of, [&](TrainArrival& arrival) {
    form.same(std::uint64_t{arrival.port} << 8 | arrival.traffic_class);
    put_packet(form, arrival.packet);
    arrival.arrivals.put_state(form);
  });
  form.grows(flits_moved_);
}

void ChipletGroup::put_chiplet(StateForm& form, std::uint32_t chiplet) {
  const std::uint32_t number = chiplet - first_;
  trains_at(chiplet).put_state(form, [&](std::uint32_t packet) {
    put_packet(form, packet);
    return match_of((*pool_)[packet]);
  });
  const Stalled& stalled = stalled_[number];
  const bool awake = (awake_[number / 64] >> number % 64 & 1) != 0;
  form.same(std::uint64_t{awake} << 2 | std::uint64_t{stalled.any} << 1 | std::uint64_t{stalled.for_credits});
  form.time_ahead(train_work_[number]);
}

void ChipletGroup::put_port(StateForm& form, std::uint32_t number) {
  PortCounters& counters = ports_[number].counters;
  form.grows(counters.flits);
  form.grows(counters.packets);
  form.past(counters.last_sent);
  form.same(static_cast<std::uint64_t>(stalls_noted_[number]));
  stall_clocks_[number].put_state(form);
  QueueRing<FlitTrain>& leaving = leaving_[number];
  form.same(leaving.size());
  for (std::size_t i = 0; i < leaving.size(); ++i) leaving[i].put_state(form);
}

/// Gives a packet, and what decides where it goes beside its destination.
void ChipletGroup::put_packet(StateForm& form, PacketIndex index) {
  form.packet(*pool_, index);
  const Packet& packet = (*pool_)[index];
  if (packet.switch_flow != kNoFlow) {
    put_flow(form, packet.switch_flow, packet.tag, packet.offset);
  } else {
    put_next_sequence(form, packet.sequence);
  }
}

/// See setting_of. Where a flow has stripes, all of its packets that are on their way or wait to be formed have tags
/// that stay the same, so that the stripe depends on the offset alone; the number that it comes from must not begin
/// anew at 0.
void ChipletGroup::put_flow(StateForm& form, std::uint32_t flow, std::uint64_t tag, std::uint64_t offset) {
  const std::uint64_t stripes = compiler_.flow(flow).stripes.size();
  if (form.is_steady()) {
    // Operands that are on their way and those that follow have to meet in the same plane and stripe.
    if (!form.is_of_stream(tag)) return form.refuse("flows of collectives are not moved on at steady rates yet");
    if (stripes > 1) return form.refuse("flows with several stripes are not moved on at steady rates");
  }
  form.same(flow);
  if (stripes > 1) {
    if (mix64(tag) >> 48 == 0xffff) return form.refuse("the stripes of a message begin anew within it");
    form.same(tag);
    form.same(offset / parameters_.packet_bytes % (static_cast<std::uint64_t>(topology_.planes()) * stripes));
  }
}

/// See unicast_output: what comes from above takes the links of a child round-robin.
void ChipletGroup::put_next_sequence(StateForm& form, std::uint32_t sequence) {
  std::uint64_t links = 1;
  for (const LevelShape& level : topology_.levels()) {
    links = std::lcm(links, static_cast<std::uint64_t>(std::max(level.links_per_child, 1)));
  }
  form.same(sequence % links);
}

}  // namespace weft::fred
