// SPDX-License-Identifier: Apache-2.0
// Tables of `algorithm: auto`, written by hand: which entry a collective finds, and what is refused.
#include <gtest/gtest.h>

#include "base/error.h"
#include "npu/collective/files/algorithm_table.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_dir.h"

namespace weft::npu {
namespace {

using test::refusal;
using Names = std::vector<std::string>;

constexpr const char* kTable = R"(# comments are read over
fabric: {name: a wafer, kind: mesh, npus: 20}
collectives:
  all_reduce:
    20:
      64 KiB: [halving_doubling]
      4 KiB: [direct, ring]
      1 MiB: [hierarchical_2d, ring]
    4:
      1 KiB: [ring]
      2 KiB: [direct]
  barrier:
    20:
      0 B: [double_binary_tree]
)";

Names found(CollectiveKind kind, std::size_t ranks, std::uint64_t bytes) {
  const AlgorithmTable table = AlgorithmTable::parse(kTable, "t.yaml");
  return table.algorithms(table.entry_for(kind, ranks, bytes));
}

TEST(AlgorithmTable, largest_size_that_is_not_above_the_bytes) {
  const CollectiveKind kind = CollectiveKind::kAllReduce;
  EXPECT_EQ(found(kind, 20, 4096), (Names{"direct", "ring"}));
  EXPECT_EQ(found(kind, 20, 65535), (Names{"direct", "ring"}));
  EXPECT_EQ(found(kind, 20, 65536), Names{"halving_doubling"});
  EXPECT_EQ(found(kind, 20, 1048575), Names{"halving_doubling"});
  EXPECT_EQ(found(kind, 20, 1048576), (Names{"hierarchical_2d", "ring"}));
  EXPECT_EQ(found(kind, 20, std::uint64_t{1} << 50), (Names{"hierarchical_2d", "ring"}));
}

TEST(AlgorithmTable, the_smallest_size_where_all_are_above) {
  EXPECT_EQ(found(CollectiveKind::kAllReduce, 20, 4095), (Names{"direct", "ring"}));
  EXPECT_EQ(found(CollectiveKind::kAllReduce, 20, 0), (Names{"direct", "ring"}));
  EXPECT_EQ(found(CollectiveKind::kBarrier, 20, 0), Names{"double_binary_tree"});
}

TEST(AlgorithmTable, groups_go_by_the_same_rule_before_bytes) {
  const CollectiveKind kind = CollectiveKind::kAllReduce;
  EXPECT_EQ(found(kind, 4, 1 << 20), Names{"direct"});
  EXPECT_EQ(found(kind, 19, 1024), Names{"ring"});
  EXPECT_EQ(found(kind, 2, 2048), Names{"direct"});
  EXPECT_EQ(found(kind, 21, 1 << 16), Names{"halving_doubling"});
  EXPECT_EQ(found(CollectiveKind::kBarrier, 5, 0), Names{"double_binary_tree"});
}

TEST(AlgorithmTable, entries_of_a_group_are_those_of_all_bytes) {
  const AlgorithmTable table = AlgorithmTable::parse(kTable, "t.yaml");
  std::vector<Names> names;
  for (const std::uint32_t entry : table.entries_for(CollectiveKind::kAllReduce, 7))
    names.push_back(table.algorithms(entry));
  EXPECT_EQ(names, (std::vector<Names>{{"ring"}, {"direct"}}));
  EXPECT_TRUE(table.entries_for(CollectiveKind::kReduce, 7).empty());
}

TEST(AlgorithmTable, knows_whether_switches_take_part) {
  EXPECT_FALSE(AlgorithmTable::parse(kTable, "t.yaml").needs_switches());
  EXPECT_TRUE(AlgorithmTable::parse("fabric: {kind: fred, npus: 20}\n"
                                    "collectives: {reduce: {20: {1 KiB: [ring], 2 KiB: [ring, in_switch]}}}\n",
                                    "t.yaml")
                  .needs_switches());
}

TEST(AlgorithmTable, flows_of_a_workload_follow_from_its_table) {
  const test::TempDir dir;
  CollectiveSpec spec;
  EXPECT_FALSE(may_need_switches(spec));
  spec.algorithm = "in_switch";
  EXPECT_TRUE(may_need_switches(spec));
  spec.algorithm = "auto";
  spec.algorithm_table = (dir / "t.yaml").string();
  test::write_text(dir / "t.yaml", kTable);
  EXPECT_FALSE(may_need_switches(spec));
  test::write_text(dir / "t.yaml", "fabric: {kind: fred, npus: 20}\ncollectives: {reduce: {20: {1 B: [in_switch]}}}\n");
  EXPECT_TRUE(may_need_switches(spec));
}

TEST(AlgorithmTable, another_fabric_or_kind_bad) {
  const AlgorithmTable table = AlgorithmTable::parse(kTable, "t.yaml");
  FabricSpec fabric;
  fabric.kind = FabricKind::kMesh;
  fabric.size_x = 5;
  fabric.size_y = 4;
  table.require_fabric(fabric);
  fabric.size_y = 5;
  EXPECT_EQ(refusal([&] { table.require_fabric(fabric); }),
            "t.yaml: the table is for a mesh of 20 NPUs, but the fabric is a mesh of 25; `weft advise collectives "
            "CONFIG --out FILE` writes one for this fabric");
  fabric.size_y = 4;
  fabric.kind = FabricKind::kTorus;
  EXPECT_EQ(refusal([&] { table.require_fabric(fabric); }),
            "t.yaml: the table is for a mesh of 20 NPUs, but the fabric is a torus of 20; `weft advise collectives "
            "CONFIG --out FILE` writes one for this fabric");
  EXPECT_EQ(refusal([&] { table.entry_for(CollectiveKind::kScatter, 20, 1); }),
            "t.yaml: the table has no scatter; `weft advise collectives CONFIG --kinds scatter --out FILE` finds out "
            "what is fastest");
}

std::string errors_of(const std::string& text) {
  return refusal([&] { AlgorithmTable::parse(text, "t.yaml"); });
}

std::string errors_of_kinds(const std::string& kinds) {
  return errors_of("fabric: {kind: mesh, npus: 20}\ncollectives: {" + kinds + "}\n");
}

TEST(AlgorithmTable, files_that_are_no_tables_bad) {
  EXPECT_EQ(errors_of("[1, 2]\n"),
            "t.yaml:1:1: a table of algorithms: a list cannot be used; legal: a map of fabric and collectives");
  EXPECT_EQ(errors_of("fabric: {kind: mesh, npus: 20}\n"),
            "t.yaml:1:1: the key 'collectives' is missing; `weft advise collectives` writes tables");
  EXPECT_EQ(errors_of("collectives: {barrier: {2: {0 B: [ring]}}}\n"),
            "t.yaml:1:1: the key 'fabric' is missing; `weft advise collectives` writes tables");
  EXPECT_EQ(errors_of("fabrics: {}\nfabric: {kind: mesh, npus: 20}\ncollectives: {barrier: {2: {0 B: [ring]}}}\n"),
            "t.yaml:1:1: unknown key 'fabrics'; legal: fabric, collectives; did you mean 'fabric'?");
  EXPECT_EQ(errors_of("fabric: {kind: mesh, npus: many}\ncollectives: {barrier: {2: {0 B: [ring]}}}\n"),
            "t.yaml:1:28: fabric.npus: 'many' cannot be used; legal: a whole number above 0");
  EXPECT_EQ(errors_of("fabric: {kind: mesh}\ncollectives: {barrier: {2: {0 B: [ring]}}}\n"),
            "t.yaml:1:9: fabric.npus is missing");
  EXPECT_EQ(errors_of("fabric: {npus: 4}\ncollectives: {barrier: {2: {0 B: [ring]}}}\n"),
            "t.yaml:1:9: fabric.kind is missing");
  EXPECT_EQ(errors_of("fabric: {kind: mesh, npu: 4}\ncollectives: {barrier: {2: {0 B: [ring]}}}\n"),
            "t.yaml:1:22: unknown key 'npu'; legal: name, kind, npus; did you mean 'npus'?");
}

TEST(AlgorithmTable, entries_that_are_none_bad) {
  EXPECT_EQ(errors_of_kinds("all_reduc: {2: {1 KiB: [ring]}}"),
            "t.yaml:2:15: unknown kind of collective 'all_reduc'; legal: all_reduce, reduce, all_gather, gather, "
            "scatter, broadcast, all_to_all, reduce_scatter, barrier; did you mean 'all_reduce'?");
  EXPECT_EQ(errors_of_kinds("reduce: {all: {1 KiB: [ring]}}"),
            "t.yaml:2:24: reduce: 'all' is no size of a group; legal: a whole number of NPUs above 0");
  EXPECT_EQ(errors_of_kinds("reduce: {4: [ring]}"),
            "t.yaml:2:27: a group size: a list cannot be used; legal: a map of bytes, such as '64 KiB'");
  EXPECT_EQ(errors_of_kinds("reduce: {4: {1 KiB: ring}}"),
            "t.yaml:2:35: 1 KiB: 'ring' cannot be used; legal: a list of algorithms, such as [ring]");
  EXPECT_EQ(errors_of_kinds("reduce: {4: {1 KiB: []}}"),
            "t.yaml:2:35: 1 KiB: a list cannot be used; legal: a list of algorithms, such as [ring]");
  EXPECT_EQ(errors_of_kinds("reduce: {4: {1 KiB: [ring], 1024 B: [ring]}}"), "t.yaml:2:43: 1024 B stand here twice");
  EXPECT_EQ(errors_of_kinds("reduce: {4: {1 KiB: [two_level_ring]}}"),
            "t.yaml:2:36: algorithm two_level_ring does not do reduce; it does all_reduce, all_gather, reduce_scatter. "
            "reduce is done by ring, direct, halving_doubling, double_binary_tree, hierarchical_2d, star, chain, tree, "
            "two_phase, auto_gen, snake, in_router, in_switch, in_switch_series");
  const std::string unknown = errors_of_kinds("reduce: {4: {1 KiB: [rings], 2 apples: [ring]}}");
  EXPECT_EQ(unknown.rfind("t.yaml:2:36: unknown collective algorithm 'rings'; known: ring, ", 0), 0U) << unknown;
  EXPECT_NE(unknown.find("\nt.yaml:2:44: "), std::string::npos) << "all that is wrong is said at once: " << unknown;
}

}  // namespace
}  // namespace weft::npu
