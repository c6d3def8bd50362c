// SPDX-License-Identifier: Apache-2.0
// Where outlines lie: nothing overlaps, all is inside, neighbours are neighbours.
#include "report/floor_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace weft::report {
namespace {

const Outline& outline(const FloorPlan& plan, const std::string& name) {
  const int number = plan.find(name);
  if (number < 0) throw std::runtime_error("no " + name);
  return plan.outlines()[static_cast<std::size_t>(number)];
}

bool holds_others(const Outline& p) { return p.kind == OutlineKind::kWafer || p.kind == OutlineKind::kFrame; }

void expect_sound(const FloorPlan& plan) {
  for (const Outline& a : plan.outlines()) {
    EXPECT_GE(a.x, 0) << a.name;
    EXPECT_GE(a.y, 0) << a.name;
    EXPECT_LE(a.x + a.w, plan.width()) << a.name;
    EXPECT_LE(a.y + a.h, plan.height()) << a.name;
    for (const Outline& b : plan.outlines()) {
      if (&a == &b || holds_others(a) || holds_others(b)) continue;
      const bool apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      EXPECT_TRUE(apart) << a.name << " lies on " << b.name;
    }
  }
}

TEST(MeshPlan, tiles_lie_as_in_the_configuration) {
  const FloorPlan plan = mesh_plan(3, 2, {{0, 0, "left"}, {2, 1, "right"}, {1, 0, "bottom"}, {1, 1, "top"}});
  expect_sound(plan);
  EXPECT_EQ(plan.outlines().size(), 1U + 2 * 6 + 4);
  // NPU = y * 3 + x; y grows upwards, so NPU 4 = (1, 1) lies above NPU 1 = (1, 0).
  EXPECT_EQ(outline(plan, "npu[4]").x, outline(plan, "npu[1]").x);
  EXPECT_EQ(outline(plan, "npu[4]").y + 10, outline(plan, "npu[1]").y);
  EXPECT_EQ(outline(plan, "npu[2]").x, outline(plan, "npu[1]").x + 10);
  EXPECT_EQ(outline(plan, "router[2,0]").x, outline(plan, "router[1,0]").x + 10);
  EXPECT_LT(outline(plan, "io[0]").x, outline(plan, "router[0,0]").x);
  EXPECT_GT(outline(plan, "io[1]").x, outline(plan, "npu[5]").x);
  EXPECT_GT(outline(plan, "io[2]").y, outline(plan, "router[1,0]").y);
  EXPECT_LT(outline(plan, "io[3]").y, outline(plan, "npu[4]").y);
  EXPECT_EQ(plan.find("npu[6]"), -1);
}

/// `groups` L1 switches of `npus` NPUs and one I/O controller each, under L2 with two slices, `planes` planes.
std::vector<LinkEnds> fred_links(int first_group, int groups, int npus, int planes, int l2) {
  std::vector<LinkEnds> links;
  for (int g = first_group; g < first_group + groups; ++g) {
    for (int n = 0; n < npus; ++n) links.push_back({fmt::format("npu[{}]", g * npus + n), fmt::format("l1[{}]", g)});
    links.push_back({fmt::format("io[{}]", g), fmt::format("l1[{}]", g)});
    for (int p = 0; p < planes; ++p) {
      const std::string chiplet = fmt::format("l1[{}].plane[{}]", g, p);
      for (int n = 0; n < npus; ++n) links.push_back({chiplet, fmt::format("npu[{}]", g * npus + n)});
      for (int s = 0; s < 2; ++s) {
        const std::string above = fmt::format("l2[{}].slice[{}].plane[{}]", l2, s, p);
        links.push_back({chiplet, above});
        links.push_back({above, chiplet});
      }
    }
  }
  return links;
}

TEST(FredPlan, groups_lie_on_both_sides_of_their_l2_switch) {
  const FloorPlan plan = fred_plan(fred_links(0, 5, 4, 6, 0));
  expect_sound(plan);
  // 20 NPUs, 5 I/O controllers, 30 + 12 chiplets, 6 frames, 1 wafer.
  EXPECT_EQ(plan.outlines().size(), 20U + 5 + 42 + 6 + 1);
  const double middle = outline(plan, "l2[0]").y;
  for (int g = 0; g < 5; ++g) {
    const Outline& l1 = outline(plan, fmt::format("l1[{}]", g));
    const Outline& npu = outline(plan, fmt::format("npu[{}]", 4 * g + 1));
    const Outline& io = outline(plan, fmt::format("io[{}]", g));
    if (g < 3) {
      EXPECT_TRUE(io.y < npu.y && npu.y < l1.y && l1.y < middle) << g;
    } else {
      EXPECT_TRUE(io.y > npu.y && npu.y > l1.y && l1.y > middle) << g;
    }
    const Outline& chiplet = outline(plan, fmt::format("l1[{}].plane[5]", g));
    EXPECT_TRUE(chiplet.x > l1.x && chiplet.x + chiplet.w <= l1.x + l1.w && chiplet.y >= l1.y) << g;
  }
}

TEST(FredPlan, the_third_level_stands_between_the_wafers) {
  std::vector<LinkEnds> links = fred_links(0, 3, 2, 2, 0);
  const std::vector<LinkEnds> more = fred_links(3, 3, 2, 2, 1);
  links.insert(links.end(), more.begin(), more.end());
  for (int l2 = 0; l2 < 2; ++l2) {
    for (int p = 0; p < 2; ++p) {
      const std::string below = fmt::format("l2[{}].slice[0].plane[{}]", l2, p);
      const std::string above = fmt::format("l3[0].slice[0].plane[{}]", p);
      links.push_back({below, above});
      links.push_back({above, below});
    }
  }
  const FloorPlan plan = fred_plan(links);
  expect_sound(plan);
  const Outline& joint = outline(plan, "l3[0]");
  EXPECT_GT(joint.x, outline(plan, "wafer[0]").x + outline(plan, "wafer[0]").w);
  EXPECT_LT(joint.x + joint.w, outline(plan, "wafer[1]").x);
}

// With one plane, names of chiplets have no plane, and a chiplet that is all of its switch has the name of that.
TEST(FredPlan, slices_in_one_plane) {
  const FloorPlan plan = fred_plan({{"npu[0]", "l1[0]"},
                                    {"l1[0]", "npu[0]"},
                                    {"l1[0]", "l2[0].slice[0]"},
                                    {"l1[0]", "l2[0].slice[1]"},
                                    {"l2[0].slice[0]", "l1[0]"},
                                    {"l2[0].slice[1]", "l1[0]"}});
  expect_sound(plan);
  // One NPU, two frames, two chiplets of L2, one wafer.
  EXPECT_EQ(plan.outlines().size(), 1U + 2 + 2 + 1);
  EXPECT_LT(outline(plan, "l2[0].slice[0]").x, outline(plan, "l2[0].slice[1]").x);
}

TEST(FredPlan, one_switch_and_none) {
  const FloorPlan plan = fred_plan({{"npu[0]", "l1[0]"}, {"l1[0].plane[0]", "npu[0]"}});
  expect_sound(plan);
  EXPECT_EQ(plan.outlines().size(), 3U);
  EXPECT_TRUE(fred_plan({}).outlines().empty());
}

// Only tiles have directions, also where one stands for several routers; only switches have links side by side.
TEST(FloorPlan, drawings_say_how_they_are_read) {
  const DrawingFacts tiles = mesh_plan(2, 1, {}).facts();
  EXPECT_EQ(tiles.text, "One tile per NPU, its router in the lower left corner; y grows upwards.");
  EXPECT_EQ(tiles.directions, "y grows upwards.");
  EXPECT_TRUE(tiles.grid && !tiles.dense);
  const DrawingFacts switches = fred_plan(fred_links(0, 2, 2, 2, 0)).facts();
  EXPECT_EQ(switches.text,
            "Switches are drawn as they are wired; the configuration gives them no coordinates. Each number in a "
            "switch is a plane.");
  EXPECT_EQ(switches.directions, "");
  EXPECT_TRUE(!switches.grid && switches.dense);
  const DrawingFacts circle = graph_plan({{"npu[0]", "switch"}, {"switch", "npu[0]"}}).facts();
  EXPECT_EQ(circle.text, "Routers stand on a circle, their NPUs outside of it.");
  EXPECT_EQ(circle.directions, "");
  EXPECT_TRUE(!circle.grid && !circle.dense);
}

/// Places other than the wafer itself that share a point.
int overlaps(const FloorPlan& plan) {
  int count = 0;
  for (std::size_t i = 1; i < plan.outlines().size(); ++i) {
    for (std::size_t j = i + 1; j < plan.outlines().size(); ++j) {
      const Outline& a = plan.outlines()[i];
      const Outline& b = plan.outlines()[j];
      if (a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h) ++count;
    }
  }
  return count;
}

// Routers on a circle, each with its NPU; one router in the middle of all NPUs.
TEST(FloorPlan, graphs_of_routers_do_not_overlap) {
  for (const int routers : {1, 2, 3, 8, 40}) {
    for (const int npus : {1, 4}) {
      std::vector<LinkEnds> links;
      for (int n = 0; n < routers * npus; ++n) {
        const std::string npu = "npu[" + std::to_string(n) + "]";
        const std::string router = "router[" + std::to_string(n / npus) + "]";
        links.push_back({npu, router});
        links.push_back({router, npu});
      }
      const FloorPlan plan = graph_plan(links);
      EXPECT_EQ(plan.outlines().size(), 1U + static_cast<std::size_t>(routers * (npus + 1)));
      EXPECT_EQ(overlaps(plan), 0) << routers << " routers, " << npus << " NPUs each";
      for (const LinkEnds& link : links) EXPECT_GE(plan.find(link.from), 0) << link.from;
      for (const Outline& outline : plan.outlines()) {
        EXPECT_GE(outline.x, 0);
        EXPECT_LE(outline.x + outline.w, plan.width());
      }
    }
  }
}

}  // namespace
}  // namespace weft::report
