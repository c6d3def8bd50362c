// SPDX-License-Identifier: Apache-2.0
#include "npu/player/group_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::npu {
namespace {

using ::testing::HasSubstr;

std::vector<RankId> ranks(std::initializer_list<std::uint32_t> numbers) {
  std::vector<RankId> list;
  for (const std::uint32_t number : numbers) list.push_back(RankId{number});
  return list;
}

std::string error_of_groups(const std::map<std::string, std::vector<RankId>>& groups, std::uint32_t count) {
  try {
    GroupTable table(groups, count);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GroupTable, empty_name_and_zero_are_all_ranks) {
  const GroupTable table({{"1", ranks({2, 0})}}, 3);
  EXPECT_EQ(table.find("")->members, ranks({0, 1, 2}));
  EXPECT_EQ(table.find("0")->members, ranks({0, 1, 2}));
  EXPECT_EQ(table.find("0")->number, 0u);
  EXPECT_EQ(table.find("1")->members, ranks({2, 0}));  // a group keeps its own order
  EXPECT_NE(table.find("1")->number, 0u);
  EXPECT_EQ(table.find("2"), nullptr);
}

TEST(GroupTable, a_given_group_zero_is_itself_and_an_empty_list_is_all) {
  const GroupTable table({{"0", ranks({1, 2})}, {"world", {}}}, 3);
  EXPECT_EQ(table.find("0")->members, ranks({1, 2}));
  EXPECT_EQ(table.find("")->members, ranks({0, 1, 2}));
  EXPECT_EQ(table.find("world")->number, 0u);
}

TEST(GroupTable, numbers_differ_between_groups) {
  const GroupTable table({{"a", ranks({0})}, {"b", ranks({1})}}, 2);
  EXPECT_NE(table.find("a")->number, table.find("b")->number);
}

TEST(GroupTable, a_phase_of_any_name_of_all_ranks_is_that_of_all_ranks) {
  ProcessGroups groups;
  groups.add("world", {}, "here");
  groups.add("tp1", ranks({0, 1}), "here");
  const GroupTable table(groups, GroupPhases::from_json_text(R"({"dp": ["0"]})", "p.json"), 3);
  EXPECT_EQ(table.by_number()[0]->phase, TrainingPhase::kDp);
  EXPECT_EQ(table.find("tp1")->phase, TrainingPhase::kMp);
  EXPECT_EQ(GroupTable(groups, {}, 3).by_number()[0]->phase, std::nullopt);
}

TEST(GroupTable, member_outside_the_workload_bad) {
  EXPECT_EQ(error_of_groups({{"7", ranks({0, 4})}}, 4),
            "process group '7': rank 4 does not exist; the workload has ranks 0 to 3");
}

TEST(GroupTable, repeated_member_bad) {
  EXPECT_EQ(error_of_groups({{"7", ranks({1, 0, 1})}}, 4), "process group '7': rank 1 stands in it twice");
}

TEST(GroupTable, more_groups_than_tags_can_name_bad) {
  std::map<std::string, std::vector<RankId>> groups;
  for (int i = 1; i < 65536; ++i) groups["g" + std::to_string(i)] = ranks({0, 1});
  EXPECT_EQ(error_of_groups(groups, 2), "");
  groups["one more"] = ranks({0, 1});
  EXPECT_EQ(error_of_groups(groups, 2), "the workload has 65536 process groups; at most 65535 can be told apart");
}

TEST(GroupTable, no_ranks_bad) { EXPECT_THAT(error_of_groups({}, 0), HasSubstr("no ranks")); }

TEST(GroupTable, says_what_groups_there_are_or_which_file_may_have_them) {
  EXPECT_EQ(GroupTable({{"1", ranks({0, 1})}, {"7", ranks({2})}}, 3).describe(), "the groups are '1', '7'");
  GroupTable none({}, 3);
  EXPECT_EQ(none.describe(), "the workload names no groups (workload.trace.groups)");
  none.set_unused_file("t/comm_group.json");
  EXPECT_EQ(none.describe(), "the workload names no groups (workload.trace.groups); 't/comm_group.json' may have them");
}

}  // namespace
}  // namespace weft::npu
