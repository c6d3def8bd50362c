// SPDX-License-Identifier: Apache-2.0
// The wafer: composes routers, network interfaces and NPUs from the resolved configuration. The constructor's parts
// show the wiring.
#pragma once

#include <memory>
#include <vector>

#include "kernel/clock_domain.h"
#include "kernel/config.h"
#include "kernel/probe.h"
#include "npu/interface/interface_module.h"
#include "npu/interface/message_interfaces.h"
#include "npu/traffic/pattern.h"
#include "npu/traffic/traffic_sources.h"
#include "router/region_module.h"
#include "wafer/partition.h"

namespace weft::wafer {

/// Switches for tests; those of law 2 may not change any result.
struct TestKnobs {
  bool sleep = true;          ///< false: every router is visited in every cycle
  std::uint64_t shuffle = 0;  ///< not 0: routers are visited in a random order
  bool may_deadlock = false;  ///< accept too few VCs; this one does change results
};

/// A region of routers and the network interfaces of the same nodes, however they are cut into modules.
struct FabricPart {
  router::Region* region = nullptr;
  npu::LocalBlock* local = nullptr;
  npu::TrafficSources* traffic = nullptr;      ///< the same as `local`, with synthetic traffic
  npu::MessageInterfaces* messages = nullptr;  ///< the same as `local`, with messages
  std::vector<NodeId> nodes;                   ///< in the region's order
  FabricProbe* probe = nullptr;                ///< who is told what happens in this part; null = nobody
};

/// One wafer. All modules below it live as long as it does.
class Wafer final : public sc_core::sc_module {
 public:
  /// `probe` may be null. Throws InputError for what cannot be built.
  Wafer(const sc_core::sc_module_name& name, const Config& config, FabricProbe* probe, const TestKnobs& knobs = {});
  ~Wafer() override;

  const Config& config() const { return config_; }
  /// As the NPUs see it: rates and latencies of local links in cycles of their clock.
  const Config& npu_config() const { return npu_config_; }
  const router::Grid& grid() const { return grid_; }
  ClockDomain& fabric_clock() { return *fabric_clock_; }
  /// The domain of NPUs and network interfaces; the fabric's unless `npu.clock` is set.
  ClockDomain& npu_clock() { return npu_clock_ ? *npu_clock_ : *fabric_clock_; }
  std::vector<FabricPart>& parts() { return parts_; }
  /// The message API of a node; only with a workload of messages.
  npu::NetworkInterface& interface(NodeId node);
  /// Statistics of the router at `node`.
  const router::PortStatistics& link_statistics(NodeId node, PortId port) const;
  const FabricPart& part_of(NodeId node, std::uint32_t* number) const;

  std::uint64_t flits_inside() const;
  std::uint64_t flits_moved() const;
  /// Nothing is in the fabric or on its way into or out of it.
  bool empty() const;
  /// Throws ViolationError unless all buffers are empty and all credits are home. Only when `empty`.
  void require_empty() const;
  /// Who waits for whom in the fabric, in sentences; ends with the circle if there is one.
  std::string waiting_report() const;

 private:
  void build_partitions(FabricProbe* probe, const TestKnobs& knobs);
  void build_modules(FabricProbe* probe, const TestKnobs& knobs);
  void join_modules();
  std::unique_ptr<npu::LocalBlock> make_local(std::vector<NodeId> nodes, FabricPart* part);
  router::RegionParameters region_parameters(router::Rectangle place, const TestKnobs& knobs) const;
  std::vector<NodeId> nodes_of(router::Rectangle place) const;

  Config config_;
  Config npu_config_;  ///< as the network interfaces see it: rates and latencies in cycles of their clock
  router::Grid grid_;
  std::unique_ptr<npu::TrafficPattern> pattern_;
  std::unique_ptr<ClockDomain> fabric_clock_;
  std::unique_ptr<ClockDomain> npu_clock_;
  std::unique_ptr<PartitionedFabric> partitions_;
  std::vector<std::unique_ptr<router::RegionModule>> routers_;
  std::vector<std::unique_ptr<npu::InterfaceModule>> interfaces_;
  std::vector<FabricPart> parts_;
  ColourPlan colours_;                       ///< routes that are set up before the run
  MulticastPlan multicast_;                  ///< trees for packets that are copied through VCs
  std::unique_ptr<PacketData> packet_data_;  ///< for packets that routers copy or merge; null in timing mode
  int rows_per_part_ = 0;                    ///< with partitions; the last one may have fewer
};

}  // namespace weft::wafer
