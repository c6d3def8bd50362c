// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/fred_fabric.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/error.h"
#include "kernel/random.h"

namespace weft::fred {
namespace {

std::uint32_t flits_of(std::uint64_t bytes, std::uint64_t flit_bytes) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (bytes + flit_bytes - 1) / flit_bytes));
}

}  // namespace

FredFabric::FredFabric(const FabricSpec& fabric, const FabricParameters& parameters)
    : fabric_(fabric),
      parameters_(parameters),
      topology_(fabric, flits_of(parameters.packet_bytes, fabric.flit_bytes)),
      compiler_(topology_, fabric.fred.conflict) {
  Cycle horizon = 1;
  for (const Chiplet& chiplet : topology_.chiplets()) {
    SwitchSpec spec = chiplet.spec;
    spec.values = parameters.values;
    spec.format = parameters.format;
    spec.op = parameters.op;
    const auto number = static_cast<std::uint32_t>(switches_.size());
    const FredLevelSpec& level = fabric.fred.levels[static_cast<std::size_t>(chiplet.place.level)];
    const std::string& model = level.model.empty() ? fabric.fred.model : level.model;
    switches_.push_back(parameters.make_switch(spec, "fabric." + chiplet.name, model));
    first_port_.push_back(static_cast<std::uint32_t>(ports_.size()));
    for (std::size_t p = 0; p < chiplet.peers.size(); ++p) {
      Port port;
      port.chiplet = number;
      port.number = static_cast<std::uint8_t>(p);
      port.peer = chiplet.peers[p];
      horizon = std::max(horizon, port.peer.latency + port.peer.flit_cycles + 2);
      ports_.push_back(std::move(port));
    }
  }
  for (Port& port : ports_) {
    if (port.peer.kind == PortPeer::kChiplet) port.peer_port = first_port_[port.peer.chiplet] + port.peer.port;
  }
  slots_.resize(switches_.size());
  awake_.resize(switches_.size() / 64 + 1);
  flits_.set_horizon(horizon);
  credits_.set_horizon(horizon);
  padded_.resize(fabric.flit_bytes);
  if (repairs()) make_links();
}

void FredFabric::connect(LocalSide* local, PacketPool* pool, PacketData* data, FabricProbe* probe) {
  WEFT_CHECK(data != nullptr || !parameters_.values, "a fabric with values needs to know where packets' data is");
  local_ = local;
  pool_ = pool;
  packet_data_ = data;
  probe_ = probe;
  reported_.assign(probe == nullptr ? 0 : switches_.size(), SwitchModel::kNothing);
}

// ---- time

void FredFabric::step(Cycle now) {
  for (const CreditArrival& credit : credits_.at(now)) {
    const Port& port = ports_[credit.port];
    switches_[port.chiplet]->credit(PortId{port.number}, credit.circuit);
    wake(port.chiplet);
    if (probe_ != nullptr) {
      const SwitchModel& fred = *switches_[port.chiplet];
      probe_->credit_returned(now, link_of(port.chiplet, port.number), VcId{credit.circuit},
                              static_cast<int>(fred.credits_known(PortId{port.number}, credit.circuit)));
    }
  }
  credits_.clear(now);
  for (const FlitArrival& arrival : flits_.at(now)) {
    deliver(arrival);
    if (arrival.data != kNoData) free_data_.push_back(arrival.data);
  }
  flits_.clear(now);
  if (repairs()) step_links(now);
  for (std::size_t word = 0; word < awake_.size(); ++word) {
    std::uint64_t bits = awake_[word];
    for (; bits != 0; bits &= bits - 1) {
      const auto chiplet = static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(__builtin_ctzll(bits));
      step_chiplet(chiplet, now);
    }
  }
}

