// SPDX-License-Identifier: Apache-2.0
#include "sc_models/mesh_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "npu/interface/message_interfaces.h"
#include "sc_models/colour_routes.h"
#include "sc_models/link_windows.h"
#include "sc_models/multicast_trees.h"
#include "sc_models/takes_part.h"
#include "sc_models/waiting_report.h"

namespace weft::sc_models {

using router::Coordinates;
using router::Rectangle;

namespace {

/// A large mesh is cut into so many bands that may rest, or into fewer where it has few columns.
constexpr int kBands = 16;

}  // namespace

MeshFabric::MeshFabric(const network::GridNetwork& network, const FabricSetup& setup)
    : config_(setup.config),
      clock_(setup.clock),
      packet_data_(setup.data),
      probe_(setup.given.probe),
      threads_(setup.given.threads),
      knobs_(setup.knobs),
      grid_(network.grid()),
      colours_(colour_plan_of(config_)),
      multicast_(multicast_plan_of(config_)),
      links_(network.link_rows()) {
  if (in_modules()) {
    routers_.resize(modules());
    regions_.resize(modules());
  } else {
    build_partitions();
  }
}

MeshFabric::~MeshFabric() = default;

/// Network interfaces with a clock of their own sit behind sockets.
bool MeshFabric::in_modules() const { return config_.fabric.form == FabricForm::kModules || config_.npu.clock; }

// The whole fabric as plain state, cut into bands of rows, one per thread, or into bands of columns that may rest.
void MeshFabric::build_partitions() {
  const int size_x = config_.fabric.size_x;
  const int size_y = config_.fabric.size_y;
  const int columns = columns_that_rest();
  const int wanted = columns > 0 ? 1 : std::clamp(config_.threads, 1, size_y);
  rows_per_part_ = (size_y + wanted - 1) / wanted;
  columns_per_part_ = columns > 0 ? columns : size_x;
  const auto add = [&](int x, int y) {
    const Rectangle band{x, y, std::min(columns_per_part_, size_x - x), std::min(rows_per_part_, size_y - y)};
    partitions_.push_back(std::make_unique<Partition>(region_parameters(band)));
    regions_.push_back(&partitions_.back()->region());
    regions_.back()->set_packet_data(packet_data_);
  };
  if (columns > 0) {
    for (int x = 0; x < size_x; x += columns_per_part_) add(x, 0);
  } else {
    for (int y = 0; y < size_y; y += rows_per_part_) add(0, y);
  }
}

/// Columns of a band that may rest; 0 = none may. Windows of links would have to be read while parts rest, so that only
/// fabrics rest that have too many links for windows.
int MeshFabric::columns_that_rest() const {
  const bool repeats = config_.run.fast_forward == FastForwardMode::kExact && config_.threads == 1 && threads_ <= 1 &&
                       probe_ == nullptr && why_nothing_repeats(config_).empty() &&
                       std::holds_alternative<CollectiveWorkload>(config_.workload) && !wraps_around(config_.fabric);
  const bool is_large = links_ > LinkWindows::kMostLinks;
  if (!repeats || (!is_large && config_.fabric.statistics && config_.log.windows > 0)) return 0;
  if (knobs_.columns_per_part != 0) return knobs_.columns_per_part;
  return is_large ? (config_.fabric.size_x + kBands - 1) / kBands : 0;
}

std::vector<std::vector<NodeId>> MeshFabric::parts() const {
  std::vector<std::vector<NodeId>> parts;
  for (const router::Region* region : regions_) parts.push_back(nodes_of(*region));
  return parts;
}

FabricProbe* MeshFabric::attach(std::size_t part, npu::LocalBlock& interfaces) {
  partitions_[part]->connect(interfaces, probe_, partitions_.size() > 1);
  interfaces_.push_back(&interfaces);
  return partitions_[part]->probe();
}

Block& MeshFabric::join_parts() {
  const std::size_t count = partitions_.size();
  const bool ring = wraps_around(config_.fabric) && count > 1;
  for (std::size_t i = 0; i + (ring ? 0 : 1) < count; ++i) {
    Partition::join(*partitions_[i], *partitions_[(i + 1) % count]);
  }
  if (columns_per_part_ < config_.fabric.size_x) return join_resting_parts();
  std::vector<FabricPart*> parts;
  for (const auto& partition : partitions_) parts.push_back(partition.get());
  block_ = std::make_unique<PartThreads>(std::move(parts), threads_);
  return *block_;
}

Block& MeshFabric::join_resting_parts() {
  std::vector<std::unique_ptr<RestingPart>> parts;
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    auto& messages = dynamic_cast<npu::MessageInterfaces&>(*interfaces_[i]);
    parts.push_back(std::make_unique<RestingPart>(*partitions_[i], messages, config_.npu.packet_bytes));
  }
  resting_ = std::make_unique<RestingParts>(std::move(parts));
  return *resting_;
}

void MeshFabric::keep(Checkpoint& checkpoint) {
  if (in_modules()) Fabric::keep(checkpoint);
  checkpoint.all(partitions_, [&](auto& part) { part->keep(checkpoint); });
  if (resting_) resting_->keep(checkpoint);
}

