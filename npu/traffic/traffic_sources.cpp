// SPDX-License-Identifier: Apache-2.0
#include "npu/traffic/traffic_sources.h"

#include <algorithm>
#include <utility>

namespace weft::npu {
TrafficSources::TrafficSources(const Config& config, std::vector<NodeId> nodes, const TrafficPattern& pattern)
    : links_(network::injection_numbers(config.fabric)),
      nodes_(std::move(nodes)),
      pattern_(pattern),
      seed_(config.seed),
      ports_(config.fabric, 1, static_cast<std::uint32_t>(nodes_.size()), config.npu.injection_vcs),
      sources_(nodes_.size()) {
  const auto& traffic = std::get<TrafficWorkload>(config.workload);
  packet_flits_ = static_cast<std::uint32_t>(traffic.packet_flits);
  packet_bytes_ = packet_flits_ * config.fabric.flit_bytes;
  statistics_on_ = config.fabric.statistics;
  probability_ = traffic.rate / traffic.packet_flits;
  measure_from_ = traffic.warmup_cycles;
  measure_to_ = measure_from_ + traffic.measure_cycles;
  sources_measuring_ = nodes_.size();
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    Source& source = sources_[node];
    if (probability_ > 0) {
      RandomStream random = stream(node);
      source.next_created = random.geometric(probability_);
      source.random_counter = random.counter();
    } else {
      source.next_created = kNever;
    }
    draw_done(source);
    sleep_until_created(node);
  }
}

void TrafficSources::connect(FabricSide* fabric, PacketPool* pool, FabricProbe* probe) {
  fabric_ = fabric;
  pool_ = pool;
  probe_ = probe;
  waits_.connect(nodes_.size(), statistics_on_, probe, [this](std::size_t i) { return links_.of(nodes_[i]); });
}

void TrafficSources::eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) {
  arriving_.push(at, {node, flit, index(vc)});
}

void TrafficSources::credit(std::uint32_t node, VcId vc, Cycle at) { credits_.push(at, {node, index(vc)}); }

void TrafficSources::step(Cycle now) {
  for (const Credit& credit : credits_.at(now)) {
    ports_.credit(credit.node, VcId(credit.vc));
    if (probe_ != nullptr) {
      probe_->credit_returned(now, links_.of(nodes_[credit.node]), VcId(credit.vc),
                              ports_.credits(credit.node, VcId(credit.vc)));
    }
    if (sources_[credit.node].flits_left > 0) activate(credit.node);
  }
  credits_.clear(now);
  for (const Arrival& arrival : arriving_.at(now)) receive(arrival, now);
  arriving_.clear(now);
  wake_creators(now);
  std::swap(active_, stepping_);
  for (const std::uint32_t node : stepping_) {
    sources_[node].active = false;
    const bool again = send(node, now);
    if (again) activate(node);
    if (waits_.active()) {
      waits_.set(node, links_.of(nodes_[node]), again ? StallReason::kNone : why_nothing_goes(node), now);
    }
  }
  stepping_.clear();
}

Cycle TrafficSources::next_work(Cycle now) const {
  if (!active_.empty()) return now + 1;
  return std::min({arriving_.next_after(now), credits_.next_after(now), creations_.next_after(now)});
}

// ---- sinks

void TrafficSources::receive(const Arrival& arrival, Cycle now) {
  fabric_->return_credit(arrival.node, VcId(arrival.vc), ports_.credit_arrival(now, VcId(arrival.vc)));
  ++statistics_.flits_received;
  ++sources_[arrival.node].flits_received;
  if (in_measured_phase(now)) ++statistics_.measured_flits_received;
  Packet& packet = (*pool_)[arrival.flit.packet()];
  WEFT_CHECK(arrival.flit.head() == (packet.flits_received == 0), "the flits of a packet arrived out of order");
  ++packet.flits_received;
  if (!arrival.flit.tail()) return;
  WEFT_CHECK(packet.flits_received == packet.flits,
             "a packet arrived with another number of flits than it was sent with");
  WEFT_CHECK(packet.dst == nodes_[arrival.node], "a packet arrived at a node that is not its destination");
  finish_packet(arrival.node, arrival.flit.packet(), now);
}

void TrafficSources::finish_packet(std::uint32_t node, PacketIndex index, Cycle now) {
  const Packet& packet = (*pool_)[index];
  ++statistics_.packets_received;
  ++sources_[node].packets_received;
  if (packet.measured) {
    --measured_missing_;
    const Cycle latency = now - packet.created;
    statistics_.latency.add(latency);
    statistics_.network_latency.add(now - packet.injected);
    statistics_.hops += packet.hops;
    const int half = packet.created - measure_from_ >= (measure_to_ - measure_from_) / 2;
    ++statistics_.half_count[half];
    statistics_.half_latency[half] += latency;
  }
  if (message_probe_ != nullptr) message_probe_->packet_received(nodes_[node], now, packet);
  pool_->release(index);
}

// ---- sources

void TrafficSources::activate(std::uint32_t node) {
  if (sources_[node].active) return;
  sources_[node].active = true;
  active_.push_back(node);
}

