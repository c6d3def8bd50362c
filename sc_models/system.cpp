// SPDX-License-Identifier: Apache-2.0
#include "sc_models/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/large_pages.h"
#include "base/random.h"
#include "npu/collective/engine/packet_reducer.h"
#include "sc_models/fabric_kinds.h"
#include "sc_models/npu_view.h"

namespace weft::sc_models {
namespace {

/// With so many nodes most of what the heap has is outside the caches in each cycle. A node with its NPU and its part
/// in a collective has about so many bytes there.
constexpr std::size_t kManyNodes = 4096;
constexpr std::size_t kHeapOfNode = 4096;

/// `npu_3` for `npu[3]`, since brackets are no part of a module's name.
std::string module_name(std::string name) {
  std::replace(name.begin(), name.end(), '[', '_');
  name.erase(std::remove(name.begin(), name.end(), ']'), name.end());
  return name;
}

}  // namespace

System::System(const sc_core::sc_module_name& name, const Config& config, const SystemSetup& given,
               const TestKnobs& knobs)
    : sc_module(name),
      config_(config),
      network_(make_network(config_)),
      probe_(given.probe),
      fabric_clock_("clock", config_.clock),
      npu_clock_(config_.npu.clock ? std::make_unique<ClockDomain>("npu_clock", *config_.npu.clock) : nullptr),
      packet_data_(npu::make_packet_data(config_)),
      fabric_(make_fabric(*network_, {config_, fabric_clock_, packet_data_.get(), given, knobs})),
      npu_config_(as_npus_see_it(config_)) {
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config_.workload)) {
    pattern_ = npu::make_pattern(*traffic, config_.fabric.size_x, config_.fabric.size_y);
  }
  if (nodes() >= kManyNodes) grow_heap_on_large_pages(nodes() * kHeapOfNode);
  if (fabric_->in_modules()) {
    join_as_modules(knobs);
  } else {
    join_as_blocks();
  }
  in_part_.resize(nodes());
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    const std::vector<NodeId>& in_order = parts_[part].nodes;
    for (std::uint32_t i = 0; i < in_order.size(); ++i) in_part_[index(in_order[i])] = {part, i};
  }
}

System::~System() = default;

// The fabric and its network interfaces as plain state, which the fabric's clock steps.
void System::join_as_blocks() {
  std::vector<std::vector<NodeId>> cut = fabric_->parts();
  for (std::size_t number = 0; number < cut.size(); ++number) {
    SystemPart part = make_part(std::move(cut[number]));
    part.probe = fabric_->attach(number, *part.local);
    parts_.push_back(std::move(part));
  }
  fabric_clock_.add(fabric_->join_parts());
}

