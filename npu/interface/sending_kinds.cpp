// SPDX-License-Identifier: Apache-2.0
// This chooses the sending side that suits a fabric.
#include "config/fabric_facts.h"
#include "npu/interface/router_sending.h"
#include "npu/interface/switch_sending.h"

namespace weft::npu {

std::unique_ptr<SendingSide> make_sending_side(const Config& config, const std::vector<NodeId>& nodes) {
  if (has_planes(config.fabric)) return std::make_unique<SwitchSending>(config, nodes);
  return std::make_unique<RouterSending>(config, nodes);
}

}  // namespace weft::npu
