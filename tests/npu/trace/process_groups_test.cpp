// SPDX-License-Identifier: Apache-2.0
// Communicator groups: JSON form, meaning of the names, and what is refused.
#include "npu/trace/process_groups.h"

#include <gmock/gmock.h>

#include "npu/trace/id_set.h"
#include "tests/npu/trace/trace_test_util.h"

namespace weft::npu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ProcessGroups parse(const std::string& text) { return ProcessGroups::from_json_text(text, "groups.json"); }
std::string error_parsing(const std::string& text) {
  return error_of([&] { parse(text); });
}

TEST(ProcessGroups, reads_groups_in_their_order) {
  const ProcessGroups groups = parse(R"({"1": [0, 1], "2": [3, 2], "world": []})");
  EXPECT_EQ(groups.size(), 3u);
  EXPECT_THAT(groups.members("2", 4), ElementsAre(RankId{3}, RankId{2}));
  EXPECT_THAT(groups.members("world", 2), ElementsAre(RankId{0}, RankId{1}));
}

TEST(ProcessGroups, empty_name_and_zero_mean_all_ranks) {
  const ProcessGroups none;
  EXPECT_TRUE(none.contains(""));
  EXPECT_TRUE(none.contains("0"));
  EXPECT_FALSE(none.contains("1"));
  EXPECT_THAT(none.members("", 3), ElementsAre(RankId{0}, RankId{1}, RankId{2}));
  EXPECT_THAT(none.members("0", 1), ElementsAre(RankId{0}));
}

TEST(ProcessGroups, written_groups_are_read_again) {
  const ProcessGroups groups = parse(R"({"1": [0, 1], "a\"b": [], "2": [3]})");
  std::ostringstream out;
  groups.write_json(out);
  EXPECT_EQ(parse(out.str()).all(), groups.all());
}

TEST(ProcessGroups, refuses_wrong_files_bad) {
  EXPECT_THAT(error_parsing("{\n\"1\": [0,\n"), HasSubstr("groups.json: not valid JSON"));
  EXPECT_THAT(error_parsing("{\n\"1\": [0,\n"), HasSubstr("line 3"));
  EXPECT_THAT(error_parsing("[1]"), HasSubstr("is array, expected an object"));
  EXPECT_THAT(error_parsing(R"({"1": 3})"), HasSubstr("group \"1\" is number, expected a list of ranks"));
  EXPECT_THAT(error_parsing(R"({"1": [-1]})"), HasSubstr("-1 is not a rank"));
  EXPECT_THAT(error_parsing(R"({"1": [4294967296]})"), HasSubstr("4294967296 is not a rank"));
  EXPECT_THAT(error_parsing(R"({"1": ["a"]})"), HasSubstr("\"a\" is not a rank"));
  EXPECT_THAT(error_parsing(R"({"1": [2, 2]})"), HasSubstr("group \"1\" names rank 2 twice"));
  EXPECT_THAT(error_parsing(R"({"1": [2], "1": [3]})"), HasSubstr("group \"1\" is defined twice"));
  EXPECT_THAT(error_parsing(R"({"0": [2]})"), HasSubstr("always means all ranks"));
  EXPECT_THAT(error_of([] { ProcessGroups::from_json_file("/none.json"); }),
              HasSubstr("cannot read '/none.json': no such file"));
}

TEST(ProcessGroups, unknown_group_names_the_nearest_bad) {
  const ProcessGroups groups = parse(R"({"tensor": [0], "data": [1]})");
  EXPECT_THAT(error_of([&] { groups.members("tensro", 2); }), HasSubstr("the nearest name is \"tensor\""));
  EXPECT_THAT(error_of([] { ProcessGroups().members("1", 2); }), HasSubstr("no groups are known"));
}

TEST(ProcessGroups, merging_refuses_other_ranks_bad) {
  ProcessGroups groups = parse(R"({"1": [0, 1]})");
  groups.merge(parse(R"({"1": [0, 1], "2": [0]})"), "b.et");
  EXPECT_EQ(groups.size(), 2u);
  EXPECT_THAT(error_of([&] { groups.merge(parse(R"({"1": [0, 2]})"), "b.et"); }),
              HasSubstr("b.et: group \"1\" is defined a second time with other ranks"));
}

TEST(IdSet, dense_ids_merge_into_one_interval) {
  IdSet set;
  for (std::uint64_t id = 0; id < 64000; ++id) EXPECT_TRUE(set.insert(id));
  EXPECT_EQ(set.entries(), 1u);
  EXPECT_EQ(set.size(), 64000u);
  EXPECT_FALSE(set.insert(63999));
  EXPECT_TRUE(set.contains(0));
  EXPECT_FALSE(set.contains(64000));
}

TEST(IdSet, filling_gaps_from_any_side_merges) {
  IdSet set;
  const auto fill = [&](std::uint64_t word) {
    for (std::uint64_t id = word * 64; id < word * 64 + 64; ++id) set.insert(id);
  };
  fill(5);
  fill(7);
  fill(9);
  EXPECT_EQ(set.entries(), 3u);
  EXPECT_FALSE(set.contains(6 * 64));
  fill(6);
  fill(8);
  EXPECT_EQ(set.entries(), 1u);
  EXPECT_TRUE(set.contains(6 * 64));
  EXPECT_FALSE(set.contains(5 * 64 - 1));
  EXPECT_FALSE(set.contains(10 * 64));
}

TEST(IdSet, takes_the_largest_ids) {
  IdSet set;
  for (std::uint64_t i = 0; i < 64; ++i) EXPECT_TRUE(set.insert(~i));
  EXPECT_EQ(set.entries(), 1u);
  EXPECT_TRUE(set.contains(~std::uint64_t{0}));
  EXPECT_FALSE(set.contains(~std::uint64_t{64}));
}

}  // namespace
}  // namespace weft::npu
