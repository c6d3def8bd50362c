// SPDX-License-Identifier: Apache-2.0
#include "switch/rtl/rtl_spec.h"

#include <fmt/format.h>

#include "base/error.h"
#include "config/fred_shape.h"

namespace weft::fred {
namespace {

constexpr std::uint32_t kMostSettings = 65536;
constexpr std::uint32_t kMostCount = 65535;                        // flits that a counter can hold: 16 bits
constexpr std::uint64_t kMostRate = (std::uint64_t{1} << 40) - 1;  // 40 bits
constexpr std::uint32_t kMostReconfigure = (std::uint32_t{1} << 20) - 1;

void require_rtl(bool good, const std::string& text) {
  if (!good) throw InputError("RTL of a FRED switch: " + text);
}

/// A vector of bits that grows.
class Bits {
 public:
  Bits& put(std::uint64_t value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i, ++count_) {
      if (count_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (value >> i & 1) << count_ % 8);
    }
    return *this;
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t count_ = 0;
};

PortSpec port_of(const SwitchSpec& spec, std::size_t port) {
  PortSpec described;
  if (!spec.port_specs.empty()) described = spec.port_specs[port];
  described.out_rate.flit_bytes = spec.flit_bytes;
  return described;
}

/// Slots of an output buffer: the same as the model's.
std::uint32_t output_flits(const SwitchSpec& spec) {
  const auto stages = static_cast<std::uint32_t>(fred_stages(spec.ports, spec.register_every)) * spec.reduce_cycles;
  return spec.output_packets * spec.packet_flits + stages;
}

void check_rates(const SwitchSpec& spec) {
  for (std::size_t port = 0; port < spec.port_specs.size(); ++port) {
    const PacketRateSpec rate = port_of(spec, port).out_rate;
    const UInt128 unit = UInt128{rate.flits_per_cycle.num} * rate.flit_bytes;
    const UInt128 flit = UInt128{rate.flits_per_cycle.den} * rate.flit_bytes;
    const UInt128 header = UInt128{rate.flits_per_cycle.den} * rate.header_bytes;
    require_rtl(
        unit <= kMostRate && flit + header <= kMostRate,
        fmt::format("output port {} sends {}/{} flits of {} bytes per cycle with headers of {} bytes; numerator and "
                    "denominator times bytes must be below 2^40",
                    port, rate.flits_per_cycle.num, rate.flits_per_cycle.den, rate.flit_bytes, rate.header_bytes));
    require_rtl(spec.credits_of(port, 0) <= kMostCount, fmt::format("{} credits at output port {}; it counts to {}",
                                                                    spec.credits_of(port, 0), port, kMostCount));
  }
}

}  // namespace

void check_rtl_spec(const SwitchSpec& spec) {
  check_switch_spec(spec);
  require_rtl(spec.control == FredControl::kOnePhase,
              "it has one active stored setting at a time (control: one_phase), no other control unit");
  require_rtl(spec.flow_control == PortFlowControl::kCutThrough,
              "it starts packets that have credits for all their flits (flow_control: cut_through), no wormhole");
  require_rtl(spec.matching == "greedy",
              fmt::format("it matches unicasts one after the other within a cycle (matching: greedy), not '{}'",
                          spec.matching));
  require_rtl(spec.traffic_classes == 1 || spec.traffic_classes == kMostTrafficClasses,
              fmt::format("{} traffic classes per port; it has 1 or {}", spec.traffic_classes, kMostTrafficClasses));
  require_rtl(spec.register_every == 1,
              fmt::format("register_every: {}; it has a register behind every uSwitch (1)", spec.register_every));
  require_rtl(spec.reload_cycles == 0,
              fmt::format("reload_cycles: {}; all its settings are stored before a run (0)", spec.reload_cycles));
  require_rtl(spec.reconfigure_cycles <= kMostReconfigure,
              fmt::format("{} cycles of reconfiguration; it counts to {}", spec.reconfigure_cycles, kMostReconfigure));
  require_rtl(spec.output_credits <= kMostCount && spec.control_output_credits <= kMostCount &&
                  output_flits(spec) <= kMostCount && spec.buffer_flits <= kMostCount,
              fmt::format("buffers and credits of {}, {}, {} and {} flits; it counts to {}", spec.buffer_flits,
                          spec.output_credits, spec.control_output_credits, output_flits(spec), kMostCount));
  check_rates(spec);
}

std::vector<std::pair<std::string, std::uint32_t>> rtl_parameters(const SwitchSpec& spec, std::uint32_t settings) {
  require_rtl(settings <= kMostSettings, fmt::format("{} stored settings; it has at most {}", settings, kMostSettings));
  return {{"Lanes", spec.lanes == 0 ? spec.flit_bytes / 4 : spec.lanes},
          {"Beats", spec.beats()},
          {"AccumulateFp32", spec.format.fp32_accumulation ? 1 : 0},
          {"TrafficClasses", static_cast<std::uint32_t>(spec.traffic_classes)},
          {"StoredSettings", settings < 2 ? 2 : settings},
          {"BufferFlits", spec.buffer_flits},
          {"ControlBufferFlits", spec.control_buffer_flits},
          {"OutputFlits", output_flits(spec)},
          {"ReduceCycles", spec.reduce_cycles},
          {"Skid", spec.stage == StageBuffer::kSkid ? 1 : 0}};
}

std::vector<RtlStrap> rtl_straps(const SwitchSpec& spec) {
  Bits whole;
  Bits credits;
  Bits units;
  Bits flits;
  Bits headers;
  for (std::size_t p = 0; p < static_cast<std::size_t>(spec.ports); ++p) {
    const PortSpec port = port_of(spec, p);
    whole.put(port.whole_packets || port.in_rate < Rational{1, 1} ? 1 : 0, 1);
    credits.put(spec.credits_of(p, 0), 16);
    units.put(port.out_rate.flits_per_cycle.num * port.out_rate.flit_bytes, 40);
    flits.put(port.out_rate.flits_per_cycle.den * port.out_rate.flit_bytes, 40);
    headers.put(port.out_rate.flits_per_cycle.den * port.out_rate.header_bytes, 40);
  }
  return {{"format_i", Bits().put(rtl_format(spec.format), 3).take()},
          {"op_i", Bits().put(rtl_op(spec.op), 2).take()},
          {"reconfigure_cycles_i", Bits().put(spec.reconfigure_cycles, 20).take()},
          {"stay_packets_i", Bits().put(spec.stay_packets, 32).take()},
          {"first_uplink_i", Bits().put(static_cast<std::uint64_t>(spec.first_uplink), 8).take()},
          {"uplinks_i", Bits().put(static_cast<std::uint64_t>(spec.uplinks), 8).take()},
          {"whole_packets_i", whole.take()},
          {"credits_i", credits.take()},
          {"control_credits_i", Bits().put(spec.control_output_credits, 16).take()},
          {"output_flits_i", Bits().put(output_flits(spec), 16).take()},
          {"rate_unit_i", units.take()},
          {"rate_flit_i", flits.take()},
          {"rate_header_i", headers.take()}};
}

RtlSetting rtl_setting(const Interconnect& net, const StoredSetting& stored) {
  const auto ports = static_cast<std::size_t>(net.ports);
  std::vector<std::uint8_t> inputs(ports * ports, 0);
  std::vector<std::uint8_t> outputs(ports * ports, 0);
  for (const Flow& flow : stored.flows) {
    const std::size_t row = index(flow.inputs.front()) * ports;
    for (const PortId port : flow.inputs) inputs[row + index(port)] = 1;
    for (const PortId port : flow.outputs) outputs[row + index(port)] = 1;
  }
  Bits in;
  Bits out;
  for (std::size_t i = 0; i < ports * ports; ++i) {
    in.put(inputs[i], 1);
    out.put(outputs[i], 1);
  }
  return {encode(net, stored.uswitch_settings), in.take(), out.take()};
}

std::uint32_t rtl_format(const LaneFormat& format) {
  switch (format.element) {
    case DataType::kFp32:
      return 0;
    case DataType::kInt32:
      return 1;
    case DataType::kFp16:
      return format.fp32_accumulation ? 4 : 2;
    case DataType::kBf16:
      return format.fp32_accumulation ? 5 : 3;
  }
  violation("an element type that the RTL does not know");
}

std::uint32_t rtl_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return 0;
    case ReduceOp::kMin:
      return 1;
    case ReduceOp::kMax:
      return 2;
  }
  violation("an operation that the RTL does not know");
}

}  // namespace weft::fred
