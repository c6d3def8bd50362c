// SPDX-License-Identifier: Apache-2.0
#include "sc_models/fred_wafer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "npu/collective/engine/packet_reducer.h"
#include "npu/collective/engine/program_cache.h"
#include "sc_models/switch_data.h"
#include "sc_models/switch_factory.h"
#include "sc_models/waiting_report.h"
#include "sc_models/wormhole_check.h"

namespace weft::sc_models {
namespace {

fred::FabricParameters parameters_of(const Config& config, const Observers& observers, const TestKnobs& knobs) {
  fred::FabricParameters parameters;
  parameters.packet_bytes = config.npu.packet_bytes;
  parameters.sleep = knobs.sleep;
  parameters.seed = config.seed;
  parameters.make_switch = switch_factory();
  const SwitchData data = switch_data(config);
  parameters.values = data.values;
  parameters.format = data.format;
  parameters.op = data.op;
  if (!observers.watches.empty()) {
    parameters.watch = [watches = observers.watches](std::uint32_t chiplet) { return watches[chiplet]; };
  }
  return parameters;
}

}  // namespace

FredWafer::FredWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
                     const TestKnobs& knobs)
    : FredWafer(name, config, observers, knobs, std::make_shared<const fred::FredNetwork>(config)) {}

FredWafer::FredWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
                     const TestKnobs& knobs, std::shared_ptr<const fred::FredNetwork> network)
    : Wafer(name, config, config, network), shape_(std::move(network)), packet_data_(npu::make_packet_data(config)) {
  if (config.npu.clock) throw InputError("npu.clock: NPUs on a fabric of FRED switches have the fabric's clock");
  for (const ConfigProblem& problem : check_wormhole(config))
    throw InputError(fmt::format("{}: {}", problem.path, problem.sentence));
  const FabricForm form = config.fabric.form;
  fabric_ = std::make_unique<fred::FredFabric>(config.fabric, parameters_of(config, observers, knobs), form);
  if (form == FabricForm::kModules) {
    build_modules(observers.probe, knobs);
    join_modules();
  } else {
    build_region(observers.probe);
  }
}

FredWafer::~FredWafer() = default;

// The whole fabric and all network interfaces as plain state.
void FredWafer::build_region(FabricProbe* probe) {
  FabricPart part;
  for (std::uint32_t node = 0; node < fabric_->topology().nodes(); ++node) part.nodes.push_back(NodeId{node});
  messages_ = std::make_unique<npu::MessageInterfaces>(config_, part.nodes);
  part.messages = messages_.get();
  part.local = messages_.get();
  part.probe = probe;
  parts_.push_back(std::move(part));
  fabric_->connect(messages_.get(), &pool_, packet_data_.get(), probe);
  messages_->connect(fabric_.get(), &pool_, probe);
  block_ = std::make_unique<FabricBlock<fred::FredFabric>>(*fabric_, *messages_);
  fabric_clock_->add(*block_);
}