void MeshFabric::put_state(StateForm& form) {
  if (partitions_.size() != 1) return form.refuse("only a fabric that one thread steps as a whole takes part");
  partitions_.front()->put_state(form);
}

void MeshFabric::build_module(std::size_t number) {
  const Coordinates at = grid_.coordinates(NodeId{static_cast<std::uint32_t>(number)});
  routers_[number] = std::make_unique<router::RegionModule>(fmt::format("router_{}_{}", at.x, at.y).c_str(),
                                                            region_parameters({at.x, at.y, 1, 1}), clock_, true);
  routers_[number]->set_probe(probe_);
  regions_[number] = &routers_[number]->region();
  regions_[number]->set_packet_data(packet_data_);
}

void MeshFabric::join_modules() {
  for (std::uint32_t node = 0; node < modules(); ++node) {
    const Coordinates here = grid_.coordinates(NodeId{node});
    for (const PortId port : {router::kEast, router::kNorth}) {
      Coordinates there;
      if (!grid_.neighbour(here, port, &there)) continue;
      routers_[node]->link(here, port).bind(routers_[index(grid_.node(there))]->link(there, router::opposite(port)));
    }
  }
}

int MeshFabric::interface_vcs() const { return config_.fabric.router.vcs; }

LinkEnd& MeshFabric::link_to(NodeId node, int /*port*/) {
  return routers_[index(node)]->link(grid_.coordinates(node), router::kLocal);
}

router::RegionParameters MeshFabric::region_parameters(Rectangle rectangle) const {
  return {config_.fabric, rectangle,      config_.npu.message_classes, config_.seed, config_.fabric.statistics,
          knobs_.sleep,   knobs_.shuffle, knobs_.may_deadlock,         &colours_,    &multicast_};
}

std::vector<NodeId> MeshFabric::nodes_of(const router::Region& region) const {
  std::vector<NodeId> nodes;
  for (std::uint32_t router = 0; router < static_cast<std::uint32_t>(region.routers()); ++router) {
    nodes.push_back(grid_.node(region.coordinates_of(router)));
  }
  return nodes;
}

MeshFabric::RouterOf MeshFabric::router_of(network::LinkSource source) const {
  if (rows_per_part_ == 0) return {regions_[source.owner], 0};
  const Coordinates at = grid_.coordinates(NodeId{source.owner});
  router::Region* const region = regions_[static_cast<std::size_t>(
      columns_per_part_ < config_.fabric.size_x ? at.x / columns_per_part_ : at.y / rows_per_part_)];
  return {region, region->router_at(at)};
}

// A region that is alone has no mail.
Fabric::PulseWords MeshFabric::pulse_words() const {
  if (regions_.size() != 1) return {};
  return {&regions_.front()->flits_moved(), &regions_.front()->flits_inside()};
}

std::uint64_t MeshFabric::flits_inside() const {
  std::uint64_t sum = 0;
  for (const router::Region* region : regions_) sum += region->flits_inside();
  for (const auto& partition : partitions_) sum += partition->flits_in_mail();
  return sum;
}

std::uint64_t MeshFabric::flits_moved() const {
  std::uint64_t sum = 0;
  for (const router::Region* region : regions_) sum += region->flits_moved();
  return sum;
}

std::size_t MeshFabric::packets() const {
  std::size_t sum = 0;
  for (const auto& partition : partitions_) sum += std::as_const(*partition).pool().in_use();
  for (const auto& module : routers_) sum += std::as_const(*module).pool().in_use();
  return sum;
}

void MeshFabric::require_empty() const {
  for (const router::Region* region : regions_) region->require_empty();
}

std::string MeshFabric::waiting_report() const {
  std::vector<router::Waiting> waiting;
  for (const router::Region* region : regions_) {
    const auto some = region->waiting(kMaxWaiting);
    waiting.insert(waiting.end(), some.begin(), some.end());
  }
  return describe_waiting(grid_, waiting);
}

void MeshFabric::finish_statistics(Cycle cycles) {
  for (router::Region* region : regions_) region->finish_statistics(cycles);
}

LinkCounts MeshFabric::link_counts(network::LinkSource source) const {
  LinkCounts counts;
  counts.flits = link_flits(source);
  const RouterOf router = router_of(source);
  if (counts_flits()) {
    counts.values = router.region->link_values(router.number, PortId{static_cast<std::uint8_t>(source.port)});
  }
  return counts;
}

std::uint64_t MeshFabric::link_flits(network::LinkSource source) const {
  const RouterOf router = router_of(source);
  return router.region->statistics(router.number, PortId{static_cast<std::uint8_t>(source.port)}).flits;
}

double MeshFabric::link_flits_after(network::LinkSource source, Cycle end) const {
  const RouterOf router = router_of(source);
  return router.region->flits_after(router.number, PortId{static_cast<std::uint8_t>(source.port)}, end);
}

}  // namespace weft::sc_models
