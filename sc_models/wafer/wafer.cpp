// SPDX-License-Identifier: Apache-2.0
#include "wafer/wafer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/error.h"
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

double utilisation(double carried, Cycle cycles, Rational flits_per_cycle) {
  if (cycles == 0) return 0;
  const double rate = flits_per_cycle.value();
  const double capacity = static_cast<double>(cycles) * rate;
  // The run's last cycle has been executed, too. A link of one flit per cycle does not know when it sent its flits, and
  // what left while the fabric ran empty is not the run's.
  const double most = capacity + rate;
  if (flits_per_cycle == Rational{1, 1}) carried = std::min(carried, most);
  WEFT_CHECK(carried <= most * (1 + 1e-9),
             fmt::format("a link of {} flits per cycle has carried {} flits in {} cycles", rate, carried, cycles));
  return std::min(1.0, carried / capacity);
}

}  // namespace weft::wafer
