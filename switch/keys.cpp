// SPDX-License-Identifier: Apache-2.0
// Keys of a fabric of FRED switches, its levels and its switches.
#include "switch/keys.h"

#include <algorithm>

#include "config/fabric_facts.h"
#include "config/fred_shape.h"
#include "config/key_builders.h"
#include "config/plane_rate.h"

namespace weft::fred {
namespace {

constexpr std::size_t kMostLevels = 8;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
// As large as the slowest link may need.
constexpr std::uint64_t kMostBufferBytes = std::uint64_t{1} << 34;
constexpr std::uint64_t kMostRegisterEvery = 32;
constexpr std::uint64_t kMostBufferFlits = std::uint64_t{1} << 24;

FredSpec& fred(Config& c) { return c.fabric.fred; }
const FredSpec& fred(const Config& c) { return c.fabric.fred; }

/// Bytes of a buffer kept in whole flits. 0 = left out.
template <typename Field>
ConfigKey buffer_key(std::string path, std::string fallback, std::string doc, Field field) {
  ConfigKey key = basic_key(std::move(path), ValueType::kByteCount, std::move(fallback), std::move(doc));
  key.range = {Rational{1, 1}, Rational{kMostBufferBytes, 1}};
  key.needs = {"fabric.flit_bytes"};
  key.apply = [field](Config& c, const Value& v) {
    const Rational* quantity = std::get_if<Rational>(&v);
    const std::uint64_t bytes = quantity != nullptr ? quantity->num : std::get<std::uint64_t>(v);
    if (bytes < c.fabric.flit_bytes)
      throw InputError(
          fmt::format("{} bytes are less than a flit; legal: at least {} bytes", bytes, c.fabric.flit_bytes));
    if (bytes / c.fabric.flit_bytes > kMostBufferFlits)
      throw InputError(fmt::format("{} bytes are {} flits; legal: at most {} flits", bytes, bytes / c.fabric.flit_bytes,
                                   kMostBufferFlits));
    field(c) = static_cast<int>(bytes / c.fabric.flit_bytes);
  };
  key.show = [field](const Config& c) {
    return format_quantity(Rational{static_cast<std::uint64_t>(field(c)) * c.fabric.flit_bytes, 1}, Dimension::kBytes);
  };
  return key;
}

ConfigKey planes_key(const std::string& path, std::size_t level) {
  ConfigKey key = integer_key(
      path, 1, kMostPlanes, level == 0 ? "1" : "",
      "Parallel chiplets over which the packets are striped. All levels have those of the lowest one.",
      [](auto& c) -> auto& { return fred(c).planes; });
  if (level == 0) return key;
  key.note = "as at the lowest level";
  key.needs = {"fabric.levels[0].planes"};
  key.apply = [](Config& c, const Value& v) {
    const auto planes = static_cast<std::uint64_t>(fred(c).planes);
    if (std::get<std::uint64_t>(v) != planes)
      throw InputError(fmt::format("{} planes, but fabric.levels[0] has {}; legal: {}, or leave it out",
                                   std::get<std::uint64_t>(v), planes, planes));
  };
  return key;
}

/// Uplinks of a level; a key that says something about them is left out where there are none.
ConfigKey of_uplinks(ConfigKey key, std::size_t level) {
  const auto has_none = [level](const Config& c) { return fred(c).levels[level].uplinks == 0; };
  const std::string path = fmt::format("fabric.levels[{}]", level);
  key.needs.insert(key.needs.end(), {path + ".uplinks", "fabric.levels[0].planes"});
  key.apply = [has_none, level, apply = key.apply](Config& c, const Value& v) {
    const bool is_top = level + 1 == fred(c).levels.size();
    if (has_none(c) && is_top) throw InputError("is for uplinks, but the top level has none");
    if (!has_none(c)) apply(c, v);  // elsewhere having none is an error by itself
  };
  key.show = [has_none, show = key.show](const Config& c) { return has_none(c) ? std::string() : show(c); };
  return key;
}

ConfigKey bandwidth_key(const std::string& path, std::size_t level) {
  ConfigKey key = basic_key(path, ValueType::kBandwidth, "",
                            "Bandwidth of each direction between one logical switch and the level above: all its "
                            "uplinks in all planes together.");
  key.note = "one flit per cycle in each plane of each uplink";
  key.range.low = Rational{1, 1};
  key.needs = {"clock", "fabric.flit_bytes"};
  key.apply = [level](Config& c, const Value& v) {
    FredLevelSpec& spec = fred(c).levels[level];
    spec.uplink_rate = rate_in_plane(c, std::get<Rational>(v), spec.uplinks, "uplinks");
  };
  key.show = [level](const Config& c) {
    const FredLevelSpec& spec = fred(c).levels[level];
    return bandwidth_in_all_planes(c, spec.uplink_rate, spec.uplinks);
  };
  return of_uplinks(key, level);
}

template <typename Field>
ConfigKey model_key(const std::string& path, const std::string& fallback, const std::string& doc, Field field) {
  return name_key(path, {"tlm", "rtl", "lockstep"}, fallback, doc, field);
}

std::vector<ConfigKey> level_keys(std::size_t i) {
  const std::string path = fmt::format("fabric.levels[{}].", i);
  std::vector<ConfigKey> keys;
  keys.push_back(integer_key(
                     path + "groups", 1, std::uint64_t{1} << 20, "",
                     "Logical switches of this level, each with the same number of children: NPUs at the lowest level, "
                     "switches of the level below at the others. The top level has 1.",
                     [i](auto& c) -> auto& { return fred(c).levels[i].groups; })
                     .must_be_given());
  keys.push_back(
      integer_key(
          path + "ports", 2, kMostFredPorts, "",
          "Ports of each chiplet, unused ones included: the P of Fred_m(P). At the lowest level a switch with "
          "fewer I/O controllers than the first one has as many ports fewer. With more ports a chiplet "
          "above the lowest level takes several uplinks of each child, a power of two.",
          [i](auto& c) -> auto& { return fred(c).levels[i].ports; })
          .noted("as many as are needed"));
  keys.push_back(planes_key(path + "planes", i));
  keys.push_back(integer_key(
      path + "uplinks", 0, kMostFredPorts, "0",
      "Links from each logical switch to the level above; 0 only at the top.", [i](auto& c) -> auto& {
        return fred(c).levels[i].uplinks;
      }));
  keys.push_back(bandwidth_key(path + "bandwidth", i));
  keys.push_back(
      of_uplinks(wire_delay_key(
                     path + "latency", "", "Wire delay of an uplink: cycles, or a time that is rounded up to them.",
                     [i](auto& c) -> auto& { return fred(c).levels[i].uplink_latency_cycles; })
                     .noted("1"),
                 i));
  keys.push_back(
      buffer_key(
          path + "buffer", "",
          "Buffer of each input port of a chiplet, for each data traffic class; a port of several planes has it in "
          "each. At least one packet, and below rate x round trip the port cannot be kept busy.",
          [i](auto& c) -> auto& { return fred(c).levels[i].buffer_flits; })
          .noted("1.25 x rate x round trip of the link that needs most, in whole packets")
          .derived([i](Config& c) { fred(c).levels[i].buffer_flits = 0; }));
  keys.push_back(integer_key(
      path + "reconfig_cycles", 0, 1'000'000, "1",
      "Cycles from drained to the first flit of another stored setting.", [i](auto& c) -> auto& {
        return fred(c).levels[i].reconfigure_cycles;
      }));
  keys.push_back(model_key(
                     path + "model", "",
                     "Model of this level's switches.", [i](auto& c) -> auto& { return fred(c).levels[i].model; })
                     .noted("fabric.model"));
  return keys;
}

ConfigKey formats_key() {
  ConfigKey key = basic_key("fabric.formats", ValueType::kWords, "",
                            "Types of elements that the switches can reduce; a collective of another one is refused.");
  for (const auto& [name, type] : data_type_names()) key.words.push_back(name);
  key.note = "all";
  key.apply = [](Config& c, const Value& v) {
    fred(c).formats.clear();
    for (const std::string& word : std::get<std::vector<std::string>>(v))
      for (const auto& [name, type] : data_type_names())
        if (name == word) fred(c).formats.push_back(type);
  };
  key.derive = [](Config& c) {
    fred(c).formats.clear();
    for (const auto& [name, type] : data_type_names()) fred(c).formats.push_back(type);
  };
  key.show = [](const Config& c) {
    std::string text;
    for (const DataType type : fred(c).formats) text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(type));
    return "[" + text + "]";
  };
  return key;
}

void add_packet_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(bytes_key(
      "fabric.header", ValueType::kByteCount, 0, 65535, "6 B",
      "Header of a packet: it travels beside the head flit and is charged as time on each link.",
      [](auto& c) -> auto& { return fred(c).header_bytes; }));
  keys.push_back(buffer_key(
      "fabric.control_buffer", "2 KiB", "Buffer of each input port of a chiplet for the control traffic class.",
      [](auto& c) -> auto& { return fred(c).control_buffer_flits; }));
  keys.push_back(integer_key(
      "fabric.output_packets", 1, 64, "2", "Packets that each output port can hold.",
      [](auto& c) -> auto& { return fred(c).output_packets; }));
  keys.push_back(either_key(
      "fabric.flow_control", "cut_through", "wormhole",
      "A packet starts when there is room for all of it, or flit by flit. Between several levels wormhole is refused "
      "where it can deadlock: with control one_tree, with m 2 and unicasts, and with more than one stored setting "
      "(one_phase) or more than one that joins switches (several_phases), where unicasts count as one.",
      [](auto& c) -> auto& { return fred(c).wormhole; }));
}

