// SPDX-License-Identifier: Apache-2.0
#include "sc_models/switch_part.h"

#include <map>
#include <utility>

#include "base/error.h"

namespace weft::sc_models {

SwitchPart::SwitchPart(fred::FredFabric& switches, std::uint32_t number, PacketData* data, std::size_t data_bytes)
    : FabricPart(data_bytes), switches_(switches), group_(*switches.groups()[number]), packet_data_(data) {}

void SwitchPart::connect_fabric(npu::LocalBlock& local, PacketPool& pool, FabricProbe* probe) {
  group_.connect(&local, this, &pool, packet_data_, probe);
  local.connect(&group_, &pool, probe);
}

void SwitchPart::join_all(const std::vector<std::unique_ptr<SwitchPart>>& parts) {
  if (parts.size() == 1) return;
  const fred::FredFabric& switches = parts.front()->switches_;
  const std::vector<fred::Chiplet>& chiplets = switches.topology().chiplets();
  for (const auto& part : parts) part->beyond_.resize(part->group_.ports());
  std::map<std::pair<std::uint32_t, std::uint32_t>, Boxes> boxes;  // by the parts' numbers, the lower one first
  for (std::uint32_t chiplet = 0; chiplet < chiplets.size(); ++chiplet) {
    const std::uint32_t a = switches.group_number(chiplet);
    for (std::uint32_t port = 0; port < chiplets[chiplet].peers.size(); ++port) {
      const fred::PortPeer& peer = chiplets[chiplet].peers[port];
      if (peer.kind != fred::PortPeer::kChiplet) continue;
      const std::uint32_t b = switches.group_number(peer.chiplet);
      if (a == b) continue;
      WEFT_CHECK(peer.latency >= 1, "a link between two threads has no latency");
      const auto pair = std::minmax(a, b);
      auto joint = boxes.find(pair);
      if (joint == boxes.end()) joint = boxes.emplace(pair, join(*parts[pair.first], *parts[pair.second])).first;
      parts[a]->beyond_[parts[a]->group_.first_port(chiplet) + port] = {
          a < b ? joint->second.of_a : joint->second.of_b, parts[b]->group_.first_port(peer.chiplet) + peer.port};
    }
  }
}

}  // namespace weft::sc_models
