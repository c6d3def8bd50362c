// SPDX-License-Identifier: Apache-2.0
// What a picture shows against the interconnect and its settings: counts, wires, colours, words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "switch/picture/carried_flows.h"
#include "switch/picture/interconnect_svg.h"
#include "switch/picture/layout.h"
#include "switch/picture/setting_text.h"
#include "tests/switch/support/flows.h"

namespace weft::fred {
namespace {

using testing::all_reduces;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ports;

InterconnectPicture picture_of(int m, int port_count, const FlowSet& flows) {
  InterconnectPicture picture{"test", build_interconnect(m, port_count), flows, {}};
  const RouteResult result = route_flows(picture.net, flows);
  EXPECT_EQ(result.status, RouteStatus::kRouted);
  picture.setting = result.setting;
  return picture;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

/// Wires within Fred_m(P) by its construction: an even P = 2r has m wires at each of 2r uSwitches, an odd one those of
/// demux and mux as well.
std::size_t wires_within(int m, int p) {
  if (p == 2) return 0;
  const int ends = p / 2 + p % 2;
  return static_cast<std::size_t>(2 * m * ends) + static_cast<std::size_t>(m) * wires_within(m, ends);
}

TEST(Picture, has_every_uswitch_and_every_wire) {
  const std::map<std::pair<int, int>, std::size_t> sheet = {{{2, 8}, 20}, {{3, 3}, 5},   {{3, 5}, 19},
                                                            {{3, 6}, 21}, {{3, 10}, 67}, {{3, 12}, 75}};
  for (const auto& [size, uswitches] : sheet) {
    const auto [m, p] = size;
    const std::string svg = svg_of({picture_of(m, p, all_reduces({{0, 1}}))});
    EXPECT_EQ(count(svg, "<rect class=\"uswitch"), uswitches) << m << ' ' << p;
    EXPECT_EQ(count(svg, "<line class=\"wire"), wires_within(m, p) + 2 * static_cast<std::size_t>(p)) << m << ' ' << p;
    EXPECT_EQ(count(svg, "<text class=\"port\""), 2 * static_cast<std::size_t>(p));
  }
  EXPECT_EQ(wires_within(3, 3), 12u + 0u);
}

// By hand on Fred_3(3): one R, one demux, three RD, one D, one mux. {0, 2} needs port 0 -> R -> RD, port 2 -> demux ->
// RD, RD -> D -> 0, RD -> mux -> 2: 4 wires inside and 4 at the ports.
TEST(Picture, wires_have_the_colour_of_their_flow) {
  const std::string svg = svg_of({picture_of(3, 3, all_reduces({{0, 2}}))});
  EXPECT_EQ(count(svg, "<rect class=\"joint"), 2u);
  EXPECT_EQ(count(svg, "<line class=\"wire\""), 8u);
  EXPECT_EQ(count(svg, "stroke=\"#d62728\"><title>a</title>"), 8u);
  EXPECT_EQ(count(svg, "<line class=\"wire idle\""), 12u + 6u - 8u);
  EXPECT_EQ(count(svg, ">RD+*</text>"), 1u);  // the one that adds and copies
  EXPECT_EQ(count(svg, "<rect class=\"uswitch idle\""), 2u);
}

TEST(Picture, settings_can_be_read_on_the_elements) {
  const std::string svg = svg_of({picture_of(2, 4, all_reduces({{0, 1, 2, 3}}))});
  EXPECT_THAT(svg, HasSubstr("<title>R in[0]: 0+1 -&gt; mid[0]</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>RD mid[0].rd: 0+1 -&gt; 0,1</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>D out[1]: mid[0] -&gt; 0,1</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>RD mid[1].rd: idle</title>"));
  EXPECT_EQ(count(svg, ">R+</text>"), 2u);
  EXPECT_EQ(count(svg, ">D*</text>"), 2u);
}

TEST(Picture, pictures_stand_below_each_other_and_names_are_escaped) {
  FlowSet flows = all_reduces({{0, 1}});
  flows[0].name = "{0}->{1}&";
  const InterconnectPicture one = picture_of(3, 4, flows);
  const std::string svg = svg_of({one, one});
  EXPECT_EQ(count(svg, "<text class=\"title\""), 2u);
  EXPECT_EQ(count(svg, "<rect class=\"uswitch"), 2 * one.net.uswitches());
  EXPECT_THAT(svg, HasSubstr("flow {0}-&gt;{1}&amp;</text>"));
  // Every element that is opened is closed.
  for (const std::string tag : {"svg", "style", "text", "title"})
    EXPECT_EQ(count(svg, "<" + tag + " ") + count(svg, "<" + tag + ">"), count(svg, "</" + tag + ">")) << tag;
}

TEST(Layout, no_two_elements_overlap_and_wires_lead_to_the_right) {
  for (const auto& [m, p] : {std::pair{2, 2}, {2, 8}, {3, 3}, {3, 5}, {3, 12}, {4, 7}, {2, 33}}) {
    const Interconnect net = build_interconnect(m, p);
    const Layout layout = lay_out(net);
    std::map<double, std::set<double>> rows;
    for (const LayoutPoint& at : layout.elements) {
      EXPECT_GE(at.row, 0.5);
      EXPECT_LE(at.row, layout.rows - 0.5);
      EXPECT_TRUE(rows[at.column].insert(at.row).second);
    }
    for (const auto& [column, taken] : rows) {
      for (auto low = taken.begin(), high = std::next(low); high != taken.end(); ++low, ++high)
        EXPECT_GE(*high - *low, 1 - 1e-9) << net.name();
    }
    for (std::size_t e = 0; e < net.elements.size(); ++e) {
      for (const Terminal source : net.elements[e].sources) {
        if (source.outside()) continue;
        EXPECT_LT(layout.elements[source.element].column, layout.elements[e].column);
      }
    }
  }
}

TEST(CarriedFlows, every_output_port_gets_its_own_flow) {
  const Interconnect net = build_interconnect(3, 12);
  RandomStream random(7, NodeId{0});
  int routed = 0;
  for (int i = 0; i < 200; ++i) {
    const FlowSet flows = testing::random_flows(12, 4, random);
    const RouteResult result = route_flows(net, flows);
    if (result.status != RouteStatus::kRouted) continue;
    ++routed;
    const CarriedFlows carried = carried_flows(net, flows, result.setting);
    std::vector<int> wanted(12, kNoCarriedFlow);
    for (std::size_t f = 0; f < flows.size(); ++f)
      for (const PortId port : flows[f].outputs) wanted[index(port)] = static_cast<int>(f);
    for (std::size_t port = 0; port < 12; ++port)
      EXPECT_EQ(carried.outputs[net.outputs[port].element][net.outputs[port].pin], wanted[port]);
    // The elements on its way lie in the middle stages that it was given, and in no others.
    for (std::size_t e = 0; e < net.elements.size(); ++e) {
      for (const int flow : carried.outputs[e]) {
        if (flow == kNoCarriedFlow) continue;
        const std::string route = middles_text(middle_stages(net, result.assignments, flow));
        const std::string path = net.elements[e].path;
        const std::size_t last = path.rfind("mid[");
        if (last == std::string::npos) continue;
        EXPECT_EQ(route.find(path.substr(0, path.find(']', last) + 1)), 0u);
      }
    }
  }
  EXPECT_GT(routed, 100);
}

TEST(CarriedFlows, middle_stages_are_one_per_depth) {
  const Interconnect net = build_interconnect(3, 12);
  const FlowSet flows = all_reduces({{0, 4, 8}, {1, 5, 9}});
  const RouteResult result = route_flows(net, flows);
  const std::vector<int> first = middle_stages(net, result.assignments, 0);
  const std::vector<int> second = middle_stages(net, result.assignments, 1);
  EXPECT_EQ(first.size(), 3u);     // 12 -> 6 -> 3 -> 2
  EXPECT_NE(first[0], second[0]);  // they share in[0]
  EXPECT_TRUE(middle_stages(build_interconnect(3, 2), {}, 0).empty());
}

TEST(SettingText, words) {
  EXPECT_EQ(setting_text(ElementKind::kReduce, {{0, 0}, false, false}), "");
  EXPECT_EQ(setting_text(ElementKind::kReduce, {{2, 1}, false, false}), "0 -> mid[1]; 1 -> mid[0]");
  EXPECT_EQ(setting_text(ElementKind::kReduce, {{0, 3}, false, false}), "1 -> mid[2]");
  EXPECT_EQ(setting_text(ElementKind::kReduce, {{3, 3}, true, false}), "0+1 -> mid[2]");
  EXPECT_EQ(setting_text(ElementKind::kDistribute, {{1, 0}, false, false}), "mid[0] -> 0");
  EXPECT_EQ(setting_text(ElementKind::kDistribute, {{1, 1}, false, true}), "mid[0] -> 0,1");
  EXPECT_EQ(setting_text(ElementKind::kBoth, {{2, 1}, false, false}), "1 -> 0; 0 -> 1");
  EXPECT_EQ(setting_text(ElementKind::kBoth, {{3, 0}, true, false}), "0+1 -> 0");
  EXPECT_EQ(setting_text(ElementKind::kBoth, {{3, 3}, true, true}), "0+1 -> 0,1");
  EXPECT_EQ(setting_text(ElementKind::kBoth, {{1, 1}, false, true}), "0 -> 0,1");
  EXPECT_EQ(setting_text(ElementKind::kDemux, {{2, 0}, false, false}), "-> mid[1]");
  EXPECT_EQ(setting_text(ElementKind::kMux, {{2, 0}, false, false}), "mid[1] ->");
  EXPECT_EQ(middles_text({1, 0, 2}), "mid[1].mid[0].mid[2]");
  EXPECT_EQ(middles_text({}), "-");
}

}  // namespace
}  // namespace weft::fred
