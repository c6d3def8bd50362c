// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/chiplet_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace weft::fred {

ChipletGroup::ChipletGroup(const FabricShared& shared, std::uint32_t first, std::vector<SwitchModel*> switches)
    : fabric_(shared.fabric),
      parameters_(shared.parameters),
      topology_(shared.topology),
      compiler_(shared.compiler),
      first_(first),
      switches_(std::move(switches)),
      slots_(switches_.size()),
      first_used_(switches_.size()),
      awake_(switches_.size() / 64 + 1),
      padded_(shared.fabric.flit_bytes),
      stalled_(switches_.size()) {
  for (std::uint32_t number = first; number < end(); ++number) {
    const auto& peers = description(number).peers;
    first_port_.push_back(static_cast<std::uint32_t>(ports_.size()));
    for (std::size_t p = 0; p < peers.size() && has(number); ++p) {
      Port port;
      port.chiplet = number;
      port.number = static_cast<std::uint8_t>(p);
      port.plane = static_cast<std::uint8_t>(description(number).coordinates.plane);
      port.peer = peers[p];
      port.travel = port.peer.flit_cycles + port.peer.latency;
      ports_.push_back(std::move(port));
    }
  }
  for (Port& port : ports_) {
    if (port.peer.kind != PortPeer::kChiplet) continue;
    port.at_border = !has(port.peer.chiplet);
    if (!port.at_border) port.peer_port = first_port(port.peer.chiplet) + port.peer.port;
  }
  number_nodes();
  notes_stalls_ = fabric_.statistics;
  stall_clocks_.resize(ports_.size());
  stalls_noted_.assign(ports_.size(), StallReason::kNone);
  if (repairs()) make_links();
}

void ChipletGroup::number_nodes() {
  for (const Port& port : ports_) {
    if (port.peer.kind == PortPeer::kNode) nodes_.push_back(NodeId{port.peer.node});
  }
  std::sort(nodes_.begin(), nodes_.end());
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  const auto planes = static_cast<std::size_t>(topology_.planes());
  node_ports_.resize(nodes_.size() * planes);
  for (std::uint32_t p = 0; p < ports_.size(); ++p) {
    PortPeer& peer = ports_[p].peer;
    if (peer.kind != PortPeer::kNode) continue;
    const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), NodeId{peer.node});
    peer.node = static_cast<std::uint32_t>(found - nodes_.begin());
    node_ports_[peer.node * planes + static_cast<std::size_t>(description(ports_[p].chiplet).coordinates.plane)] = p;
  }
}

void ChipletGroup::connect(LocalSide* local, BorderSide* border, PacketPool* pool, PacketData* data,
                           FabricProbe* probe) {
  WEFT_CHECK(data != nullptr || !parameters_.values, "a fabric with values needs to know where packets' data is");
  local_ = local;
  border_ = border;
  pool_ = pool;
  packet_data_ = data;
  connect_probe(probe);
  for (Port& port : ports_) {
    if (port.peer.kind == PortPeer::kNode) port.at_border = local == nullptr;
    WEFT_CHECK(border != nullptr || !port.at_border, "a chiplet's link leads over a border that nobody looks after");
    WEFT_CHECK(!repairs() || !port.at_border, "a link that repairs losses leads over a border");
  }
  if (may_use_trains(local)) use_trains(*local->trains());
}

// ---- time

void ChipletGroup::step(Cycle now) {
  if (trains_) {
    take_trains(now);
  } else {
    take_credits(now);
    take_flits(now);
  }
  if (repairs()) step_links(now);
  for (std::size_t word = 0; word < awake_.size(); ++word) {
    std::uint64_t bits = awake_[word];
    for (; bits != 0; bits &= bits - 1) {
      const auto chiplet = static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(__builtin_ctzll(bits));
      if (!trains_ || train_work_[chiplet] <= now || !parameters_.sleep) step_chiplet(first_ + chiplet, now);
    }
  }
}

void ChipletGroup::take_credits(Cycle now) {
  for (const CreditArrival& credit : credits_.at(now)) {
    const Port& port = ports_[credit.port];
    SwitchModel& fred = switch_at(port.chiplet);
    fred.credit(PortId{port.number}, credit.traffic_class);
    wake(port.chiplet);
    if (probe_ != nullptr) {
      probe_->credit_returned(now, topology_.link_of(port.chiplet, port.number), VcId{credit.traffic_class},
                              static_cast<int>(fred.credits_known(PortId{port.number}, credit.traffic_class)));
    }
  }
  credits_.clear(now);
}

