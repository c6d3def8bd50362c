// SPDX-License-Identifier: Apache-2.0
// The names that a configuration may use are those that the blocks know, with the same needs.
#include "config/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/fred_shape.h"
#include "mem/dram/mapping/mapping.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/traffic/pattern.h"
#include "router/alloc/allocator.h"
#include "switch/routing/conflict_answer.h"

namespace weft {
namespace {

template <typename Names>
std::vector<std::string> sorted(const Names& names) {
  std::vector<std::string> result(names.begin(), names.end());
  std::sort(result.begin(), result.end());
  return result;
}

TEST(ConfigNames, allocators_are_those_of_the_routers) {
  EXPECT_EQ(sorted(allocator_names()), sorted(router::allocator_names()));
}

TEST(ConfigNames, schedulers_and_mappings_are_those_of_the_memory) {
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
