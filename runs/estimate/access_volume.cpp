// SPDX-License-Identifier: Apache-2.0
#include "runs/estimate/access_volume.h"

#include "config/fabric_facts.h"
#include "sc_models/io_sites.h"
#include "sc_models/multicast_trees.h"

namespace weft::runs {
namespace {

/// The tree that routers copy the data of a site along.
const std::vector<MulticastBranch>& tree_of(const MulticastPlan& plan, const sc_models::IoSite& site) {
  return plan.trees.at({site.node, static_cast<std::uint8_t>(site.data_class)});
}

void add_flow(SentVolume& volume, const MessageSize& size, const sc_models::FabricSketch& sketch, std::uint32_t flow) {
  MessageCounter::add_tree(volume, size, sketch.flow_outputs(flow), sketch.flow_receivers(flow));
}

}  // namespace

SentVolume volume_of_streams(const Config& config, sc_models::FabricSketch& sketch) {
  SentVolume volume;
  MessageCounter counter(config, sketch);
  const MessageSize size = counter.size(std::get<IoWorkload>(config.workload).bytes);
  const MulticastPlan trees = sc_models::multicast_plan_of(config);
  std::uint32_t number = 0;
  for (const sc_models::IoSite& site : sc_models::io_sites(config.fabric)) {
    if (!io_controllers_are_nodes(config.fabric)) {
      MessageCounter::add_tree(volume, size, outputs_of(tree_of(trees, site)), config.fabric.nodes());
      continue;
    }
    const FabricFlow flow = sc_models::stream_flow(config.fabric, number++);
    const std::uint32_t carried = sketch.flows() == nullptr ? kNoFlow : sketch.flows()->number_of({flow}, 0);
    if (carried != kNoFlow) {
      add_flow(volume, size, sketch, carried);
    } else {
      for (const NodeId node : flow.outputs) counter.add(volume, size, site.node, node);
    }
  }
  return volume;
}

AccessVolumes::AccessVolumes(const Config& config, sc_models::FabricSketch& sketch,
                             const std::vector<npu::SharedGroup>& groups)
    : config_(config),
      sketch_(sketch),
      counter_(config, sketch),
      plan_(config, sketch.flows()),
      trees_(sc_models::multicast_plan_of(config)) {
  plan_.use_groups(groups);
}

MessageSize AccessVolumes::share(std::uint64_t bytes) const {
  MessageSize size = counter_.size(bytes);
  const auto sites = static_cast<double>(plan_.sites().size());
  size.messages = static_cast<double>(plan_.shares().pieces(bytes));
  size.packets /= sites;
  size.flits /= sites;
  size.bytes /= sites;
  return size;
}

// Each piece of a load is asked for, and each piece of a store is confirmed.
void AccessVolumes::add_control(SentVolume& volume, NodeId site, NodeId node, std::uint64_t bytes) {
  counter_.add(volume, counter_.size(0), site, node, static_cast<double>(plan_.shares().pieces(bytes)));
}

SentVolume AccessVolumes::of_group(const npu::CommGroup& group, bool store, std::uint64_t bytes) {
  SentVolume volume;
  const MessageSize size = share(bytes);
  volume.io_packets = counter_.size(bytes).packets;
  for (std::uint32_t number = 0; number < plan_.sites().size(); ++number) {
    const sc_models::IoSite& site = plan_.sites()[number];
    const std::uint32_t flow = store ? plan_.store_flow(number, group) : plan_.load_flow(number, group);
    if (flow != kNoFlow) {
      add_flow(volume, size, sketch_, flow);
    } else if (!store && !plan_.own_nodes()) {
      MessageCounter::add_tree(volume, size, outputs_of(tree_of(trees_, site)), config_.fabric.nodes());
    } else {
      for (const NodeId node : group.nodes)
        counter_.add(volume, size, store ? node : site.node, store ? site.node : node);
    }
    for (const NodeId node : group.nodes) {
      if (store || node == group.nodes.front()) add_control(volume, site.node, node, bytes);
    }
  }
  return volume;
}

SentVolume AccessVolumes::of_node(NodeId node, bool store, std::uint64_t bytes) {
  SentVolume volume;
  const MessageSize size = share(bytes);
  volume.io_packets = counter_.size(bytes).packets;
  for (const sc_models::IoSite& site : plan_.sites()) {
    counter_.add(volume, size, store ? node : site.node, store ? site.node : node);
    add_control(volume, site.node, node, bytes);
  }
  return volume;
}

}  // namespace weft::runs