/// Heads that are the first to use a setting come last, by port: the order in which a chiplet stores what it
/// needs is then the same, however the events of this cycle came about.
void ChipletGroup::take_flits(Cycle now) {
  for (const FlitArrival& arrival : flits_.at(now)) {
    if (!deliver(arrival, false)) {
      first_uses_.push_back(arrival);
    } else if (arrival.data != kNoData) {
      free_data_.push_back(arrival.data);
    }
  }
  flits_.clear(now);
  if (first_uses_.empty()) return;
  std::sort(first_uses_.begin(), first_uses_.end(),
            [](const FlitArrival& a, const FlitArrival& b) { return a.port < b.port; });
  for (const FlitArrival& arrival : first_uses_) {
    deliver(arrival, true);
    if (arrival.data != kNoData) free_data_.push_back(arrival.data);
  }
  first_uses_.clear();
}

void ChipletGroup::step_chiplet(std::uint32_t chiplet, Cycle now) {
  SwitchModel& fred = switch_at(chiplet);
  if (probe_ == nullptr) {
    fred.step(now);
  } else {
    step_and_report(chiplet, now);
  }
  if (notes_stalls_) note_stalls(chiplet, now);
  if (trains_) pass_trains(chiplet, now);
  const std::uint32_t first = first_port(chiplet);
  for (const FreedSlot freed : fred.freed()) free_slot(ports_[first + index(freed.port)], freed.traffic_class, now);
  for (const std::uint32_t packet : fred.absorbed()) pool_->release(packet);
  for (const SentFlit& sent : fred.sent()) send(first + index(sent.port), sent, now);
  const std::uint32_t number = chiplet - first_;
  Cycle next = fred.next_work(now);
  if (trains_) {
    // A link that stalls for credits shows it in the cycle in which they come.
    if (stalled_[number].for_credits) next = std::min(next, std::max(now + 1, trains_at(chiplet).next_credit()));
    train_work_[number] = next;
  }
  if (parameters_.sleep && next == kNever) awake_[number / 64] &= ~(std::uint64_t{1} << number % 64);
}

/// Tells the sender of a flit that its slot is free again.
void ChipletGroup::free_slot(const Port& port, std::uint8_t traffic_class, Cycle now) {
  const Cycle at = now + port.peer.latency;
  if (port.at_border) {
    border_->send_credit(static_cast<std::uint32_t>(&port - ports_.data()),
                         traffic_class_vc(TrafficClass(traffic_class)), at);
  } else if (port.peer.kind == PortPeer::kNode) {
    local_->credit(port.peer.node, plane_vc(port.plane, TrafficClass(traffic_class)), at);
  } else {
    credits_.push(at, {port.peer_port, traffic_class});
  }
}

Cycle ChipletGroup::next_work(Cycle now) const {
  Cycle next = std::min({flits_.next_after(now), credits_.next_after(now), train_arrivals_.next_after(now)});
  for (const Cycle work : link_work_) next = std::min(next, work);
  for (std::size_t word = 0; word < awake_.size() && next > now + 1; ++word) {
    for (std::uint64_t bits = awake_[word]; bits != 0; bits &= bits - 1) {
      const std::size_t chiplet = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      next = std::min(next, trains_ ? train_work_[chiplet] : switches_[chiplet]->next_work(now));
    }
  }
  if (trains_) next = std::max(next, now + 1);
  // What passes without steps keeps the clock going to its end.
  if (next == kNever && last_event_ > now) return last_event_;
  return next;
}

// ---- into a chiplet

void ChipletGroup::inject(std::uint32_t port, TrafficClass traffic_class, Flit flit, Cycle at) {
  const FlitArrival arrival{port,        flit.packet(), kNoData, static_cast<std::uint8_t>(traffic_class),
                            flit.head(), flit.tail()};
  if (!repairs()) {
    flits_.push(at, arrival);
    return;
  }
  const PortPeer& peer = ports_[port].peer;
  offer(port, arrival, static_cast<std::uint16_t>((*pool_)[flit.packet()].flits), at - peer.latency - peer.flit_cycles);
}

void ChipletGroup::receive_flit(std::uint32_t port, const FlitTransfer& flit, Cycle now, Cycle at) {
  const auto traffic_class = static_cast<std::uint8_t>(traffic_class_of(flit.vc));
  PacketIndex& packet = ports_[port].receiving[traffic_class].crossing;
  if (flit.head) {
    packet = pool_->allocate();
    (*pool_)[packet] = flit.packet;
  }
  FlitArrival arrival{port, packet, kNoData, traffic_class, flit.head, flit.tail};
  if (flit.data != nullptr) arrival.data = take_data(flit.data);
  flits_.push_checked(now, at, arrival);
}

