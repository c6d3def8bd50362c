// SPDX-License-Identifier: Apache-2.0
#include "sc_models/switch_fabric.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "base/error.h"
#include "config/effects.h"
#include "sc_models/switch_data.h"
#include "sc_models/waiting_report.h"
#include "sc_models/wormhole_check.h"

namespace weft::sc_models {
namespace {

/// Throws InputError for what FRED switches cannot carry.
void check(const Config& config) {
  if (config.npu.clock) throw InputError("npu.clock: NPUs on a fabric of FRED switches have the fabric's clock");
  for (const ConfigProblem& problem : check_wormhole(config))
    throw InputError(fmt::format("{}: {}", problem.path, problem.sentence));
}

fred::FabricParameters parameters_of(const Config& config, const SystemSetup& given, const TestKnobs& knobs) {
  check(config);
  fred::FabricParameters parameters;
  parameters.packet_bytes = config.npu.packet_bytes;
  parameters.sleep = knobs.sleep;
  parameters.seed = config.seed;
  if (knobs.trains) parameters.longest_train = config.limits.watchdog_cycles / 2;
  parameters.make_switch = given.make_switch;
  const SwitchData data = switch_data(config);
  parameters.values = data.values;
  parameters.format = data.format;
  parameters.op = data.op;
  if (!given.watches.empty()) {
    parameters.watch = [watches = given.watches](std::uint32_t chiplet) { return watches[chiplet]; };
  }
  return parameters;
}

/// Lets threads show their switches' wires one after the other. Within a cycle their order does not matter.
class WiresOneByOne final : public fred::UswitchProbe {
 public:
  explicit WiresOneByOne(fred::UswitchProbe& behind) : behind_(behind) {}
  void wires(Cycle now, std::uint32_t chiplet, const fred::SwitchModel& fred, const fred::PacketNames& names) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    behind_.wires(now, chiplet, fred, names);
  }

 private:
  fred::UswitchProbe& behind_;
  std::mutex mutex_;
};

}  // namespace

SwitchFabric::SwitchFabric(const fred::FredNetwork& /*network*/, const FabricSetup& setup)
    : fabric_(setup.config.fabric),
      clock_(setup.clock),
      packet_data_(setup.data),
      probe_(setup.given.probe),
      threads_(setup.given.threads),
      switches_(fabric_, parameters_of(setup.config, setup.given, setup.knobs), fabric_.form,
                one_thread_because(setup.config).empty() ? setup.config.threads : 1),
      chiplets_(switches_.chiplets()) {
  if (in_modules()) return;
  const std::size_t data_bytes = switch_data(setup.config).values ? static_cast<std::size_t>(fabric_.flit_bytes) : 0;
  for (std::uint32_t number = 0; number < switches_.groups().size(); ++number) {
    parts_.push_back(std::make_unique<SwitchPart>(switches_, number, packet_data_, data_bytes));
  }
}

SwitchFabric::~SwitchFabric() = default;

std::vector<std::vector<NodeId>> SwitchFabric::parts() const {
  std::vector<std::vector<NodeId>> nodes;
  for (const auto& part : parts_) nodes.push_back(part->nodes());
  return nodes;
}

FabricProbe* SwitchFabric::attach(std::size_t part, npu::LocalBlock& interfaces) {
  parts_[part]->connect(interfaces, probe_, parts_.size() > 1);
  return parts_[part]->probe();
}

Block& SwitchFabric::join_parts() {
  SwitchPart::join_all(parts_);
  std::vector<FabricPart*> parts;
  for (const auto& part : parts_) parts.push_back(part.get());
  block_ = std::make_unique<PartThreads>(std::move(parts), threads_);
  return *block_;
}

void SwitchFabric::build_module(std::size_t number) {
  const std::string name = fred::module_name(switches_.topology().chiplets()[number]);
  chiplets_[number] =
      std::make_unique<fred::ChipletModule>(name.c_str(), *switches_.groups()[number], clock_, packet_data_, probe_);
}