void add_control_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(word_key(
      "fabric.control", fred_control_names(), "one_phase",
      "What runs in a switch at once: one stored setting, which a higher phase pre-empts at the packet border; packets "
      "of any setting whose datapaths do not meet those under way; or a single flow.",
      [](auto& c) -> auto& { return fred(c).control; }));
  keys.push_back(name_key(
      "fabric.matching", unicast_matching_names(), "maximum",
      "Which unicasts start in a switch at once: as many as possible, or one after the other in the order of their "
      "phases as long as input and output are free.",
      [](auto& c) -> auto& { return fred(c).matching; }));
  keys.push_back(name_key(
      "fabric.conflict", conflict_answers(), "serialize",
      "What is done about flows that do not route together: run them one after another, let the endpoints carry some "
      "of them out, search another placement of the ranks before the run, or refuse.",
      [](auto& c) -> auto& { return fred(c).conflict; }));
  keys.push_back(bytes_key(
      "fabric.setting_memory", ValueType::kByteCount, 0, kMostBytes, "1536 B",
      "Memory of each chiplet for stored settings.", [](auto& c) -> auto& { return fred(c).setting_bytes; }));
  keys.back().formerly("fabric.configuration_memory");
  keys.push_back(integer_key(
      "fabric.reload_cycles", 0, 1'000'000'000, "0",
      "Cycles that the activation of a stored setting takes longer if it is not in the memory, where it gets the place "
      "of the one not activated for longest; a load that has begun is finished. 0 = a run that needs more "
      "stored settings than fit is refused. Not with fabric.control: several_phases.",
      [](auto& c) -> auto& { return fred(c).reload_cycles; }));
  keys.push_back(integer_key(
      "fabric.stay_packets", 0, 1'000'000, "16",
      "Packets that start under one stored setting while another of the same phase waits; 0 = no bound.",
      [](auto& c) -> auto& { return fred(c).stay_packets; }));
}

