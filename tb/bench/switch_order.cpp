// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/switch_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace weft::tb {
namespace {

/// Cycles from the last flit of a packet going in to its first coming out that are too many, with all the traffic there
/// is.
constexpr std::uint64_t kMostLatency = 50'000;

/// The model has only to add, as soon as it can.
fred::SwitchSpec quick(const fred::SwitchSpec& spec) {
  fred::SwitchSpec made = spec;
  made.port_specs.clear();
  made.uplinks = 0;
  made.first_uplink = 0;
  made.reconfigure_cycles = 0;
  return made;
}

}  // namespace

SwitchOrder::SwitchOrder(const fred::SwitchSpec& spec, const fred::SettingStore& stored)
    : spec_(spec), model_(quick(spec)) {
  for (std::uint32_t i = 1; i < stored.size(); ++i) model_.settings().add(stored[i].flows);
  const std::size_t slots = static_cast<std::size_t>(spec.ports) * fred::kMostTrafficClasses;
  open_.resize(slots);
  held_.resize(slots);
  waiting_.resize(slots);
  credits_.resize(slots);
  model_slots_.resize(slots);
  model_traffic_classes_.resize(static_cast<std::size_t>(spec.ports));
  for (std::size_t port = 0; port < model_traffic_classes_.size(); ++port) {
    for (int traffic_class = 0; traffic_class < spec.traffic_classes; ++traffic_class) {
      const std::size_t at = slot(port, static_cast<std::uint8_t>(traffic_class));
      credits_[at] = spec.credits_of(port, traffic_class);
      model_slots_[at] = model_.spec().buffer_of(traffic_class);
    }
  }
}

/// The packet of a flit that goes in; with its first flit it is noted on all paths that it takes.
SwitchOrder::Packet& SwitchOrder::packet_of(const Traffic::Arrival& arrival) {
  const std::uint32_t number = arrival.flit.packet >> 8;
  const auto found = packets_.find(number);
  if (found != packets_.end()) return found->second;
  Packet& packet = packets_[number];
  packet.setting = arrival.flit.setting;
  packet.traffic_class = arrival.flit.traffic_class;
  packet.flits = arrival.flit.packet_flits;
  if (packet.setting == fred::kUnicasts) {
    packet.name = arrival.flit.packet;
    packet.arrived[arrival.port] = 0;
    packet.any = arrival.flit.output == fred::kAnyUplink;
    const auto first = static_cast<unsigned>(packet.any ? spec_.first_uplink : arrival.flit.output);
    for (unsigned i = 0; i < static_cast<unsigned>(packet.any ? spec_.uplinks : 1); ++i) {
      packet.mask |= std::uint64_t{1} << (first + i);
    }
    // Uplinks may be used side by side.
    if (!packet.any) order_[{first, fred::kUnicasts, arrival.port, packet.traffic_class}].push_back(number);
    return packet;
  }
  const fred::StoredSetting& stored = std::as_const(model_).settings()[packet.setting];
  packet.flow = stored.flow_of_input[arrival.port];
  const fred::Flow& flow = stored.flows[static_cast<std::size_t>(packet.flow)];
  packet.name = (arrival.flit.packet & ~std::uint32_t{0xff}) | index(flow.inputs.front());
  for (const PortId port : flow.inputs) packet.arrived[index(port)] = 0;
  for (const PortId port : flow.outputs) {
    packet.mask |= std::uint64_t{1} << index(port);
    order_[{index(port), packet.setting, static_cast<std::size_t>(packet.flow), packet.traffic_class}].push_back(
        number);
  }
  return packet;
}

void SwitchOrder::arrived(const Traffic::Arrival& arrival, std::uint64_t now) {
  Packet& packet = packet_of(arrival);
  ++packet.arrived[arrival.port];
  ++held_[slot(arrival.port, arrival.flit.traffic_class)];
  const bool all = std::all_of(packet.arrived.begin(), packet.arrived.end(),
                               [&](const auto& each) { return each.second == packet.flits; });
  if (all) packet.complete = now + 1;
  if (packet.flow < 0) {
    packet.data.push_back(arrival.data);
  } else {
    waiting_[slot(arrival.port, arrival.flit.traffic_class)].push_back(arrival);
  }
}

std::string SwitchOrder::flow_of(const Packet& packet) const {
  if (packet.flow < 0) return fmt::format("unicast, packet {:#x}", packet.name);
  const fred::StoredSetting& stored = std::as_const(model_).settings()[packet.setting];
  return fmt::format("stored setting {}, flow {}, packet {:#x}", packet.setting,
                     stored.flows[static_cast<std::size_t>(packet.flow)].name, packet.name);
}

