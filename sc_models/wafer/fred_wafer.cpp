// SPDX-License-Identifier: Apache-2.0
#include "wafer/fred_wafer.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/error.h"
#include "npu/program/packet_reducer.h"
#include "npu/program/program_cache.h"
#include "wafer/switch_factory.h"
#include "wafer/waiting_report.h"

namespace weft::wafer {
namespace {

fred::FabricParameters parameters_of(const Config& config, const TestKnobs& knobs) {
  fred::FabricParameters parameters;
  parameters.packet_bytes = config.npu.packet_bytes;
  parameters.sleep = knobs.sleep;
  parameters.seed = config.seed;
  parameters.make_switch = switch_factory();
  if (const auto* io = std::get_if<IoWorkload>(&config.workload)) {
    parameters.values = io->data == DataMode::kValues;
    return parameters;
  }
  const CollectiveSpec& collective = npu::collective_spec(config);
  parameters.values = collective.data == DataMode::kValues;
  parameters.format = {collective.dtype, config.fabric.fred.fp32_accumulation};
  parameters.op = collective.op;
  return parameters;
}

}  // namespace

class FredWafer::Block final : public weft::Block {
 public:
  Block(fred::FredFabric& fabric, npu::LocalBlock& local) : fabric_(fabric), local_(local) {}
  void step(Cycle now) override {
    fabric_.step(now);
    local_.step(now);
  }
  Cycle next_work(Cycle now) const override { return std::min(fabric_.next_work(now), local_.next_work(now)); }

 private:
  fred::FredFabric& fabric_;
  npu::LocalBlock& local_;
};

FredWafer::FredWafer(const sc_core::sc_module_name& name, const Config& config, FabricProbe* probe,
                     const TestKnobs& knobs)
    : Wafer(name, config, config), packet_data_(npu::make_packet_data(config)) {
  if (config.npu.clock) throw InputError("npu.clock: NPUs on a fabric of FRED switches have the fabric's clock");
  fabric_ = std::make_unique<fred::FredFabric>(config.fabric, parameters_of(config, knobs));
  FabricPart part;
  for (std::uint32_t node = 0; node < fabric_->topology().nodes(); ++node) part.nodes.push_back(NodeId{node});
  messages_ = std::make_unique<npu::MessageInterfaces>(config, part.nodes, 2);
  part.messages = messages_.get();
  part.local = messages_.get();
  part.probe = probe;
  parts_.push_back(std::move(part));
  fabric_->connect(messages_.get(), &pool_, packet_data_.get(), probe);
  messages_->connect(fabric_.get(), &pool_, probe);
  block_ = std::make_unique<Block>(*fabric_, *messages_);
  fabric_clock_->add(*block_);
  const fred::FredTopology& topology = fabric_->topology();
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) links_.push_back({kInterface, node});
  for (std::uint32_t chiplet = 0; chiplet < topology.chiplets().size(); ++chiplet) {
    const auto& peers = topology.chiplets()[chiplet].peers;
    for (std::uint32_t port = 0; port < peers.size(); ++port) {
      if (peers[port].kind != fred::PortPeer::kNothing) links_.push_back({chiplet, port});
    }
  }
}

FredWafer::~FredWafer() = default;

FlowDirectory* FredWafer::flows() { return config_.fabric.fred.in_switch ? &fabric_->compiler() : nullptr; }

npu::NetworkInterface& FredWafer::interface(NodeId node) { return messages_->at(index(node)); }

const FabricPart& FredWafer::part_of(NodeId node, std::uint32_t* number) const {
  *number = index(node);
  return parts_.front();
}

bool FredWafer::empty() const { return flits_inside() == 0 && messages_->idle(); }

void FredWafer::require_empty() const {
  fabric_->require_empty();
  messages_->ports().require_empty();
  WEFT_CHECK(pool_.in_use() == 0, fmt::format("{} packets are left that nobody waits for", pool_.in_use()));
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
  result->configurations = {need.most,       need.where,          need.capacity,
                            need.bits,       need.memory_bytes,   counted.reconfigurations,
                            counted.reloads, counted.preemptions, counted.yields};
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

std::string fred_node_name(const fred::FredTopology& topology, std::uint32_t node) {
  return node < topology.npus() ? fmt::format("npu[{}]", node) : fmt::format("io[{}]", node - topology.npus());
}

std::string fred_link_name(const fred::FredTopology& topology, std::uint32_t chiplet, std::uint32_t port) {
  return fmt::format("fabric.{}.port[{}]", topology.chiplets()[chiplet].name, port);
}

std::string FredWafer::peer_name(const fred::PortPeer& peer) const {
  return peer.kind == fred::PortPeer::kNode ? fred_node_name(fabric_->topology(), peer.node)
                                            : fabric_->topology().chiplets()[peer.chiplet].name;
}

LinkRecord FredWafer::link(std::size_t number, Cycle cycles) const {
  const fred::FredTopology& topology = fabric_->topology();
  const LinkName name = links_[number];
  LinkRecord record;
  if (name.chiplet == kInterface) {
    record.from = fred_node_name(topology, name.port);
    record.name = record.from + ".out";
    record.to = fmt::format("l1[{}]", topology.group_of(name.port));
    record.flits = messages_->ports().flits(name.port);
    const bool npu = name.port < topology.npus();
    const Rational io{config_.fabric.fred.io_rate.num * static_cast<std::uint64_t>(topology.planes()),
                      config_.fabric.fred.io_rate.den};
    record.utilisation = utilisation(record.flits, cycles, npu ? config_.fabric.local.flits_per_cycle : io);
    return record;
  }
  const fred::Chiplet& chiplet = topology.chiplets()[name.chiplet];
  record.name = fred_link_name(topology, name.chiplet, name.port);
  record.from = chiplet.name;
  record.to = peer_name(chiplet.peers[name.port]);
  record.flits = fabric_->counters(name.chiplet, name.port).flits;
  record.utilisation = utilisation(record.flits, cycles, chiplet.spec.port_specs[name.port].out_rate.flits_per_cycle);
  return record;
}

NodeRecord FredWafer::node(std::size_t number) const {
  const auto node = static_cast<std::uint32_t>(number);
  NodeRecord record = node_traffic(parts_.front(), node);
  record.x = fabric_->topology().port_of(node);
  record.y = static_cast<std::uint32_t>(fabric_->topology().group_of(node));
  return record;
}

}  // namespace weft::wafer
