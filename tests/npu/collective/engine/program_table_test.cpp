// SPDX-License-Identifier: Apache-2.0
// Programs that a table chooses: by bytes, and by what suits the group.
#include <gtest/gtest.h>

#include "base/error.h"
#include "npu/collective/engine/program_cache.h"
#include "tests/support/temp_dir.h"

namespace weft::npu {
namespace {

class ProgramTable : public testing::Test {
 protected:
  /// A cache for the mesh of 5 x 4 with these entries of all_reduce.
  ProgramCache cache(const std::string& entries) {
    test::write_text(dir_ / "t.yaml", "fabric: {kind: mesh, npus: 20}\ncollectives: {all_reduce: " + entries + "}\n");
    CollectiveSpec spec;
    spec.algorithm = "auto";
    spec.algorithm_table = (dir_ / "t.yaml").string();
    FabricSpec fabric;
    fabric.kind = FabricKind::kMesh;
    fabric.size_x = 5;
    fabric.size_y = 4;
    return {spec, fabric};
  }
  static CommGroup group(const std::vector<std::uint32_t>& nodes) {
    CommGroup group;
    group.number = static_cast<std::uint32_t>(nodes.size());
    for (const std::uint32_t node : nodes) group.nodes.push_back(NodeId{node});
    return group;
  }
  static std::string algorithm(ProgramCache& programs, const CommGroup& group, std::uint64_t bytes) {
    return programs.plan(CollectiveKind::kAllReduce, group, 0, bytes)->algorithm;
  }

  test::TempDir dir_;
};

TEST_F(ProgramTable, bytes_decide) {
  ProgramCache programs = cache("{20: {4 KiB: [direct], 64 KiB: [halving_doubling, direct]}}");
  const CommGroup four = group({0, 1, 5, 6});
  EXPECT_TRUE(programs.by_bytes());
  EXPECT_EQ(algorithm(programs, four, 100), "direct");
  EXPECT_EQ(algorithm(programs, four, 65535), "direct");
  EXPECT_EQ(algorithm(programs, four, 65536), "halving_doubling");
  EXPECT_EQ(programs.get(CollectiveKind::kAllReduce, four, 0, 100),
            programs.get(CollectiveKind::kAllReduce, four, 0, 200));
}

// The ranks 0, 4, 8, 12, 16 of a 5 x 4 mesh lie on a diagonal; 0, 1, 5, 6 are a square.
TEST_F(ProgramTable, the_first_that_suits_the_group) {
  ProgramCache programs = cache("{20: {1 KiB: [hierarchical_2d, halving_doubling, direct]}}");
  EXPECT_EQ(algorithm(programs, group({0, 1, 5, 6}), 1024), "hierarchical_2d");
  EXPECT_EQ(algorithm(programs, group({0, 1}), 1024), "hierarchical_2d");
  EXPECT_EQ(algorithm(programs, group({0, 4, 8, 12, 16}), 1024), "halving_doubling");
}

TEST_F(ProgramTable, ring_where_none_suits_the_group) {
  ProgramCache programs = cache("{20: {1 KiB: [hierarchical_2d, two_level_ring, in_switch, in_router]}}");
  EXPECT_EQ(algorithm(programs, group({0, 4, 8, 12, 16}), 1024), "ring");
  EXPECT_EQ(algorithm(programs, group({0, 1, 5, 6}), 1024), "hierarchical_2d");
}

TEST_F(ProgramTable, a_checkpoint_makes_the_same_programs_again) {
  ProgramCache programs = cache("{20: {1 KiB: [direct], 2 KiB: [ring]}}");
  const auto all = std::make_shared<const CommGroup>([] {
    CommGroup four = group({0, 1, 5, 6});
    four.number = 0;
    return four;
  }());
  EXPECT_EQ(algorithm(programs, *all, 2048), "ring");
  Checkpoint saved;
  programs.keep(saved, {all});
  ProgramCache again = cache("{20: {1 KiB: [direct], 2 KiB: [ring]}}");
  Checkpoint loaded(saved.take());
  again.keep(loaded, {all});
  loaded.require_end();
  Checkpoint both;
  again.keep(both, {all});
  Checkpoint first;
  programs.keep(first, {all});
  EXPECT_EQ(both.bytes(), first.bytes());
  ProgramCache other = cache("{20: {1 KiB: [direct], 2 KiB: [ring]}}");
  EXPECT_EQ(algorithm(other, *all, 1024), "direct");
  Checkpoint unlike;
  other.keep(unlike, {all});
  EXPECT_NE(unlike.bytes(), first.bytes()) << "which entry it was is kept, too";
}

TEST_F(ProgramTable, kinds_that_a_table_does_not_have_bad) {
  ProgramCache programs = cache("{20: {1 KiB: [direct]}}");
  EXPECT_THROW(programs.plan(CollectiveKind::kAllGather, group({0, 1}), 0, 8), InputError);
  EXPECT_FALSE(programs.have_flows(CollectiveKind::kAllGather, group({0, 1}), 0));
}

}  // namespace
}  // namespace weft::npu
