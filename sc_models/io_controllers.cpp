// SPDX-License-Identifier: Apache-2.0
#include "sc_models/io_controllers.h"

#include "config/fabric_facts.h"

namespace weft::sc_models {

IoControllers::IoControllers(System& system) : system_(system) {
  const FabricSpec& fabric = system.npu_config().fabric;
  const IoLine line{fabric.io.rate, static_cast<std::uint64_t>(fabric.flit_bytes)};
  std::uint32_t number = 0;
  for (IoSite& site : io_sites(fabric)) {
    npu::NetworkInterface* network = &system.interface(site.node);
    if (!io_controllers_are_nodes(fabric))
      network = &shared_.try_emplace(site.node, *network).first->second.for_controller(number);
    controllers_.push_back(std::make_unique<IoController>(std::move(site), line, *network));
    ++number;
  }
}

npu::NetworkInterface& IoControllers::npu_interface(NodeId node) {
  const auto found = shared_.find(node);
  return found == shared_.end() ? system_.interface(node) : found->second.for_npu();
}

}  // namespace weft::sc_models
