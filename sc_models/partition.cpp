// SPDX-License-Identifier: Apache-2.0
#include "sc_models/partition.h"

namespace weft::sc_models {

using router::kMeshPorts;

Partition::Partition(const router::RegionParameters& parameters)
    : grid_(parameters.fabric), region_(router::Region::create(parameters)) {}

void Partition::connect_fabric(npu::LocalBlock& local, PacketPool& pool, FabricProbe* probe) {
  region_->connect(&local, this, &pool, probe);
  local.connect(region_.get(), &pool, probe);
}

void Partition::join(Partition& below, Partition& above) {
  const Boxes boxes = FabricPart::join(below, above);
  below.above_ = {&above, boxes.of_a};
  above.below_ = {&below, boxes.of_b};
}

void Partition::receive_flit(std::uint32_t port, const FlitTransfer& flit, Cycle now, Cycle at) {
  region_->receive_flit(port, flit, now, at);
}

void Partition::receive_credit(std::uint32_t port, VcId vc, Cycle now, Cycle at) {
  region_->receive_credit(port, vc, now, at);
}

std::uint32_t Partition::port_beyond(std::uint32_t port, std::size_t* box) const {
  const PortId out{static_cast<std::uint8_t>(port % kMeshPorts)};
  router::Coordinates there;
  grid_.neighbour(region_->coordinates_of(port / kMeshPorts), out, &there);
  const Border& border = out == router::kNorth || out == router::kEast ? above_ : below_;
  *box = border.box;
  return border.part->region_->router_at(there) * kMeshPorts + index(router::opposite(out));
}

void Partition::send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) {
  std::size_t box = 0;
  const std::uint32_t to = port_beyond(port, &box);
  mail_flit(box, to, flit, at);
}

void Partition::send_credit(std::uint32_t port, VcId vc, Cycle at) {
  std::size_t box = 0;
  const std::uint32_t to = port_beyond(port, &box);
  mail_credit(box, to, vc, at);
}

}  // namespace weft::sc_models
