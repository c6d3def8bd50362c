// SPDX-License-Identifier: Apache-2.0
// What network interfaces do for each kind of injection port.
#include "base/error.h"
#include "config/fabric_facts.h"
#include "npu/interface/router_sending.h"
#include "npu/interface/switch_sending.h"

namespace weft::npu {

std::unique_ptr<SendingSide> make_sending_side(const Config& config, const std::vector<NodeId>& nodes) {
  switch (interface_facts(config.fabric).entry) {
    case Entry::kRouter:
      return std::make_unique<RouterSending>(config, nodes);
    case Entry::kSwitches:
      return std::make_unique<SwitchSending>(config, nodes);
  }
  violation("a way into the fabric has no sending side");
}

// Unicasts are PP; where there are flows they have PP to themselves. CollectivePlan::class_between tells other runs'.
MessageClass unicast_class(const FabricSpec& fabric) {
  return interface_facts(fabric).entry == Entry::kSwitches ? class_of(TrafficClass::kPp) : MessageClass::kRequest;
}

}  // namespace weft::npu
