// SPDX-License-Identifier: Apache-2.0
// Routes of unicasts, followed along the wires of the interconnect from element to element.
#include "switch/network/unicast_router.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace weft::fred {
namespace {

/// Where `at` leads along the output pins of a route; the outside terminal of the last one if each pin belongs to the
/// element that the one before leads to.
Terminal follow(const Interconnect& net, Terminal at, const std::vector<Terminal>& pins) {
  for (const Terminal pin : pins) {
    EXPECT_EQ(at.element, pin.element);
    at = net.elements[pin.element].sinks[pin.pin];
  }
  return at;
}

TEST(UnicastRouter, routes_lead_from_each_input_to_each_output) {
  for (int m = 2; m <= 4; ++m) {
    for (int ports = 2; ports <= 13; ++ports) {
      const Interconnect net = build_interconnect(m, ports);
      const UnicastRouter router(net, stage_registers(net, 1));
      const ChannelNumbers channels(net);
      for (int pair = 0; pair < ports * ports; ++pair) {
        const PortId from{static_cast<std::uint8_t>(pair / ports)};
        const PortId to{static_cast<std::uint8_t>(pair % ports)};
        std::vector<WireUse> route;
        ASSERT_TRUE(router.find(
            from, to, [](std::uint32_t, std::uint32_t) { return true; }, &route));
        ASSERT_EQ(route.size(), router.length());
        const std::vector<Terminal> pins = router.pins(route.data());
        const Terminal end = follow(net, net.inputs[index(from)], pins);
        EXPECT_TRUE(end.outside()) << net.name();
        EXPECT_EQ(end.pin, index(to)) << net.name();
        for (std::size_t i = 0; i < pins.size(); ++i) EXPECT_EQ(channels.of(pins[i]), route[i].channel);
      }
    }
  }
}

TEST(UnicastRouter, takes_the_next_middle_stage_where_a_wire_is_in_use) {
  const Interconnect net = build_interconnect(3, 8);
  const UnicastRouter router(net, stage_registers(net, 1));
  std::set<std::uint32_t> used;
  const auto free = [&](std::uint32_t channel, std::uint32_t) { return used.count(channel) == 0; };
  for (std::uint32_t middle = 0; middle < 3; ++middle) {
    std::vector<WireUse> route(1);  // what stands there before stays
    ASSERT_TRUE(router.find(PortId{4}, PortId{3}, free, &route));
    ASSERT_EQ(route.size(), 1 + router.length());
    EXPECT_EQ(router.pins(&route[1]).front().pin, middle);
    used.insert(route[1].channel);
  }
  std::vector<WireUse> route(1);
  EXPECT_FALSE(router.find(PortId{4}, PortId{3}, free, &route));
  EXPECT_EQ(route.size(), 1U);
}

TEST(UnicastRouter, turns_back_where_a_wire_on_the_way_is_in_use) {
  const Interconnect net = build_interconnect(3, 8);
  const UnicastRouter router(net, stage_registers(net, 1));
  std::vector<WireUse> first;
  ASSERT_TRUE(router.find(
      PortId{4}, PortId{3}, [](std::uint32_t, std::uint32_t) { return true; }, &first));
  for (std::size_t taken = 0; taken + 1 < router.length(); ++taken) {  // all routes have the last wire
    std::vector<WireUse> route;
    const auto free = [&](std::uint32_t channel, std::uint32_t) { return channel != first[taken].channel; };
    ASSERT_TRUE(router.find(PortId{4}, PortId{3}, free, &route)) << taken;
    ASSERT_EQ(route.size(), router.length()) << taken;
    EXPECT_EQ(follow(net, net.inputs[4], router.pins(route.data())).pin, 3U) << taken;
    for (const WireUse use : route) EXPECT_TRUE(free(use.channel, use.entry)) << taken;
  }
}

TEST(UnicastRouter, asks_each_wire_for_the_step_in_which_its_register_is_written) {
  const Interconnect net = build_interconnect(3, 8);
  const UnicastRouter router(net, stage_registers(net, 1));
  std::vector<WireUse> route;
  ASSERT_TRUE(router.find(
      PortId{0}, PortId{7}, [](std::uint32_t, std::uint32_t) { return true; }, &route));
  // Fred_3(8) has R, R, RD, D, D on the way, each with a register.
  ASSERT_EQ(route.size(), 5U);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(route[i].entry, i);
}

/// Unicasts that are on their way through an interconnect, each with the wires of its route.
struct Occupied {
  Occupied(int m, int ports) : net(build_interconnect(m, ports)), router(net, stage_registers(net, 1)) {}

  /// Lets the next one start from `from` to `to`; false if there is no route.
  bool start(PortId from, PortId to) {
    std::vector<WireUse> route;
    if (!router.find(from, to, free(), &route)) return false;
    for (const WireUse use : route) RC_ASSERT(used.insert(use.channel).second);
    routes[index(from)] = {index(to), route};
    return true;
  }
  void end(std::uint8_t from) {
    for (const WireUse use : routes.at(from).second) used.erase(use.channel);
    routes.erase(from);
  }
  bool sends_to(std::uint8_t to) const {
    return std::any_of(routes.begin(), routes.end(), [to](const auto& each) { return each.second.first == to; });
  }
  std::function<bool(std::uint32_t, std::uint32_t)> free() {
    return [this](std::uint32_t channel, std::uint32_t) { return used.count(channel) == 0; };
  }

  Interconnect net;
  UnicastRouter router;
  std::set<std::uint32_t> used;
  std::map<std::uint8_t, std::pair<std::uint8_t, std::vector<WireUse>>> routes;  ///< by input: output and wires
};

// Clos, "A study of non-blocking switching networks", Bell System Technical Journal 32 (1953): with 2 n - 1 middle
// stages for n = 2 inputs of each first stage, whatever the others have taken.
RC_GTEST_PROP(UnicastRouter, with_three_middle_stages_there_is_a_route_between_idle_ports, ()) {
  const int ports = *rc::gen::inRange(2, 14);
  Occupied on(*rc::gen::inRange(3, 5), ports);
  const auto any_port = rc::gen::inRange<std::uint8_t>(0, static_cast<std::uint8_t>(ports));
  for (int step = 0; step < 60; ++step) {
    const std::uint8_t from = *any_port;
    const std::uint8_t to = *any_port;
    if (on.routes.count(from) != 0) {
      on.end(from);
      continue;
    }
    const bool idle = !on.sends_to(to);
    RC_ASSERT(on.router.ends_free(PortId{to}, on.free()) == idle);
    RC_ASSERT(on.start(PortId{from}, PortId{to}) == idle);
  }
}

// Input 1 shares its first stage with input 0, which has taken middle stage 0; output 3 shares its last stage with
// output 2, to which a unicast comes through middle stage 1.
TEST(UnicastRouter, with_two_middle_stages_there_may_be_none_between_idle_ports) {
  Occupied on(2, 4);
  ASSERT_TRUE(on.start(PortId{2}, PortId{0}));
  ASSERT_TRUE(on.start(PortId{3}, PortId{2}));
  on.end(2);
  ASSERT_TRUE(on.start(PortId{0}, PortId{0}));
  EXPECT_TRUE(on.router.ends_free(PortId{3}, on.free()));
  EXPECT_FALSE(on.start(PortId{1}, PortId{3}));
}

}  // namespace
}  // namespace weft::fred