/// False: it is the first to use a setting that is not stored, and may not store it now. Nothing has happened.
bool ChipletGroup::deliver(const FlitArrival& arrival, bool may_store) {
  Port& port = ports_[arrival.port];
  if (arrival.head && !open_packet(port, arrival, may_store)) return false;
  Receiving& receiving = port.receiving[arrival.traffic_class];
  PortFlit& flit = receiving.head;
  flit.head = arrival.head;
  flit.tail = arrival.tail;
  const std::uint8_t* bytes = nullptr;
  if (parameters_.values && flit.setting != kUnicasts) bytes = operand_bytes(port, arrival);
  ++receiving.flits;
  switch_at(port.chiplet).receive(PortId{port.number}, flit, bytes);
  wake(port.chiplet);
  return true;
}

/// The bytes of a flit: from the sender's packet where it comes from a node, otherwise from the link.
const std::uint8_t* ChipletGroup::operand_bytes(const Port& port, const FlitArrival& arrival) {
  if (arrival.data != kNoData) return &data_[arrival.data * fabric_.flit_bytes];
  Packet& packet = (*pool_)[arrival.packet];
  const std::uint64_t first = port.receiving[arrival.traffic_class].flits * fabric_.flit_bytes;
  const std::uint64_t count = std::min<std::uint64_t>(fabric_.flit_bytes, packet.bytes - first);
  std::fill(padded_.begin(), padded_.end(), 0);
  std::copy_n(packet_data_->bytes(packet) + first, count, padded_.begin());
  if (arrival.tail) packet_data_->read(packet);
  return padded_.data();
}

/// What the head of a packet says to the chiplet that it reaches.
bool ChipletGroup::open_packet(Port& port, const FlitArrival& arrival, bool may_store) {
  Packet& packet = (*pool_)[arrival.packet];
  const bool is_flow = packet.switch_flow != kNoFlow;
  std::uint32_t slot = 0;
  if (is_flow) {
    slot = slot_of(port.chiplet, setting_of(packet), may_store);
    if (slot == 0 && !may_store) return false;
  }
  ++packet.hops;
  Receiving& receiving = port.receiving[arrival.traffic_class];
  receiving.flits = 0;
  PortFlit& head = receiving.head;
  head = PortFlit{};
  head.packet = arrival.packet;
  head.packet_flits = static_cast<std::uint16_t>(packet.flits);
  head.traffic_class = arrival.traffic_class;
  if (wire_probe_ != nullptr) packet_names_[port.chiplet - first_].arrive(head.packet, {packet.src, packet.sequence});
  if (is_flow) {
    route_flow(port, arrival.packet, slot, head);
  } else {
    head.output = unicast_output(port, packet);
  }
  return true;
}

/// Packets of a flow take its stripes round-robin; number and tag are the same at all its senders.
std::uint32_t ChipletGroup::setting_of(const Packet& packet) const {
  const CompiledFlow& flow = compiler_.flow(packet.switch_flow);
  const std::uint64_t position =
      packet.offset / parameters_.packet_bytes / static_cast<std::uint64_t>(topology_.planes()) + mix64(packet.tag);
  return flow.stripes[position % flow.stripes.size()];
}

void ChipletGroup::route_flow(const Port& port, PacketIndex index, std::uint32_t slot, PortFlit& head) {
  const Packet& packet = (*pool_)[index];
  head.setting = slot;
  WEFT_CHECK(slot != 0, fmt::format("{}: flow {} does not pass here", description(port.chiplet).name,
                                    compiler_.flow(packet.switch_flow).name));
  head.match = match_of(packet);
  if (probe_ != nullptr) {
    auto& traffic_classes = traffic_classes_[port.chiplet - first_];
    if (traffic_classes.size() <= slot) traffic_classes.resize(slot + std::size_t{1});
    traffic_classes[slot] = head.traffic_class;
  }
  const StoredSetting& stored = std::as_const(switch_at(port.chiplet)).settings()[slot];
  const int part = stored.flow_of_input[port.number];
  WEFT_CHECK(part >= 0,
             fmt::format("{}: flow {} comes in at port {}, which is no input of it", description(port.chiplet).name,
                         compiler_.flow(packet.switch_flow).name, port.number));
  if (copies_.size() <= index) copies_.resize(index + std::size_t{1});
  copies_[index] = static_cast<std::uint32_t>(stored.flows[static_cast<std::size_t>(part)].outputs.size());
}

/// Index of a setting of the fabric in this chiplet's memory, which is filled when it is first used. 0 = it is
/// not stored, and may not be now or has no part in this chiplet.
std::uint32_t ChipletGroup::slot_of(std::uint32_t chiplet, std::uint32_t setting, bool may_store) {
  auto& slots = slots_[chiplet - first_];
  if (setting < slots.size() && slots[setting] != 0) return slots[setting];
  if (!may_store) return 0;
  if (slots.size() <= setting) slots.resize(setting + std::size_t{1}, 0);
  const FabricSetting& whole = compiler_.setting(setting);
  const std::uint32_t position = topology_.position(chiplet);
  if (whole.flows[position].empty()) return 0;
  SettingStore& store = switch_at(chiplet).settings();
  first_used_[chiplet - first_].push_back(setting);
  slots[setting] = store.share(whole.flows[position]);
  if (slots[setting] == 0) slots[setting] = store.add(whole.flows[position], whole.settings[position]);
  return slots[setting];
}

