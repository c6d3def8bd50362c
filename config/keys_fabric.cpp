// SPDX-License-Identifier: Apache-2.0
// Keys of the fabric: shape, routing, links.
#include <type_traits>

#include "config/fabric_rules.h"
#include "config/key_builders.h"

namespace weft {
namespace {

// Link rates feed exact accumulators; parts of the fraction beyond this would overflow them.
constexpr std::uint64_t kMostRatePart = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostFlitsPerCycle = 1024;

void check_rate(Rational rate) {
  if (rate.num > kMostRatePart || rate.den > kMostRatePart)
    throw InputError(fmt::format(
        "gives {}/{} flits per cycle, a fraction too fine to be kept exactly; round the bandwidth, clock or flit_bytes",
        rate.num, rate.den));
  if (Rational{kMostFlitsPerCycle, 1} < rate)
    throw InputError(fmt::format("gives {} flits per cycle; legal: at most {}. Take larger flits or a faster clock",
                                 to_text(rate), kMostFlitsPerCycle));
}

template <typename Field>
ConfigKey bandwidth_key(const std::string& path, const std::string& doc, Field link) {
  ConfigKey key = basic_key(path, ValueType::kBandwidth, "", doc);
  key.range.low = Rational{1, 1};
  key.needs = {"clock", "fabric.flit_bytes"};
  key.apply = [link](Config& c, const Value& v) {
    const Rational rate = flits_per_cycle(std::get<Rational>(v), c.fabric.flit_bytes, c.clock.hertz);
    check_rate(rate);
    link(c).flits_per_cycle = rate;
  };
  key.show = [link](const Config& c) {
    return format_quantity(bandwidth_of(link(c).flits_per_cycle, c.fabric.flit_bytes, c.clock.hertz),
                           Dimension::kBandwidth);
  };
  return key;
}

template <typename Field>
ConfigKey latency_key(const std::string& path, const std::string& fallback, const std::string& doc, Field link) {
  return wire_delay_key(
      path, fallback, doc, [link](auto& c) -> auto& { return link(c).latency_cycles; });
}

void add_link_keys(std::vector<ConfigKey>& keys) {
  const auto link = [](auto& c) -> auto& { return c.fabric.link; };
  const auto local = [](auto& c) -> auto& { return c.fabric.local; };
  keys.push_back(bandwidth_key("fabric.link.bandwidth",
                               "Bandwidth of each direction of a link between routers. Any rate: several flits per "
                               "cycle or a fraction of one, kept exactly.",
                               link)
                     .noted("one flit per cycle"));
  keys.push_back(latency_key("fabric.link.latency", "1",
                             "Wire delay of a link between routers: cycles, or a time that is rounded up to whole "
                             "cycles of `clock`. At least one cycle.",
                             link));
  // Links along y are like the others until the configuration says something else.
  const auto link_y = [](auto& c) -> auto& {
    if constexpr (std::is_const_v<std::remove_reference_t<decltype(c)>>) {
      return c.fabric.link_along_y();
    } else {
      if (!c.fabric.link_y) c.fabric.link_y = c.fabric.link;
      return *c.fabric.link_y;
    }
  };
  keys.push_back(bandwidth_key("fabric.link_y.bandwidth",
                               "Bandwidth of each direction of a link between routers along y, where it differs from "
                               "those along x.",
                               link_y)
                     .noted("as fabric.link.bandwidth")
                     .derived([link_y](Config& c) { link_y(c).flits_per_cycle = c.fabric.link.flits_per_cycle; }));
  keys.push_back(latency_key("fabric.link_y.latency", "", "Wire delay of a link between routers along y.", link_y)
                     .noted("as fabric.link.latency")
                     .derived([link_y](Config& c) { link_y(c).latency_cycles = c.fabric.link.latency_cycles; }));
  keys.push_back(
      bandwidth_key("fabric.local.bandwidth",
                    "Bandwidth of each direction between an NPU and its router, or its FRED switch in all planes "
                    "together.",
                    local)
          .noted("as fabric.link.bandwidth; with kind fred one flit per cycle in each plane")
          .derived([](Config& c) { c.fabric.local.flits_per_cycle = rules_of(c.fabric).usual_local_rate(c.fabric); }));
  keys.push_back(latency_key("fabric.local.latency", "", "Wire delay between an NPU and its router or switch.", local)
                     .noted("as fabric.link.latency; with kind fred 1")
                     .derived([](Config& c) { c.fabric.local.latency_cycles = c.fabric.link.latency_cycles; }));
}

std::vector<std::string_view> routing_names() {
  std::vector<std::string_view> names;
  for (const RoutingFacts& function : routing_functions()) names.push_back(function.name);
  return names;
}

/// What each kind of fabric has to choose from.
std::string routing_doc() {
  std::string text = "Routing function.";
  for (const auto& [name, kind] : fabric_kind_names()) {
    std::string functions;
    for (const RoutingFacts& rule : routing_functions()) {
      if (rule.kind == name) functions += fmt::format("{}{}", functions.empty() ? "" : ", ", rule.name);
    }
    if (!functions.empty()) text += fmt::format(" Kind {}: {}.", name, functions);
  }
  return text;
}

ConfigKey size_key() {
  ConfigKey key = basic_key(
      "fabric.size", ValueType::kSize, "",
      "Routers in x and in y, each with one NPU; node = y * size_x + x. With other kinds: the number of NPUs.");
  key.range = {Rational{1, 1}, Rational{4096, 1}};
  key.required = true;
  key.needs = {"fabric.kind"};
  key.apply = [](Config& c, const Value& v) {
    rules_of(c.fabric).take_size(c.fabric, std::get<std::vector<std::uint64_t>>(v));
  };
  key.show = [](const Config& c) { return rules_of(c.fabric).size_text(c.fabric); };
  return key;
}

}  // namespace

void add_fabric_keys(std::vector<ConfigKey>& keys) {
  ConfigKey kind = word_key(
      "fabric.kind", fabric_kind_names(), "mesh",
      "Shape of the fabric: routers in a mesh or torus, switches that reduce and copy (fred), routers in a ring or "
      "with "
      "a link between any two (fully_connected), or all NPUs at one input-queued crossbar (switch).",
      [](auto& c) -> auto& { return c.fabric.kind; });
  kind.reserved = {"graph"};
  keys.push_back(kind);
  keys.push_back(size_key());
  keys.push_back(
      name_key(
          "fabric.routing", routing_names(), "", routing_doc(), [](auto& c) -> auto& { return c.fabric.routing; })
          .noted("xy on a mesh, otherwise the only one")
          .derived([](Config& c) { c.fabric.routing = default_routing(c.fabric); }));
  keys.push_back(bytes_key(
      "fabric.flit_bytes", ValueType::kByteCount, 1, 1u << 20, "32 B", "Payload of one flit.",
      [](auto& c) -> auto& { return c.fabric.flit_bytes; }));
  keys.push_back(boolean_key(
      "fabric.statistics", "true",
      "Count the flits and the stalled cycles of every link. Without it links.csv holds zeros for "
      "links out of routers; times do not change.",
      [](auto& c) -> auto& { return c.fabric.statistics; }));
  keys.push_back(word_key(
      "fabric.form", fabric_form_names(), "region",
      "How the fabric is cut into SystemC modules: one for a whole region of routers or switches and NPUs, or one for "
      "each router, switch chiplet and NPU, joined by flit sockets. Results are the same.",
      [](auto& c) -> auto& { return c.fabric.form; }));
  policies().add_switch_keys(keys);
  add_link_keys(keys);
  policies().add_router_keys(keys);
  for (ConfigKey& key : keys) {
    const auto starts = [&](std::string_view start) { return key.path.compare(0, start.size(), start) == 0; };
    if (starts("fabric.link.") || starts("fabric.link_y."))
      key.only_with(FabricFeature::kRouters, "fabric.levels[i].bandwidth and latency");
    if (starts("fabric.router.") || key.path == "fabric.routing") key.only_with(FabricFeature::kRouters);
    const bool grid_only = starts("fabric.link_y.") || key.path == "fabric.router.colours" ||
                           key.path == "fabric.router.multicast" || key.path == "fabric.router.merge_cycles" ||
                           key.path == "fabric.router.turn_cycles" || key.path == "fabric.router.speculative";
    if (grid_only) key.only_with(FabricFeature::kRows, key.instead);
    if (key.path == "fabric.size") key.only_with(FabricFeature::kRouters, "npu.count and fabric.levels");
  }
}

}  // namespace weft
