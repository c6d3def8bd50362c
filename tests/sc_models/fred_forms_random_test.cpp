// SPDX-License-Identifier: Apache-2.0
// Fabrics of FRED switches and collectives drawn at random: as modules and on several threads they do what they do as
// one region.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/effects.h"
#include "config/load.h"
#include "tests/sc_models/support/fred_play.h"

namespace weft::sc_models {
namespace {

/// Draws names and numbers of configurations.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed, NodeId{0}) {}
  template <typename T>
  T one_of(const std::vector<T>& values) {
    return values[random_.below(values.size())];
  }
  std::string key(const std::string& path, const std::vector<std::string>& values) {
    return path + "=" + one_of(values);
  }

 private:
  RandomStream random_;
};

std::string levels(Draw& draw, int groups) {
  const int planes = draw.one_of<int>({1, 2, 3});
  const int uplinks = draw.one_of<int>({1, 2, 4});
  if (groups == 1) return fmt::format("{{groups: 1, planes: {}}}", planes);
  const std::string low =
      fmt::format("{{groups: {}, planes: {}, uplinks: {}, latency: {}, reconfig_cycles: {}}}", groups, planes, uplinks,
                  draw.one_of<int>({1, 4, 9}), draw.one_of<int>({0, 1, 5}));
  const bool three = groups == 4 && draw.one_of<int>({0, 1}) == 1;
  return low + (three ? fmt::format(", {{groups: 2, uplinks: {}, latency: 3}}", uplinks) : "") + ", {groups: 1}";
}

Config random_config(std::uint64_t seed) {
  Draw draw(seed);
  const int groups = draw.one_of<int>({1, 2, 3, 4});
  const int nodes = groups * draw.one_of<int>({2, 3, 4});
  const std::string kind = draw.one_of<std::string>(
      {"all_reduce", "reduce", "broadcast", "reduce_scatter", "all_gather", "all_to_all", "scatter", "gather"});
  const std::string algorithm = draw.one_of<std::string>({"in_switch", "in_switch", "direct"});
  const std::string text = fmt::format(
      "fabric: {{kind: fred, flit_bytes: 32, levels: [{}]}}\nnpu: {{count: {}, packet_bytes: 256}}\n"
      "workload: {{collective: {{kind: {}, algorithm: {}, size: {} B, data: {}, chunks: {}}}}}\n",
      levels(draw, groups), nodes, kind, algorithm, draw.one_of<int>({500, 1000, 2500}) * 4 * nodes,
      draw.one_of<std::string>({"values", "timing"}), draw.one_of<int>({1, 2, 5}));
  return load_config_text(
      text, "random.yaml",
      {draw.key("fabric.local.latency", {"1", "3", "8"}), draw.key("fabric.stage", {"register", "skid"}),
       draw.key("fabric.reduce_cycles", {"1", "3"}), draw.key("fabric.matching", {"greedy", "maximum"}),
       draw.key("fabric.control", {"one_phase", "one_phase", "several_phases", "one_tree"}),
       draw.key("fabric.stay_packets", {"1", "3", "16"})});
}

class FredFormsRandom : public testing::TestWithParam<std::uint64_t> {};

TEST_P(FredFormsRandom, modules_and_threads_do_what_a_region_does) {
  Config config = random_config(GetParam());
  const std::string expected = test::outcome_of(config, test::flit_by_flit(), test::npus_of);
  EXPECT_NE(expected.substr(0, 6), "failed") << expected;
  test::expect_same_as_trains(config, expected, test::npus_of);
  if (one_thread_because(config).empty()) test::expect_same_on_threads(config, expected, test::npus_of);
  config.fabric.form = FabricForm::kModules;
  TestKnobs knobs = test::flit_by_flit();
  knobs.shuffle = GetParam() + 1;
  EXPECT_EQ(test::difference(expected, test::outcome_of(config, knobs, test::npus_of)), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, FredFormsRandom, testing::Range<std::uint64_t>(0, 48));

}  // namespace
}  // namespace weft::sc_models
