// SPDX-License-Identifier: Apache-2.0
#include "tests/router/support/region_harness.h"

#include <algorithm>
#include <stdexcept>

namespace weft::router::test {
namespace {

/// Takes what `by_time` holds for `now` and gives it to `use`.
template <typename Event, typename Use>
void take(std::multimap<Cycle, Event>& by_time, Cycle now, Use use) {
  const auto [first, last] = by_time.equal_range(now);
  for (auto entry = first; entry != last; ++entry) use(entry->second);
  by_time.erase(first, last);
}

}  // namespace

/// One region with the network interfaces at its local ports.
class RegionHarness::Part : public LocalSide, public BorderSide {
 public:
  Part(RegionHarness& harness, const RegionParameters& parameters) : harness_(harness) {
    region_ = Region::create(parameters);
    region_->connect(this, this, &pool_, nullptr);
  }

  Region& region() { return *region_; }
  PacketPool& pool() { return pool_; }
  std::uint32_t router_of(NodeId node) const { return region_->router_at(harness_.grid_.coordinates(node)); }
  bool busy() const {
    return region_->flits_inside() > 0 || !sink_credits_.empty() || region_->next_work(harness_.now_ - 1) != kNever;
  }

  void start_cycle(Cycle now) {
    take(source_credits_, now,
         [this](const Credit& credit) { ++harness_.source(node(credit.router)).credits[index(credit.vc)]; });
    take(sink_credits_, now, [this, now](const Credit& credit) {
      region_->return_credit(credit.router, credit.vc, now + 1 + harness_.fabric_.local.latency_cycles);
    });
    take(releases_, now, [this](PacketIndex packet) { pool_.release(packet); });
  }
  /// Hands what left the region in cycle `now` to the other regions.
  void cross_borders(Cycle now) {
    for (const Crossing& crossing : crossings_) {
      Coordinates there;
      const PortId port{static_cast<std::uint8_t>(crossing.port % kMeshPorts)};
      harness_.grid_.neighbour(region_->coordinates_of(crossing.port / kMeshPorts), port, &there);
      Part& other = harness_.part_of(harness_.grid_.node(there));
      const std::uint32_t entry = other.region_->router_at(there) * kMeshPorts + index(opposite(port));
      if (crossing.is_credit) {
        other.region_->receive_credit(entry, crossing.flit.vc, now, crossing.at);
      } else {
        other.region_->receive_flit(entry, crossing.flit, now, crossing.at);
      }
    }
    crossings_.clear();
  }

  void eject(std::uint32_t router, VcId vc, Flit flit, Cycle at) override {
    const Packet& packet = pool_[flit.packet()];
    harness_.arrived_[node(router)].push_back({packet.src, packet.sequence, flit.head(), flit.tail(), vc, at});
    sink_credits_.emplace(at, Credit{router, vc});
    if (flit.tail()) releases_.emplace(at, flit.packet());
  }
  void credit(std::uint32_t router, VcId vc, Cycle at) override { source_credits_.emplace(at, Credit{router, vc}); }
  void send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) override {
    crossings_.push_back({port, flit, at, false});
  }
  void send_credit(std::uint32_t port, VcId vc, Cycle at) override {
    FlitTransfer credit;
    credit.vc = vc;
    crossings_.push_back({port, credit, at, true});
  }

 private:
  struct Credit {
    std::uint32_t router;
    VcId vc;
  };
  struct Crossing {
    std::uint32_t port;
    FlitTransfer flit;
    Cycle at;
    bool is_credit;
  };

  NodeId node(std::uint32_t router) const { return harness_.grid_.node(region_->coordinates_of(router)); }

  RegionHarness& harness_;
  PacketPool pool_;
  std::unique_ptr<Region> region_;
  std::multimap<Cycle, Credit> sink_credits_;    ///< by the cycle in which the sink takes the flit
  std::multimap<Cycle, Credit> source_credits_;  ///< by the cycle in which the source receives it
  std::multimap<Cycle, PacketIndex> releases_;
  std::vector<Crossing> crossings_;
};

