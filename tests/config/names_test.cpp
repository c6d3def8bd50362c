// SPDX-License-Identifier: Apache-2.0
// The names that a configuration may use are those that the blocks know, with the same needs.
#include "config/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/fred_shape.h"
#include "mem/dram/mapping/mapping.h"
#include "mem/dram/scheduler/scheduler.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/traffic/pattern.h"
#include "router/alloc/allocator.h"
#include "router/grid_names.h"
#include "router/routing/routing_function.h"
#include "switch/routing/conflict_answer.h"

namespace weft {
namespace {

template <typename Names>
std::vector<std::string> sorted(const Names& names) {
  std::vector<std::string> result(names.begin(), names.end());
  std::sort(result.begin(), result.end());
  return result;
}

TEST(ConfigNames, routing_functions_are_those_of_the_routers) {
  for (const FabricKind kind : {FabricKind::kMesh, FabricKind::kTorus}) {
    std::vector<std::string_view> ours;
    for (const RoutingRule& rule : routing_rules())
      if (rule.kind == kind) ours.push_back(rule.name);
    EXPECT_EQ(sorted(ours), sorted(router::routing_names(kind)));
  }
}

TEST(ConfigNames, vc_sets_are_those_of_the_routing_functions) {
  for (const RoutingRule& rule : routing_rules()) {
    if (!is_grid(rule.kind)) continue;  // tests/network
    for (const auto& [x, y] : {std::pair(8, 8), std::pair(3, 3), std::pair(2, 1), std::pair(1, 4), std::pair(4, 1)}) {
      FabricSpec fabric;
      fabric.kind = rule.kind;
      fabric.routing = rule.name;
      fabric.size_x = x;
      fabric.size_y = y;
      const auto routing = router::make_routing(fabric.routing, router::Grid(fabric));
      EXPECT_EQ(routing_vc_classes(fabric), routing->vc_classes()) << rule.name << ' ' << x << 'x' << y;
      EXPECT_EQ(needed_vc_classes(fabric), routing->needed_vc_classes()) << rule.name << ' ' << x << 'x' << y;
    }
  }
}

TEST(ConfigNames, allocators_are_those_of_the_routers) {
  EXPECT_EQ(sorted(allocator_names()), sorted(router::allocator_names()));
}

TEST(ConfigNames, schedulers_and_mappings_are_those_of_the_memory) {
  EXPECT_EQ(sorted(memory_scheduler_names()), sorted(mem::scheduler_names()));
  EXPECT_EQ(sorted(memory_mapping_names()), sorted(mem::mapping_names()));
}

TEST(ConfigNames, algorithms_are_those_of_the_programs_and_file) {
  std::vector<std::string> theirs = {"file"};
  for (const npu::Algorithm* algorithm : npu::algorithms()) theirs.push_back(algorithm->name());
  EXPECT_EQ(sorted(algorithm_names()), sorted(theirs));
}

TEST(ConfigNames, patterns_are_those_of_the_traffic_sources) {
  EXPECT_EQ(sorted(pattern_names()), sorted(npu::pattern_names()));
}

TEST(ConfigNames, answers_to_conflicts_and_sizes_are_those_of_the_switches) {
  EXPECT_EQ(sorted(conflict_answers()), sorted(fred::conflict_answer_names()));
  EXPECT_EQ(kMostFredPorts, fred::kMostPorts);
  EXPECT_EQ(kMostFredMiddles, fred::kMostMiddles);
}

}  // namespace
}  // namespace weft
