// SPDX-License-Identifier: Apache-2.0
// include: and --set: what overrides what, and the text of their errors.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/check.h"
#include "tests/config/memory_files.h"

namespace weft {
namespace {

using Files = std::map<std::string, std::string>;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(ConfigInclude, the_including_file_overrides_key_by_key) {
  const MemoryFiles files(
      Files{{"base/router.yaml", "fabric: {router: {vcs: 8, buffer_flits: 16}, size: [2, 2]}\nseed: 5\n"}});
  const Config config =
      load_config_text("include: base/router.yaml\nfabric: {size: [4, 4], router: {vcs: 2}}\nworkload: {traffic: {}}\n",
                       "a.yaml", {}, files);
  EXPECT_EQ(config.fabric.size_x, 4);
  EXPECT_EQ(config.fabric.router.vcs, 2);
  EXPECT_EQ(config.fabric.router.buffer_flits, 16);
  EXPECT_EQ(config.seed, 5u);
}

TEST(ConfigInclude, paths_are_relative_to_the_file_that_names_them) {
  const MemoryFiles files(
      {{"x/a.yaml", "include: [b.yaml, ../c.yaml]\n"}, {"x/b.yaml", "seed: 2\nthreads: 2\n"}, {"c.yaml", "seed: 3\n"}});
  const Config config = load_config_text("include: x/a.yaml\n" + std::string(kSmallConfig), "top.yaml", {}, files);
  EXPECT_EQ(config.seed, 3u);  // the later of the two
  EXPECT_EQ(config.threads, 2);
}

TEST(ConfigInclude, the_same_file_may_come_twice_but_not_inside_itself) {
  const MemoryFiles twice(Files{{"b.yaml", "include: c.yaml\n"}, {"c.yaml", "seed: 3\n"}});
  EXPECT_EQ(load_config_text("include: [b.yaml, c.yaml]\n" + std::string(kSmallConfig), "a.yaml", {}, twice).seed, 3u);
  const MemoryFiles cycle(Files{{"b.yaml", "seed: 1\ninclude: ./c.yaml\n"}, {"c.yaml", "include: b.yaml\n"}});
  EXPECT_EQ(loading_error("include: b.yaml\n" + std::string(kSmallConfig), {}, cycle),
            "c.yaml:1:10: include: 'b.yaml' includes itself: a.yaml -> b.yaml -> c.yaml -> b.yaml");
}

TEST(ConfigInclude, a_workload_replaces_the_included_kind) {
  const MemoryFiles files(Files{{"b.yaml", "fabric: {size: [4, 4]}\nworkload: {collective: {size: 1 MiB}}\n"}});
  const Config config = load_config_text("include: b.yaml\nworkload: {traffic: {rate: 0.2}}\n", "a.yaml", {}, files);
  EXPECT_EQ(std::get<TrafficWorkload>(config.workload).rate, 0.2);
}

TEST(ConfigInclude, errors_name_the_included_file_bad) {
  const MemoryFiles files(Files{{"b.yaml", "\nthreads: many\n"}});
  EXPECT_THAT(loading_error("include: b.yaml\n" + std::string(kSmallConfig), {}, files),
              StartsWith("b.yaml:2:10: threads: 'many' cannot be used; legal: an integer from 1 to 256"));
  EXPECT_EQ(loading_error("include: b.yml\n" + std::string(kSmallConfig), {}, files),
            "a.yaml:1:10: include: cannot read 'b.yml': no such file");
  EXPECT_EQ(loading_error("include: {x: y}\n" + std::string(kSmallConfig), {}, files),
            "a.yaml:1:10: include: a map cannot be used; legal: the name of a file, or a list of them");
}

TEST(ConfigInclude, a_runaway_of_includes_ends_bad) {
  std::map<std::string, std::string> chain;
  for (int i = 0; i < 30; ++i) chain["f" + std::to_string(i)] = "include: f" + std::to_string(i + 1) + "\n";
  EXPECT_THAT(loading_error("include: f0\n", {}, MemoryFiles(chain)),
              HasSubstr("include: more than 100 files, or more than 20 inside of each other"));
}

TEST(ConfigSet, overrides_and_creates) {
  const Config config = load_config_text(
      kSmallConfig, "a.yaml", {"fabric.router.vcs=2", "fabric.size[0]=6", "name=x", "fabric.link={latency: 3}"},
      MemoryFiles());
  EXPECT_EQ(config.fabric.router.vcs, 2);
  EXPECT_EQ(config.fabric.size_x, 6);
  EXPECT_EQ(config.fabric.size_y, 4);
  EXPECT_EQ(config.name, "x");
  EXPECT_EQ(config.fabric.link.latency_cycles, 3u);
}

TEST(ConfigSet, lists_grow_at_their_end) {
  const Config config = load_config_text(
      kSmallConfig, "a.yaml",
      {"workload.traffic.pattern=hotspot", "workload.traffic.hotspots[0]=3", "workload.traffic.hotspots[1]=9"},
      MemoryFiles());
  EXPECT_EQ(std::get<TrafficWorkload>(config.workload).hotspots, (std::vector<NodeId>{NodeId{3}, NodeId{9}}));
}

TEST(ConfigSet, a_map_is_merged_and_the_last_option_wins) {
  const Config config = load_config_text(
      kSmallConfig, "a.yaml", {"fabric.router={vcs: 3, credit_delay: 1}", "fabric.router.vcs=5"}, MemoryFiles());
  EXPECT_EQ(config.fabric.router.vcs, 5);
  EXPECT_EQ(config.fabric.router.credit_delay, 1u);
}

TEST(ConfigSet, a_workload_replaces_the_kind_of_the_file) {
  const Config config = load_config_text(
      kSmallConfig, "a.yaml", {"workload.collective.kind=all_gather", "workload.collective.size=1 MB"}, MemoryFiles());
  const auto& spec = std::get<CollectiveWorkload>(config.workload).collective;
  EXPECT_EQ(spec.kind, CollectiveKind::kAllGather);
  EXPECT_EQ(spec.bytes, 1'000'000u);
  const Config whole =
      load_config_text(kSmallConfig, "a.yaml", {"workload={collective: {kind: barrier}}"}, MemoryFiles());
  EXPECT_TRUE(std::holds_alternative<CollectiveWorkload>(whole.workload));
}

TEST(ConfigSet, two_kinds_by_options_contradict_bad) {
  EXPECT_EQ(loading_error(kSmallConfig, {"workload.collective.kind=barrier", "workload.traffic.rate=0.1"}),
            "--set workload.collective.kind=barrier: workload has collective and traffic; legal: exactly one of trace, "
            "collective, traffic, io");
}

TEST(ConfigSet, errors_name_the_option_bad) {
  EXPECT_EQ(loading_error(kSmallConfig, {"fabric.router.vcs"}),
            "--set fabric.router.vcs: no '='; legal: path=value, for example --set fabric.router.vcs=8");
  EXPECT_THAT(
      loading_error(kSmallConfig, {"fabric.router.vcs=99"}),
      StartsWith("--set fabric.router.vcs=99: fabric.router.vcs: 99 is out of range; legal: an integer from 1 to 25"));
  EXPECT_THAT(loading_error(kSmallConfig, {"fabric.ruoter.vcs=2"}),
              StartsWith("--set fabric.ruoter.vcs=2: unknown key 'ruoter' in 'fabric'; did you mean 'router'?"));
  EXPECT_EQ(loading_error(kSmallConfig, {"fabric..size=2"}),
            "--set fabric..size=2: 'fabric..size' is no path of keys: a name is missing; legal: a.b or a.b[0]");
  EXPECT_EQ(loading_error(kSmallConfig, {"fabric.size[x]=2"}),
            "--set fabric.size[x]=2: 'fabric.size[x]' is no path of keys: an index must be a number in brackets; "
            "legal: a.b or a.b[0]");
  EXPECT_EQ(loading_error(kSmallConfig, {"fabric.size[3]=2"}),
            "--set fabric.size[3]=2: [3] is out of range; the list has 2 elements, legal: 0 to 2");
  EXPECT_EQ(loading_error(kSmallConfig, {"fabric[0]=2"}),
            "--set fabric[0]=2: [0] asks for an element of a map, which is not a list");
  EXPECT_THAT(loading_error(kSmallConfig, {"fabric.size=[1, 2"}),
              StartsWith("--set fabric.size=[1, 2: not valid YAML: "));
  EXPECT_THAT(loading_error(kSmallConfig, {"fabric.router.vcs="}),
              StartsWith("--set fabric.router.vcs=: fabric.router.vcs: has no value; legal: an integer"));
  EXPECT_EQ(loading_error(kSmallConfig, {"include=b.yaml"}),
            "--set include=b.yaml: 'include' cannot be set; it belongs into a file");
}

TEST(ConfigLayers, old_names_of_keys_are_read_with_a_warning) {
  const std::string text =
      "clock: 1 GHz\nfabric: {kind: mesh, size: [2, 2]}\nnpu:\n  message_turns: oldest_first\n"
      "workload: {traffic: {}}\n";
  const Config config = load_config_text(text, "a.yaml");
  EXPECT_EQ(config.npu.message_order, MessageOrder::kOldestFirst);
  const std::string sentence =
      "npu.message_turns is called npu.message_order now; a later version will refuse the old name";
  EXPECT_THAT(config_warnings(config), ElementsAre("a.yaml:4:3: " + sentence));
  EXPECT_THAT(to_yaml(config), HasSubstr("message_order: oldest_first"));
  EXPECT_THAT(config_warnings(load_config_text(to_yaml(config), "a.yaml")), IsEmpty());
}

/// An option with either name, or with the section, wins over a file with either name.
TEST(ConfigLayers, options_with_old_names_of_keys_override_files) {
  const auto text = [](const char* name) {
    return fmt::format("fabric: {{kind: mesh, size: [2, 2]}}\nnpu: {{{}: oldest_first}}\nworkload: {{traffic: {{}}}}\n",
                       name);
  };
  for (const char* name : {"message_turns", "message_order"}) {
    for (const char* option :
         {"npu.message_turns=round_robin", "npu.message_order=round_robin", "npu={message_turns: round_robin}"}) {
      const Config config = load_config_text(text(name), "a.yaml", {option});
      EXPECT_EQ(config.npu.message_order, MessageOrder::kRoundRobin) << name << " " << option;
    }
  }
  EXPECT_THAT(
      config_warnings(load_config_text(text("message_order"), "a.yaml", {"npu.message_turns=round_robin"})),
      ElementsAre(HasSubstr("--set npu.message_turns=round_robin: npu.message_turns is called npu.message_order")));
}

TEST(ConfigLayers, old_and_new_name_of_a_key_at_once_are_refused) {
  EXPECT_THAT(loading_error("fabric: {kind: mesh, size: [2, 2]}\nworkload: {traffic: {}}\n"
                            "npu: {message_turns: oldest_first, message_order: round_robin}\n"),
              HasSubstr("3:7: npu.message_turns is the old name of npu.message_order, and both are given; take "
                        "npu.message_turns out"));
}

}  // namespace
}  // namespace weft
