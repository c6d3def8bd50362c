// SPDX-License-Identifier: Apache-2.0
// Fabrics of FRED switches: what the keys mean, what is filled in, lists of maps in files, includes and options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/check.h"
#include "config/fred_shape.h"
#include "config/key.h"
#include "config/link_budget.h"
#include "tests/config/fred_configs.h"
#include "tests/config/memory_files.h"
#include "tests/support/source.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Config fred_with(const std::vector<std::string>& sets) { return load_config_text(kFredConfig, "a.yaml", sets); }

TEST(ConfigFred, levels_become_cycles_flits_and_nodes) {
  const Config config = fred_with({});
  const FabricSpec& fabric = config.fabric;
  EXPECT_EQ(fabric.kind, FabricKind::kFred);
  EXPECT_EQ(fabric.nodes(), 12);
  EXPECT_EQ(fabric.size_x, 3);
  EXPECT_EQ(fabric.size_y, 4);
  EXPECT_EQ(fabric.fred.planes, 2);
  ASSERT_EQ(fabric.fred.levels.size(), 2u);
  const FredLevelSpec& low = fabric.fred.levels[0];
  // 32 GB/s are a flit of 32 B per ns, spread over 2 uplinks x 2 planes.
  EXPECT_EQ(low.uplink_rate, (Rational{1, 4}));
  EXPECT_EQ(low.uplink_latency_cycles, 10u);
  EXPECT_EQ(low.ports, 3 + 2);
  EXPECT_EQ(fabric.fred.levels[1].ports, 4);
  EXPECT_EQ(config.npu.placement.size(), 12u);
  EXPECT_EQ(fabric.local.flits_per_cycle, (Rational{2, 1}));  // one flit per cycle in each plane
}

TEST(ConfigFred, defaults_are_those_of_the_paper_where_it_has_some) {
  const FredSpec fred = fred_with({}).fabric.fred;
  EXPECT_EQ(fred.m, 3);
  EXPECT_EQ(fred.header_bytes, 6u);
  EXPECT_EQ(fred.setting_bytes, 1536u);
  EXPECT_EQ(fred.control_buffer_flits, 2048 / 32);
  EXPECT_TRUE(fred.in_switch);
  EXPECT_EQ(fred.conflict, "serialize");
  EXPECT_EQ(fred.control, FredControl::kOnePhase);
  EXPECT_THAT(fred.formats, ElementsAre(DataType::kFp32, DataType::kInt32, DataType::kFp16, DataType::kBf16));
  EXPECT_FALSE(fred.fp32_accumulation || fred.skid_buffers || fred.wormhole);
}

TEST(ConfigFred, flags_have_two_words) {
  const FredSpec fred = fred_with({"fabric.stage=skid", "fabric.flow_control=wormhole", "fabric.accumulate=fp32",
                                   "fabric.in_switch=false", "fabric.control=several_phases", "fabric.formats=[bf16]"})
                            .fabric.fred;
  EXPECT_TRUE(fred.fp32_accumulation && fred.skid_buffers && fred.wormhole);
  EXPECT_FALSE(fred.in_switch);
  EXPECT_EQ(fred.control, FredControl::kSeveralPhases);
  EXPECT_THAT(fred.formats, ElementsAre(DataType::kBf16));
}

// By hand, packets of 4 flits: at 1 flit per cycle and 1 cycle of wire 2 x 1 + 1 + 3 + 3 more flits x 1 = 9 cycles; the
// uplinks of 1/4 flit per cycle take 2 x 10 + 4 + 3 + 3 x 4 = 39.
TEST(ConfigFred, buffers_keep_the_slowest_link_busy) {
  EXPECT_EQ(fred_round_trip({1, 1}, 1, 4), 9u);
  EXPECT_EQ(fred_round_trip({1, 4}, 10, 4), 39u);
  const Config config = fred_with({});
  // Out of Fred_3(5), 5 stages, 4 cycles more; out of the L2's Fred_3(4), 3 stages, 2 more:
  // 1.25 x 1 x 13 = 16.3 against 1.25 x 1/4 x 41 = 12.8: five packets. Into the L2 1.25 x 1/4 x 43 = 13.4: four.
  EXPECT_EQ(config.fabric.fred.levels[0].buffer_flits, 20);
  EXPECT_EQ(config.fabric.fred.levels[1].buffer_flits, 16);
  EXPECT_THAT(config_warnings(config), IsEmpty());
  EXPECT_EQ(fred_with({"fabric.levels[0].buffer=500"}).fabric.fred.levels[0].buffer_flits, 15);  // whole flits
}

