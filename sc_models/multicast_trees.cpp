// SPDX-License-Identifier: Apache-2.0
#include "sc_models/multicast_trees.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "npu/collective/engine/program_cache.h"
#include "router/routing/routing_function.h"
#include "sc_models/colour_routes.h"
#include "sc_models/io_sites.h"
#include "sc_models/route_tree.h"

namespace weft::sc_models {
namespace {

/// I/O controllers send what goes to all nodes.
bool has_streams(const Config& config) {
  return std::holds_alternative<IoWorkload>(config.workload) || config.memory.tensors == TensorMemory::kIo;
}

bool copies_packets(const Config& config) {
  return config.fabric.router.multicast && config.fabric.router.colours == 0 &&
         (std::holds_alternative<CollectiveWorkload>(config.workload) || has_streams(config));
}

void require_no_deadlock(const Config& config) {
  const FabricSpec& fabric = config.fabric;
  if (!router::routing_policies().at(fabric.routing).goes_x_first_in_set_0) {
    std::vector<std::string_view> legal;
    for (const router::RoutingPolicy* policy : router::routing_policies()) {
      if (policy->goes_x_first_in_set_0) legal.push_back(policy->name);
    }
    throw InputError(
        fmt::format("copied packets go along x first and can deadlock with packets of routing '{}', which "
                    "turn from y to x in the same VCs; legal: {}",
                    fabric.routing, fmt::join(legal, ", ")));
  }
  const std::uint64_t flits = (config.npu.packet_bytes + fabric.flit_bytes - 1) / fabric.flit_bytes;
  const auto room = static_cast<std::uint64_t>(fabric.router.buffer_flits);
  if (flits > room) {
    throw InputError(fmt::format(
        "a packet of {} flits does not fit a buffer of {}, so that its copies could hold each "
        "other up in a circle; set fabric.router.buffer_flits to {} or more, or npu.packet_bytes to {} or less",
        flits, room, flits, room * fabric.flit_bytes));
  }
}

/// The streams of one site in one message class share a tree.
MulticastPlan plan_of_streams(const Config& config) {
  MulticastPlan plan;
  require_no_deadlock(config);
  RouteTree tree{router::Grid(config.fabric)};
  for (const BorderSite& site : border_io_sites(config.fabric)) {
    tree.clear();
    tree.start(site.node);
    const auto order = site.x_first ? RouteTree::Order::kXThenY : RouteTree::Order::kYThenX;
    for (int node = 0; node < config.fabric.nodes(); ++node) {
      tree.add_receiver(site.node, NodeId{static_cast<std::uint32_t>(node)}, order);
    }
    std::vector<MulticastBranch>& branches = plan.trees[{site.node, site.message_class}];
    branches.clear();
    for (const RouteTree::Use& use : tree.uses()) branches.push_back({use.node, use.outputs});
  }
  return plan;
}

}  // namespace

MulticastPlan multicast_plan_of(const Config& config) {
  MulticastPlan plan;
  if (!copies_packets(config)) return plan;
  if (has_streams(config)) return plan_of_streams(config);
  const WorkloadProgram workload = workload_program(config);
  const npu::Program& program = *workload.program;
  RouteTree tree{router::Grid(config.fabric)};
  for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) {
    std::vector<std::uint32_t> set;
    for (std::uint32_t i = 0; i < program.length(rank); ++i) {
      const npu::Instruction in = program.at(rank, i);
      std::vector<std::uint32_t> to(in.to.begin(), in.to.end());
      if (to.size() < 2) continue;
      std::sort(to.begin(), to.end());
      if (!set.empty() && set != to) {
        throw InputError(
            fmt::format("rank {} sends to different sets of ranks, and a sender has one tree; set it to "
                        "false for this algorithm",
                        rank));
      }
      set = std::move(to);
    }
    if (set.empty()) continue;
    if (plan.empty()) require_no_deadlock(config);
    const NodeId sender = workload.nodes[rank];
    tree.clear();
    tree.start(sender);
    for (const std::uint32_t to : set) tree.add_receiver(sender, workload.nodes[to]);
    for (const RouteTree::Use& use : tree.uses()) plan.trees[sender].push_back({use.node, use.outputs});
  }
  return plan;
}

std::vector<ConfigProblem> check_multicast(const Config& config) {
  try {
    multicast_plan_of(config);
  } catch (const InputError& error) {
    return {{"fabric.router.multicast", error.what()}};
  }
  return {};
}

}  // namespace weft::sc_models
