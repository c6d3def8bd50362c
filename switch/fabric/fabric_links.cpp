// SPDX-License-Identifier: Apache-2.0
// Go-Back-N on the links of a group of chiplets: which there are, what enters and leaves them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "switch/fabric/chiplet_group.h"

namespace weft::fred {

/// A packet for a node is finished one cycle before the node sees it, because that is when the node is told.
void ChipletGroup::make_links() {
  const auto ports = static_cast<std::uint32_t>(ports_.size());
  repaired_.resize(2 * ports_.size());
  link_work_.assign(repaired_.size(), kNever);
  for (std::uint32_t p = 0; p < ports; ++p) {
    const PortPeer& peer = ports_[p].peer;
    if (peer.kind == PortPeer::kNothing) continue;
    add_link(p, ports_[p], peer.flit_cycles + peer.latency, peer.latency);
    if (peer.kind == PortPeer::kNode)
      add_link(ports + p, ports_[p], peer.flit_cycles + peer.latency - 1, peer.latency + 1);
  }
}

/// Both directions of a link have the rate of the port at either end.
void ChipletGroup::add_link(std::uint32_t number, const Port& port, Cycle forward, Cycle backward) {
  const FredLinkLayerSpec& layer = fabric_.fred.link_layer;
  GbnSpec spec;
  spec.rate = description(port.chiplet).spec.port_specs[port.number].out_rate;
  spec.forward = forward;
  spec.backward = backward;
  spec.replay_packets = static_cast<std::uint32_t>(layer.replay_packets);
  spec.ack_packets = static_cast<std::uint32_t>(layer.ack_packets);
  spec.ack_timeout = layer.ack_timeout;
  spec.retransmit_timeout = layer.retransmit_timeout;
  FaultRates rates;
  rates.bit_error_rate = layer.bit_error_rate;
  rates.drop_rate = layer.drop_rate;
  rates.flit_bytes = spec.rate.flit_bytes;
  rates.header_bytes = spec.rate.header_bytes;
  repaired_[number] = std::make_unique<GbnLink>(spec, std::make_unique<RandomFaults>(rates, parameters_.seed, number));
}

void ChipletGroup::offer(std::uint32_t link, const FlitArrival& flit, std::uint16_t packet_flits, Cycle now) {
  LinkFlit offered;
  offered.packet = flit.packet;
  offered.data = flit.data;
  offered.packet_flits = packet_flits;
  offered.traffic_class = flit.traffic_class;
  offered.head = flit.head;
  offered.tail = flit.tail;
  repaired_[link]->offer(offered, now);
  link_work_[link] = repaired_[link]->next_work(now);
}

void ChipletGroup::step_links(Cycle now) {
  for (std::uint32_t link = 0; link < repaired_.size(); ++link) {
    if (link_work_[link] <= now || (!parameters_.sleep && repaired_[link] != nullptr)) step_link(link, now);
  }
}

void ChipletGroup::step_link(std::uint32_t link, Cycle now) {
  GbnLink& stepped = *repaired_[link];
  const auto ports = static_cast<std::uint32_t>(ports_.size());
  stepped.step(now);
  for (const LinkFlit& flit : stepped.handed_on()) {
    const FlitArrival arrival{link % ports, flit.packet, flit.data, flit.traffic_class, flit.head, flit.tail};
    if (link < ports) {
      deliver(arrival, true);
    } else {
      const std::uint8_t* bytes = flit.data != kNoData ? &data_[flit.data * fabric_.flit_bytes] : nullptr;
      eject(ports_[arrival.port], arrival, bytes, now + 1);
    }
  }
  for (const std::uint32_t data : stepped.released()) {
    if (data != kNoData) free_data_.push_back(data);
  }
  link_work_[link] = stepped.next_work(now);
}

GbnCounters ChipletGroup::link_totals() const {
  GbnCounters totals;
  for (const auto& link : repaired_) {
    if (link != nullptr) totals += link->counters();
  }
  return totals;
}

std::string ChipletGroup::link_name(std::uint32_t link) const {
  const Port& port = ports_[link % ports_.size()];
  const std::string& chiplet = description(port.chiplet).name;
  const bool out = link >= ports_.size();
  return fmt::format("link {} port {} of {}", out ? "out of" : "into", port.number, chiplet);
}

}  // namespace weft::fred