void TrafficSources::wake_creators(Cycle now) {
  for (const std::uint32_t node : creations_.at(now)) activate(node);
  creations_.clear(now);
}

// Sends what the link takes in this cycle. Returns whether the source has to be asked again in the next one.
bool TrafficSources::send(std::uint32_t node, Cycle now) {
  Source& source = sources_[node];
  while (ports_.link_open(node, now)) {
    if (source.flits_left == 0 && !create(node, now)) return false;
    if (source.vc < 0) {
      const NodeId to = (*pool_)[source.packet].dst;
      source.vc = static_cast<std::int8_t>(ports_.take_vc(node, ports_.vcs_towards(nodes_[node], to, 0)));
      if (source.vc < 0) return false;
      (*pool_)[source.packet].injected = now;
    }
    const VcId vc{static_cast<std::uint8_t>(source.vc)};
    if (!ports_.has_credit(node, vc)) return false;
    const Flit flit(source.packet, source.flits_left == packet_flits_, source.flits_left == 1);
    ports_.send(node, vc, flit, now, *fabric_);
    if (probe_ != nullptr) {
      probe_->flit_sent(now, links_.of(nodes_[node]), vc, {nodes_[node], source.sequence - 1}, flit.head(), flit.tail(),
                        ports_.credits(node, vc));
    }
    if (message_probe_ != nullptr) note_sent(node, flit, now);
    if (waits_.active()) waits_.sent(node, now);
    if (--source.flits_left == 0) source.vc = -1;
  }
  return true;
}

// What the packet of a source waits for whose link is free.
StallReason TrafficSources::why_nothing_goes(std::uint32_t node) const {
  const Source& source = sources_[node];
  if (source.flits_left == 0) return StallReason::kNone;
  if (source.vc >= 0) return StallReason::kNoCredit;
  const NodeId to = (*pool_)[source.packet].dst;
  return ports_.why_no_vc(node, ports_.vcs_towards(nodes_[node], to, 0));
}

// Makes the source's next packet if its time has come; otherwise puts the source to sleep until then.
bool TrafficSources::create(std::uint32_t node, Cycle now) {
  Source& source = sources_[node];
  if (source.next_created > now) {
    sleep_until_created(node);
    return false;
  }
  RandomStream random = stream(node);
  source.packet = pool_->allocate();
  Packet& packet = (*pool_)[source.packet];
  packet.src = nodes_[node];
  packet.dst = pattern_.destination(nodes_[node], random);
  packet.sequence = source.sequence++;
  packet.flits = packet_flits_;
  packet.created = source.next_created;
  packet.measured = in_measured_phase(packet.created);
  if (packet.measured) {
    ++statistics_.measured_created;
    ++measured_missing_;
  }
  if (message_probe_ != nullptr) note_created(packet);
  source.flits_left = packet_flits_;
  source.vc = -1;
  draw_gap(node, random);
  draw_done(source);
  return true;
}

// Where packets are logged, each is a message of one packet, with the packet's number.
void TrafficSources::note_created(Packet& packet) {
  packet.message_sequence = packet.sequence;
  packet.bytes = static_cast<std::uint32_t>(packet_bytes_);
  packet.message_bytes = packet_bytes_;
  MessageNote note;
  note.sequence = packet.sequence;
  note.dst = packet.dst;
  note.bytes = packet_bytes_;
  message_probe_->message_queued(packet.src, packet.created, note, packet_bytes_);
}

void TrafficSources::note_sent(std::uint32_t node, Flit flit, Cycle now) {
  const std::uint32_t sequence = sources_[node].sequence - 1;
  if (flit.head()) message_probe_->packet_entered(nodes_[node], now, sequence, 0);
  if (flit.tail()) message_probe_->message_left(nodes_[node], now, sequence);
}

void TrafficSources::draw_gap(std::uint32_t node, RandomStream& random) {
  sources_[node].next_created += 1 + random.geometric(probability_);
  sources_[node].random_counter = random.counter();
}

void TrafficSources::draw_done(Source& source) {
  if (!source.measuring || source.next_created < measure_to_) return;
  source.measuring = false;
  --sources_measuring_;
}

void TrafficSources::sleep_until_created(std::uint32_t node) {
  if (sources_[node].next_created != kNever) creations_.push(sources_[node].next_created, node);
}

void TrafficSources::finish_statistics(Cycle end) {
  const Cycle last = std::min(end, measure_to_);
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
    RandomStream random = stream(node);
    while (sources_[node].next_created < last) {
      if (sources_[node].next_created >= measure_from_) ++statistics_.measured_created;
      draw_gap(node, random);
    }
  }
}

NodeValues TrafficSources::node_values(std::uint32_t node) const {
  NodeValues values;
  values.set(NodeQuantity::kPacketsSent, sources_[node].sequence);
  values.set(NodeQuantity::kPacketsReceived, sources_[node].packets_received);
  values.set(NodeQuantity::kFlitsSent, ports_.flits(node));
  values.set(NodeQuantity::kFlitsReceived, sources_[node].flits_received);
  return values;
}

}  // namespace weft::npu
