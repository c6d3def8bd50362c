// SPDX-License-Identifier: Apache-2.0
#include "network/names.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace weft::network {
namespace {

/// Kind, number, x, y, level, group, slice, plane.
using All = std::tuple<NameKind, int, int, int, int, int, int, int>;
All all(const NameParts& parts) {
  const SwitchNumbers& in = parts.in_switch;
  return {parts.kind, parts.number, parts.x, parts.y, in.level, in.group, in.slice, in.plane};
}

const All kNothing{NameKind::kNone, -1, -1, -1, -1, -1, -1, -1};

TEST(Names, are_written_as_results_show_them) {
  EXPECT_EQ(npu_name(7), "npu[7]");
  EXPECT_EQ(io_name(0), "io[0]");
  EXPECT_EQ(router_name(12), "router[12]");
  EXPECT_EQ(router_name(3, 2), "router[3,2]");
  EXPECT_EQ(router_name("0-3", "2"), "router[0-3,2]");
  EXPECT_EQ(switch_name({2, 1}), "l2[1]");
  EXPECT_EQ(switch_name({1, 4, -1, 0}), "l1[4].plane[0]");
  EXPECT_EQ(switch_name({3, 0, 2, -1}), "l3[0].slice[2]");
  EXPECT_EQ(switch_name({2, 1, 0, 3}), "l2[1].slice[0].plane[3]");
  EXPECT_EQ(in_fabric("l1[4].plane[0]"), "fabric.l1[4].plane[0]");
  EXPECT_EQ(numbered_port("to", 5), "to[5]");
  EXPECT_EQ(link_name("router[3,2]", "east"), "fabric.router[3,2].east");
  EXPECT_EQ(out_link_name("npu[3]"), "npu[3].out");
  EXPECT_EQ(out_link_name("io[3]", 2), "io[3].out.plane[2]");
}

TEST(Names, are_taken_apart_as_they_were_written) {
  EXPECT_EQ(all(take_apart("npu[7]")), All(NameKind::kNpu, 7, -1, -1, -1, -1, -1, -1));
  EXPECT_EQ(all(take_apart("io[10]")), All(NameKind::kIo, 10, -1, -1, -1, -1, -1, -1));
  EXPECT_EQ(all(take_apart("router[12]")), All(NameKind::kRouter, 12, -1, -1, -1, -1, -1, -1));
  EXPECT_EQ(all(take_apart("router[3,2]")), All(NameKind::kRouter, -1, 3, 2, -1, -1, -1, -1));
  EXPECT_EQ(all(take_apart("l2[1]")), All(NameKind::kSwitch, -1, -1, -1, 2, 1, -1, -1));
  EXPECT_EQ(all(take_apart("l1[4].plane[0]")), All(NameKind::kSwitch, -1, -1, -1, 1, 4, -1, 0));
  EXPECT_EQ(all(take_apart("l3[0].slice[2]")), All(NameKind::kSwitch, -1, -1, -1, 3, 0, 2, -1));
  EXPECT_EQ(all(take_apart("l2[1].slice[0].plane[3]")), All(NameKind::kSwitch, -1, -1, -1, 2, 1, 0, 3));
}

TEST(Names, what_is_no_name_of_a_node_has_no_parts) {
  for (const char* text : {"",
                           "npu",
                           "npu[",
                           "npu[]",
                           "npu[3",
                           "npu[x]",
                           "npu[-1]",
                           "npu[3]x",
                           "npu[3].out",
                           "npu[99999999999]",
                           "io[1,2]",
                           "router[1,]",
                           "router[1,2,3]",
                           "router[0-3,2]",
                           "l[1]",
                           "l1",
                           "l1[0].plane[",
                           "l1[0].plane[1].slice[0]",
                           "fabric.router[1,2]",
                           "switch",
                           "link[0]"}) {
    EXPECT_EQ(all(take_apart(text)), kNothing) << text;
  }
}

TEST(Names, the_node_of_a_signal_stands_in_front) {
  const std::vector<std::pair<std::string, NameKind>> signals{
      {"npu[3]", NameKind::kNpu},
      {"npu[3].out.plane[2].valid", NameKind::kNpu},
      {"io[0].out", NameKind::kIo},
      {"fabric.router[3,2].east.credits_vc0", NameKind::kRouter},
      {"fabric.router[3].up", NameKind::kRouter},
      {"fabric.l1[0].plane[1].uswitch.in[2].valid", NameKind::kSwitch},
      {"fabric.l1[0].model.port[3]", NameKind::kSwitch},
      {"router[3,2].east", NameKind::kNone},  // a router lies within the fabric
      {"fabric.npu[3]", NameKind::kNone},
      {"fabric.router[3,2]x", NameKind::kNone},
      {"fabric.link.valid", NameKind::kNone},
      {"clock", NameKind::kNone},
  };
  for (const auto& [signal, kind] : signals) EXPECT_EQ(node_in_front(signal).kind, kind) << signal;
  EXPECT_EQ(all(node_in_front("fabric.l1[0].plane[1].port[3].valid")), All(NameKind::kSwitch, -1, -1, -1, 1, 0, -1, 1));
}

}  // namespace
}  // namespace weft::network