ConfigKey error_rate_key(const std::string& path, const std::string& doc, double FredLinkLayerSpec::*field) {
  ConfigKey key = basic_key(path, ValueType::kReal, "0", doc);
  key.range = {Rational{0, 1}, Rational{1, 1}};
  key.apply = [field](Config& c, const Value& v) { fred(c).link_layer.*field = std::get<double>(v); };
  key.show = [field](const Config& c) { return fmt::format("{}", fred(c).link_layer.*field); };
  return key;
}

/// A key that says something about Go-Back-N only; left out of the resolved file without it.
template <typename Field>
ConfigKey replay_key(const std::string& name, std::uint64_t most, const std::string& fallback, const std::string& doc,
                     Field field) {
  ConfigKey key = integer_key("fabric." + name, 1, most, fallback, doc, field);
  key.needs = {"fabric.link_layer"};
  key.apply = [apply = key.apply](Config& c, const Value& v) {
    if (fred(c).link_layer.go_back_n) apply(c, v);
  };
  key.show = [show = key.show](const Config& c) { return fred(c).link_layer.go_back_n ? show(c) : std::string(); };
  return key;
}

void add_link_layer_keys(std::vector<ConfigKey>& keys) {
  const auto open = [](auto field) { return [field](Config& c) { field(c) = 0; }; };
  keys.push_back(either_key(
      "fabric.link_layer", "credit", "gbn",
      "What links do about errors: nothing, because there are none, or Go-Back-N on every link. Packets are handed on "
      "when all of a packet is there and right.",
      [](auto& c) -> auto& { return fred(c).link_layer.go_back_n; }));
  keys.push_back(error_rate_key("fabric.bit_error_rate",
                                "Probability of each bit on a link to be wrong, those of ACKs and NACKs included.",
                                &FredLinkLayerSpec::bit_error_rate));
  keys.push_back(error_rate_key("fabric.drop_rate", "Probability of each flit to be lost on a link.",
                                &FredLinkLayerSpec::drop_rate));
  const auto replay = [](auto& c) -> auto& { return fred(c).link_layer.replay_packets; };
  keys.push_back(replay_key("replay_packets", 65535, "",
                            "Packets that the sender of a link keeps until they are acknowledged.", replay)
                     .noted("those of one ACK and of the longest round trip, and one more")
                     .derived(open(replay)));
  keys.push_back(replay_key(
      "ack_packets", 65535, "16", "Packets that one ACK is for.",
      [](auto& c) -> auto& { return fred(c).link_layer.ack_packets; }));
  const auto ack = [](auto& c) -> auto& { return fred(c).link_layer.ack_timeout; };
  keys.push_back(replay_key("ack_timeout", 1'000'000'000, "", "Most cycles that a packet waits for its ACK.", ack)
                     .noted("the longest round trip")
                     .derived(open(ack)));
  const auto retransmit = [](auto& c) -> auto& { return fred(c).link_layer.retransmit_timeout; };
  keys.push_back(
      replay_key("retransmit_timeout", 1'000'000'000, "",
                 "Cycles after which a packet without any answer, and all behind it, is sent again. Below round trip "
                 "plus ack_timeout packets are sent again although they have arrived.",
                 retransmit)
          .noted("the longest round trip plus ack_timeout, and one more")
          .derived(open(retransmit)));
}

}  // namespace