RegionHarness::RegionHarness(const FabricSpec& fabric, const Execution& execution) : fabric_(fabric), grid_(fabric) {
  int first_row = 0;
  for (int part = 0; part < execution.parts; ++part) {
    const int end_row = fabric.size_y * (part + 1) / execution.parts;
    RegionParameters parameters{fabric_, {0, first_row, fabric.size_x, end_row - first_row}};
    parameters.sleep = execution.sleep;
    parameters.shuffle = execution.shuffle;
    parameters.colours = execution.colours;
    parameters.multicast = execution.multicast;
    parameters.message_classes = execution.message_classes;
    parts_.push_back(std::make_unique<Part>(*this, parameters));
    for (; first_row < end_row; ++first_row) part_of_row_.push_back(part);
  }
}

RegionHarness::~RegionHarness() = default;

RegionHarness::Source& RegionHarness::source(NodeId node) {
  Source& source = sources_[node];
  if (source.credits.empty()) {
    source.credits.assign(kFirstColourVc + kMostColours, fabric_.router.buffer_flits);
  }
  return source;
}

void RegionHarness::send(NodeId src, NodeId dst, std::uint32_t flits, int vc, Cycle start) {
  Packet packet;
  packet.src = src;
  packet.dst = dst;
  packet.flits = flits;
  enqueue(packet, vc, start);
}

void RegionHarness::send_multicast(NodeId src, std::uint32_t flits, int vc, Cycle start, std::uint8_t message_class) {
  Packet packet;
  packet.src = src;
  packet.flits = flits;
  packet.follows_route = true;
  packet.message_class = message_class;
  enqueue(packet, vc, start);
}

void RegionHarness::enqueue(Packet packet, int vc, Cycle start) {
  PacketPool& pool = part_of(packet.src).pool();
  Source& sender = source(packet.src);
  packet.sequence = sender.sequence++;
  const PacketIndex id = pool.allocate();
  pool[id] = packet;
  sender.queue.push_back({id, packet.flits, packet.flits, vc, start});
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
  Part& part = part_of(node);
  part.region().inject(part.router_of(node), VcId(static_cast<std::uint8_t>(packet.vc)),
                       Flit(packet.packet, head, packet.left == 0), now_ + 1 + fabric_.local.latency_cycles);
  if (packet.left == 0) source.queue.pop_front();
}

void RegionHarness::step() {
  for (const auto& part : parts_) part->start_cycle(now_);
  for (auto& [node, source] : sources_) send_flit(node, source);
  for (const auto& part : parts_) part->region().step(now_);
  for (const auto& part : parts_) part->cross_borders(now_);
  ++now_;
}

void RegionHarness::run_to(Cycle end) {
  while (now_ < end) step();
}

bool RegionHarness::busy() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->busy(); }) ||
         std::any_of(sources_.begin(), sources_.end(), [](const auto& entry) { return !entry.second.queue.empty(); });
}

void RegionHarness::run_empty(Cycle limit) {
  do {
    if (now_ >= limit) throw std::runtime_error("the fabric is not empty after the limit");
    step();
  } while (busy());
  require_empty();
}

void RegionHarness::require_empty() const {
  for (const auto& part : parts_) part->region().require_empty();
}

LinkValues RegionHarness::link_values(NodeId node, PortId port) {
  Part& part = part_of(node);
  part.region().finish_statistics(now_);
  return part.region().link_values(part.router_of(node), port);
}

Region& RegionHarness::region() { return parts_.front()->region(); }

std::uint64_t RegionHarness::state_hash() const {
  std::uint64_t sum = 0;
  for (const auto& part : parts_) sum += part->region().state_hash(now_ - 1);
  return sum;
}

}  // namespace weft::router::test
