// SPDX-License-Identifier: Apache-2.0
#include "switch/rtl/watch_sv.h"

#include <fmt/format.h>

#include "switch/rtl/interconnect_sv.h"

namespace weft::fred {
namespace {

constexpr std::string_view kDataBits = "Lanes * (AccumulateFp32 != 0 ? 64 : 32)";

struct WatchSignal {
  std::string_view name;
  std::string width;  ///< "" = one bit
};

std::vector<WatchSignal> signals_of(const Interconnect& net, const SwitchWatch& watch) {
  std::vector<WatchSignal> signals{{"valid", ""},
                                   {"ready", ""},
                                   {"side", fmt::format("side_pkg::beat_bits(CfgBits, TagBits, {})", route_bits(net))}};
  if (watch.data) signals.push_back({"data", std::string(kDataBits)});
  return signals;
}

/// By channel.
std::vector<std::string> wire_names(const Interconnect& net) {
  std::vector<std::string> names;
  for (std::uint32_t port = 0; port < static_cast<std::uint32_t>(net.ports); ++port) {
    names.push_back(wire_name_sv(net, {Terminal::kOutside, port}));
  }
  for (std::uint32_t element = 0; element < net.elements.size(); ++element) {
    for (std::uint32_t pin = 0; pin < net.elements[element].sinks.size(); ++pin) {
      names.push_back(wire_name_sv(net, {element, pin}));
    }
  }
  return names;
}

/// The name has no double underscores, which Verilator would write in another way.
std::string watch_name(const std::string& wire) {
  std::string name = "watch_";
  for (const char letter : wire) {
    if (letter != '_' || name.back() != '_') name += letter;
  }
  return name;
}

template <typename Line>
std::string for_all(const Interconnect& net, const SwitchWatch& watch, const Line& line) {
  std::string text;
  if (!watch.wires) return text;
  for (const std::string& wire : wire_names(net)) {
    for (const WatchSignal& signal : signals_of(net, watch)) text += line(wire, signal);
  }
  return text;
}

}  // namespace

std::vector<std::string> watch_wire_names(const Interconnect& net) {
  std::vector<std::string> names;
  for (const std::string& wire : wire_names(net)) names.push_back(watch_name(wire));
  return names;
}

const std::vector<WatchReasonSv>& watch_reasons_sv() {
  static const std::vector<WatchReasonSv> kReasons = {
      {"watch_next_valid_o", "next_valid", "1"},  {"watch_next_stored_setting_o", "next_stored_setting", "CfgBits"},
      {"watch_next_flits_o", "next_flits", "16"}, {"watch_next_output_o", "next_output", "8"},
      {"watch_next_match_o", "next_match", "64"}, {"watch_free_o", "free", "16"},
  };
  return kReasons;
}

std::string watch_net_ports_sv(const Interconnect& net, const SwitchWatch& watch) {
  return for_all(net, watch, [](const std::string& wire, const WatchSignal& signal) {
    const std::string range = signal.width.empty() ? "" : fmt::format("[{}-1:0] ", signal.width);
    return fmt::format("  output logic {}{}_{}_o,\n", range, watch_name(wire), signal.name);
  });
}

std::string watch_net_assigns_sv(const Interconnect& net, const SwitchWatch& watch) {
  return for_all(net, watch, [](const std::string& wire, const WatchSignal& signal) {
    return fmt::format("  assign {}_{}_o = {}_{};\n", watch_name(wire), signal.name, wire, signal.name);
  });
}

std::string watch_net_connections_sv(const Interconnect& net, const SwitchWatch& watch) {
  return for_all(net, watch, [](const std::string& wire, const WatchSignal& signal) {
    return fmt::format("    .{0}_{1}_o({0}_{1}_o),\n", watch_name(wire), signal.name);
  });
}

std::string watch_core_ports_sv(const Interconnect& net, const SwitchWatch& watch) {
  std::string text;
  for (const WatchReasonSv& reason : watch_reasons_sv()) {
    if (watch.reasons) {
      text += fmt::format("  output logic [{}*TrafficClasses*{}-1:0] {},\n", net.ports, reason.bits, reason.output);
    }
  }
  return text;
}

std::string watch_core_assigns_sv(const SwitchWatch& watch) {
  std::string text;
  for (const WatchReasonSv& reason : watch_reasons_sv()) {
    if (watch.reasons) text += fmt::format("  assign {} = u_core.{};\n", reason.output, reason.signal);
  }
  return text;
}

}  // namespace weft::fred
