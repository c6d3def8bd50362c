// SPDX-License-Identifier: Apache-2.0
#include "wafer/wafer.h"

#include <utility>

#include "wafer/fred_wafer.h"
#include "wafer/mesh_wafer.h"

namespace weft::wafer {

Wafer::Wafer(const sc_core::sc_module_name& name, const Config& config, Config npu_config)
    : sc_module(name), config_(config), npu_config_(std::move(npu_config)) {
  fabric_clock_ = std::make_unique<ClockDomain>("clock", config_.clock);
  if (config_.npu.clock) npu_clock_ = std::make_unique<ClockDomain>("npu_clock", *config_.npu.clock);
}

std::shared_ptr<Wafer> make_wafer(const sc_core::sc_module_name& name, const Config& config, FabricProbe* probe,
                                  const TestKnobs& knobs) {
  if (config.fabric.kind == FabricKind::kFred) return std::make_shared<FredWafer>(name, config, probe, knobs);
  return std::make_shared<MeshWafer>(name, config, probe, knobs);
}

NodeRecord node_traffic(const FabricPart& part, std::uint32_t number) {
  NodeRecord record;
  record.packets_sent = part.local->packets_sent(number);
  record.packets_received = part.local->packets_received(number);
  record.flits_sent = part.local->ports().flits(number);
  record.flits_received = part.local->flits_received(number);
  return record;
}

double utilisation(std::uint64_t flits, Cycle cycles, Rational flits_per_cycle) {
  return cycles == 0 ? 0.0 : static_cast<double>(flits) / (static_cast<double>(cycles) * flits_per_cycle.value());
}

}  // namespace weft::wafer
