// SPDX-License-Identifier: Apache-2.0
#include "sc_models/mesh_wafer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/rational_math.h"
#include "npu/collective/engine/packet_reducer.h"
#include "sc_models/colour_routes.h"
#include "sc_models/multicast_trees.h"
#include "sc_models/waiting_report.h"

namespace weft::sc_models {
namespace {

using router::Coordinates;
using router::Grid;
using router::kLocal;
using router::Rectangle;

/// NPU clock cycles per fabric clock cycle.
Rational npu_cycles_per_cycle(const Config& config) {
  if (!config.npu.clock) return {1, 1};
  const auto ratio = checked_divide(config.npu.clock->hertz, config.clock.hertz);
  if (!ratio) throw InputError("npu.clock: its ratio to `clock` needs more than 64 bits; choose rounder frequencies");
  return *ratio;
}

/// A number of cycles of one clock in cycles of another that makes `ratio` of them per cycle, rounded up.
Cycle scaled_up(Cycle cycles, Rational ratio) {
  const auto scaled = checked_multiply({cycles, 1}, ratio);
  if (!scaled) throw InputError("npu.clock: its ratio to `clock` is out of range");
  return round_up(*scaled);
}

/// Whether the phase of a link and `flits` more of them, in parts of a cycle, fit 64 bits.
bool adds_up(Rational flits_per_cycle, std::uint64_t flits) {
  return static_cast<UInt128>(flits_per_cycle.den) * flits + flits_per_cycle.num <= ~std::uint64_t{0};
}

/// Latency and rate of the local links counted in cycles of the NPU clock.
Config as_npus_see_it(const Config& config) {
  Config view = config;
  if (!config.npu.clock) return view;
  const Rational ratio = npu_cycles_per_cycle(config);
  LinkSpec& local = view.fabric.local;
  local.latency_cycles = scaled_up(local.latency_cycles, ratio);
  const auto rate = checked_divide(local.flits_per_cycle, ratio);
  if (!rate || !adds_up(*rate, 1))
    throw InputError("fabric.local.bandwidth: its rate in cycles of npu.clock needs more than 64 bits");
  local.flits_per_cycle = *rate;
  const auto io_rate = checked_divide(config.fabric.border_io.rate, ratio);
  if (!io_rate || !adds_up(*io_rate, divided_up(config.npu.packet_bytes, config.fabric.flit_bytes)))
    throw InputError("io.bandwidth: its rate in cycles of npu.clock needs more than 64 bits");
  view.fabric.border_io.rate = *io_rate;
  view.npu.endpoint_delay_cycles = scaled_up(config.npu.endpoint_delay_cycles, ratio);
  return view;
}

}  // namespace

MeshWafer::MeshWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
                     const TestKnobs& knobs)
    : MeshWafer(name, config, observers, knobs, std::make_shared<const network::GridNetwork>(config)) {}

MeshWafer::MeshWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
                     const TestKnobs& knobs, std::shared_ptr<const network::GridNetwork> network)
    : Wafer(name, config, as_npus_see_it(config), network), shape_(std::move(network)), grid_(shape_->grid()) {
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config_.workload)) {
    pattern_ = npu::make_pattern(*traffic, config_.fabric.size_x, config_.fabric.size_y);
  }
  colours_ = colour_plan_of(config_);
  multicast_ = multicast_plan_of(config_);
  packet_data_ = npu::make_packet_data(config_);
  // Network interfaces with a clock of their own sit behind sockets.
  if (config_.fabric.form == FabricForm::kModules || config_.npu.clock) {
    build_modules(observers.probe, knobs);
    join_modules();
  } else {
    build_partitions(observers.probe, knobs);
  }
}

MeshWafer::~MeshWafer() = default;