/// A flit per port, of packets that are here as a whole and fit.
void SwitchOrder::feed_model() {
  for (std::size_t port = 0; port < model_traffic_classes_.size(); ++port) {
    std::optional<std::uint8_t>& traffic_class = model_traffic_classes_[port];
    for (std::uint8_t c = 0; !traffic_class && c < spec_.traffic_classes; ++c) {
      const auto& queue = waiting_[slot(port, c)];
      if (queue.empty()) continue;
      const std::uint16_t flits = queue.front().flit.packet_flits;
      if (queue.size() >= flits && model_slots_[slot(port, c)] >= flits) traffic_class = c;
    }
    if (!traffic_class) continue;
    const std::size_t at = slot(port, *traffic_class);
    const Traffic::Arrival& next = waiting_[at].front();
    model_.receive(PortId{static_cast<std::uint8_t>(port)}, next.flit, next.data.data());
    --model_slots_[at];
    if (next.flit.tail) traffic_class.reset();
    waiting_[at].pop_front();
  }
}

/// What the model has added is known from now on.
std::optional<Mismatch> SwitchOrder::step_model(std::uint64_t now) {
  feed_model();
  model_.step(model_now_++);
  for (const fred::FreedSlot& freed : model_.freed()) ++model_slots_[slot(index(freed.port), freed.traffic_class)];
  for (const fred::SentFlit& sent : model_.sent()) model_.credit(sent.port, sent.flit.traffic_class);
  for (const fred::SentFlit& sent : model_.sent()) {
    for (auto& [number, packet] : packets_) {
      if (packet.name != sent.flit.packet || packet.flow < 0) continue;
      const fred::Flow& flow =
          std::as_const(model_).settings()[packet.setting].flows[static_cast<std::size_t>(packet.flow)];
      if (flow.outputs.front() != sent.port) break;
      packet.data.emplace_back(sent.data, sent.data + spec_.flit_bytes);
      for (auto& [port, output] : packet.outputs) {
        if (output.early.empty()) continue;
        const Data actual = std::move(output.early.front());
        output.early.pop_front();
        if (auto found = compare(port, packet, static_cast<unsigned>(packet.data.size() - 1), actual, now)) {
          return found;
        }
      }
      finish(number);
      break;
    }
  }
  return std::nullopt;
}

std::optional<Mismatch> SwitchOrder::compare(std::size_t port, Packet& packet, unsigned flit, const Data& actual,
                                             std::uint64_t now) const {
  const Data& expected = packet.data[flit];
  if (expected == actual) return std::nullopt;
  return Mismatch{now, fmt::format("out_data_o[{}]", port), fmt::format("{}, flit {}", flow_of(packet), flit),
                  hex_of(expected.data(), expected.size()), hex_of(actual.data(), actual.size())};
}

/// A packet has gone when all of it has come out everywhere and has been compared.
void SwitchOrder::finish(std::uint32_t number) {
  const Packet& packet = packets_.at(number);
  std::size_t wanted = packet.any ? 1 : 0;
  for (std::uint64_t mask = packet.any ? 0 : packet.mask; mask != 0; mask &= mask - 1) ++wanted;
  if (packet.outputs.size() != wanted) return;
  for (const auto& [port, output] : packet.outputs) {
    if (output.sent != packet.flits || !output.early.empty()) return;
  }
  packets_.erase(number);
}

std::optional<Mismatch> SwitchOrder::check_start(const fred::SentFlit& sent, Packet& packet, std::uint64_t now) {
  const std::size_t port = index(sent.port);
  const auto wrong = [&](const char* what, const std::string& expected, const std::string& actual) {
    return Mismatch{now, fmt::format("{}[{}]", what, port), flow_of(packet), expected, actual};
  };
  if ((packet.mask >> port & 1) == 0 || (packet.any && !packet.outputs.empty())) {
    return wrong("out_valid_o", "not to this port", "0x1");
  }
  if (packet.outputs.count(port) != 0) return wrong("out_head_o", "0x0", "0x1");
  const std::size_t from = packet.flow < 0 ? packet.arrived.begin()->first : static_cast<std::size_t>(packet.flow);
  if (!packet.any) {
    auto& queue = order_.at({port, packet.setting, from, packet.traffic_class});
    WEFT_CHECK(!queue.empty(), "a packet came out twice");
    if (const Packet& first = packets_.at(queue.front()); first.name != packet.name) {
      return wrong("out_packet_o", fmt::format("{:#x}, the next one of its flow", first.name),
                   fmt::format("{:#x}", packet.name));
    }
    queue.pop_front();
  }
  packet.outputs[port];
  return std::nullopt;
}

