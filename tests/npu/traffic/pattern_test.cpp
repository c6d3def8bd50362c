// SPDX-License-Identifier: Apache-2.0
// Destinations of synthetic traffic, against their definitions.
#include <gmock/gmock.h>

#include <fstream>

#include "base/error.h"
#include "npu/traffic/pattern.h"
#include "tests/support/temp_dir.h"

namespace weft::npu {
namespace {

using testing::HasSubstr;

std::uint32_t to(const std::string& name, int size_x, int size_y, std::uint32_t from) {
  TrafficWorkload traffic;
  traffic.pattern = name;
  RandomStream random(1, NodeId{from});
  return index(make_pattern(traffic, size_x, size_y)->destination(NodeId{from}, random));
}

// Node (x, y) is y * 8 + x; the examples are worked by hand on 8 x 8, and on 5 x 3 where the pattern is not square.
TEST(Pattern, fixed_patterns_follow_their_definitions) {
  EXPECT_EQ(to("transpose", 8, 8, 1 * 8 + 6), 6u * 8 + 1);
  EXPECT_EQ(to("transpose", 8, 8, 3 * 8 + 3), 3u * 8 + 3);
  EXPECT_EQ(to("bitcomp", 8, 8, 0), 63u);
  EXPECT_EQ(to("bitcomp", 5, 3, 1 * 5 + 1), 1u * 5 + 3);
  EXPECT_EQ(to("neighbor", 8, 8, 2 * 8 + 7), 3u * 8 + 0);
  EXPECT_EQ(to("neighbor", 5, 3, 2 * 5 + 4), 0u);
  EXPECT_EQ(to("tornado", 8, 8, 0), 3u * 8 + 3);  // ceil(8/2) - 1 = 3
  EXPECT_EQ(to("tornado", 5, 3, 0), 1u * 5 + 2);  // ceil(5/2) - 1 = 2, ceil(3/2) - 1 = 1
  EXPECT_EQ(to("tornado", 5, 3, 2 * 5 + 4), 0u * 5 + 1);
}

// 64,000 draws over 64 nodes: 1000 each; six standard deviations of a binomial are 188.
TEST(Pattern, uniform_takes_every_node_alike) {
  TrafficWorkload traffic;
  const auto pattern = make_pattern(traffic, 8, 8);
  RandomStream random(3, NodeId{5});
  std::vector<int> hits(64);
  for (int i = 0; i < 64000; ++i) ++hits[index(pattern->destination(NodeId{5}, random))];
  for (const int count : hits) EXPECT_NEAR(count, 1000, 188);
}

TEST(Pattern, hotspot_takes_the_listed_nodes_alike) {
  TrafficWorkload traffic;
  traffic.pattern = "hotspot";
  traffic.hotspots = {NodeId{3}, NodeId{9}};
  const auto pattern = make_pattern(traffic, 4, 4);
  RandomStream random(3, NodeId{5});
  int third = 0;
  for (int i = 0; i < 10000; ++i) {
    const NodeId node = pattern->destination(NodeId{5}, random);
    ASSERT_TRUE(node == NodeId{3} || node == NodeId{9});
    third += node == NodeId{3};
  }
  EXPECT_NEAR(third, 5000, 300);
}

std::string error_of(const TrafficWorkload& traffic, int size_x, int size_y) {
  try {
    make_pattern(traffic, size_x, size_y);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Pattern, refuses_what_does_not_fit_bad) {
  TrafficWorkload traffic;
  traffic.pattern = "transpose";
  EXPECT_THAT(error_of(traffic, 5, 3), HasSubstr("'transpose' needs a square fabric; fabric.size is 5 x 3"));
  traffic.pattern = "hotspot";
  EXPECT_THAT(error_of(traffic, 4, 4), HasSubstr("workload.traffic.hotspots: pattern 'hotspot' needs a list of nodes"));
  traffic.pattern = "uniforn";
  EXPECT_THAT(error_of(traffic, 4, 4), HasSubstr("no pattern 'uniforn'; known: uniform, transpose"));
}

class PermutationFile : public testing::Test {
 protected:
  std::string error_with(const std::string& text) {
    write(text);
    return error_of(traffic_, 2, 2);
  }
  void write(const std::string& text) {
    traffic_.pattern = "permutation";
    traffic_.file = (directory_ / "p.txt").string();
    std::ofstream(traffic_.file) << text;
  }
  weft::test::TempDir directory_;
  TrafficWorkload traffic_;
};

TEST_F(PermutationFile, gives_each_source_its_destination) {
  write("# from to\n0 3\n1 2   # a comment\n\n3 0\n2 1\n");
  const auto pattern = make_pattern(traffic_, 2, 2);
  RandomStream random(1, NodeId{0});
  EXPECT_EQ(pattern->destination(NodeId{0}, random), NodeId{3});
  EXPECT_EQ(pattern->destination(NodeId{2}, random), NodeId{1});
}

TEST_F(PermutationFile, refuses_bad_lines_with_their_number_bad) {
  EXPECT_THAT(error_with("0 1\n1 x\n"), HasSubstr("p.txt:2: 'x' is not a node; the fabric has nodes 0 to 3"));
  EXPECT_THAT(error_with("0 4\n"), HasSubstr("p.txt:1: '4' is not a node"));
  EXPECT_THAT(error_with("-1 2\n"), HasSubstr("p.txt:1: '-1' is not a node"));
  EXPECT_THAT(error_with("0 1 2\n"), HasSubstr("p.txt:1: expected two numbers, 'source destination'"));
  EXPECT_THAT(error_with("0 1\n0 2\n"), HasSubstr("p.txt:2: node 0 has a destination already"));
  EXPECT_THAT(error_with("0 1\n1 2\n2 3\n"), HasSubstr("node 3 has no destination"));
  traffic_.file = "/nowhere/p.txt";
  EXPECT_THAT(error_of(traffic_, 2, 2), HasSubstr("cannot read '/nowhere/p.txt': no such file"));
}

}  // namespace
}  // namespace weft::npu