void SwitchFabric::join_modules() {
  for (std::uint32_t chiplet = 0; chiplet < chiplets_.size(); ++chiplet) {
    const std::vector<fred::PortPeer>& peers = switches_.topology().chiplets()[chiplet].peers;
    for (std::uint32_t port = 0; port < peers.size(); ++port) {
      const fred::PortPeer& peer = peers[port];
      if (peer.kind != fred::PortPeer::kChiplet || chiplet > peer.chiplet) continue;
      chiplets_[chiplet]->link(port).bind(chiplets_[peer.chiplet]->link(peer.port));
    }
  }
}

LinkEnd& SwitchFabric::link_to(NodeId node, int port) {
  const fred::FredTopology& topology = switches_.topology();
  const std::uint32_t chiplet = topology.chiplet({0, topology.group_of(index(node)), 0, port});
  return chiplets_[chiplet]->link(topology.port_of(index(node)));
}

FlowDirectory* SwitchFabric::flows() { return fabric_.fred.in_switch ? &switches_.compiler() : nullptr; }

void SwitchFabric::show_insides(fred::UswitchProbe* probe) {
  if (parts_.size() > 1 && probe != nullptr) {
    wires_ = std::make_unique<WiresOneByOne>(*probe);
    probe = wires_.get();
  }
  switches_.show_wires(probe);
}

std::uint64_t SwitchFabric::flits_inside() const {
  std::uint64_t sum = switches_.flits_inside();
  for (const auto& part : parts_) sum += part->flits_in_mail();
  return sum;
}

std::size_t SwitchFabric::packets() const {
  std::size_t sum = 0;
  for (const auto& part : parts_) sum += std::as_const(*part).pool().in_use();
  for (const auto& chiplet : chiplets_) {
    if (chiplet) sum += chiplet->pool().in_use();
  }
  return sum;
}

std::string SwitchFabric::waiting_report() const {
  std::string text;
  for (const std::string& sentence : switches_.waiting(kMaxWaiting)) text += sentence + "\n";
  return text;
}

void SwitchFabric::add_to(RunResult* result) const {
  result->uswitch_hops = switches_.uswitch_hops();
  const fred::MemoryNeed need = switches_.memory_need();
  const fred::SwitchCounters counted = switches_.switch_totals();
  result->settings = {
      need.most, need.where, need.capacity, need.bits, need.memory_bytes, counted.reconfigurations, counted.reloads,
      {},        {}};
  if (counted.knows_reasons) {
    result->settings->preemptions = counted.preemptions;
    result->settings->yields = counted.yields;
  }
  for (const fred::SwitchReport& each : switches_.switch_reports()) {
    result->switches.push_back({each.path, each.model, each.compared_cycles});
  }
  if (fabric_.fred.link_layer.go_back_n) {
    const fred::GbnCounters totals = switches_.link_totals();
    result->link_layer = {totals.packets, totals.resent, totals.discarded, totals.acks, totals.nacks, totals.timeouts};
  }
  for (const auto& [flows, phase] : switches_.compiler().phases()) {
    for (const fred::FlowConflict& conflict : phase.conflicts) {
      result->warnings.push_back(fmt::format("flows conflict: {}; {}", conflict.found, conflict.done));
    }
  }
}

void SwitchFabric::keep(Checkpoint& checkpoint) {
  if (in_modules()) Fabric::keep(checkpoint);
  checkpoint.all(parts_, [&](auto& part) { part->keep(checkpoint); });
}

void SwitchFabric::put_state(StateForm& form) {
  if (parts_.size() != 1) return form.refuse("only switches that one thread steps take part");
  parts_.front()->put_state(form);
}

LinkCounts SwitchFabric::link_counts(network::LinkSource source) const {
  return {link_flits(source), switches_.link_values(source.owner, source.port)};
}

std::uint64_t SwitchFabric::link_flits(network::LinkSource source) const {
  return switches_.counters(source.owner, source.port).flits;
}

double SwitchFabric::link_flits_after(network::LinkSource source, Cycle end) const {
  const fred::PortCounters& counters = switches_.counters(source.owner, source.port);
  const PacketRateSpec& rate = switches_.topology().chiplets()[source.owner].spec.port_specs[source.port].out_rate;
  return rate.flits_after(counters.flits, counters.last_sent, end);
}

}  // namespace weft::sc_models