// The whole fabric as plain state, cut into bands of rows, one per thread.
void MeshWafer::build_partitions(FabricProbe* probe, const TestKnobs& knobs) {
  const int size_x = config_.fabric.size_x;
  const int size_y = config_.fabric.size_y;
  const int wanted = std::clamp(config_.threads, 1, size_y);
  rows_per_part_ = (size_y + wanted - 1) / wanted;
  std::vector<std::unique_ptr<Partition>> partitions;
  for (int y = 0; y < size_y; y += rows_per_part_) {
    const Rectangle rows{0, y, size_x, std::min(rows_per_part_, size_y - y)};
    FabricPart part;
    part.nodes = nodes_of(rows);
    auto local = make_local(part.nodes, &part);
    partitions.push_back(std::make_unique<Partition>(region_parameters(rows, knobs), std::move(local)));
    part.region = &partitions.back()->region();
    part.region->set_packet_data(packet_data_.get());
    parts_.push_back(std::move(part));
  }
  const std::size_t count = partitions.size();
  const bool ring = wraps_around(config_.fabric.kind) && count > 1;
  for (std::size_t i = 0; i < count; ++i) {
    partitions[i]->set_neighbours(i > 0 || ring ? partitions[(i + count - 1) % count].get() : nullptr,
                                  i + 1 < count || ring ? partitions[(i + 1) % count].get() : nullptr);
    partitions[i]->connect(probe, count > 1);
    parts_[i].probe = partitions[i]->probe();
  }
  partitions_ = std::make_unique<PartitionedFabric>(std::move(partitions));
  fabric_clock_->add(*partitions_);
}

// Every router and every network interface as a module of its own.
void MeshWafer::build_modules(FabricProbe* probe, const TestKnobs& knobs) {
  for (int y = 0; y < config_.fabric.size_y; ++y) {
    for (int x = 0; x < config_.fabric.size_x; ++x) {
      const Rectangle rectangle{x, y, 1, 1};
      FabricPart part;
      part.nodes = nodes_of(rectangle);
      routers_.push_back(std::make_unique<router::RegionModule>(
          fmt::format("router_{}_{}", x, y).c_str(), region_parameters(rectangle, knobs), *fabric_clock_, true));
      routers_.back()->set_probe(probe);
      interfaces_.push_back(std::make_unique<npu::InterfaceModule>(
          fmt::format("npu_{}", index(part.nodes.front())).c_str(), make_local(part.nodes, &part),
          config_.fabric.router.vcs, npu_clock(), probe));
      part.region = &routers_.back()->region();
      part.region->set_packet_data(packet_data_.get());
      part.probe = probe;
      parts_.push_back(std::move(part));
    }
  }
}

void MeshWafer::join_modules() {
  for (int y = 0; y < config_.fabric.size_y; ++y) {
    for (int x = 0; x < config_.fabric.size_x; ++x) {
      const Coordinates here{x, y};
      const auto node = index(grid_.node(here));
      routers_[node]->link(here, kLocal).bind(interfaces_[node]->link());
      for (const PortId port : {router::kEast, router::kNorth}) {
        Coordinates there;
        if (!grid_.neighbour(here, port, &there)) continue;
        routers_[node]->link(here, port).bind(routers_[index(grid_.node(there))]->link(there, router::opposite(port)));
      }
    }
  }
}

std::unique_ptr<npu::LocalBlock> MeshWafer::make_local(std::vector<NodeId> nodes, FabricPart* part) {
  if (pattern_) {
    auto traffic = std::make_unique<npu::TrafficSources>(npu_config_, std::move(nodes), *pattern_);
    part->traffic = traffic.get();
    part->local = traffic.get();
    return traffic;
  }
  auto messages = std::make_unique<npu::MessageInterfaces>(npu_config_, std::move(nodes));
  part->messages = messages.get();
  part->local = messages.get();
  return messages;
}

router::RegionParameters MeshWafer::region_parameters(Rectangle rectangle, const TestKnobs& knobs) const {
  return {config_.fabric, rectangle,     config_.npu.message_classes, config_.seed, config_.fabric.statistics,
          knobs.sleep,    knobs.shuffle, knobs.may_deadlock,          &colours_,    &multicast_};
}

std::vector<NodeId> MeshWafer::nodes_of(Rectangle rectangle) const {
  std::vector<NodeId> nodes;
  for (int y = rectangle.y; y < rectangle.y + rectangle.height; ++y) {
    for (int x = rectangle.x; x < rectangle.x + rectangle.width; ++x) nodes.push_back(grid_.node({x, y}));
  }
  return nodes;
}

const FabricPart& MeshWafer::part_of(NodeId node, std::uint32_t* number) const {
  if (routers_.empty()) {
    const Coordinates at = grid_.coordinates(node);
    *number = static_cast<std::uint32_t>(at.y % rows_per_part_ * config_.fabric.size_x + at.x);
    return parts_[static_cast<std::size_t>(at.y / rows_per_part_)];
  }
  *number = 0;
  return parts_[index(node)];
}