/// Fred_m(12) has 7 stages; registers are behind the 2nd, 4th, 6th and 7th, behind the 3rd, 6th and 7th, and so on.
TEST(ConfigFred, stages_with_registers) {
  EXPECT_EQ(fred_stages(12, 1), 7u);
  EXPECT_EQ(fred_stages(12, 2), 4u);
  EXPECT_EQ(fred_stages(12, 3), 3u);
  EXPECT_EQ(fred_stages(12, 7), 1u);
  EXPECT_EQ(fred_stages(2, 5), 1u);
}

TEST(ConfigFred, a_starved_link_shows_what_is_left_of_it) {
  const Config config = fred_with({"fabric.levels[0].buffer=192 B", "fabric.levels[0].latency=20"});
  // Room for a packet of 4 flits, and 2 more of the next one: 4 flits per 2 x 20 + 4 + 3 + 12 + 2 = 61 cycles but 2 x 4
  // on the uplinks, and per 13 - 2 on the NPUs' links.
  EXPECT_THAT(
      config_warnings(config),
      ElementsAre("fabric.local is credit-starved: 6 flits of buffer (fabric.levels[0].buffer) are below rate x "
                  "round trip = 1 x 13 cycles = 13 flits; each plane carries at most 0.3636 flits per cycle, "
                  "11.64 GB/s instead of 32 GB/s",
                  "fabric.levels[0].uplinks is credit-starved: 6 flits of buffer (fabric.levels[0].buffer) are "
                  "below rate x round trip = 0.25 x 61 cycles = 15.25 flits; each plane carries at most 0.07547 "
                  "flits per cycle, 2.415 GB/s instead of 8 GB/s"));
}

TEST(ConfigFred, chiplets_take_as_many_uplinks_as_their_ports_allow) {
  const auto shape = [](const std::string& ports, std::size_t level) {
    return level_shape(fred_with({"fabric.levels[0].uplinks=4", "fabric.levels[1].ports=" + ports}).fabric, level);
  };
  EXPECT_EQ(shape("4", 1).chiplets, 4);
  EXPECT_EQ(shape("4", 1).bundle, 1);
  EXPECT_EQ(shape("7", 1).bundle, 1);
  EXPECT_EQ(shape("8", 1).bundle, 2);
  EXPECT_EQ(shape("8", 1).chiplets, 2);
  EXPECT_EQ(shape("15", 1).bundle, 2);  // three uplinks would not divide four
  EXPECT_EQ(shape("16", 1).bundle, 4);
  EXPECT_EQ(shape("256", 1).chiplets, 1);
  EXPECT_EQ(shape("4", 0).chiplets, 1);
  EXPECT_EQ(shape("4", 0).used_ports(), 3 + 4);
}

TEST(ConfigFred, middle_levels_spread_their_uplinks_over_their_chiplets) {
  const Config config =
      fred_with({"fabric.levels=[{groups: 4, uplinks: 4}, {groups: 2, uplinks: 6, ports: 8}, {groups: 1}]"});
  // Two children x 2 uplinks at each of 2 chiplets, and 3 uplinks of its own; with bundles of 1 6 do not spread over 4.
  const FredLevelShape middle = level_shape(config.fabric, 1);
  EXPECT_EQ(middle.children, 2);
  EXPECT_EQ(middle.chiplets, 2);
  EXPECT_EQ(middle.up_ports, 3);
  EXPECT_EQ(config.fabric.fred.levels[2].ports, 2);
  EXPECT_EQ(level_shape(config.fabric, 2).chiplets, 6);
}

