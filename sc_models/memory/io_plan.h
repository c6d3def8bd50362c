// SPDX-License-Identifier: Apache-2.0
// What NPUs and I/O controllers know of each other from the start, the same everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fabric_flows.h"
#include "config/config.h"
#include "config/fabric_facts.h"
#include "mem/io/io_shares.h"
#include "npu/collective/engine/flow_groups.h"
#include "npu/interface/network_interface.h"
#include "sc_models/io_sites.h"

namespace weft::sc_models {

/// Sites, shares and flows of loads and stores.
class IoPlan {
 public:
  /// `config` as NPUs see it. `flows`: who numbers the flows of switches; null = the fabric has none that copy and
  /// reduce. Both outlive the plan.
  IoPlan(const Config& config, FlowDirectory* flows);

  const std::vector<IoSite>& sites() const { return sites_; }
  const mem::IoShares& shares() const { return shares_; }
  const Config& config() const { return config_; }
  /// Controllers are nodes of switches; otherwise they share ports of NPUs, and streams are copied by routers.
  bool own_nodes() const { return io_controllers_are_nodes(config_.fabric); }
  std::uint64_t flits_of(std::uint64_t bytes) const {
    return (bytes + config_.fabric.flit_bytes - 1) / config_.fabric.flit_bytes;
  }
  /// Class of requests and confirmations.
  npu::MessageClass control_class() const;
  /// Class of stores of a rank for itself (null) or of a group.
  npu::MessageClass store_class(const npu::CommGroup* group) const;

  void use_groups(const std::vector<npu::SharedGroup>& groups);
  const npu::CommGroup& group(std::uint32_t number) const { return *groups_.at(number); }
  /// A load reaches all of the group at once: switches copy it, or routers copy what goes to all nodes.
  bool copies(const npu::CommGroup& group) const;
  /// Stores of the group are summed in switches: it has a traffic class for its flows, as for collectives (FlowGroups).
  bool reduces(const npu::CommGroup& group) const;
  /// Flow from a site to a group, or back; kNoFlow on a mesh. While a group stores to one site, others that may run at
  /// the same time store to the next ones. Throws InputError where switches refuse it.
  std::uint32_t load_flow(std::uint32_t site, const npu::CommGroup& group) const;
  std::uint32_t store_flow(std::uint32_t site, const npu::CommGroup& group) const;

 private:
  void refuse_deadlock() const;

  const Config& config_;
  FlowDirectory* flows_;
  std::vector<IoSite> sites_;
  mem::IoShares shares_;
  std::vector<npu::SharedGroup> groups_;
  npu::FlowGroups flow_groups_;
};

}  // namespace weft::sc_models