void FredFabric::step_chiplet(std::uint32_t chiplet, Cycle now) {
  SwitchModel& fred = *switches_[chiplet];
  fred.step(now);
  if (probe_ != nullptr) report_state(chiplet, now);
  for (const FreedPlace freed : fred.freed()) {
    const Port& port = ports_[first_port_[chiplet] + index(freed.port)];
    const Cycle at = now + port.peer.latency;
    if (port.peer.kind == PortPeer::kNode) {
      local_->credit(port.peer.node, plane_vc(topology_.chiplets()[chiplet].place.plane, Circuit(freed.circuit)), at);
    } else {
      credits_.push(at, {port.peer_port, freed.circuit});
    }
  }
  for (const std::uint32_t packet : fred.absorbed()) pool_->release(packet);
  for (const SentFlit& sent : fred.sent()) send(chiplet, sent, now);
  if (parameters_.sleep && fred.next_work(now) == kNever) awake_[chiplet / 64] &= ~(std::uint64_t{1} << chiplet % 64);
}

/// Tells the probe which configuration is active, where that has changed.
void FredFabric::report_state(std::uint32_t chiplet, Cycle now) {
  const SwitchModel& fred = *switches_[chiplet];
  const std::uint32_t active = fred.active_configuration();
  if (active == reported_[chiplet]) return;
  reported_[chiplet] = active;
  std::string text = "unicasts";
  if (active != kUnicasts) {
    text = fmt::format("configuration {}:", active);
    for (const Flow& flow : fred.configurations()[active].flows) text += " " + flow.name;
  }
  probe_->npu_state(now, NodeId{topology_.nodes() + chiplet}, text);
}

Cycle FredFabric::next_work(Cycle now) const {
  Cycle next = std::min(flits_.next_after(now), credits_.next_after(now));
  for (const Cycle work : link_work_) next = std::min(next, work);
  for (std::size_t word = 0; word < awake_.size() && next > now + 1; ++word) {
    for (std::uint64_t bits = awake_[word]; bits != 0; bits &= bits - 1) {
      const std::size_t chiplet = word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
      next = std::min(next, switches_[chiplet]->next_work(now));
    }
  }
  return next;
}

// ---- into a chiplet

void FredFabric::inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) {
  const std::uint32_t l1 = topology_.chiplet({0, topology_.group_of(node), 0, plane_of(vc)});
  const std::uint32_t port = first_port_[l1] + topology_.port_of(node);
  const FlitArrival arrival{port,        flit.packet(), kNoData, static_cast<std::uint8_t>(circuit_of(vc)),
                            flit.head(), flit.tail()};
  if (!repairs()) {
    flits_.push(at, arrival);
    return;
  }
  const PortPeer& peer = ports_[port].peer;
  offer(port, arrival, static_cast<std::uint16_t>((*pool_)[flit.packet()].flits), at - peer.latency - peer.flit_cycles);
}

void FredFabric::return_credit(std::uint32_t node, VcId vc, Cycle at) {
  const std::uint32_t l1 = topology_.chiplet({0, topology_.group_of(node), 0, plane_of(vc)});
  credits_.push(at, {first_port_[l1] + topology_.port_of(node), static_cast<std::uint8_t>(circuit_of(vc))});
}

void FredFabric::deliver(const FlitArrival& arrival) {
  Port& port = ports_[arrival.port];
  Receiving& receiving = port.receiving[arrival.circuit];
  if (arrival.head) open_packet(port, arrival);
  PortFlit flit = receiving.head;
  flit.head = arrival.head;
  flit.tail = arrival.tail;
  const std::uint8_t* bytes = nullptr;
  if (parameters_.values && flit.configuration != kUnicasts) bytes = operand_bytes(port, arrival);
  ++receiving.flits;
  switches_[port.chiplet]->receive(PortId{port.number}, flit, bytes);
  wake(port.chiplet);
}

