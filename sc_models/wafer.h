// SPDX-License-Identifier: Apache-2.0
// The wafer: composes a fabric, network interfaces and NPUs from the resolved configuration. What all kinds of fabric
// have in common; `mesh_wafer.h` and `fred_wafer.h` show the wiring.
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
#include "npu/interface/message_interfaces.h"
#include "npu/traffic/traffic_sources.h"
#include "router/region.h"
#include "sc_models/run_result.h"
#include "switch/network/uswitch_probe.h"

namespace weft::sc_models {

/// Switches for tests; those of law 2 may not change any result.
struct TestKnobs {
  bool sleep = true;          ///< false: every router is visited in every cycle
  std::uint64_t shuffle = 0;  ///< not 0: routers, or modules of FRED switches and NPUs, are visited in a random order
  bool may_deadlock = false;  ///< accept too few VCs; this one does change results
};

/// A part of the fabric and the network interfaces of its nodes, however they are cut into modules.
struct FabricPart {
  router::Region* region = nullptr;  ///< of a mesh or torus
  npu::LocalBlock* local = nullptr;
  npu::TrafficSources* traffic = nullptr;      ///< the same as `local`, with synthetic traffic
  npu::MessageInterfaces* messages = nullptr;  ///< the same as `local`, with messages
  std::vector<NodeId> nodes;                   ///< in the part's order
  FabricProbe* probe = nullptr;                ///< who is told what happens in this part; null = nobody
};

/// Who watches a run. What they see never influences it.
struct Observers {
  Observers(FabricProbe* fabric = nullptr) : probe(fabric) {}
  FabricProbe* probe;                      ///< what happens on links and at nodes; null = nobody wants to know
  std::vector<fred::SwitchWatch> watches;  ///< by chiplet of a fabric of switches, what is wanted of its inside
};

/// What the sender of links has counted.
struct LinkCounts {
  std::uint64_t flits = 0;
  LinkValues values;  ///< none where it does not know, or keeps no statistics
};

/// One wafer.
class Wafer : public sc_core::sc_module {
 public:
  const Config& config() const { return config_; }
  /// Names and shape of all that is in it.
  const network::Network& network() const { return *network_; }
  /// As the NPUs see it: rates and latencies of local links in cycles of their clock.
  const Config& npu_config() const { return npu_config_; }
  ClockDomain& fabric_clock() { return *fabric_clock_; }
  /// The domain of NPUs and network interfaces; the fabric's unless `npu.clock` is set.
  ClockDomain& npu_clock() { return npu_clock_ ? *npu_clock_ : *fabric_clock_; }
  std::vector<FabricPart>& parts() { return parts_; }
  /// Who numbers the flows of its switches; null if it has none that reduce and copy.
  virtual FlowDirectory* flows() { return nullptr; }
  /// The message API of a node; only with a workload of messages.
  virtual npu::NetworkInterface& interface(NodeId node) = 0;
  /// The part that a node belongs to, and its number there.
  virtual const FabricPart& part_of(NodeId node, std::uint32_t* number) const = 0;

  virtual std::uint64_t flits_inside() const = 0;
  virtual std::uint64_t flits_moved() const = 0;
  /// Nothing is in the fabric or on its way into or out of it.
  virtual bool empty() const = 0;
  /// Throws ViolationError unless all buffers are empty and all credits are home. Only when `empty`.
  virtual void require_empty() const = 0;
  /// Who waits for whom in the fabric, in sentences; ends with the circle if there is one.
  virtual std::string waiting_report() const = 0;
  /// To be called once after the last cycle, before the tables are read.
  virtual void finish_statistics(Cycle cycles) = 0;
  /// Before the first cycle: who is shown the wires inside of switches; outlives the last cycle.
  virtual void show_insides(fred::UswitchProbe* /*probe*/) {}
  /// The values of all links together. After finish_statistics.
  LinkValues link_totals() const;
  /// What the fabric has to add to a run's result.
  virtual void add_to(RunResult* /*result*/) const {}

  // Rows of the tables of links (link rows of the network) and nodes (its endpoints).
  std::size_t links() const { return network_->link_rows(); }
  LinkRecord link(std::size_t number, Cycle cycles) const;
  /// Whether links count their flits in this run.
  virtual bool counts_flits() const { return config_.fabric.statistics; }
  virtual LinkCounts link_counts(std::size_t number) const = 0;
  /// Flits that each of the links() has carried so far; cheap. All zero where a mesh keeps no statistics.
  virtual void read_link_flits(std::uint64_t* flits) const = 0;
  /// What a link has carried up to the end of cycle `now`, in flits: of one that takes several cycles and is still on
  /// its way only the part until then.
  virtual double link_carried(std::size_t number, Cycle now) const = 0;
  std::size_t nodes() const { return network_->endpoints(); }
  /// Without the rank.
  NodeRecord node(std::size_t number) const;

 protected:
  Wafer(const sc_core::sc_module_name& name, const Config& config, Config npu_config,
        std::shared_ptr<const network::Network> network);

  Config config_;
  Config npu_config_;
  std::shared_ptr<const network::Network> network_;
  std::unique_ptr<ClockDomain> fabric_clock_;
  std::unique_ptr<ClockDomain> npu_clock_;
  std::vector<FabricPart> parts_;
};

/// Share of a link's capacity that was used in a run of `cycles` cycles, 0..1; `carried` as Wafer::link_carried gives
/// it. Throws ViolationError for a link that has carried more than its bandwidth allows.
double utilisation(double carried, Cycle cycles, Rational flits_per_cycle);

}  // namespace weft::sc_models
