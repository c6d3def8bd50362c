// SPDX-License-Identifier: Apache-2.0
#include "sc_models/sketch_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/counted.h"
#include "base/error.h"
#include "base/rational_math.h"
#include "base/units.h"
#include "config/fred_shape.h"
#include "config/key.h"
#include "sc_models/fabric_sketch.h"

namespace weft::sc_models {
namespace {

std::string bytes_text(std::uint64_t bytes) { return format_quantity(Rational{bytes, 1}, Dimension::kBytes); }

std::string times(Rational rate, int count) {
  const auto product = checked_multiply(rate, Rational{static_cast<std::uint64_t>(count), 1});
  WEFT_CHECK(product.has_value(), "the rate of a level's links does not fit 64 bits");
  return short_text(*product);
}

/// One level of switches: what its chiplets are, what leaves them upwards, their buffers.
std::string describe_level(const Config& config, std::size_t level) {
  const FabricSpec& fabric = config.fabric;
  const FredLevelSpec& spec = fabric.fred.levels[level];
  const FredLevelShape shape = level_shape(fabric, level);
  std::string text =
      fmt::format("level {}    {} switch{} x {} x {} Fred_{}({})", level, spec.groups, spec.groups == 1 ? "" : "es",
                  counted(fabric.fred.planes, "plane"), counted(shape.chiplets, "chiplet"), fabric.fred.m, spec.ports);
  text += (level == 0 ? fmt::format(": {}", counted(shape.children, "NPU"))
                      : fmt::format(": {} children x {}", shape.children, counted(shape.bundle, "uplink")));
  if (shape.up_ports > 0) text += fmt::format(" + {} up", counted(shape.up_ports, "uplink"));
  if (shape.io_ports > 0) text += fmt::format(" + up to {} I/O", shape.io_ports);
  text += fmt::format("\n           buffers of {} = {} per traffic class and port, reconfiguration {}\n",
                      bytes_text(static_cast<std::uint64_t>(spec.buffer_flits) * fabric.flit_bytes),
                      counted(spec.buffer_flits, "flit"), counted(spec.reconfigure_cycles, "cycle"));
  if (spec.uplinks == 0) return text;
  const std::string total = times(spec.uplink_rate, spec.uplinks * fabric.fred.planes);
  text += fmt::format("           trunk {} = {} x {} x {}/cycle = {}/cycle, latency {}\n",
                      find_config_key(fmt::format("fabric.levels[{}].bandwidth", level))->show(config),
                      counted(spec.uplinks, "uplink"), counted(fabric.fred.planes, "plane"),
                      counted(short_text(spec.uplink_rate), "flit"), counted(total, "flit"),
                      counted(spec.uplink_latency_cycles, "cycle"));
  return text;
}

std::string describe_link(const LinkSpec& link, const Config& config) {
  const Rational bandwidth = bandwidth_of(link.flits_per_cycle, config.fabric.flit_bytes, config.clock.hertz);
  return fmt::format("{} = {}/cycle, latency {}", format_quantity(bandwidth, Dimension::kBandwidth),
                     counted(short_text(link.flits_per_cycle), "flit"), counted(link.latency_cycles, "cycle"));
}

/// The line of the I/O controllers; "" where there are none.
std::string describe_controllers(const Config& config) {
  if (config.fabric.io.controllers == 0) return "";
  return fmt::format("io         {} controllers x {}\n", config.fabric.io.controllers,
                     find_config_key("io.bandwidth")->show(config));
}

/// "35 = 15 x Fred_3(12) + 10 x Fred_3(11) + 10 x Fred_3(10)", most ports first.
std::string describe_chiplets(int m, const std::map<int, std::size_t>& chiplets) {
  std::vector<std::string> kinds;
  std::size_t all = 0;
  for (auto it = chiplets.rbegin(); it != chiplets.rend(); ++it) {
    kinds.push_back(fmt::format("{} x Fred_{}({})", it->second, m, it->first));
    all += it->second;
  }
  return kinds.size() == 1 ? kinds.front() : fmt::format("{} = {}", all, fmt::join(kinds, " + "));
}

}  // namespace

std::string describe_switches(const Config& config, const std::map<int, std::size_t>& chiplets) {
  const FabricSpec& fabric = config.fabric;
  const FredSpec& fred = fabric.fred;
  std::string text =
      fmt::format(", in_switch {}, conflict {}, flits of {} B, clock {}\n", fred.in_switch, fred.conflict,
                  fabric.flit_bytes, format_quantity(config.clock.hertz, Dimension::kFrequency));
  text += fmt::format("local      {}\n", describe_link(fabric.local, config));
  text += describe_controllers(config);
  for (std::size_t level = 0; level < fred.levels.size(); ++level) text += describe_level(config, level);
  return text + fmt::format("chiplets   {}, each with {} for stored settings\n", describe_chiplets(fred.m, chiplets),
                            bytes_text(fred.setting_bytes));
}

std::string FabricSketch::text(const Config& config) const {
  const FabricSpec& fabric = config.fabric;
  std::string text = fmt::format(", flits of {} B, clock {}\n", fabric.flit_bytes,
                                 format_quantity(config.clock.hertz, Dimension::kFrequency));
  text += fmt::format("link       {}\n", describe_link(fabric.link, config));
  text += fmt::format("local      {}\n", describe_link(fabric.local, config));
  text += fmt::format("router     {} x {}, credit_delay {}\n", counted(fabric.router.vcs, "VC"),
                      counted(fabric.router.buffer_flits, "flit"), fabric.router.credit_delay);
  return text + describe_controllers(config);
}

}  // namespace weft::sc_models
