// SPDX-License-Identifier: Apache-2.0
// Training phases of process groups: rules, names, and what is refused.
#include "npu/trace/group_phases.h"

#include <gmock/gmock.h>

#include "npu/trace/process_groups.h"
#include "tests/npu/trace/trace_test_util.h"

namespace weft::npu {
namespace {

using testing::HasSubstr;

constexpr auto kMp = TrainingPhase::kMp;
constexpr auto kPp = TrainingPhase::kPp;
constexpr auto kDp = TrainingPhase::kDp;

GroupPhases phases_from(const std::string& text) { return GroupPhases::from_json_text(text, "phases.json"); }
std::string error_with(const std::string& text) {
  return error_of([&] { phases_from(text); });
}

TEST(GroupPhases, a_name_says_its_phase_in_words) {
  EXPECT_EQ(phase_in_name("tp3"), kMp);
  EXPECT_EQ(phase_in_name("mp_0"), kMp);
  EXPECT_EQ(phase_in_name("TENSOR_MODEL_PARALLEL_GROUP"), kMp);
  EXPECT_EQ(phase_in_name("PIPELINE_MODEL_PARALLEL_GROUP"), kPp);
  EXPECT_EQ(phase_in_name("pp1"), kPp);
  EXPECT_EQ(phase_in_name("DATA_PARALLEL_GROUP_WITH_CP"), kDp);
  EXPECT_EQ(phase_in_name("dp"), kDp);
}

// "httpd" and "update" hold the letters of a phase, but not as a word; a group of both phases is of none.
TEST(GroupPhases, a_name_without_such_a_word_says_nothing) {
  for (const char* name : {"", "0", "17", "httpd", "update", "world", "TENSOR_AND_DATA_PARALLEL_GROUP"})
    EXPECT_EQ(phase_in_name(name), std::nullopt) << name;
}

TEST(GroupPhases, the_first_rule_decides_before_the_description_and_the_name) {
  const GroupPhases phases = phases_from(R"({"dp": ["11", "tp9"], "mp": ["1*"]})");
  EXPECT_EQ(phases.phase_of("11", ""), kDp);
  EXPECT_EQ(phases.phase_of("12", ""), kMp);
  EXPECT_EQ(phases.phase_of("tp9", "tensor"), kDp);
  EXPECT_EQ(phases.phase_of("tp8", ""), kMp);
  EXPECT_EQ(phases.phase_of("2", "data"), kDp);
  EXPECT_EQ(phases.phase_of("tp8", "data"), kDp);
  EXPECT_EQ(phases.phase_of("2", ""), std::nullopt);
}

TEST(GroupPhases, a_name_that_no_group_has_is_refused_but_a_pattern_is_not_bad) {
  const std::map<std::string, std::vector<RankId>> groups{{"tp0", {}}, {"tp1", {}}};
  phases_from(R"({"mp": ["tp*", "tp1"], "dp": ["dp*", "0"]})").require_groups(groups);
  EXPECT_THAT(error_of([&] { phases_from(R"({"mp": ["tp2"]})").require_groups(groups); }),
              HasSubstr("phases.json: mp: no group has the name \"tp2\"; nearest: \"tp"));
  EXPECT_THAT(error_of([&] { phases_from(R"({"mp": ["1"]})").require_groups({}); }),
              HasSubstr("the workload has no groups"));
}

TEST(GroupPhases, metadata_of_pytorch_describe_groups) {
  ProcessGroups groups;
  groups.add_pytorch(R"(['[{"pg_name": "3", "pg_desc": "PIPELINE", "ranks": [0, 1]}, {"pg_name": "4", "ranks": []}]'])",
                     "a");
  EXPECT_EQ(groups.description("3"), "PIPELINE");
  EXPECT_EQ(groups.description("4"), "");
  ProcessGroups all;
  all.merge(groups, "b");
  EXPECT_EQ(all.description("3"), "PIPELINE");
}

TEST(GroupPhases, refuses_what_is_no_list_of_names_by_phase_bad) {
  EXPECT_THAT(error_with(R"({"tp": ["1"]})"), HasSubstr("phases.json: \"tp\" is no phase; legal: mp, pp, dp"));
  EXPECT_THAT(error_with(R"({"mp": "1"})"), HasSubstr("phases.json: mp: is string, expected a list of group names"));
  EXPECT_THAT(error_with(R"({"mp": [1]})"), HasSubstr("phases.json: mp: 1 is no group name in quotes"));
  EXPECT_THAT(error_with("[1]"), HasSubstr("phases.json: is array, expected an object like"));
  EXPECT_THAT(error_with(R"({"mp": ["1"], "mp": ["2"]})"), HasSubstr("phases.json: phase \"mp\" stands twice"));
  EXPECT_THAT(error_with("{"), HasSubstr("phases.json: not valid JSON"));
}

}  // namespace
}  // namespace weft::npu
