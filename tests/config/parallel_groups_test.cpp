// SPDX-License-Identifier: Apache-2.0
// Groups of the phases of parallel training.
#include "config/parallel_groups.h"

#include <gmock/gmock.h>

#include "tests/config/memory_files.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::vector<unsigned>> groups(std::vector<std::uint32_t> sizes, TrainingPhase phase) {
  CollectiveWorkload workload;
  workload.parallelism = std::move(sizes);
  workload.phase = phase;
  std::vector<std::vector<unsigned>> numbers;
  for (const auto& group : groups_of_phase(workload)) {
    numbers.emplace_back();
    for (const RankId rank : group) numbers.back().push_back(index(rank));
  }
  return numbers;
}

// Rank = mp + 2 (pp + 3 dp).
TEST(ParallelGroups, vary_one_number_and_keep_the_others) {
  using Members = std::vector<unsigned>;
  EXPECT_THAT(groups({2, 3, 2}, TrainingPhase::kMp),
              ElementsAre(Members{0, 1}, Members{2, 3}, Members{4, 5}, Members{6, 7}, Members{8, 9}, Members{10, 11}));
  EXPECT_THAT(groups({2, 3, 2}, TrainingPhase::kPp),
              ElementsAre(Members{0, 2, 4}, Members{1, 3, 5}, Members{6, 8, 10}, Members{7, 9, 11}));
  EXPECT_THAT(groups({2, 3, 2}, TrainingPhase::kDp),
              ElementsAre(Members{0, 6}, Members{1, 7}, Members{2, 8}, Members{3, 9}, Members{4, 10}, Members{5, 11}));
  EXPECT_TRUE(groups({}, TrainingPhase::kMp).empty());
}

std::string error_with(const std::string& workload) {
  return loading_error("fabric: {size: [5, 4]}\nworkload: {collective: {size: 1 KiB, " + workload + "}}\n");
}

TEST(ParallelGroups, config_bad) {
  EXPECT_EQ(error_with("parallelism: [2, 2, 5], phase: dp"), "");
  EXPECT_EQ(error_with("parallelism: [1, 1, 20]"), "");
  EXPECT_EQ(error_with("parallelism: [2, 2, 5], group: all"), "");
  EXPECT_THAT(error_with("parallelism: [2, 2, 5], root: 1"), HasSubstr("workload.collective.root: says the same as"));
  EXPECT_THAT(error_with("parallelism: [2, 5], phase: dp"),
              HasSubstr("workload.collective.parallelism: 2 numbers; legal: three, MP, PP and DP"));
  EXPECT_THAT(error_with("parallelism: [2, 0, 5]"), HasSubstr("0 is out of range; legal: "));
  EXPECT_THAT(error_with("parallelism: [3, 2, 4]"),
              HasSubstr("MP 3 x PP 2 x DP 4 are more ranks than there are; legal: a product of 20 or less"));
  EXPECT_THAT(error_with("phase: dp"), HasSubstr("workload.collective.phase: names groups of a parallelism; the key "
                                                 "'parallelism' is missing"));
  EXPECT_THAT(error_with("parallelism: [2, 2, 5], phase: tp"),
              HasSubstr("workload.collective.phase: unknown name 'tp'"));
  EXPECT_THAT(error_with("parallelism: [2, 2, 5], group: [1, 2]"),
              HasSubstr("workload.collective.group: says the same as 'parallelism' and 'phase'; legal: one of them"));
}

}  // namespace
}  // namespace weft