npu::NetworkInterface& MeshWafer::interface(NodeId node) {
  std::uint32_t number = 0;
  const FabricPart& part = part_of(node, &number);
  return part.messages->at(number);
}

void MeshWafer::finish_statistics(Cycle cycles) {
  Cycle npu_cycles = cycles;
  if (config_.npu.clock) npu_cycles = Clock(*config_.npu.clock).first_edge_from(Clock(config_.clock).edge_fs(cycles));
  for (FabricPart& part : parts_) {
    part.region->finish_statistics(cycles);
    part.local->finish_stalls(npu_cycles);
  }
}

LinkCounts MeshWafer::link_counts(std::size_t number) const {
  const LinkId link = shape_->link_of(number);
  const std::uint32_t slot = index(link) % kLinksPerNode;
  std::uint32_t in_part = 0;
  const FabricPart& part = part_of(NodeId{index(link) / kLinksPerNode}, &in_part);
  const bool injection = slot == kInjectionSlot;
  const PortId port{static_cast<std::uint8_t>(slot)};
  LinkCounts counts;
  counts.flits = injection ? part.local->ports().flits(in_part) : part.region->statistics(in_part, port).flits;
  if (config_.fabric.statistics) {
    counts.values = injection ? part.local->link_values(in_part) : part.region->link_values(in_part, port);
  }
  return counts;
}

// Links are numbered node by node.
void MeshWafer::read_link_flits(std::uint64_t* flits) const {
  NodeId node{~std::uint32_t{0}};
  std::uint32_t in_part = 0;
  const FabricPart* part = nullptr;
  for (std::size_t number = 0; number < links(); ++number) {
    const LinkId link = shape_->link_of(number);
    const NodeId at{index(link) / kLinksPerNode};
    if (at != node) {
      node = at;
      part = &part_of(node, &in_part);
    }
    const std::uint32_t slot = index(link) % kLinksPerNode;
    *flits++ = slot == kInjectionSlot
                   ? part->local->ports().flits(in_part)
                   : part->region->statistics(in_part, PortId{static_cast<std::uint8_t>(slot)}).flits;
  }
}

/// The last cycle of the NPUs' clock that begins at the beginning of cycle `now` or before.
Cycle MeshWafer::last_npu_edge(Cycle now) const {
  if (!config_.npu.clock) return now;
  return Clock(*config_.npu.clock).first_edge_from(Clock(config_.clock).edge_fs(now) + 1) - 1;
}

double MeshWafer::link_carried(std::size_t number, Cycle now) const {
  const LinkId link = shape_->link_of(number);
  const std::uint32_t slot = index(link) % kLinksPerNode;
  std::uint32_t in_part = 0;
  const FabricPart& part = part_of(NodeId{index(link) / kLinksPerNode}, &in_part);
  if (slot == kInjectionSlot) {
    const npu::InjectionLinks& ports = part.local->ports();
    return static_cast<double>(ports.flits(in_part)) - ports.flits_after(in_part, last_npu_edge(now + 1));
  }
  const PortId port{static_cast<std::uint8_t>(slot)};
  return static_cast<double>(part.region->statistics(in_part, port).flits) -
         part.region->flits_after(in_part, port, now + 1);
}

std::uint64_t MeshWafer::flits_inside() const {
  std::uint64_t sum = 0;
  for (const FabricPart& part : parts_) sum += part.region->flits_inside();
  if (partitions_) {
    for (const auto& partition : partitions_->partitions()) sum += partition->flits_in_mail();
  }
  return sum;
}

std::uint64_t MeshWafer::flits_moved() const {
  std::uint64_t sum = 0;
  for (const FabricPart& part : parts_) sum += part.region->flits_moved();
  return sum;
}

bool MeshWafer::empty() const {
  return flits_inside() == 0 &&
         std::all_of(parts_.begin(), parts_.end(), [](const FabricPart& part) { return part.local->idle(); });
}

void MeshWafer::require_empty() const {
  for (const FabricPart& part : parts_) {
    part.region->require_empty();
    part.local->ports().require_empty();
  }
}

std::string MeshWafer::waiting_report() const {
  std::vector<router::Waiting> waiting;
  for (const FabricPart& part : parts_) {
    const auto some = part.region->waiting(kMaxWaiting);
    waiting.insert(waiting.end(), some.begin(), some.end());
  }
  return describe_waiting(grid_, waiting);
}

}  // namespace weft::sc_models
