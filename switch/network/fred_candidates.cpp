// SPDX-License-Identifier: Apache-2.0
// Which packets of a FRED switch can start, and what the others wait for.
#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "switch/network/fred_switch.h"

namespace weft::fred {

void FredSwitch::find_candidates(Cycle now) {
  candidates_.clear();
  routes_.clear();
  started_any_ = false;
  for (int order = 0; order < spec_.traffic_classes; ++order) {
    const bool all = spec_.traffic_classes == kMostTrafficClasses;
    const auto vc = static_cast<std::uint8_t>(all ? (order + kMostTrafficClasses - 1) % kMostTrafficClasses : order);
    waiting_[vc].for_each_from(next_port_, [&](std::uint32_t port) {
      if (!stands(obstacles_[slot(port, vc)], vc)) consider(port, vc, now);
    });
  }
}

/// Whether nothing has changed at the port that kept a packet of this traffic class from starting.
bool FredSwitch::stands(const Obstacle& obstacle, std::uint8_t vc) const {
  switch (obstacle.kind) {
    case Obstacle::kUnknown:
      return false;
    case Obstacle::kFirstInput:
      return true;
    case Obstacle::kInput:
      return input_changes_[slot(obstacle.port, vc)] == obstacle.changes &&
             !(trains_ && came_complete(obstacle.port, vc));
    case Obstacle::kOutput:
      return trains_ ? !output_open(obstacle.port, vc, obstacle.flits)
                     : output_changes_[obstacle.port] == obstacle.changes;
    case Obstacle::kStream:
      return stream_changes_[obstacle.port] == obstacle.changes;
  }
  return false;
}

/// Adds the packet at the head of this buffer to the candidates if it can start; a flow is asked for at its first
/// input. What keeps it from starting is noted where it is a port, and not time.
void FredSwitch::consider(std::uint32_t port, std::uint8_t vc, Cycle now) {
  const std::uint32_t at = slot(port, vc);
  const PortFlit& head = *buffers_[at].next_head();
  obstacles_[at] = Obstacle{};
  Candidate candidate;
  candidate.setting = head.setting;
  candidate.input = PortId{static_cast<std::uint8_t>(port)};
  candidate.vc = vc;
  candidate.flits = head.packet_flits;
  const bool loaded = spec_.control != FredControl::kOnePhase || head.setting == active_;
  if (head.setting == kUnicasts) {
    consider_unicast(candidate, head, loaded, now);
    return;
  }
  const StoredSetting& stored = store_[head.setting];
  candidate.flow = stored.flow_of_input[port];
  const Flow& flow = stored.flows[candidate.flow];
  if (index(flow.inputs.front()) != port) {
    note_obstacle(at, Obstacle::kFirstInput, port, 0);
    return;
  }
  const std::uint32_t missing = missing_operand(flow, head, vc);
  if (missing != kNoPort) {
    note_obstacle(at, Obstacle::kInput, missing, input_changes_[slot(missing, vc)]);
    return;
  }
  for (const PortId output : flow.outputs) {
    if (output_open(index(output), vc, head.packet_flits)) continue;
    note_obstacle(at, Obstacle::kOutput, index(output), output_changes_[index(output)]);
    obstacles_[at].flits = head.packet_flits;
    return;
  }
  const ElasticDatapath& datapath = stored_datapath(head.setting, candidate.flow);
  if (loaded && !streams_open(datapath, vc, now)) {
    if (datapath.plan().skewed) return;  // that may be a matter of time
    const auto& inputs = datapath.plan().inputs;
    const auto busy = *std::find_if(inputs.begin(), inputs.end(),
                                    [this](std::uint8_t input) { return streams_[input].datapath != nullptr; });
    note_obstacle(at, Obstacle::kStream, busy, stream_changes_[busy]);
    return;
  }
  if (loaded && !(datapath_free(datapath, head.setting, now) && carries(datapath, vc))) {
    timed_ = true;
    return;
  }
  candidates_.push_back(candidate);
}

void FredSwitch::consider_unicast(Candidate& candidate, const PortFlit& head, bool loaded, Cycle now) {
  const std::uint32_t port = index(candidate.input);
  const std::uint32_t at = slot(port, candidate.vc);
  if (loaded && streams_[port].datapath != nullptr) {
    note_obstacle(at, Obstacle::kStream, port, stream_changes_[port]);
  } else if (!packet_here(port, candidate.vc, head)) {
    note_obstacle(at, Obstacle::kInput, port, input_changes_[at]);
  } else if (head.output != kAnyUplink && !output_open(head.output, candidate.vc, candidate.flits)) {
    note_obstacle(at, Obstacle::kOutput, head.output, output_changes_[head.output]);
    obstacles_[at].flits = head.packet_flits;
  } else if (find_output(candidate, head.output, loaded, now)) {
    candidates_.push_back(candidate);
  }
}

/// The output of a unicast to `wanted`; uplinks are served round-robin. False if there is none now.
bool FredSwitch::find_output(Candidate& candidate, std::uint8_t wanted, bool loaded, Cycle now) {
  const auto find = [&](std::uint32_t output) {
    const auto port = static_cast<std::uint8_t>(output);
    if (loaded && !routes_exist()) return find_route(candidate, port, now);
    candidate.output = PortId{port};
    return output_open(port, candidate.vc, candidate.flits) && (!loaded || end_free(candidate.output, now));
  };
  if (wanted != kAnyUplink) return find(wanted);
  const auto uplinks = static_cast<std::uint32_t>(spec_.uplinks);
  for (std::uint32_t tried = 0; tried < uplinks; ++tried) {
    if (find(static_cast<std::uint32_t>(spec_.first_uplink) + (next_uplink_ + tried) % uplinks)) return true;
  }
  return false;
}

/// Enough of a packet is here: all of it from a link that cannot keep up with the datapaths.
bool FredSwitch::packet_here(std::uint32_t port, std::uint8_t vc, const PortFlit& head) const {
  if (whole_packets_[port] == 0) return true;
  if (trains_) buffers_[slot(port, vc)].arrive_until(seen_);
  return buffer(port, vc).waiting() >= head.packet_flits;
}

/// Whether all of the packet at a port is here that had to be.
bool FredSwitch::came_complete(std::uint32_t port, std::uint8_t vc) const {
  const PortFlit* const head = buffer(port, vc).next_head();
  return head != nullptr && whole_packets_[port] != 0 && packet_here(port, vc, *head);
}

/// The first input port of a flow at which the operand that belongs to `head` is not here; kNoPort if all are.
std::uint32_t FredSwitch::missing_operand(const Flow& flow, const PortFlit& head, std::uint8_t vc) const {
  for (const PortId input : flow.inputs) {
    const std::uint32_t port = index(input);
    const PortFlit* operand = buffer(port, vc).next_head();
    if (operand == nullptr || operand->setting != head.setting) return port;
    WEFT_CHECK(operand->packet_flits == head.packet_flits,
               fmt::format("{}: packets of flow '{}' differ in length: {} flits at port {}, {} at port {}", net_.name(),
                           flow.name, head.packet_flits, index(flow.inputs.front()), operand->packet_flits, port));
    WEFT_CHECK(operand->match == head.match,
               fmt::format("{}: the operands of flow '{}' at ports {} and {} do not belong together: its members must "
                           "send in one order",
                           net_.name(), flow.name, index(flow.inputs.front()), port));
    if (!packet_here(port, vc, *operand)) return port;
  }
  return kNoPort;
}

/// A port sends one packet at a time. Where operands wait for others in the stages, the next packet of the traffic
/// class may start at the ports that are through already.
bool FredSwitch::streams_open(const ElasticDatapath& datapath, std::uint8_t vc, Cycle now) {
  const DatapathPlan& plan = datapath.plan();
  const auto idle = [this](std::uint8_t port) { return streams_[port].datapath == nullptr; };
  if (std::all_of(plan.inputs.begin(), plan.inputs.end(), idle)) return true;
  if (!plan.skewed) return false;
  const bool mine = std::all_of(plan.inputs.begin(), plan.inputs.end(), [&](std::uint8_t port) {
    const Stream& stream = streams_[port];
    return idle(port) || (stream.datapath == &datapath && stream.vc == vc && stream.next_flits == 0);
  });
  if (!mine) return false;
  timed_ = true;
  return running(datapath)->next_start <= now;
}

FredSwitch::Running* FredSwitch::running(const ElasticDatapath& datapath) {
  const auto found =
      std::find_if(running_.begin(), running_.end(), [&](const Running& each) { return each.datapath == &datapath; });
  return found == running_.end() ? nullptr : &*found;
}

bool FredSwitch::output_open(std::uint32_t port, std::uint8_t vc, std::uint32_t flits) const {
  return wormhole() || (credits_seen(slot(port, vc)) >= flits && room_seen(port) >= flits);
}

/// Whether the last wire to `output` is free for a unicast that starts now.
bool FredSwitch::end_free(PortId output, Cycle now) {
  const auto free = [&](std::uint32_t channel, std::uint32_t entry) {
    return wire_free(channel, entry, kUnicasts, now);
  };
  if (unicasts_.ends_free(output, free)) return true;
  timed_ = true;
  return false;
}

/// Finds a route to `output` for a unicast, whose packet starts now. Returns false if there is none, or if the output
/// has no room or no credits for the packet.
bool FredSwitch::find_route(Candidate& candidate, std::uint8_t output, Cycle now) {
  if (!output_open(output, candidate.vc, candidate.flits)) return false;
  candidate.output = PortId{output};
  candidate.route = routes_.size();
  const auto free = [&](std::uint32_t channel, std::uint32_t entry) {
    return wire_free(channel, entry, kUnicasts, now);
  };
  if (unicasts_.find(candidate.input, candidate.output, free, &routes_)) return true;
  WEFT_CHECK(!routes_exist() || !unicasts_.ends_free(candidate.output, free),
             fmt::format("{}: no route is free from port {} to port {}, although nothing but unicasts passes",
                         net_.name(), index(candidate.input), output));
  candidate.route = kNoRoute;
  timed_ = true;
  return false;
}

/// Whether a unicast can pass now. Packets that have started since its route was found have only taken wires, so that
/// its route is still the first free one, unless they have taken one of its own: then it gets another route.
bool FredSwitch::has_route(Candidate& candidate, Cycle now) {
  if (candidate.route == kNoRoute) return find_route(candidate, index(candidate.output), now);
  if (!started_any_) return true;
  if (!output_open(index(candidate.output), candidate.vc, candidate.flits)) return false;
  const WireUse* const wires = &routes_[candidate.route];
  const bool free = std::all_of(wires, wires + unicasts_.length(),
                                [&](WireUse use) { return wire_free(use.channel, use.entry, kUnicasts, now); });
  return free || find_route(candidate, index(candidate.output), now);
}

/// Packets of one datapath follow each other anyway.
bool FredSwitch::datapath_free(const ElasticDatapath& datapath, std::uint32_t setting, Cycle now) const {
  const auto& uses = datapath.plan().uses;
  return std::all_of(uses.begin(), uses.end(), [&](WireUse use) {
    return wires_[use.channel].owner == &datapath || wire_free(use.channel, use.entry, setting, now);
  });
}

/// Flits that take their credits when they leave have to be of one traffic class: data and barriers of one group have
/// one flow.
bool FredSwitch::carries(const ElasticDatapath& datapath, std::uint8_t vc) {
  if (!wormhole()) return true;
  const Running* under_way = running(datapath);
  return under_way == nullptr || under_way->vc == vc;
}

}  // namespace weft::fred