// Every chiplet and every network interface as a module of its own. They are stepped in the order in which they are
// made.
void FredWafer::build_modules(FabricProbe* probe, const TestKnobs& knobs) {
  const std::uint32_t nodes = fabric_->topology().nodes();
  chiplets_.resize(fabric_->chiplets());
  interfaces_.resize(nodes);
  parts_.resize(nodes);
  std::vector<std::uint32_t> order(chiplets_.size() + nodes);
  std::iota(order.begin(), order.end(), 0);
  if (knobs.shuffle != 0) {
    RandomStream random(knobs.shuffle, NodeId{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  }
  for (const std::uint32_t number : order) {
    if (number < chiplets_.size()) {
      build_chiplet(number, probe);
    } else {
      build_interface(number - static_cast<std::uint32_t>(chiplets_.size()), probe);
    }
  }
}

void FredWafer::build_chiplet(std::uint32_t chiplet, FabricProbe* probe) {
  chiplets_[chiplet] =
      std::make_unique<fred::ChipletModule>(fred::module_name(fabric_->topology().chiplets()[chiplet]).c_str(),
                                            *fabric_->groups()[chiplet], *fabric_clock_, packet_data_.get(), probe);
}

void FredWafer::build_interface(std::uint32_t node, FabricProbe* probe) {
  const fred::FredTopology& topology = fabric_->topology();
  FabricPart& part = parts_[node];
  part.nodes.push_back(NodeId{node});
  auto messages = std::make_unique<npu::MessageInterfaces>(config_, part.nodes);
  part.messages = messages.get();
  part.local = messages.get();
  part.probe = probe;
  const std::string name =
      node < topology.npus() ? fmt::format("npu_{}", node) : fmt::format("io_{}", node - topology.npus());
  interfaces_[node] = std::make_unique<npu::InterfaceModule>(
      name.c_str(), std::move(messages), topology.planes() * kCircuits, *fabric_clock_, probe, topology.planes());
}

void FredWafer::join_modules() {
  const fred::FredTopology& topology = fabric_->topology();
  for (std::uint32_t chiplet = 0; chiplet < fabric_->chiplets(); ++chiplet) {
    const fred::Chiplet& here = topology.chiplets()[chiplet];
    for (std::uint32_t port = 0; port < here.peers.size(); ++port) {
      const fred::PortPeer& peer = here.peers[port];
      if (peer.kind == fred::PortPeer::kNode) {
        chiplets_[chiplet]->link(port).bind(interfaces_[peer.node]->link(here.place.plane));
      } else if (peer.kind == fred::PortPeer::kChiplet && chiplet < peer.chiplet) {
        chiplets_[chiplet]->link(port).bind(chiplets_[peer.chiplet]->link(peer.port));
      }
    }
  }
}

void FredWafer::show_insides(fred::UswitchProbe* probe) { fabric_->show_wires(probe); }

FlowDirectory* FredWafer::flows() { return config_.fabric.fred.in_switch ? &fabric_->compiler() : nullptr; }

const FabricPart& FredWafer::part_of(NodeId node, std::uint32_t* number) const {
  const bool own = parts_.size() > 1;
  *number = own ? 0 : index(node);
  return parts_[own ? index(node) : 0];
}

npu::NetworkInterface& FredWafer::interface(NodeId node) {
  std::uint32_t number = 0;
  const FabricPart& part = part_of(node, &number);
  return part.messages->at(number);
}

bool FredWafer::empty() const {
  return flits_inside() == 0 &&
         std::all_of(parts_.begin(), parts_.end(), [](const FabricPart& part) { return part.local->idle(); });
}

void FredWafer::require_empty() const {
  fabric_->require_empty();
  for (const FabricPart& part : parts_) part.local->ports().require_empty();
  std::size_t packets = pool_.in_use();
  for (const auto& chiplet : chiplets_) packets += chiplet->pool().in_use();
  for (const auto& interface : interfaces_) packets += std::as_const(*interface).pool().in_use();
  WEFT_CHECK(packets == 0, fmt::format("{} packets are left that nobody waits for", packets));
}

std::string FredWafer::waiting_report() const {
  std::string text;
  for (const std::string& sentence : fabric_->waiting(kMaxWaiting)) text += sentence + "\n";
  return text;
}

void FredWafer::add_to(RunResult* result) const {
  result->uswitch_hops = fabric_->uswitch_hops();
  const fred::MemoryNeed need = fabric_->memory_need();
  const fred::SwitchCounters counted = fabric_->switch_totals();
  result->configurations = {
      need.most, need.where, need.capacity, need.bits, need.memory_bytes, counted.reconfigurations, counted.reloads,
      {},        {}};
  if (counted.knows_reasons) {
    result->configurations->preemptions = counted.preemptions;
    result->configurations->yields = counted.yields;
  }
  for (const fred::SwitchReport& each : fabric_->switch_reports()) {
    result->switches.push_back({each.path, each.model, each.compared_cycles});
  }
  if (config_.fabric.fred.link_layer.go_back_n) {
    const fred::GbnCounters totals = fabric_->link_totals();
    result->link_layer = {totals.packets, totals.resent, totals.discarded, totals.acks, totals.nacks, totals.timeouts};
  }
  for (const auto& [flows, phase] : fabric_->compiler().phases()) {
    for (const fred::FlowConflict& conflict : phase.conflicts) {
      result->warnings.push_back(fmt::format("flows conflict: {}; {}", conflict.found, conflict.done));
    }
  }
}

void FredWafer::finish_statistics(Cycle cycles) {
  fabric_->finish_stalls(cycles);
  for (FabricPart& part : parts_) part.local->finish_stalls(cycles);
}

LinkCounts FredWafer::link_counts(std::size_t number) const {
  const fred::FredNetwork::RowPlace place = shape_->place_of(number);
  if (place.chiplet != fred::FredNetwork::kInterface) {
    return {fabric_->counters(place.chiplet, place.port).flits, fabric_->link_values(place.chiplet, place.port)};
  }
  std::uint32_t in_part = 0;
  const FabricPart& part = part_of(NodeId{place.port}, &in_part);
  LinkCounts counts;
  counts.flits = part.local->ports().flits(in_part);
  if (config_.fabric.statistics) counts.values = part.local->link_values(in_part);
  return counts;
}

void FredWafer::read_link_flits(std::uint64_t* flits) const {
  for (std::size_t number = 0; number < links(); ++number) {
    const fred::FredNetwork::RowPlace place = shape_->place_of(number);
    if (place.chiplet == fred::FredNetwork::kInterface) {
      std::uint32_t in_part = 0;
      const FabricPart& part = part_of(NodeId{place.port}, &in_part);
      *flits++ = part.local->ports().flits(in_part);
    } else {
      *flits++ = fabric_->counters(place.chiplet, place.port).flits;
    }
  }
}

double FredWafer::link_carried(std::size_t number, Cycle now) const {
  const fred::FredNetwork::RowPlace place = shape_->place_of(number);
  if (place.chiplet == fred::FredNetwork::kInterface) {
    std::uint32_t in_part = 0;
    const npu::InjectionLinks& ports = part_of(NodeId{place.port}, &in_part).local->ports();
    return static_cast<double>(ports.flits(in_part)) - ports.flits_after(in_part, now + 1);
  }
  const fred::PortCounters& counters = fabric_->counters(place.chiplet, place.port);
  const PacketRateSpec& rate = fabric_->topology().chiplets()[place.chiplet].spec.port_specs[place.port].out_rate;
  return static_cast<double>(counters.flits) - rate.flits_after(counters.flits, counters.last_sent, now + 1);
}

}  // namespace weft::sc_models
