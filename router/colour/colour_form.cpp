// SPDX-License-Identifier: Apache-2.0
// The state of the colours of a region for comparing it with itself a period before.
#include "base/state_form.h"
#include "router/border_form.h"
#include "router/colour/colour_plane.h"

namespace weft::router {

void ColourPlane::put_state(StateForm& form) {
  if (around_.data != nullptr) return form.refuse("packets carry data");
  for (Stop& stop : stops_) {
    put_state(form, stop);
    if (form.failed()) return;
  }
  for (const RouterEntry& entry : routers_) {
    form.same(std::uint64_t{entry.next} << 40 | std::uint64_t{entry.claimed} << 32 | std::uint64_t{entry.queued} << 24 |
              std::uint64_t{entry.lost} << 16 | std::uint64_t{entry.merging} << 8 | entry.held);
  }
  const auto stop_and_port = [](const auto& arrival) { return std::uint64_t{arrival.stop} << 8 | arrival.port; };
  const auto arrival = [&](FlitArrival& flit) {
    form.same(stop_and_port(flit));
    form.flit(*around_.pool, flit.flit);
  };
  arriving_.put_state(form, stop_and_port, arrival);
  turning_.put_state(form, stop_and_port, arrival);
  credits_.put_state(form, stop_and_port, [&](const CreditArrival& credit) { form.same(stop_and_port(credit)); });
  form.unordered(to_visit_);
  form.unordered(claimed_);
  put_packets(form, *around_.pool, border_packets_);
  put_packets(form, *around_.pool, copies_);
}

void ColourPlane::put_state(StateForm& form, Stop& stop) {
  form.same(std::uint64_t{stop.position} << 32 | stop.messages_left);
  form.same(std::uint64_t{stop.messages_ahead} << 32 | stop.blocked);
  for (std::uint8_t port = 0; port < kMeshPorts; ++port) {
    form.same(stop.credits[port].left());
    if (stop.queue_of[port] == kNoQueue) continue;
    const Queue& queue = stop.queues[port];
    form.same(std::uint64_t{queue.flits} << 48 | std::uint64_t{queue.ready} << 32 | std::uint64_t{queue.ahead} << 16 |
              queue.early);
    for (unsigned i = 0; i < queue.flits; ++i) form.flit(*around_.pool, slot(stop, port, queue.slot(i, depth_)));
  }
  if (stop.merger == kNoStop) return;
  Merger& merger = mergers_[stop.merger];
  form.same(merger.messages_in);
  for (QueueRing<Merged>& stage : merger.stages) {
    form.same(stage.size());
    for (std::size_t i = 0; i < stage.size(); ++i) {
      form.flit(*around_.pool, stage[i].flit);
      form.time_ahead(stage[i].at);
    }
  }
}

}  // namespace weft::router
