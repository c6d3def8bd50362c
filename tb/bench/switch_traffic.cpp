// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/switch_traffic.h"

#include <algorithm>

#include "base/error.h"
#include "config/fred_shape.h"

namespace weft::tb {
namespace {

using fred::kMostTrafficClasses;

template <typename T>
T one_of(RandomStream& random, std::initializer_list<T> values) {
  return values.begin()[random.below(values.size())];
}

fred::LaneFormat random_format(bool accumulate, RandomStream& random) {
  std::vector<std::string_view> names{"fp32", "int32", "fp16", "bf16"};
  if (accumulate) names.insert(names.end(), {"fp16_fp32", "bf16_fp32", "fp16_fp32", "bf16_fp32"});
  return fred::lane_format(names[random.below(names.size())]);
}

fred::PortSpec random_port(const fred::SwitchSpec& spec, RandomStream& random) {
  fred::PortSpec port;
  port.whole_packets = random.below(3) == 0;
  if (random.below(2) == 0) {
    port.out_rate.flits_per_cycle = one_of<Rational>(random, {{1, 2}, {3, 4}, {2, 7}, {1, 5}, {999, 1000}});
  }
  port.out_rate.header_bytes = one_of<std::uint64_t>(random, {0, 0, 6, 16, 100});
  port.out_credits =
      spec.packet_flits + static_cast<std::uint32_t>(random.below(2 * std::uint64_t{spec.packet_flits} + 1));
  return port;
}

/// Up to `most` flows whose inputs and outputs are drawn from all ports; some ports stay idle.
fred::FlowSet random_flows(int ports, std::size_t most, RandomStream& random) {
  fred::FlowSet flows(1 + random.below(most));
  for (int p = 0; p < ports; ++p) {
    const PortId port{static_cast<std::uint8_t>(p)};
    const std::size_t in = random.below(flows.size() + 1);
    const std::size_t out = random.below(flows.size() + 1);
    if (in < flows.size()) flows[in].inputs.push_back(port);
    if (out < flows.size()) flows[out].outputs.push_back(port);
  }
  flows.erase(std::remove_if(flows.begin(), flows.end(),
                             [](const fred::Flow& flow) { return flow.inputs.empty() || flow.outputs.empty(); }),
              flows.end());
  for (std::size_t f = 0; f < flows.size(); ++f) flows[f].name = std::string(1, static_cast<char>('a' + f % 26));
  return flows;
}

}  // namespace

fred::SwitchSpec random_spec(const SwitchShape& shape, RandomStream& random) {
  fred::SwitchSpec spec;
  spec.m = shape.m;
  spec.ports = shape.ports;
  spec.lanes = shape.lanes;
  spec.flit_bytes = 4 * shape.lanes * shape.beats;
  spec.traffic_classes = shape.traffic_classes;
  spec.reduce_cycles = shape.reduce_cycles;
  spec.stage = shape.skid ? fred::StageBuffer::kSkid : fred::StageBuffer::kRegister;
  const std::uint32_t longest = std::min(shape.buffer_flits, shape.control_buffer_flits);
  spec.packet_flits = 1 + static_cast<std::uint32_t>(random.below(longest));
  spec.buffer_flits = spec.packet_flits + static_cast<std::uint32_t>(random.below(shape.buffer_flits - longest + 1));
  spec.control_buffer_flits = spec.packet_flits;
  spec.output_credits =
      spec.packet_flits + static_cast<std::uint32_t>(random.below(2 * std::uint64_t{spec.packet_flits}));
  spec.control_output_credits = spec.packet_flits;
  const auto stages = static_cast<std::uint32_t>(fred_stages(shape.ports, 1)) * shape.reduce_cycles;
  const std::uint32_t most = (shape.output_flits - stages) / spec.packet_flits;
  spec.output_packets = 1 + static_cast<std::uint32_t>(random.below(std::min<std::uint32_t>(most, 3)));
  if (random.below(4) != 0) {
    for (int p = 0; p < shape.ports; ++p) spec.port_specs.push_back(random_port(spec, random));
  }
  if (random.below(2) == 0) {
    spec.uplinks = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(shape.ports) / 2));
    spec.first_uplink = static_cast<int>(random.below(static_cast<std::uint64_t>(shape.ports - spec.uplinks) + 1));
  }
  spec.matching = "greedy";
  spec.reconfigure_cycles = one_of<std::uint32_t>(random, {0, 1, 1, 2, 5});
  spec.stay_packets = one_of<std::uint32_t>(random, {0, 1, 2, 5, 64});
  spec.memory_bytes = 1 << 20;
  spec.values = true;
  spec.format = random_format(shape.accumulate_fp32, random);
  spec.op = one_of(random, {ReduceOp::kSum, ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax});
  return spec;
}

