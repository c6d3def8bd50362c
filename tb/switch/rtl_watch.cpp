// SPDX-License-Identifier: Apache-2.0
#include "tb/switch/rtl_watch.h"

#include <algorithm>

#include "switch/network/datapath_plan.h"
#include "switch/network/stall_reasons.h"
#include "switch/rtl/interconnect_sv.h"

namespace weft::tb {
namespace {

// The side wires of a beat in rtl/side_pkg.sv, the lowest first; the setting has a width of its own, as the tag
// has.
constexpr std::uint32_t kHead = 0;
constexpr std::uint32_t kTail = 1;
constexpr std::uint32_t kSetting = 3;
constexpr std::uint32_t kFlitsBits = 16;
constexpr std::uint32_t kTrafficClassBits = 2;
constexpr std::uint32_t kPacketBits = 32;
constexpr std::uint32_t kTagBits = 1;
constexpr std::uint32_t kFixedBits = kSetting + kFlitsBits + kTagBits + kTrafficClassBits + kPacketBits;

std::uint32_t bits_of(int values) {
  std::uint32_t bits = 0;
  while (1 << bits < values) ++bits;
  return bits;
}

/// Where each wire of the interconnect ends, by channel.
std::vector<fred::Terminal> sinks_of(const fred::Interconnect& net) {
  const fred::ChannelNumbers channels(net);
  std::vector<fred::Terminal> sinks(channels.count());
  for (std::uint32_t e = 0; e < net.elements.size(); ++e) {
    for (std::uint32_t i = 0; i < net.elements[e].sources.size(); ++i) {
      sinks[channels.of(net.elements[e].sources[i])] = {e, i};
    }
  }
  return sinks;
}

}  // namespace

RtlWires::RtlWires(const RtlModel& rtl, const fred::SwitchSpec& spec, const fred::Interconnect& net)
    : net_(net),
      output_bits_(bits_of(net.ports)),
      digit_bits_(bits_of(net.m)),
      watch_(net, spec.watch.data && spec.values ? spec.beat_bytes() : 0) {
  const std::vector<fred::Terminal> sinks = sinks_of(net);
  const std::vector<std::string> names = fred::watch_wire_names(net);
  for (std::size_t channel = 0; channel < names.size(); ++channel) {
    Wire wire;
    wire.valid = rtl.port(names[channel] + "_valid_o");
    wire.ready = rtl.port(names[channel] + "_ready_o");
    wire.side = rtl.port(names[channel] + "_side_o");
    if (watch_.data_bytes() > 0) wire.data = rtl.port(names[channel] + "_data_o");
    wire.sink = sinks[channel];
    wires_.push_back(wire);
  }
  setting_bits_ = wires_.front().side.width - kFixedBits - static_cast<std::uint32_t>(fred::route_bits(net));
}

void RtlWires::read() {
  watch_.clear();
  for (std::uint32_t channel = 0; channel < wires_.size(); ++channel) {
    const Wire& wire = wires_[channel];
    if (!wire.valid.bit(0)) continue;
    fred::WireSample& sample = watch_.show(channel);
    sample.ready = wire.ready.bit(0);
    read_side(channel, sample);
    sample.has_data = watch_.data_bytes() > 0 && sample.setting != fred::kUnicasts;
    if (sample.has_data) std::copy_n(wire.data.bytes, watch_.data_bytes(), watch_.data(channel));
  }
}

void RtlWires::read_side(std::uint32_t channel, fred::WireSample& sample) const {
  const Wire& wire = wires_[channel];
  const std::uint32_t traffic_class = kSetting + setting_bits_ + kFlitsBits + kTagBits;
  sample.head = wire.side.bit(kHead);
  sample.tail = wire.side.bit(kTail);
  sample.setting = static_cast<std::uint32_t>(wire.side.get(kSetting, setting_bits_));
  sample.traffic_class = static_cast<std::uint8_t>(wire.side.get(traffic_class, kTrafficClassBits));
  sample.packet = static_cast<std::uint32_t>(wire.side.get(traffic_class + kTrafficClassBits, kPacketBits));
  if (sample.setting == fred::kUnicasts && !wire.sink.outside()) sample.route = route_of(wire);
}

/// The output that the next element takes by the route, which stands above all else; see fred_element.sv.
std::uint8_t RtlWires::route_of(const Wire& wire) const {
  const fred::Element& element = net_.elements[wire.sink.element];
  const std::uint32_t route = kFixedBits + setting_bits_;
  const auto level = static_cast<std::uint32_t>(element.depth);
  switch (element.kind) {
    case fred::ElementKind::kReduce:
    case fred::ElementKind::kDemux:
      return static_cast<std::uint8_t>(wire.side.get(route + output_bits_ + level * digit_bits_, digit_bits_));
    case fred::ElementKind::kDistribute:
    case fred::ElementKind::kBoth:
      return wire.side.bit(route + level) ? 1 : 0;
    case fred::ElementKind::kMux:
      break;
  }
  return 0;
}

RtlReasons::RtlReasons(const RtlModel& rtl, const fred::SwitchSpec& spec)
    : spec_(spec),
      valid_(rtl.port("watch_next_valid_o")),
      setting_(rtl.port("watch_next_stored_setting_o")),
      flits_(rtl.port("watch_next_flits_o")),
      output_(rtl.port("watch_next_output_o")),
      match_(rtl.port("watch_next_match_o")),
      free_(rtl.port("watch_free_o")),
      heads_(static_cast<std::size_t>(spec.ports * spec.traffic_classes)) {
  setting_bits_ = setting_.width / static_cast<std::uint32_t>(heads_.size());
}

void RtlReasons::stalls(const fred::SettingStore& store, std::vector<StallReason>* reasons) {
  for (std::uint32_t at = 0; at < heads_.size(); ++at) {
    fred::PortFlit& head = heads_[at];
    head.setting = static_cast<std::uint32_t>(setting_.get(at * setting_bits_, setting_bits_));
    head.packet_flits = static_cast<std::uint16_t>(flits_.get(at * 16, 16));
    head.output = static_cast<std::uint8_t>(output_.get(at * 8, 8));
    head.match = match_.get(at * 64, 64);
  }
  const auto slot = [this](std::uint32_t port, std::uint32_t traffic_class) {
    return port * static_cast<std::uint32_t>(spec_.traffic_classes) + traffic_class;
  };
  fred::find_stall_reasons(
      spec_, store,
      [&](std::uint32_t port, std::uint32_t traffic_class) -> const fred::PortFlit* {
        const std::uint32_t at = slot(port, traffic_class);
        return valid_.bit(at) ? &heads_[at] : nullptr;
      },
      [&](std::uint32_t port, std::uint32_t traffic_class) { return credits(slot(port, traffic_class)); }, reasons);
}

}  // namespace weft::tb
