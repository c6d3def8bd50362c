// SPDX-License-Identifier: Apache-2.0
#include "tests/router/support/region_harness.h"

#include <algorithm>
#include <stdexcept>

namespace weft::router::test {

RegionHarness::RegionHarness(const FabricSpec& fabric, VisitOrder order) : fabric_(fabric) {
  RegionParameters parameters{fabric_, {0, 0, fabric_.size_x, fabric_.size_y}};
  parameters.sleep = order.sleep;
  parameters.shuffle = order.shuffle;
  region_ = Region::create(parameters);
  region_->connect(this, nullptr, &pool_, nullptr);
}

RegionHarness::Source& RegionHarness::source(NodeId node) {
  Source& source = sources_[node];
  if (source.credits.empty())
    source.credits.assign(static_cast<std::size_t>(fabric_.router.vcs), fabric_.router.buffer_flits);
  return source;
}

void RegionHarness::send(NodeId src, NodeId dst, std::uint32_t flits, int vc, Cycle start) {
  const PacketIndex id = pool_.allocate();
  Packet& packet = pool_[id];
  packet.src = src;
  packet.dst = dst;
  packet.flits = flits;
  packet.sequence = source(src).sequence++;
  source(src).queue.push_back({id, flits, flits, vc, start});
}

void RegionHarness::send_flit(NodeId node, Source& source) {
  if (source.queue.empty()) return;
  Waiting& packet = source.queue.front();
  int& credits = source.credits[static_cast<std::size_t>(packet.vc)];
  if (packet.start > now_ || credits == 0) return;
  --credits;
  const bool head = packet.left == packet.flits;
  if (head) source.sent.push_back(now_);
  --packet.left;
  region_->inject(index(node), VcId(static_cast<std::uint8_t>(packet.vc)), Flit(packet.packet, head, packet.left == 0),
                  now_ + 1 + fabric_.local.latency_cycles);
  if (packet.left == 0) source.queue.pop_front();
}

void RegionHarness::step() {
  const auto take = [this](auto& by_cycle, auto use) {
    const auto [first, last] = by_cycle.equal_range(now_);
    for (auto entry = first; entry != last; ++entry) use(entry->second);
    by_cycle.erase(first, last);
  };
  take(source_credits_, [this](const Return& back) { ++source(NodeId{back.node}).credits[index(back.vc)]; });
  take(sink_credits_, [this](const Return& back) {
    region_->return_credit(back.node, back.vc, now_ + 1 + fabric_.local.latency_cycles);
  });
  take(releases_, [this](const Tail& tail) { pool_.release(tail.packet); });
  for (auto& [node, source] : sources_) send_flit(node, source);
  region_->step(now_);
  ++now_;
}

void RegionHarness::run_to(Cycle end) {
  while (now_ < end) step();
}

void RegionHarness::run_empty(Cycle limit) {
  const auto busy = [this] {
    return region_->flits_inside() > 0 || !sink_credits_.empty() || region_->next_work(now_ - 1) != kNever ||
           std::any_of(sources_.begin(), sources_.end(), [](const auto& entry) { return !entry.second.queue.empty(); });
  };
  do {
    if (now_ >= limit) throw std::runtime_error("the fabric is not empty after the limit");
    step();
  } while (busy());
  region_->require_empty();
}

void RegionHarness::eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) {
  const Packet& packet = pool_[flit.packet()];
  arrived_[NodeId{node}].push_back({packet.src, packet.sequence, flit.head(), flit.tail(), vc, at});
  sink_credits_.emplace(at, Return{node, vc});
  if (flit.tail()) releases_.emplace(at, Tail{flit.packet()});
}

void RegionHarness::credit(std::uint32_t node, VcId vc, Cycle at) { source_credits_.emplace(at, Return{node, vc}); }

}  // namespace weft::router::test
