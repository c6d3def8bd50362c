// SPDX-License-Identifier: Apache-2.0
// Traffic classes of groups, by training phase and by where their members are; four NPUs below a switch.
#include "npu/collective/engine/flow_groups.h"

#include <gtest/gtest.h>

#include "config/load.h"
#include "npu/collective/engine/program_cache.h"
#include "tests/support/source.h"

namespace weft::npu {
namespace {

constexpr int kBelow = 4;

SharedGroup group(std::uint32_t number, const std::vector<std::uint32_t>& nodes,
                  std::optional<TrainingPhase> phase = {}) {
  CommGroup made;
  made.number = number;
  made.name = std::to_string(number);
  for (const std::uint32_t node : nodes) made.nodes.push_back(NodeId{node});
  made.phase = phase;
  return std::make_shared<const CommGroup>(made);
}

TEST(FlowGroups, without_phases_groups_below_a_switch_are_mp) {
  const FlowGroups groups({group(1, {0, 1}), group(2, {0, 4})}, kBelow);
  EXPECT_EQ(groups.traffic_class(1, false), TrafficClass::kMp);
  EXPECT_EQ(groups.traffic_class(2, false), TrafficClass::kDp);
}

// Ten ranks of tensor parallelism cross switches; their two replicas, here, do not.
TEST(FlowGroups, a_phase_decides_wherever_the_members_are) {
  const FlowGroups groups({group(1, {0, 1}, TrainingPhase::kDp), group(2, {0, 4, 8}, TrainingPhase::kMp)}, kBelow);
  EXPECT_EQ(groups.traffic_class(1, false), TrafficClass::kDp);
  EXPECT_EQ(groups.traffic_class(2, false), TrafficClass::kMp);
}

// Group 1 would take MP, since it is below a switch, and has common members with group 2.
TEST(FlowGroups, a_known_phase_comes_before_a_place) {
  const FlowGroups groups({group(1, {0, 1}), group(2, {0, 4}, TrainingPhase::kMp)}, kBelow);
  EXPECT_EQ(groups.traffic_class(1, false), TrafficClass::kDp);
  EXPECT_EQ(groups.traffic_class(2, false), TrafficClass::kMp);
}

TEST(FlowGroups, where_the_class_is_taken_the_other_one_remains) {
  const FlowGroups groups({group(1, {0, 4}, TrainingPhase::kMp), group(2, {0, 8}, TrainingPhase::kMp),
                           group(3, {0, 12}, TrainingPhase::kMp)},
                          kBelow);
  EXPECT_EQ(groups.traffic_class(1, false), TrafficClass::kMp);
  EXPECT_EQ(groups.traffic_class(2, false), TrafficClass::kDp);
  EXPECT_EQ(groups.traffic_class(3, false), std::nullopt);
}

class PhaseClasses : public testing::Test {
 protected:
  /// The plan of an all-reduce of the first of `groups` in a workload that has them all.
  std::shared_ptr<const CollectivePlan> plan(const std::vector<SharedGroup>& groups) {
    const Config config =
        load_config(weft::test::source("configs/fred-c.yaml"), {"workload.collective.algorithm=ring"});
    programs_ = std::make_unique<ProgramCache>(config);
    programs_->use_phases(groups);
    return programs_->plan(CollectiveKind::kAllReduce, *groups.front(), 0, 8);
  }
  static constexpr MessageClass kMp = class_of(TrafficClass::kMp);
  static constexpr MessageClass kPp = class_of(TrafficClass::kPp);
  static constexpr MessageClass kDp = class_of(TrafficClass::kDp);
  std::unique_ptr<ProgramCache> programs_;
};

TEST_F(PhaseClasses, without_phases_messages_are_pp_and_below_a_switch_dp) {
  const auto found = plan({group(1, {0, 1, 4})});
  EXPECT_EQ(found->class_between(NodeId{0}, NodeId{4}), kPp);
  EXPECT_EQ(found->class_between(NodeId{0}, NodeId{1}), kDp);
  EXPECT_EQ(found->phase_class, std::nullopt);
}

TEST_F(PhaseClasses, messages_of_a_group_have_the_class_of_its_phase) {
  const auto found = plan({group(1, {0, 1, 4}, TrainingPhase::kDp), group(2, {0, 8}, TrainingPhase::kMp)});
  EXPECT_EQ(found->class_between(NodeId{0}, NodeId{4}), kDp);
  EXPECT_EQ(found->class_between(NodeId{0}, NodeId{1}), kDp);
  EXPECT_EQ(found->phase_class, TrafficClass::kDp);
}

TEST_F(PhaseClasses, messages_below_a_switch_take_the_class_of_a_phase_that_nobody_has) {
  const auto dp = plan({group(1, {0, 1, 4}, TrainingPhase::kDp)});
  EXPECT_EQ(dp->class_between(NodeId{0}, NodeId{4}), kDp);
  EXPECT_EQ(dp->class_between(NodeId{0}, NodeId{1}), kMp);
  const auto mp = plan({group(1, {0, 1, 4}, TrainingPhase::kMp)});
  EXPECT_EQ(mp->class_between(NodeId{0}, NodeId{4}), kMp);
  EXPECT_EQ(mp->class_between(NodeId{0}, NodeId{1}), kDp);
}

}  // namespace
}  // namespace weft::npu