std::uint8_t ChipletGroup::unicast_output(const Port& port, const Packet& packet) const {
  const Chiplet& chiplet = description(port.chiplet);
  const auto dst = static_cast<std::uint32_t>(packet.dst);
  const int level = chiplet.coordinates.level;
  const int l1 = topology_.group_of(dst);
  const LevelShape& shape = topology_.levels()[static_cast<std::size_t>(level)];
  if (topology_.group_at(level, l1) != chiplet.coordinates.group) {
    const auto uplink = topology_.uplink_to(level, dst);
    if (!uplink) return kAnyUplink;
    return static_cast<std::uint8_t>(static_cast<std::uint32_t>(chiplet.down_ports) + *uplink);
  }
  if (level == 0) return topology_.port_of(dst);
  // Down the same link of the child as it came up; from above the links are taken round-robin.
  const bool from_below = port.number < chiplet.down_ports;
  const std::uint32_t number = from_below ? port.number : packet.sequence;
  const int link = static_cast<int>(number % static_cast<std::uint32_t>(shape.links_per_child));
  return static_cast<std::uint8_t>(topology_.group_at(level - 1, l1) % shape.children * shape.links_per_child + link);
}

// ---- what is inside

std::uint64_t ChipletGroup::flits_inside() const {
  if (trains_) return train_flits_inside();
  std::uint64_t sum = flits_.pending();
  for (const auto& link : repaired_) sum += link != nullptr ? link->flits_inside() : 0;
  for (const SwitchModel* fred : switches_) sum += fred != nullptr ? fred->flits_inside() : 0;
  return sum;
}

void ChipletGroup::require_empty() const {
  WEFT_CHECK(flits_.empty() && credits_.empty() && train_arrivals_.empty(),
             "flits or credits are left on the links of the fabric");
  for (std::uint32_t link = 0; link < repaired_.size(); ++link) {
    WEFT_CHECK(repaired_[link] == nullptr || repaired_[link]->at_rest(),
               fmt::format("{} still waits for answers", link_name(link)));
  }
  for (std::uint32_t chiplet = first_; chiplet < end(); ++chiplet) {
    if (!has(chiplet)) continue;
    try {
      switch_at(chiplet).require_empty();
    } catch (const ViolationError& error) {
      throw ViolationError(description(chiplet).name + ", " + error.what());
    }
  }
}

void ChipletGroup::add_waiting_links(std::size_t most, std::vector<std::string>* sentences) const {
  for (std::uint32_t link = 0; link < repaired_.size() && sentences->size() < most; ++link) {
    const std::string sentence = repaired_[link] != nullptr ? repaired_[link]->waiting() : "";
    if (!sentence.empty()) sentences->push_back(link_name(link) + ": " + sentence);
  }
}

/// Neither chiplets nor the events of one cycle have an order, so their hashes are added up; each names its port.
std::uint64_t ChipletGroup::state_hash(Cycle now) const {
  std::uint64_t sum = 0;
  for (std::uint32_t chiplet = first_; chiplet < end(); ++chiplet) {
    if (!has(chiplet)) continue;
    sum += mix64(mix64(chiplet) ^ switch_at(chiplet).state_hash(now));
  }
  for (std::uint32_t link = 0; link < repaired_.size(); ++link) {
    if (repaired_[link] != nullptr) sum += mix64(mix64(~std::uint64_t{link}) ^ repaired_[link]->state_hash(now));
  }
  const auto port_key = [this](std::uint32_t port) {
    return std::uint64_t{index(topology_.link_of(ports_[port].chiplet, ports_[port].number))};
  };
  flits_.for_each(now, [&](Cycle ahead, const FlitArrival& arrival) {
    const Packet& packet = (*pool_)[arrival.packet];
    const std::uint64_t kind =
        std::uint64_t{arrival.traffic_class} << 2 | std::uint64_t{arrival.head} << 1 | std::uint64_t{arrival.tail};
    sum += mix64(mix64(ahead << 32 | port_key(arrival.port)) ^
                 (kind << 40 | std::uint64_t{packet.flits} << 20 | index(packet.dst)));
  });
  credits_.for_each(now, [&](Cycle ahead, const CreditArrival& credit) {
    sum += mix64(ahead << 40 | port_key(credit.port) << 8 | credit.traffic_class | std::uint64_t{1} << 63);
  });
  return sum;
}

}  // namespace weft::fred
