// SPDX-License-Identifier: Apache-2.0
// Sizes, names and wires of Fred_m(P).
#include "switch/topology/interconnect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "switch/network/stage_registers.h"

namespace weft::fred {
namespace {

/// Data passes stages without registers within a cycle, so a circle of them would never settle.
TEST(StageRegisters, a_circle_without_a_register_is_refused) {
  Interconnect net = build_interconnect(2, 4);
  for (const int every : {1, 2, 3, 32}) require_settled(net, stage_registers(net, every));
  // Elements: in[0], in[1], mid[0].rd, mid[1].rd, out[0], out[1]. mid[0].rd leads back to in[1].
  net.elements[2].sinks[1] = {1, 0};
  require_settled(net, stage_registers(net, 1));
  std::string text;
  try {
    require_settled(net, stage_registers(net, 3));
  } catch (const InputError& error) {
    text = error.what();
  }
  EXPECT_EQ(text,
            "Fred_2(4): data could run in a circle without a register: mid[0].rd -> in[1] -> mid[0].rd; one of them "
            "must have one");
}

TEST(Interconnect, has_the_published_numbers_of_uswitches) {
  EXPECT_EQ(build_interconnect(2, 8).uswitches(), 20U);
  EXPECT_EQ(build_interconnect(3, 3).uswitches(), 5U);
  EXPECT_EQ(build_interconnect(3, 5).uswitches(), 19U);
  EXPECT_EQ(build_interconnect(3, 6).uswitches(), 21U);
  EXPECT_EQ(build_interconnect(3, 10).uswitches(), 67U);
  EXPECT_EQ(build_interconnect(3, 12).uswitches(), 75U);
}

std::size_t closed_form(int m, int ports) {
  if (ports == 2) return 1;
  return 2 * (ports / 2) + m * closed_form(m, (ports + 1) / 2);
}

TEST(Interconnect, follows_the_recursion_for_all_sizes) {
  for (int m = 2; m <= 5; ++m) {
    for (int ports = 2; ports <= 64; ++ports) {
      const Interconnect net = build_interconnect(m, ports);
      EXPECT_EQ(net.uswitches(), closed_form(m, ports)) << net.name();
      EXPECT_NO_THROW(check_interconnect(net)) << net.name();
    }
  }
}

TEST(Interconnect, every_element_has_its_pins_and_a_name_of_its_own) {
  for (const auto& [m, ports] : {std::pair{2, 8}, {3, 12}, {3, 11}, {5, 7}}) {
    const Interconnect net = build_interconnect(m, ports);
    std::set<std::string> paths;
    for (const Element& element : net.elements) {
      EXPECT_TRUE(paths.insert(element.path).second) << element.path;
      const auto wide = static_cast<std::size_t>(m);
      const std::map<ElementKind, std::pair<std::size_t, std::size_t>> pins{{ElementKind::kReduce, {2, wide}},
                                                                            {ElementKind::kDistribute, {wide, 2}},
                                                                            {ElementKind::kBoth, {2, 2}},
                                                                            {ElementKind::kDemux, {1, wide}},
                                                                            {ElementKind::kMux, {wide, 1}}};
      EXPECT_EQ(std::pair(element.sources.size(), element.sinks.size()), pins.at(element.kind)) << element.path;
    }
  }
}

/// Fred_2(3), by hand: ports 0 and 1 at in[0], port 2 at the demux, two RD, out[0] and the mux.
TEST(Interconnect, odd_size_by_hand) {
  const Interconnect net = build_interconnect(2, 3);
  std::vector<std::string> paths;
  for (const Element& element : net.elements) paths.push_back(element.path);
  EXPECT_THAT(paths, ::testing::ElementsAre("in[0]", "demux", "mid[0].rd", "mid[1].rd", "out[0]", "mux"));
  EXPECT_EQ(net.inputs, (std::vector<Terminal>{{0, 0}, {0, 1}, {1, 0}}));
  EXPECT_EQ(net.outputs, (std::vector<Terminal>{{4, 0}, {4, 1}, {5, 0}}));
  EXPECT_EQ(net.elements[0].sinks, (std::vector<Terminal>{{2, 0}, {3, 0}}));
  EXPECT_EQ(net.elements[1].sinks, (std::vector<Terminal>{{2, 1}, {3, 1}}));
  EXPECT_EQ(net.elements[2].sinks, (std::vector<Terminal>{{4, 0}, {5, 0}}));
  EXPECT_EQ(net.elements[3].sinks, (std::vector<Terminal>{{4, 1}, {5, 1}}));
  EXPECT_EQ(net.elements[5].sinks, (std::vector<Terminal>{{Terminal::kOutside, 2}}));
}

TEST(Interconnect, names_say_the_way_into_the_recursion) {
  const Interconnect net = build_interconnect(3, 12);
  std::set<std::string> paths;
  for (const Element& element : net.elements) paths.insert(element.path);
  for (const char* path :
       {"in[0]", "in[5]", "out[5]", "mid[2].in[2]", "mid[0].mid[1].demux", "mid[2].mid[2].mid[2].rd"}) {
    EXPECT_EQ(paths.count(path), 1U) << path;
  }
  EXPECT_EQ(paths.count("in[6]"), 0U);
  EXPECT_EQ(net.stages[0].middles.size(), 3U);
  EXPECT_EQ(net.stages[net.stages[0].middles[2]].path, "mid[2]");
}

TEST(Interconnect, a_wrong_wire_is_found) {
  Interconnect net = build_interconnect(2, 4);
  std::swap(net.elements[0].sinks[0], net.elements[0].sinks[1]);
  EXPECT_THROW(check_interconnect(net), ViolationError);
}

TEST(Interconnect, sizes_bad) {
  EXPECT_THROW(build_interconnect(1, 8), InputError);
  EXPECT_THROW(build_interconnect(17, 8), InputError);
  EXPECT_THROW(build_interconnect(3, 1), InputError);
  EXPECT_THROW(build_interconnect(3, 257), InputError);
}

}  // namespace
}  // namespace weft::fred