// Packets of 4 flits. An answer takes 2 x 1 + 1 = 3 cycles on local links and 2 x 10 + 4 = 24 on uplinks of 1/4 flit
// per cycle, on which 24 / 4 / 4 = 1.5 packets are on the way.
TEST(ConfigFred, go_back_n_has_room_and_time_for_the_longest_round_trip) {
  const FredLinkLayerSpec links =
      fred_with({"fabric.link_layer=gbn", "fabric.bit_error_rate=1e-12"}).fabric.fred.link_layer;
  EXPECT_TRUE(links.go_back_n);
  EXPECT_EQ(links.bit_error_rate, 1e-12);
  EXPECT_EQ(links.drop_rate, 0);
  EXPECT_EQ(links.ack_packets, 16);
  EXPECT_EQ(links.replay_packets, 16 + 2 + 1);
  EXPECT_EQ(links.ack_timeout, 24u);
  EXPECT_EQ(links.retransmit_timeout, 24u + 24 + 1);
  const Config given = fred_with({"fabric.link_layer=gbn", "fabric.ack_packets=4", "fabric.replay_packets=9",
                                  "fabric.ack_timeout=100", "fabric.drop_rate=0.25"});
  EXPECT_EQ(given.fabric.fred.link_layer.replay_packets, 9);
  EXPECT_EQ(given.fabric.fred.link_layer.retransmit_timeout, 24u + 100 + 1);
  EXPECT_THAT(to_yaml(given), HasSubstr("retransmit_timeout: 125\n"));
  EXPECT_THAT(to_yaml(fred_with({})), testing::Not(HasSubstr("ack_")));
  EXPECT_FALSE(fred_with({}).fabric.fred.link_layer.go_back_n);
  // One packet more than with credit links: it is handed on as a whole.
  EXPECT_EQ(given.fabric.fred.levels[0].buffer_flits, fred_with({}).fabric.fred.levels[0].buffer_flits + 4);
}

TEST(ConfigFred, io_controllers_are_spread_evenly_and_need_ports) {
  const Config config = fred_with({"io.controllers=6", "io.bandwidth=16 GB/s"});
  EXPECT_EQ(config.fabric.io.rate, (Rational{1, 4}));
  EXPECT_EQ(config.fabric.fred.levels[0].ports, 3 + 2 + 2);
  std::vector<int> at;
  for (int group = 0; group < 4; ++group) at.push_back(io_controllers_at(config.fabric, group));
  EXPECT_THAT(at, ElementsAre(2, 2, 1, 1));
}

TEST(ConfigFred, options_change_one_key_of_one_element) {
  const Config config = fred_with({"fabric.levels[1].reconfig_cycles=9", "fabric.levels[0].latency=40ns"});
  EXPECT_EQ(config.fabric.fred.levels[1].reconfigure_cycles, 9u);
  EXPECT_EQ(config.fabric.fred.levels[0].uplink_latency_cycles, 40u);
  EXPECT_EQ(config.fabric.fred.levels[0].groups, 4);
  EXPECT_EQ(config.fabric.fred.levels[0].reconfigure_cycles, 1u);
}

TEST(ConfigFred, a_list_replaces_the_included_one_as_a_whole) {
  const MemoryFiles files(std::map<std::string, std::string>{{"base.yaml", kFredConfig}});
  const Config config = load_config_text(
      "include: base.yaml\nfabric: {levels: [{groups: 2, uplinks: 3}, {groups: 1}]}\n", "a.yaml", {}, files);
  ASSERT_EQ(config.fabric.fred.levels.size(), 2u);
  EXPECT_EQ(config.fabric.fred.levels[0].groups, 2);
  EXPECT_EQ(config.fabric.fred.planes, 1);  // the included list's are gone
  EXPECT_EQ(config.fabric.fred.levels[0].uplink_latency_cycles, 1u);
  EXPECT_EQ(config.fabric.nodes(), 12);
}