void add_keys(std::vector<ConfigKey>& keys) {
  const std::size_t first = keys.size();
  keys.push_back(integer_key(
      "fabric.m", 2, kMostFredMiddles, "3", "Middle stages of the interconnect: the m of Fred_m(P).",
      [](auto& c) -> auto& { return fred(c).m; }));
  keys.push_back(maps_key(
                     "fabric.levels", kMostLevels,
                     "Levels of FRED switches, the lowest one first. An including file or --set "
                     "fabric.levels=[...] replaces the whole list; --set fabric.levels[1].latency=40ns changes "
                     "one.",
                     [](auto& c) -> auto& { return fred(c).levels; }, level_keys)
                     .must_be_given());
  keys.push_back(model_key(
      "fabric.model", "tlm", "Model of the switches: C++, their RTL, or both compared in every cycle.",
      [](auto& c) -> auto& { return fred(c).model; }));
  keys.push_back(boolean_key(
      "fabric.in_switch", "true", "Switches reduce and copy; otherwise they carry unicasts only.",
      [](auto& c) -> auto& { return fred(c).in_switch; }));
  keys.push_back(formats_key());
  keys.push_back(either_key(
      "fabric.accumulate", "element", "fp32",
      "Width of sums within a switch: that of the elements, or FP32 for FP16 and BF16, rounded "
      "once at the output port.",
      [](auto& c) -> auto& { return fred(c).fp32_accumulation; }));
  keys.push_back(integer_key(
      "fabric.lanes", 0, 1024, "0",
      "Lanes of 4 bytes of each port; fewer than a flit has take more cycles per flit. "
      "0 = a flit per cycle.",
      [](auto& c) -> auto& { return fred(c).lanes; }));
  keys.push_back(integer_key(
      "fabric.reduce_cycles", 1, 64, "1", "Cycles of a uSwitch that adds; one that passes or copies takes 1.",
      [](auto& c) -> auto& { return fred(c).reduce_cycles; }));
  keys.push_back(either_key(
      "fabric.stage", "register", "skid",
      "Places behind each uSwitch: one, with ready running back through all stages, or two.",
      [](auto& c) -> auto& { return fred(c).skid_buffers; }));
  keys.push_back(integer_key(
      "fabric.register_every", 1, kMostRegisterEvery, "1",
      "uSwitches of a way per register: 1 = one behind each; with more, data passes the others within the cycle. The "
      "last one before a port always has one.",
      [](auto& c) -> auto& { return fred(c).register_every; }));
  add_control_keys(keys);
  add_packet_keys(keys);
  add_link_layer_keys(keys);
  for (std::size_t i = first; i < keys.size(); ++i) keys[i].only_with(FabricFeature::kSwitches);
}

}  // namespace weft::fred