/// The bytes of a flit: from the sender's packet where it comes from a node, otherwise from the link.
const std::uint8_t* FredFabric::operand_bytes(const Port& port, const FlitArrival& arrival) {
  if (arrival.data != kNoData) return &data_[arrival.data * fabric_.flit_bytes];
  Packet& packet = (*pool_)[arrival.packet];
  const std::uint64_t first = port.receiving[arrival.circuit].flits * fabric_.flit_bytes;
  const std::uint64_t count = std::min<std::uint64_t>(fabric_.flit_bytes, packet.bytes - first);
  std::fill(padded_.begin(), padded_.end(), 0);
  std::copy_n(packet_data_->bytes(packet) + first, count, padded_.begin());
  if (arrival.tail) packet_data_->read(packet);
  return padded_.data();
}

/// What the head of a packet says to the chiplet that it reaches.
void FredFabric::open_packet(Port& port, const FlitArrival& arrival) {
  Packet& packet = (*pool_)[arrival.packet];
  ++packet.hops;
  Receiving& receiving = port.receiving[arrival.circuit];
  receiving.flits = 0;
  PortFlit& head = receiving.head;
  head = PortFlit{};
  head.packet = arrival.packet;
  head.packet_flits = static_cast<std::uint16_t>(packet.flits);
  head.circuit = arrival.circuit;
  if (packet.switch_flow != kNoFlow) {
    route_flow(port, arrival.packet, head);
  } else {
    head.output = unicast_output(port, packet);
  }
}

/// Packets of a flow take its stripes in turn; number and tag are the same at all its senders.
void FredFabric::route_flow(const Port& port, PacketIndex index, PortFlit& head) {
  const Packet& packet = (*pool_)[index];
  const CompiledFlow& flow = compiler_.flow(packet.switch_flow);
  const std::uint64_t turn =
      packet.offset / parameters_.packet_bytes / static_cast<std::uint64_t>(topology_.planes()) + mix64(packet.tag);
  head.configuration = slot_of(port.chiplet, flow.stripes[turn % flow.stripes.size()]);
  WEFT_CHECK(head.configuration != 0,
             fmt::format("{}: flow {} does not pass here", topology_.chiplets()[port.chiplet].name, flow.name));
  head.match = mix64(packet.tag) + packet.offset;
  const StoredConfiguration& stored = switches_[port.chiplet]->configurations()[head.configuration];
  const int part = stored.flow_of_input[port.number];
  WEFT_CHECK(part >= 0, fmt::format("{}: flow {} comes in at port {}, which is no input of it",
                                    topology_.chiplets()[port.chiplet].name, flow.name, port.number));
  if (copies_.size() <= index) copies_.resize(index + std::size_t{1});
  copies_[index] = static_cast<std::uint32_t>(stored.flows[static_cast<std::size_t>(part)].outputs.size());
}

/// Index of a configuration of the fabric in this chiplet's memory, which is filled when it is first used.
std::uint32_t FredFabric::slot_of(std::uint32_t chiplet, std::uint32_t configuration) {
  auto& slots = slots_[chiplet];
  if (slots.size() <= configuration) slots.resize(configuration + std::size_t{1}, 0);
  if (slots[configuration] == 0) {
    const FabricConfiguration& whole = compiler_.configuration(configuration);
    const std::uint32_t position = topology_.position(chiplet);
    if (whole.flows[position].empty()) return 0;
    ConfigurationStore& store = switches_[chiplet]->configurations();
    slots[configuration] = store.share(whole.flows[position]);
    if (slots[configuration] == 0) slots[configuration] = store.add(whole.flows[position], whole.settings[position]);
  }
  return slots[configuration];
}