Traffic::Traffic(const fred::SwitchSpec& spec, RandomStream& random, double stall)
    : spec_(spec), random_(random), stall_(stall), ports_(static_cast<std::size_t>(spec.ports)) {
  for (Port& port : ports_) {
    for (int c = 0; c < spec.traffic_classes; ++c) port.slots[c] = spec.buffer_of(c);
  }
  unicast_share_ = one_of<std::uint64_t>(random, {5, 30, 60, 90});
  pauses_ = one_of<std::uint64_t>(random, {0, 2, 20});
  holds_ = one_of<std::uint64_t>(random, {0, 1, 5});
  credit_delay_ = one_of<Cycle>(random, {0, 3, 12});
  most_backlog_ = one_of<std::uint32_t>(random, {1, 3, 8});
  RandomStream names = random;
  made_ = static_cast<std::uint32_t>(names.below(kNames));
}

void Traffic::store_settings(fred::SettingStore& store, std::uint32_t indices) {
  for (int tries = 0; tries < 40 && store.size() < indices; ++tries) {
    const fred::FlowSet flows = random_flows(spec_.ports, ports_.size() / 2, random_);
    if (flows.empty()) continue;
    try {
      const std::uint32_t number = store.add(flows);
      for (const fred::Flow& flow : flows) stored_.emplace_back(number, flow);
    } catch (const InputError&) {
      continue;  // they conflict
    }
  }
}

void Traffic::cycle(Cycle now, bool more) {
  arrivals_.clear();
  credits_.clear();
  if (more) make_packets(now);
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    send(port, now);
    return_credits(port, now);
  }
}

void Traffic::make_packets(Cycle /*now*/) {
  for (int tries = 0; tries < 3; ++tries) {
    const auto traffic_class =
        static_cast<std::uint8_t>(random_.below(static_cast<std::uint64_t>(spec_.traffic_classes)));
    if (stored_.empty() || random_.below(100) < unicast_share_) {
      make_unicast(traffic_class);
    } else {
      make_flow(traffic_class);
    }
  }
}

std::uint32_t Traffic::backlog(std::size_t port) const {
  std::size_t count = 0;
  for (const auto& queue : ports_[port].queues) count += queue.size();
  return static_cast<std::uint32_t>(count);
}

std::uint16_t Traffic::random_length(std::uint8_t traffic_class) {
  const std::uint32_t most = std::min(spec_.packet_flits, spec_.buffer_of(traffic_class));
  return static_cast<std::uint16_t>(random_.below(3) == 0 ? most : 1 + random_.below(most));
}

/// All inputs get their packet at once, so they send in one order on each traffic class.
void Traffic::make_flow(std::uint8_t traffic_class) {
  const auto& [setting, flow] = stored_[random_.below(stored_.size())];
  for (const PortId port : flow.inputs) {
    if (backlog(index(port)) >= most_backlog_) return;
  }
  const std::uint16_t flits = random_length(traffic_class);
  next_name();
  ++flows_;
  for (const PortId port : flow.inputs) {
    ports_[index(port)].queues[traffic_class].push_back({setting, 0, flits, made_ << 8 | index(port), mix64(made_)});
  }
}

void Traffic::make_unicast(std::uint8_t traffic_class) {
  const std::size_t port = random_.below(ports_.size());
  if (backlog(port) >= most_backlog_) return;
  auto output = static_cast<std::uint8_t>(random_.below(ports_.size()));
  if (spec_.uplinks > 0 && random_.below(3) == 0) output = fred::kAnyUplink;
  next_name();
  ++unicasts_;
  ports_[port].queues[traffic_class].push_back({fred::kUnicasts, output, random_length(traffic_class),
                                                made_ << 8 | static_cast<std::uint32_t>(port), mix64(made_)});
}

