// SPDX-License-Identifier: Apache-2.0
// The system: a fabric with the network interfaces at it, composed from the resolved configuration. The constructor
// shows the wiring of every kind of fabric.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock_domain.h"
#include "base/fabric_flows.h"
#include "base/probe.h"
#include "config/config.h"
#include "network/network.h"
#include "npu/interface/interface_module.h"
#include "npu/interface/message_interfaces.h"
#include "npu/traffic/pattern.h"
#include "npu/traffic/traffic_sources.h"
#include "sc_models/fabric.h"
#include "sc_models/run_result.h"

namespace weft::sc_models {

/// Network interfaces that are stepped together, and who is told what happens there.
struct SystemPart {
  npu::LocalBlock* local = nullptr;
  npu::TrafficSources* traffic = nullptr;      ///< the same as `local`, with synthetic traffic
  npu::MessageInterfaces* messages = nullptr;  ///< the same as `local`, with messages
  std::vector<NodeId> nodes;                   ///< in the part's order
  FabricProbe* probe = nullptr;                ///< null = nobody
};

/// Fabric, network interfaces and their clocks. Workloads play on it, a Supervisor ends it.
class System final : public sc_core::sc_module {
 public:
  /// Throws InputError for what cannot be built.
  System(const sc_core::sc_module_name& name, const Config& config, const SystemSetup& given = {},
         const TestKnobs& knobs = {});
  ~System() override;

  const Config& config() const { return config_; }
  /// Names and shape of all that is in it.
  const network::Network& network() const { return *network_; }
  /// As the NPUs see it: rates and latencies of local links in cycles of their clock.
  const Config& npu_config() const { return npu_config_; }
  ClockDomain& fabric_clock() { return fabric_clock_; }
  /// The domain of NPUs and network interfaces; the fabric's unless `npu.clock` is set.
  ClockDomain& npu_clock() { return npu_clock_ ? *npu_clock_ : fabric_clock_; }
  Fabric& fabric() { return *fabric_; }
  const Fabric& fabric() const { return *fabric_; }
  std::vector<SystemPart>& parts() { return parts_; }
  /// The message API of a node; only with a workload of messages.
  npu::NetworkInterface& interface(NodeId node);
  /// The part that a node belongs to, and its number there.
  const SystemPart& part_of(NodeId node, std::uint32_t* number) const;

  /// Nothing is in the fabric or on its way into or out of it.
  bool empty() const;
  /// Throws ViolationError unless all buffers are empty and all credits are home. Only when `empty`.
  void require_empty() const;
  /// Counts what passes without a step up to and with cycle `end` of the fabric's clock; see Fabric::settle.
  void settle(Cycle end);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// To be called once after the last cycle, before the tables are read.
  void finish_statistics(Cycle cycles);
  /// The values of all links together. After finish_statistics.
  LinkValues link_totals() const;

  // Rows of the tables of links (link rows of the network) and nodes (its endpoints).
  std::size_t links() const { return network_->link_rows(); }
  LinkRecord link(std::size_t number, Cycle cycles) const;
  LinkCounts link_counts(std::size_t number) const;
  /// Flits that each of the links() has carried so far; cheap. All zero where a mesh keeps no statistics.
  void read_link_flits(std::uint64_t* flits) const;
  /// What a link has carried up to the end of cycle `now`, in flits: of one that takes several cycles and is still on
  /// its way only the part until then.
  double link_carried(std::size_t number, Cycle now) const;
  std::size_t nodes() const { return network_->endpoints(); }
  /// Without the rank.
  NodeRecord node(std::size_t number) const;

 private:
  /// Where the network interface of a node is.
  struct InPart {
    std::uint32_t part = 0;
    std::uint32_t number = 0;
  };

  void join_as_blocks();
  void join_as_modules(const TestKnobs& knobs);
  SystemPart make_part(std::vector<NodeId> nodes);
  void build_interface(NodeId node);
  Cycle last_npu_edge(Cycle now) const;

  Config config_;
  std::shared_ptr<const network::Network> network_;
  FabricProbe* probe_;
  ClockDomain fabric_clock_;
  std::unique_ptr<ClockDomain> npu_clock_;
  std::unique_ptr<PacketData> packet_data_;
  std::unique_ptr<Fabric> fabric_;
  Config npu_config_;
  std::unique_ptr<npu::TrafficPattern> pattern_;
  std::vector<std::unique_ptr<npu::LocalBlock>> interfaces_;    ///< by part, unless modules have them
  std::vector<std::unique_ptr<npu::InterfaceModule>> modules_;  ///< by node, in modules
  std::vector<SystemPart> parts_;
  std::vector<InPart> in_part_;  ///< by node
};

/// Share of a link's capacity that was used in a run of `cycles` cycles, 0..1; `carried` counts parts of flits. Throws
/// ViolationError for a link that has carried more than its bandwidth allows.
double utilisation(double carried, Cycle cycles, Rational flits_per_cycle);

}  // namespace weft::sc_models
