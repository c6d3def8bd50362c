// SPDX-License-Identifier: Apache-2.0
#include "sc_models/wafer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace weft::sc_models {

Wafer::Wafer(const sc_core::sc_module_name& name, const Config& config, Config npu_config,
             std::shared_ptr<const network::Network> network)
    : sc_module(name), config_(config), npu_config_(std::move(npu_config)), network_(std::move(network)) {
  fabric_clock_ = std::make_unique<ClockDomain>("clock", config_.clock);
  if (config_.npu.clock) npu_clock_ = std::make_unique<ClockDomain>("npu_clock", *config_.npu.clock);
}

LinkValues Wafer::link_totals() const {
  LinkValues sum;
  for (std::size_t number = 0; number < links(); ++number) sum += link_counts(number).values;
  return sum;
}

LinkRecord Wafer::link(std::size_t number, Cycle cycles) const {
  network::LinkRow row = network_->link_row(number);
  const LinkCounts counts = link_counts(number);
  LinkRecord record;
  record.name = std::move(row.name);
  record.from = std::move(row.from);
  record.to = std::move(row.to);
  record.flits = counts.flits;
  record.values = counts.values;
  record.capacity = row.flits_per_cycle.value();
  record.utilisation = utilisation(link_carried(number, cycles), cycles, row.flits_per_cycle);
  return record;
}

NodeRecord Wafer::node(std::size_t number) const {
  const NodeId id{static_cast<std::uint32_t>(number)};
  std::uint32_t in_part = 0;
  const FabricPart& part = part_of(id, &in_part);
  const network::Node node = network_->node(id);
  NodeRecord record;
  record.x = node.x;
  record.y = node.y;
  record.packets_sent = part.local->packets_sent(in_part);
  record.packets_received = part.local->packets_received(in_part);
  record.flits_sent = part.local->ports().flits(in_part);
  record.flits_received = part.local->flits_received(in_part);
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

}  // namespace weft::sc_models
