// SPDX-License-Identifier: Apache-2.0
// What a configuration knows of policies comes from the catalog, and sizes of switches are those of the switches.
#include "config/names.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "base/error.h"
#include "config/fabric_facts.h"
#include "config/fred_shape.h"
#include "config/policies.h"
#include "switch/routing/conflict_answer.h"

namespace weft {
namespace {

TEST(ConfigNames, every_policy_has_a_name_of_its_own_and_describes_itself) {
  const PolicyCatalog& all = policies();
  const std::vector<Policy> routing(all.routing_functions.begin(), all.routing_functions.end());
  const std::vector<Policy> algorithms(all.algorithms.begin(), all.algorithms.end());
  const std::vector<Policy> graphs(all.graph_kinds.begin(), all.graph_kinds.end());
  for (const auto& list : {routing, graphs, all.allocators, all.memory_schedulers, all.memory_mappings, algorithms,
                           all.patterns, all.conflict_answers, all.unicast_matchings}) {
    EXPECT_FALSE(list.empty());
    std::set<std::string_view> names;
    for (const Policy& policy : list) {
      EXPECT_TRUE(names.insert(policy.name).second) << policy.name;
      EXPECT_NE(policy.description, "") << policy.name;
      EXPECT_NE(policy.description.back(), '.') << policy.name;
    }
  }
}

TEST(ConfigNames, fabrics_in_a_sentence) {
  EXPECT_EQ(fabric_words("mesh"), "mesh");
  EXPECT_EQ(fabric_words("torus"), "torus");
  EXPECT_EQ(fabric_words("fred"), "fabric of FRED switches");
  EXPECT_EQ(fabric_words("ring"), "ring of routers");
  EXPECT_EQ(fabric_words("switch"), "crossbar");
  EXPECT_EQ(fabric_words("fully_connected"), "fully connected fabric");
  EXPECT_EQ(fabric_words("cube_of_cubes"), "cube of cubes fabric") << "nobody has it";
  for (const auto& [name, kind] : fabric_kind_names()) EXPECT_NE(fabric_words(name), "") << name;
}

TEST(ConfigNames, default_routing_functions) {
  FabricSpec fabric;
  fabric.kind = FabricKind::kMesh;
  EXPECT_EQ(default_routing(fabric), "xy");
  fabric.kind = FabricKind::kTorus;
  EXPECT_EQ(default_routing(fabric), "dimension_order");
}

TEST(ConfigNames, vc_sets_depend_on_the_size) {
  const auto sets = [](FabricKind kind, const char* routing, int x, int y) {
    FabricSpec fabric;
    fabric.kind = kind;
    fabric.routing = routing;
    fabric.size_x = x;
    fabric.size_y = y;
    const VcSets found = vc_sets(fabric);
    return std::pair(found.split, found.needed);
  };
  EXPECT_EQ(sets(FabricKind::kMesh, "xy", 8, 8), std::pair(1, 1));
  EXPECT_EQ(sets(FabricKind::kMesh, "o1turn", 8, 8), std::pair(2, 2));
  EXPECT_EQ(sets(FabricKind::kMesh, "o1turn", 8, 1), std::pair(1, 1));
  EXPECT_EQ(sets(FabricKind::kTorus, "dimension_order", 3, 3), std::pair(2, 1));
  EXPECT_EQ(sets(FabricKind::kTorus, "dimension_order", 3, 4), std::pair(2, 2));
  EXPECT_EQ(sets(FabricKind::kMesh, "nobody", 8, 8), std::pair(1, 1));
}

TEST(ConfigNames, file_and_auto_are_algorithms_beside_those_of_the_programs) {
  EXPECT_EQ(algorithm_names().front(), "ring");
  ASSERT_EQ(algorithm_names().size(), policies().algorithms.size() + 2);
  EXPECT_EQ(algorithm_names()[policies().algorithms.size()], "file");
  EXPECT_EQ(algorithm_names().back(), "auto");
}

TEST(ConfigNames, a_second_catalog_bad) {
  static const PolicyCatalog other;
  EXPECT_THROW(use_policies(other), ViolationError);
  EXPECT_NO_THROW(use_policies(policies()));
}

TEST(ConfigNames, sizes_are_those_of_the_switches) {
  EXPECT_EQ(kMostFredPorts, fred::kMostPorts);
  EXPECT_EQ(kMostFredMiddles, fred::kMostMiddles);
}

}  // namespace
}  // namespace weft