// Every router or switch and every network interface as a module of its own. They are stepped in the order in which
// they are made.
void System::join_as_modules(const TestKnobs& knobs) {
  const std::size_t blocks = fabric_->modules();
  parts_.resize(nodes());
  modules_.resize(nodes());
  std::vector<std::size_t> order(blocks + nodes());
  std::iota(order.begin(), order.end(), 0);
  if (knobs.shuffle != 0) {
    RandomStream random(knobs.shuffle, NodeId{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  for (const std::size_t number : order) {
    if (number < blocks) {
      fabric_->build_module(number);
    } else {
      build_interface(NodeId{static_cast<std::uint32_t>(number - blocks)});
    }
  }
  fabric_->join_modules();
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    for (int port = 0; port < fabric_->interface_ports(); ++port) {
      fabric_->link_to(NodeId{node}, port).bind(modules_[node]->link(port));
    }
  }
}

void System::build_interface(NodeId node) {
  SystemPart& part = parts_[index(node)];
  part = make_part({node});
  part.probe = probe_;
  modules_[index(node)] = std::make_unique<npu::InterfaceModule>(
      module_name(network_->node(node).name).c_str(), std::move(interfaces_.back()), fabric_->interface_vcs(),
      npu_clock(), probe_, fabric_->interface_ports());
  interfaces_.pop_back();
}

SystemPart System::make_part(std::vector<NodeId> nodes) {
  SystemPart part;
  part.nodes = std::move(nodes);
  if (pattern_) {
    auto traffic = std::make_unique<npu::TrafficSources>(npu_config_, part.nodes, *pattern_);
    part.traffic = traffic.get();
    interfaces_.push_back(std::move(traffic));
  } else {
    auto messages = std::make_unique<npu::MessageInterfaces>(npu_config_, part.nodes);
    part.messages = messages.get();
    interfaces_.push_back(std::move(messages));
  }
  part.local = interfaces_.back().get();
  return part;
}

const SystemPart& System::part_of(NodeId node, std::uint32_t* number) const {
  const InPart in_part = in_part_[index(node)];
  *number = in_part.number;
  return parts_[in_part.part];
}

npu::NetworkInterface& System::interface(NodeId node) {
  std::uint32_t number = 0;
  const SystemPart& part = part_of(node, &number);
  return part.messages->at(number);
}

bool System::empty() const {
  return fabric_->flits_inside() == 0 &&
         std::all_of(parts_.begin(), parts_.end(), [](const SystemPart& part) { return part.local->idle(); });
}

void System::require_empty() const {
  fabric_->require_empty();
  for (const SystemPart& part : parts_) part.local->ports().require_empty();
  std::size_t packets = fabric_->packets();
  for (const auto& module : modules_) packets += std::as_const(*module).pool().in_use();
  WEFT_CHECK(packets == 0, fmt::format("{} packets are left that nobody waits for", packets));
}

void System::keep(Checkpoint& checkpoint) {
  if (npu_clock_) Checkpoint::refuse("NPUs have a clock of their own (npu.clock)");
  if (packet_data_) Checkpoint::refuse("data: values is not kept");
  if (!checkpoint.loads()) settle(fabric_clock_.now());
  fabric_clock_.keep(checkpoint);
  fabric_->keep(checkpoint);
}

void System::settle(Cycle end) {
  fabric_->settle(end);
  for (SystemPart& part : parts_) part.local->settle(end);
}

void System::finish_statistics(Cycle cycles) {
  Cycle npu_cycles = cycles;
  if (config_.npu.clock) npu_cycles = Clock(*config_.npu.clock).first_edge_from(Clock(config_.clock).edge_fs(cycles));
  fabric_->finish_statistics(cycles);
  for (SystemPart& part : parts_) part.local->finish_stalls(npu_cycles);
}

LinkValues System::link_totals() const {
  LinkValues sum;
  for (std::size_t number = 0; number < links(); ++number) sum += link_counts(number).values;
  return sum;
}

LinkCounts System::link_counts(std::size_t number) const {
  const network::LinkSource source = network_->row_source(number);
  if (!source.interface) return fabric_->link_counts(source);
  std::uint32_t in_part = 0;
  const SystemPart& part = part_of(NodeId{source.owner}, &in_part);
  LinkCounts counts;
  counts.flits = part.local->ports().flits(in_part);
  if (config_.fabric.statistics) counts.values = part.local->link_values(in_part);
  return counts;
}

void System::read_link_flits(std::uint64_t* flits) const {
  const std::size_t rows = links();
  for (std::size_t number = 0; number < rows; ++number) {
    const network::LinkSource source = network_->row_source(number);
    std::uint32_t in_part = 0;
    *flits++ = source.interface ? part_of(NodeId{source.owner}, &in_part).local->ports().flits(in_part)
                                : fabric_->link_flits(source);
  }
}

/// The last cycle of the NPUs' clock that begins at the beginning of cycle `now` or before.
Cycle System::last_npu_edge(Cycle now) const {
  if (!config_.npu.clock) return now;
  return Clock(*config_.npu.clock).first_edge_from(Clock(config_.clock).edge_fs(now) + 1) - 1;
}

double System::link_carried(std::size_t number, Cycle now) const {
  const network::LinkSource source = network_->row_source(number);
  if (!source.interface) {
    return static_cast<double>(fabric_->link_flits(source)) - fabric_->link_flits_after(source, now + 1);
  }
  std::uint32_t in_part = 0;
  const npu::InjectionLinks& ports = part_of(NodeId{source.owner}, &in_part).local->ports();
  return static_cast<double>(ports.flits(in_part)) - ports.flits_after(in_part, last_npu_edge(now + 1));
}

LinkRecord System::link(std::size_t number, Cycle cycles) const {
  network::LinkRow row = network_->link_row(number);
  const LinkCounts counts = link_counts(number);
  LinkRecord record;
  record.name = std::move(row.name);
  record.from = std::move(row.from);
  record.to = std::move(row.to);
  record.at_endpoint = row.at_endpoint;
  record.flits = counts.flits;
  record.values = counts.values;
  record.capacity = row.flits_per_cycle.value();
  record.utilisation = utilisation(link_carried(number, cycles), cycles, row.flits_per_cycle);
  return record;
}

NodeRecord System::node(std::size_t number) const {
  const NodeId id{static_cast<std::uint32_t>(number)};
  std::uint32_t in_part = 0;
  const SystemPart& part = part_of(id, &in_part);
  const network::Node node = network_->node(id);
  NodeRecord record;
  record.x = node.x;
  record.y = node.y;
  record.values = part.local->node_values(in_part);
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