std::uint8_t FredFabric::unicast_output(const Port& port, const Packet& packet) const {
  const Chiplet& chiplet = topology_.chiplets()[port.chiplet];
  const auto dst = static_cast<std::uint32_t>(packet.dst);
  const int level = chiplet.place.level;
  const int l1 = topology_.group_of(dst);
  if (topology_.group_at(level, l1) != chiplet.place.group) return kAnyUplink;
  if (level == 0) return topology_.port_of(dst);
  const LevelShape& shape = topology_.levels()[static_cast<std::size_t>(level)];
  // Down the same link of the child as it came up; from above they take turns.
  const bool from_below = port.number < chiplet.down_ports;
  const std::uint32_t number = from_below ? port.number : packet.sequence;
  const int link = static_cast<int>(number % static_cast<std::uint32_t>(shape.links_per_child));
  return static_cast<std::uint8_t>(topology_.group_at(level - 1, l1) % shape.children * shape.links_per_child + link);
}

// ---- out of a chiplet

void FredFabric::send(std::uint32_t chiplet, const SentFlit& sent, Cycle now) {
  const std::uint32_t number = first_port_[chiplet] + index(sent.port);
  Port& port = ports_[number];
  if (sent.flit.head) {
    const bool flow = sent.flit.configuration != kUnicasts;
    port.sending = flow ? packet_leaves(sent.flit.packet) : sent.flit.packet;
    ++port.counters.packets;
  }
  ++port.counters.flits;
  ++flits_moved_;
  if (probe_ != nullptr) {
    const Packet& packet = (*pool_)[port.sending];
    probe_->flit_sent(now, link_of(chiplet, port.number), VcId{sent.flit.circuit}, {packet.src, packet.sequence},
                      sent.flit.head, sent.flit.tail,
                      static_cast<int>(switches_[chiplet]->credits(PortId{port.number}, sent.flit.circuit)));
  }
  const Cycle at = now + port.peer.flit_cycles + port.peer.latency;
  WEFT_CHECK(port.peer.kind != PortPeer::kNothing,
             fmt::format("{}: a flit leaves through unused port {}", topology_.chiplets()[chiplet].name, port.number));
  const bool to_node = port.peer.kind == PortPeer::kNode;
  FlitArrival flit{
      to_node ? number : port.peer_port, port.sending, kNoData, sent.flit.circuit, sent.flit.head, sent.flit.tail};
  if (to_node && !repairs()) {
    eject(port, flit, sent.data, at);
    return;
  }
  if (sent.data != nullptr) flit.data = take_data(sent.data);
  if (!repairs()) {
    flits_.push(at, flit);
  } else {
    const std::uint32_t link = to_node ? static_cast<std::uint32_t>(ports_.size()) + number : port.peer_port;
    offer(link, flit, sent.flit.packet_flits, now);
  }
}

/// The descriptor for one of a packet's copies: the last one that leaves takes the original.
PacketIndex FredFabric::packet_leaves(PacketIndex packet) {
  if (--copies_[packet] == 0) return packet;
  const PacketIndex copy = pool_->allocate();
  (*pool_)[copy] = (*pool_)[packet];
  (*pool_)[copy].payload = nullptr;  // its sender counts on one reader
  return copy;
}

void FredFabric::eject(Port& port, const FlitArrival& flit, const std::uint8_t* data, Cycle at) {
  Packet& packet = (*pool_)[flit.packet];
  if (flit.head) port.ejected_flits = 0;
  if (data != nullptr) {
    const std::uint64_t first = port.ejected_flits * fabric_.flit_bytes;
    port.result.resize(packet.bytes);
    std::copy_n(data, std::min<std::uint64_t>(fabric_.flit_bytes, packet.bytes - first),
                port.result.begin() + static_cast<std::ptrdiff_t>(first));
    if (flit.tail) packet_data_->made(packet, std::move(port.result));
    if (flit.tail) port.result = {};
  }
  ++port.ejected_flits;
  local_->eject(port.peer.node, plane_vc(topology_.chiplets()[port.chiplet].place.plane, Circuit(flit.circuit)),
                Flit(flit.packet, flit.head, flit.tail), at);
}