/// Packets come in one piece; those that start when all of a packet is here may have gaps.
void Traffic::send(std::size_t number, Cycle now) {
  Port& port = ports_[number];
  if (port.traffic_class < 0) {
    if (random_.below(1000) < pauses_) port.pause_until = now + random_.below(60);
    if (now < port.pause_until || stalls()) return;
    const auto first = static_cast<int>(random_.below(static_cast<std::uint64_t>(spec_.traffic_classes)));
    for (int i = 0; i < spec_.traffic_classes && port.traffic_class < 0; ++i) {
      const int traffic_class = (first + i) % spec_.traffic_classes;
      const auto& queue = port.queues[traffic_class];
      if (!queue.empty() && port.slots[traffic_class] >= queue.front().flits) port.traffic_class = traffic_class;
    }
    if (port.traffic_class < 0) return;
    port.slots[port.traffic_class] -= port.queues[port.traffic_class].front().flits;
    port.sent = 0;
  }
  const bool whole = !spec_.port_specs.empty() && spec_.port_specs[number].whole_packets;
  if (whole && random_.below(3) == 0) return;
  const Packet& packet = port.queues[port.traffic_class].front();
  Arrival arrival;
  arrival.port = number;
  arrival.flit.packet = packet.name;
  arrival.flit.setting = packet.setting;
  arrival.flit.packet_flits = packet.flits;
  arrival.flit.head = port.sent == 0;
  arrival.flit.tail = ++port.sent == packet.flits;
  arrival.flit.traffic_class = static_cast<std::uint8_t>(port.traffic_class);
  arrival.flit.output = packet.output;
  arrival.flit.match = packet.match;
  arrival.data = random_data();
  if (arrival.flit.tail) {
    port.queues[port.traffic_class].pop_front();
    port.traffic_class = -1;
  }
  arrivals_.push_back(std::move(arrival));
}

/// Bits of all kinds: random ones, and those that numbers of 32 and 16 bits have near zero, one and infinity.
std::vector<std::uint8_t> Traffic::random_data() {
  std::vector<std::uint8_t> data;
  data.reserve(spec_.flit_bytes);
  while (data.size() < spec_.flit_bytes) {
    auto word = static_cast<std::uint32_t>(random_.bits());
    switch (random_.below(8)) {
      case 0:
        word &= 0x807f'ffff;  // FP32 subnormal or zero
        break;
      case 1:
        word |= 0x7f80'0000;  // NaN or infinity
        break;
      case 2:
        word = (word & 0x8000'8000) | one_of<std::uint32_t>(random_, {0, 0x7f80'0000, 0x7c00'7c00, 0x7f80'7f80});
        break;
      case 3:
        word = (word & 0x807f'ffff) | 0x3f80'0000;  // near one
        break;
      case 4:
        word = (word & 0x83ff'83ff) | 0x3c00'3c00;
        break;
      case 5:
        word = word % 17 - 8;  // a small integer
        break;
      default:
        break;
    }
    for (unsigned i = 0; i < 4; ++i) data.push_back(static_cast<std::uint8_t>(word >> 8 * i));
  }
  return data;
}

void Traffic::return_credits(std::size_t number, Cycle now) {
  Port& port = ports_[number];
  for (int c = 0; c < spec_.traffic_classes; ++c) {
    if (random_.below(1000) < holds_) port.hold_until[c] = now + random_.below(150);
    auto& owed = port.owed[c];
    if (owed.empty() || owed.front() > now || now < port.hold_until[c] || stalls()) continue;
    owed.pop_front();
    credits_.emplace_back(number, static_cast<std::uint8_t>(c));
  }
}

void Traffic::happened(const std::vector<fred::SentFlit>& sent, const std::vector<fred::FreedSlot>& freed, Cycle now) {
  for (const fred::FreedSlot slot : freed) ++ports_[index(slot.port)].slots[slot.traffic_class];
  for (const fred::SentFlit& each : sent) {
    const Cycle at = now + 1 + random_.below(credit_delay_ + 1);
    auto& owed = ports_[index(each.port)].owed[each.flit.traffic_class];
    owed.push_back(owed.empty() ? at : std::max(at, owed.back()));
  }
}

bool Traffic::done() const {
  return std::all_of(ports_.begin(), ports_.end(), [](const Port& port) {
    return port.traffic_class < 0 &&
           std::all_of(std::begin(port.queues), std::end(port.queues),
                       [](const auto& queue) { return queue.empty(); }) &&
           std::all_of(std::begin(port.owed), std::end(port.owed), [](const auto& owed) { return owed.empty(); });
  });
}

}  // namespace weft::tb