std::optional<Mismatch> SwitchOrder::check_flit(const fred::SentFlit& sent, const std::uint8_t* data,
                                                std::uint64_t now) {
  const std::size_t port = index(sent.port);
  const std::size_t at = slot(port, sent.flit.traffic_class);
  const auto wrong = [&](const char* what, const std::string& flow, const std::string& expected, std::uint64_t actual) {
    return Mismatch{now, fmt::format("{}[{}]", what, port), flow, expected, fmt::format("{:#x}", actual)};
  };
  if (sent.flit.traffic_class >= spec_.traffic_classes) {
    return wrong("out_traffic_class_o", "", fmt::format("below {}", spec_.traffic_classes), sent.flit.traffic_class);
  }
  const auto found = packets_.find(sent.flit.packet >> 8);
  if (found == packets_.end() || found->second.name != sent.flit.packet) {
    return wrong("out_packet_o", "", "a packet that is inside", sent.flit.packet);
  }
  Packet& packet = found->second;
  const std::string flow = flow_of(packet);
  if (credits_[at] == 0) return wrong("out_valid_o", flow, "nothing: there is no credit", 1);
  --credits_[at];
  if (sent.flit.traffic_class != packet.traffic_class) {
    return wrong("out_traffic_class_o", flow, fmt::format("{:#x}", packet.traffic_class), sent.flit.traffic_class);
  }
  if (sent.flit.setting != packet.setting) {
    return wrong("out_stored_setting_o", flow, fmt::format("{:#x}", packet.setting), sent.flit.setting);
  }
  if (sent.flit.packet_flits != packet.flits) {
    return wrong("out_packet_flits_o", flow, fmt::format("{:#x}", packet.flits), sent.flit.packet_flits);
  }
  if (sent.flit.head != !open_[at]) return wrong("out_head_o", flow, open_[at] ? "0x0" : "0x1", sent.flit.head ? 1 : 0);
  if (sent.flit.head) {
    if (auto mismatch = check_start(sent, packet, now)) return mismatch;
    open_[at] = found->first;
  } else if (*open_[at] != found->first) {
    return wrong("out_packet_o", flow, "the packet that has begun", sent.flit.packet);
  }
  Packet::Output& output = packet.outputs.at(port);
  const unsigned flit = output.sent++;
  for (const auto& [input, count] : packet.arrived) {
    if (count <= flit) {
      return wrong("out_valid_o", flow, fmt::format("nothing: flit {} of input {} has not come", flit, input), 1);
    }
  }
  if (sent.flit.tail != (output.sent == packet.flits)) {
    return wrong("out_tail_o", flow, output.sent == packet.flits ? "0x1" : "0x0", sent.flit.tail ? 1 : 0);
  }
  if (sent.flit.tail) open_[at].reset();
  const Data actual(data + port * spec_.flit_bytes, data + (port + 1) * spec_.flit_bytes);
  if (flit >= packet.data.size()) {
    output.early.push_back(actual);
    return std::nullopt;
  }
  if (auto mismatch = compare(port, packet, flit, actual, now)) return mismatch;
  finish(found->first);
  return std::nullopt;
}

std::optional<Mismatch> SwitchOrder::check(const std::vector<fred::SentFlit>& sent,
                                           const std::vector<fred::FreedSlot>& freed, const std::uint8_t* data,
                                           std::uint64_t now) {
  for (const fred::FreedSlot& each : freed) {
    const std::size_t at = slot(index(each.port), each.traffic_class);
    if (held_[at] == 0) {
      return Mismatch{now, fmt::format("freed_valid_o[{}]", index(each.port)),
                      fmt::format("traffic class {}", each.traffic_class), "nothing: no flit is in that buffer", "0x1"};
    }
    --held_[at];
  }
  for (const fred::SentFlit& each : sent) {
    if (auto found = check_flit(each, data, now)) return found;
  }
  for (const auto& [number, packet] : packets_) {
    if (packet.complete == 0 || !packet.outputs.empty() || now < packet.complete + kMostLatency) continue;
    return Mismatch{now, "out_valid_o", flow_of(packet), "all of it has been inside for many cycles", "nothing came"};
  }
  return step_model(now);
}

}  // namespace weft::tb
