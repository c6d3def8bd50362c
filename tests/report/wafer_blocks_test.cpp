// SPDX-License-Identifier: Apache-2.0
// Wafers with more links than are drawn, in blocks.
#include "report/wafer_blocks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace weft::report {
namespace {

struct Mesh {
  std::vector<LinkEnds> ends;
  std::vector<std::string> labels;
  void add(const std::string& from, const std::string& to, const std::string& label) {
    ends.push_back({from, to});
    labels.push_back(label);
  }
};

std::string router(int x, int y) { return fmt::format("router[{},{}]", x, y); }

/// All links of a mesh: four directions, and to and from the NPU of each router.
Mesh mesh_of(int size_x, int size_y) {
  Mesh mesh;
  for (int y = 0; y < size_y; ++y) {
    for (int x = 0; x < size_x; ++x) {
      const std::string npu = fmt::format("npu[{}]", y * size_x + x);
      mesh.add(router(x, y), npu, "fabric.@.local");
      mesh.add(npu, router(x, y), "@.inject");
      if (x + 1 < size_x) mesh.add(router(x, y), router(x + 1, y), "fabric.@.east");
      if (x + 1 < size_x) mesh.add(router(x + 1, y), router(x, y), "fabric.@.west");
      if (y + 1 < size_y) mesh.add(router(x, y), router(x, y + 1), "fabric.@.north");
      if (y + 1 < size_y) mesh.add(router(x, y + 1), router(x, y), "fabric.@.south");
    }
  }
  return mesh;
}

/// How many links each line holds, by "from > to label".
std::map<std::string, std::size_t> lines_of(const WaferBlocks& blocks) {
  std::map<std::string, std::size_t> lines;
  for (const std::size_t line : blocks.line_of) {
    const WaferBlocks::Line& l = blocks.lines.at(line);
    const auto name = [&](int outline) { return blocks.plan.outlines().at(static_cast<std::size_t>(outline)).name; };
    ++lines[name(l.from) + " > " + name(l.to) + " " + l.label];
  }
  return lines;
}

// 5 x 3 routers in blocks of 2 x 2: 3 x 2 blocks, the last column one router wide, the upper row one router high.
// Between two blocks in a row lie as many links as the row is high; a whole block has 4 pairs of links inside.
TEST(WaferBlocks, tiles_of_a_mesh) {
  const Mesh mesh = mesh_of(5, 3);
  const WaferBlocks blocks = mesh_blocks(5, 3, {}, mesh.ends, mesh.labels, 60);
  EXPECT_EQ(blocks.text, "each tile stands for 2 x 2 routers and their NPUs");
  EXPECT_EQ(blocks.line_of.size(), mesh.ends.size());
  const auto lines = lines_of(blocks);
  EXPECT_EQ(lines.at("router[0-1,0-1] > router[2-3,0-1] fabric.@.east"), 2U);
  EXPECT_EQ(lines.at("router[4,0-1] > router[2-3,0-1] fabric.@.west"), 2U);
  EXPECT_EQ(lines.at("router[2-3,2] > router[4,2] fabric.@.east"), 1U);
  EXPECT_EQ(lines.at("router[2-3,0-1] > router[2-3,2] fabric.@.north"), 2U);
  EXPECT_EQ(lines.at("router[0-1,0-1] > router[0-1,0-1] fabric.@.inside"), 8U);
  EXPECT_EQ(lines.at("router[4,0-1] > router[4,0-1] fabric.@.inside"), 2U);
  EXPECT_EQ(lines.at("npu at router[2-3,0-1] > router[2-3,0-1] @.inject"), 4U);
  EXPECT_EQ(lines.at("router[4,2] > npu at router[4,2] fabric.@.local"), 1U);
  EXPECT_EQ(lines.count("router[4,2] > router[4,2] fabric.@.inside"), 0U) << "one router has no links inside";
  // 4 pairs east-west, 3 north-south, 5 insides, 6 pairs to NPUs.
  EXPECT_EQ(lines.size(), 2U * 4 + 2 * 3 + 5 + 2 * 6);
  EXPECT_EQ(blocks.lines.size(), lines.size());
  for (const Outline& outline : blocks.plan.outlines()) EXPECT_LE(outline.x + outline.w, blocks.plan.width());
}

// 31 lines of 2 x 2 are too many for 30; 3 x 3 makes 2 x 1 blocks: a pair, 2 insides, 2 pairs to NPUs.
TEST(WaferBlocks, as_small_as_the_lines_allow) {
  const Mesh mesh = mesh_of(5, 3);
  EXPECT_EQ(mesh_blocks(5, 3, {}, mesh.ends, mesh.labels, 31).lines.size(), 31U);
  const WaferBlocks larger = mesh_blocks(5, 3, {}, mesh.ends, mesh.labels, 30);
  EXPECT_EQ(larger.text, "each tile stands for 3 x 3 routers and their NPUs");
  EXPECT_EQ(larger.lines.size(), 8U);
  EXPECT_EQ(mesh_blocks(5, 3, {}, mesh.ends, mesh.labels, 3).lines.size(), 3U) << "one block";
  EXPECT_TRUE(mesh_blocks(5, 3, {}, mesh.ends, mesh.labels, 2).lines.empty());
}

TEST(WaferBlocks, controllers_at_one_side_of_a_block) {
  Mesh mesh = mesh_of(4, 2);
  const std::vector<BorderIo> io{{0, 0, "left"}, {0, 1, "left"}, {3, 0, "right"}};
  for (int i = 0; i < 3; ++i) {
    mesh.add(fmt::format("io[{}]", i), router(io[static_cast<std::size_t>(i)].x, io[static_cast<std::size_t>(i)].y),
             "@.out");
  }
  const auto lines = lines_of(mesh_blocks(4, 2, io, mesh.ends, mesh.labels, 40));
  EXPECT_EQ(lines.at("io[0] ... io[1] > router[0-1,0-1] @.out"), 2U);
  EXPECT_EQ(lines.at("io[2] > router[2-3,0-1] @.out"), 1U);
}

TEST(WaferBlocks, ends_that_are_not_there) {
  for (const char* end : {"router[5,0]", "router[0,3]", "router[0]", "npu[15]", "npu", "io[0]", "l1[0].plane[0]"}) {
    Mesh mesh = mesh_of(5, 3);
    mesh.add(router(0, 0), end, "x");
    EXPECT_THROW(mesh_blocks(5, 3, {}, mesh.ends, mesh.labels, 60), InputError) << end;
  }
}

/// 2 L1 switches of 2 planes with 2 NPUs each below an L2 of 2 planes: 2 x 2 x 2 links up from NPUs, 2 x 2 from L1 to
/// L2, and as many down.
std::vector<LinkEnds> fred_of() {
  std::vector<LinkEnds> ends;
  for (int group = 0; group < 2; ++group) {
    for (int plane = 0; plane < 2; ++plane) {
      const std::string l1 = fmt::format("l1[{}].plane[{}]", group, plane);
      const std::string l2 = fmt::format("l2[0].plane[{}]", plane);
      for (int npu = 0; npu < 2; ++npu) {
        ends.push_back({fmt::format("npu[{}]", group * 2 + npu), l1});
        ends.push_back({l1, fmt::format("npu[{}]", group * 2 + npu)});
      }
      ends.push_back({l1, l2});
      ends.push_back({l2, l1});
    }
  }
  return ends;
}

TEST(WaferBlocks, chiplets_of_a_switch) {
  const WaferBlocks blocks = fred_blocks(fred_of(), 12);
  const auto lines = lines_of(blocks);
  EXPECT_EQ(lines.size(), 12U);  // 4 NPUs and 2 L1 switches, both ways
  EXPECT_EQ(lines.at("npu[3] > l1[1], 2 chiplets @ to %"), 2U);
  EXPECT_EQ(lines.at("l2[0], 2 chiplets > l1[0], 2 chiplets @ to %"), 2U);
  EXPECT_EQ(blocks.text, "all chiplets of a logical switch are one");
}

// With one plane, names of chiplets have no plane.
TEST(WaferBlocks, slices_in_one_plane) {
  const WaferBlocks blocks = fred_blocks({{"npu[0]", "l1[0]"},
                                          {"l1[0]", "npu[0]"},
                                          {"l1[0]", "l2[0].slice[0]"},
                                          {"l1[0]", "l2[0].slice[1]"},
                                          {"l2[0].slice[0]", "l1[0]"},
                                          {"l2[0].slice[1]", "l1[0]"}},
                                         4);
  const auto lines = lines_of(blocks);
  EXPECT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines.at("npu[0] > l1[0] @ to %"), 1U);
  EXPECT_EQ(lines.at("l1[0] > l2[0], 2 chiplets @ to %"), 2U);
}

TEST(WaferBlocks, and_npus_of_a_switch) {
  const WaferBlocks blocks = fred_blocks(fred_of(), 11);
  const auto lines = lines_of(blocks);
  EXPECT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines.at("npu[2] and 1 more > l1[1], 2 chiplets @ to %"), 4U);
  EXPECT_TRUE(fred_blocks(fred_of(), 7).lines.empty());
}

}  // namespace
}  // namespace weft::report