std::uint32_t FredFabric::take_data(const std::uint8_t* bytes) {
  if (free_data_.empty()) {
    free_data_.push_back(static_cast<std::uint32_t>(data_.size() / fabric_.flit_bytes));
    data_.resize(data_.size() + fabric_.flit_bytes);
  }
  const std::uint32_t slot = free_data_.back();
  free_data_.pop_back();
  std::copy_n(bytes, fabric_.flit_bytes, &data_[slot * fabric_.flit_bytes]);
  return slot;
}

// ---- what is inside

std::uint64_t FredFabric::flits_inside() const {
  std::uint64_t sum = flits_.pending();
  for (const auto& link : repaired_) sum += link != nullptr ? link->flits_inside() : 0;
  for (const auto& fred : switches_) sum += fred->flits_inside();
  return sum;
}

std::uint64_t FredFabric::uswitch_hops() const {
  std::uint64_t sum = 0;
  for (const auto& fred : switches_) sum += fred->uswitch_hops();
  return sum;
}

MemoryNeed FredFabric::memory_need() const {
  MemoryNeed need;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    need.add(topology_.chiplets()[i].name, switches_[i]->configurations(), switches_[i]->spec().memory_bytes);
  }
  return need;
}

SwitchCounters FredFabric::switch_totals() const {
  SwitchCounters sum;
  for (const auto& fred : switches_) {
    const SwitchCounters& counters = fred->counters();
    sum.packets += counters.packets;
    sum.reconfigurations += counters.reconfigurations;
    sum.preemptions += counters.preemptions;
    sum.yields += counters.yields;
    sum.reloads += counters.reloads;
  }
  return sum;
}

void FredFabric::require_empty() const {
  WEFT_CHECK(flits_.empty() && credits_.empty(), "flits or credits are left on the links of the fabric");
  for (std::uint32_t link = 0; link < repaired_.size(); ++link) {
    WEFT_CHECK(repaired_[link] == nullptr || repaired_[link]->at_rest(),
               fmt::format("{} still waits for answers", link_name(link)));
  }
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    try {
      switches_[i]->require_empty();
    } catch (const ViolationError& error) {
      throw ViolationError(topology_.chiplets()[i].name + ", " + error.what());
    }
  }
}

std::vector<std::string> FredFabric::waiting(std::size_t most) const {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    for (const std::string& sentence : switches_[i]->waiting()) {
      if (sentences.size() == most) return sentences;
      sentences.push_back(topology_.chiplets()[i].name + ", " + sentence);
    }
  }
  for (std::uint32_t link = 0; link < repaired_.size() && sentences.size() < most; ++link) {
    const std::string sentence = repaired_[link] != nullptr ? repaired_[link]->waiting() : "";
    if (!sentence.empty()) sentences.push_back(link_name(link) + ": " + sentence);
  }
  return sentences;
}

std::uint64_t FredFabric::state_hash(Cycle now) const {
  std::uint64_t hash = 0;
  for (const auto& fred : switches_) hash = mix64(hash ^ fred->state_hash(now));
  for (const auto& link : repaired_) {
    if (link != nullptr) hash = mix64(hash ^ link->state_hash(now));
  }
  // Events of one cycle have no order, so they are added up.
  std::uint64_t events = 0;
  flits_.for_each(now, [&](Cycle ahead, const FlitArrival& arrival) {
    const Packet& packet = (*pool_)[arrival.packet];
    const std::uint64_t kind =
        std::uint64_t{arrival.circuit} << 2 | std::uint64_t{arrival.head} << 1 | std::uint64_t{arrival.tail};
    events +=
        mix64(mix64(ahead << 32 | arrival.port) ^ (kind << 40 | std::uint64_t{packet.flits} << 20 | index(packet.dst)));
  });
  credits_.for_each(now, [&](Cycle ahead, const CreditArrival& credit) {
    events += mix64(ahead << 40 | std::uint64_t{credit.port} << 8 | credit.circuit | std::uint64_t{1} << 63);
  });
  return mix64(hash ^ events);
}

}  // namespace weft::fred