TEST(ConfigFred, the_resolved_file_holds_the_complete_list) {
  EXPECT_THAT(to_yaml(fred_with({})), HasSubstr("  levels:\n"
                                                "    - groups: 4\n"
                                                "      ports: 5\n"
                                                "      planes: 2\n"
                                                "      uplinks: 2\n"
                                                "      bandwidth: 32 GB/s\n"
                                                "      latency: 10\n"
                                                "      buffer: 640 B\n"
                                                "      reconfig_cycles: 1\n"
                                                "      model: tlm\n"
                                                "    - groups: 1\n"
                                                "      ports: 4\n"
                                                "      planes: 2\n"
                                                "      uplinks: 0\n"
                                                "      buffer: 512 B\n"
                                                "      reconfig_cycles: 1\n"
                                                "      model: tlm\n"));
}

TEST(ConfigFred, the_wafers_of_the_paper) {
  const std::string folder = test::source("configs/fred-");
  for (const auto& [letter, rate, reduces] : {std::tuple{"a", Rational{1, 8}, false},
                                              {"b", Rational{1, 8}, true},
                                              {"c", Rational{1, 1}, false},
                                              {"d", Rational{1, 1}, true}}) {
    const Config config = load_config(folder + letter + ".yaml");
    const FredSpec& fred = config.fabric.fred;
    EXPECT_EQ(config.fabric.nodes(), 20);
    EXPECT_EQ(config.fabric.local.flits_per_cycle, (Rational{5, 1}));
    EXPECT_EQ(fred.planes, 5);
    EXPECT_EQ(fred.levels[0].uplink_rate, rate) << letter;
    EXPECT_EQ(fred.in_switch, reduces) << letter;
    EXPECT_EQ(fred.levels[0].ports, 12);
    EXPECT_EQ(level_shape(config.fabric, 0).used_ports(), 4 + 4 + 4);
    EXPECT_EQ(fred.levels[1].ports, 10);
    EXPECT_EQ(level_shape(config.fabric, 1).chiplets, 2);
    EXPECT_THAT(config_warnings(config), IsEmpty());
    for (const LinkBudget& link : link_budgets(config))
      EXPECT_GE(static_cast<double>(link.buffer_flits), 1.25 * link.needed_flits.value()) << letter << link.link;
    std::vector<int> controllers;
    std::vector<int> ports;
    for (int group = 0; group < 5; ++group) {
      controllers.push_back(io_controllers_at(config.fabric, group));
      ports.push_back(chiplet_ports(config.fabric, 0, group, fred.levels[0].ports));
    }
    EXPECT_THAT(controllers, ElementsAre(4, 4, 4, 3, 3));
    EXPECT_THAT(ports, ElementsAre(12, 12, 12, 11, 11));
    EXPECT_EQ(chiplet_ports(config.fabric, 1, 0, fred.levels[1].ports), 10);
  }
}

TEST(ConfigFred, the_mesh_beside_them_has_room_in_each_vc) {
  const Config config = load_config(test::source("configs/mesh-wafer.yaml"));
  EXPECT_EQ(config.fabric.nodes(), 20);
  EXPECT_EQ(config.fabric.link.flits_per_cycle, (Rational{3, 2}));
  for (const LinkBudget& link : link_budgets(config))
    EXPECT_GE(config.fabric.router.buffer_flits, 1.25 * link.needed_flits.value()) << link.link;
}

TEST(ConfigFred, the_number_of_npus_of_a_mesh_may_be_said_twice) {
  EXPECT_EQ(load_config_text(kSmallConfig, "a.yaml", {"npu.count=16"}).fabric.nodes(), 16);
}

}  // namespace
}  // namespace weft
