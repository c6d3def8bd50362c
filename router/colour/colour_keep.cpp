// SPDX-License-Identifier: Apache-2.0
// The state of the colours of a region in a checkpoint.
#include "base/checkpoint.h"
#include "router/colour/colour_plane.h"

namespace weft::router {

void ColourPlane::keep(Checkpoint& checkpoint) {
  if (around_.data != nullptr) Checkpoint::refuse("packets carry data");
  checkpoint.section("set-up routes");
  checkpoint.all(stops_, [&](Stop& stop) { keep(checkpoint, stop); });
  checkpoint.all(routers_, [&](RouterEntry& entry) {
    checkpoint.values(entry.next, entry.claimed, entry.queued, entry.lost, entry.merging, entry.held);
  });
  const auto arrival = [&](FlitArrival& flit) { checkpoint.values(flit.stop, flit.flit, flit.port); };
  arriving_.keep(checkpoint, arrival);
  turning_.keep(checkpoint, arrival);
  credits_.keep(checkpoint, [&](CreditArrival& credit) { checkpoint.values(credit.stop, credit.port); });
  checkpoint.list(to_visit_);
  checkpoint.list(visiting_);
  checkpoint.list(claimed_);
  checkpoint.hashed(border_packets_, [&](PacketIndex& packet) { checkpoint.values(packet); });
  checkpoint.hashed(copies_, [&](PacketIndex& packet) { checkpoint.values(packet); });
}

void ColourPlane::keep(Checkpoint& checkpoint, Stop& stop) {
  checkpoint.values(stop.position, stop.messages_left, stop.messages_ahead, stop.blocked);
  for (std::uint8_t port = 0; port < kMeshPorts; ++port) {
    stop.credits[port].keep(checkpoint);
    if (stop.queue_of[port] == kNoQueue) continue;
    Queue& queue = stop.queues[port];
    checkpoint.values(queue.first, queue.flits, queue.ready, queue.ahead, queue.early);
    for (unsigned i = 0; i < queue.flits; ++i) checkpoint.values(slot(stop, port, queue.slot(i, depth_)));
  }
  if (stop.merger == kNoStop) return;
  Merger& merger = mergers_[stop.merger];
  checkpoint.values(merger.messages_in);
  checkpoint.all(merger.stages, [&](QueueRing<Merged>& stage) {
    checkpoint.queue(stage, [&](Merged& merged) { checkpoint.values(merged.flit, merged.at); });
  });
}

}  // namespace weft::router
