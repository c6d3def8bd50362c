// SPDX-License-Identifier: Apache-2.0
// Set-up, borders, reports and checks of the colours of a region.
#include "router/colour/colour_plane.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/prefetch.h"
#include "base/random.h"
#include "router/alloc/round_robin.h"
#include "router/router_state.h"

namespace weft::router {
namespace {

/// Order of the operands of a merge.
constexpr std::uint8_t kMergeOrder[kMeshPorts] = {index(kLocal), index(kEast), index(kWest), index(kNorth),
                                                  index(kSouth)};

int ports_in(std::uint8_t mask) { return __builtin_popcount(mask); }

bool turns_somewhere(const ColourPosition& position, int input) {
  bool turns = false;
  for_each_bit(std::uint32_t{position.outputs}, [&](int output) {
    turns |= is_turn(PortId{static_cast<std::uint8_t>(input)}, PortId{static_cast<std::uint8_t>(output)});
  });
  return turns;
}

}  // namespace

// ---- set-up

ColourPlane::ColourPlane(const RegionParameters& parameters, const Grid& grid)
    : grid_(grid),
      rectangle_(parameters.rectangle),
      depth_(static_cast<unsigned>(parameters.fabric.router.buffer_flits)),
      turn_cycles_(parameters.fabric.router.turn_cycles),
      merge_cycles_(parameters.fabric.router.merge_cycles),
      stage_room_(parameters.fabric.router.merge_cycles + 1),
      sleep_(parameters.sleep),
      shuffle_(parameters.shuffle) {
  const FabricSpec& fabric = parameters.fabric;
  check_colour_plan(*parameters.colours, fabric);
  const LinkSpec* const links[] = {&fabric.link, &fabric.link_along_y(), &fabric.local};
  for (int kind = 0; kind < 3; ++kind) {
    credit_delay_[kind] = links[kind]->latency_cycles;
    flit_delay_[kind] = links[kind]->latency_cycles + (kind < 2 ? fabric.router.hop_cycles : 0);
  }
  positions_ = parameters.colours->positions;
  routers_.resize(static_cast<std::size_t>(rectangle_.width) * static_cast<std::size_t>(rectangle_.height));
  const std::vector<ColourStop>& stops = parameters.colours->stops;
  stops_.reserve(stops.size());
  stop_colours_.reserve(stops.size());
  for (const ColourStop& stop : stops) {
    const Coordinates at = grid_.coordinates(stop.node);
    const bool here = at.x >= rectangle_.x && at.x < rectangle_.x + rectangle_.width && at.y >= rectangle_.y &&
                      at.y < rectangle_.y + rectangle_.height;
    if (!here) continue;
    const int router = (at.y - rectangle_.y) * rectangle_.width + at.x - rectangle_.x;
    add_stop(stop, static_cast<std::uint32_t>(router), *parameters.colours);
  }
  join_stops();
  large_ = stops_.size() >= kFetchFrom;
}

void ColourPlane::add_stop(const ColourStop& stop, std::uint32_t router, const ColourPlan& plan) {
  Stop fresh;
  fresh.router = router;
  fresh.colour = stop.colour;
  fresh.first_position = stop.first;
  fresh.positions = static_cast<std::uint16_t>(stop.count);
  fresh.messages_left = plan.positions[stop.first].messages;
  fresh.queue_slots = static_cast<std::uint32_t>(flits_.size());
  std::fill(std::begin(fresh.beside), std::end(fresh.beside), kOutside);
  std::fill(std::begin(fresh.queue_of), std::end(fresh.queue_of), kNoQueue);
  std::uint8_t inputs = 0;
  std::size_t stages = 0;
  for (std::uint32_t i = 0; i < stop.count; ++i) {
    const ColourPosition& position = plan.positions[stop.first + i];
    inputs |= position.inputs;
    fresh.outputs |= position.outputs;
    if (position.merge) stages = std::max(stages, last_stage(position) + 1);
    for_each_bit(std::uint32_t{position.inputs}, [&](int input) {
      if (turn_cycles_ > 0 && turns_somewhere(position, input)) {
        fresh.turns = static_cast<std::uint8_t>(fresh.turns | 1U << input);
      }
    });
  }
  std::uint8_t queues = 0;
  for_each_bit(std::uint32_t{inputs}, [&](int input) { fresh.queue_of[input] = queues++; });
  for_each_bit(std::uint32_t{fresh.outputs},
               [&](int output) { fresh.credits[output] = CreditCount<std::uint16_t>(depth_); });
  flits_.resize(flits_.size() + std::size_t{queues} * depth_);
  if (stages > 0) {
    fresh.merger = static_cast<std::uint32_t>(mergers_.size());
    mergers_.emplace_back();
    mergers_.back().stages.resize(stages);
  }
  RouterEntry& entry = routers_[router];
  if (entry.stops++ == 0) entry.first = static_cast<std::uint32_t>(stops_.size());
  stops_.push_back(fresh);
  stop_colours_.push_back(fresh.colour);
}

// Finds for each stop the stops of its colour beside it, where they are in this region.
void ColourPlane::join_stops() {
  for (Stop& stop : stops_) {
    const Coordinates here = grid_.coordinates(node_of(stop.router));
    for (std::uint8_t port = 0; port < 4; ++port) {
      Coordinates there{};
      if (!grid_.neighbour(here, PortId{port}, &there)) continue;
      const bool inside = there.x >= rectangle_.x && there.x < rectangle_.x + rectangle_.width &&
                          there.y >= rectangle_.y && there.y < rectangle_.y + rectangle_.height;
      if (!inside) continue;
      stop.beside[port] =
          find(static_cast<std::uint32_t>((there.y - rectangle_.y) * rectangle_.width + there.x - rectangle_.x),
               stop.colour);
    }
  }
}

std::uint32_t ColourPlane::find(std::uint32_t router, std::uint8_t colour) const {
  const RouterEntry& entry = routers_[router];
  for (std::uint32_t i = 0; i < entry.stops; ++i) {
    if (stop_colours_[entry.first + i] == colour) return entry.first + i;
  }
  return kNoStop;
}

std::uint8_t ColourPlane::merge_input(const ColourPosition& position, std::size_t which) {
  for (const std::uint8_t port : kMergeOrder) {
    if ((position.inputs >> port & 1) != 0 && which-- == 0) return port;
  }
  violation("a merge has fewer inputs than its stages need");
}

std::size_t ColourPlane::last_stage(const ColourPosition& position) {
  return static_cast<std::size_t>(ports_in(position.inputs)) - 2;
}

// ---- links

std::uint32_t ColourPlane::need(std::uint32_t router, VcId vc) const {
  const std::uint32_t stop = find(router, colour_of(vc));
  if (stop == kNoStop) {
    const Coordinates at = grid_.coordinates(node_of(router));
    violation(fmt::format("a flit of colour {} came to router [{},{}], which has no route for it", colour_of(vc), at.x,
                          at.y));
  }
  return stop;
}

void ColourPlane::receive(std::uint32_t router, PortId port, VcId vc, Flit flit, Cycle at) {
  arriving_.push(at, {need(router, vc), flit, index(port)});
}

void ColourPlane::receive_credit(std::uint32_t router, PortId port, VcId vc, Cycle at) {
  credits_.push(at, {need(router, vc), index(port)});
}

void ColourPlane::receive_flit(std::uint32_t router, PortId port, const FlitTransfer& flit, Cycle now, Cycle at) {
  const std::uint64_t key = std::uint64_t{need(router, flit.vc)} << 3 | index(port);
  WEFT_CHECK(at > now, "a flit crossed a border into the past");
  if (flit.head) {
    const PacketIndex packet = around_.pool->allocate();
    (*around_.pool)[packet] = flit.packet;
    border_packets_[key] = packet;
  }
  const auto entry = border_packets_.find(key);
  WEFT_CHECK(entry != border_packets_.end(), "a body flit crossed a border without its head");
  ++*around_.inside;
  receive(router, port, flit.vc, Flit(entry->second, flit.head, flit.tail), at);
  if (flit.tail) border_packets_.erase(entry);
}

Cycle ColourPlane::next_work(Cycle now) const {
  if (!to_visit_.empty()) return now + 1;
  return std::min({arriving_.next_after(now), credits_.next_after(now), turning_.next_after(now)});
}

// ---- reports and checks

NodeId ColourPlane::node_of(std::uint32_t router) const {
  const int number = static_cast<int>(router);
  return grid_.node({rectangle_.x + number % rectangle_.width, rectangle_.y + number / rectangle_.width});
}

std::string ColourPlane::name(const Stop& stop) const {
  const Coordinates at = grid_.coordinates(node_of(stop.router));
  return fmt::format("router [{},{}], colour {}", at.x, at.y, stop.colour);
}

Waiting ColourPlane::describe(const Stop& stop, std::uint8_t port) const {
  const ColourPosition& position = current(stop);
  const Packet& packet = (*around_.pool)[front(stop, port).packet()];
  Waiting waiting;
  waiting.router = node_of(stop.router);
  waiting.in = PortId{port};
  waiting.vc = colour_vc(stop.colour);
  waiting.packet = {packet.src, packet.sequence};
  waiting.dst = packet.dst;
  const auto names = [](std::uint32_t ports) {
    std::string text;
    for_each_bit(ports, [&](int each) {
      text += (text.empty() ? "" : ", ") + std::string(port_name(PortId{static_cast<std::uint8_t>(each)}));
    });
    return text;
  };
  if ((position.inputs >> port & 1) == 0) {
    waiting.reason = fmt::format("its turn: the route serves input {} for {} more message{}", names(position.inputs),
                                 stop.messages_left, stop.messages_left == 1 ? "" : "s");
    return waiting;
  }
  std::uint32_t missing = 0;
  for_each_bit(std::uint32_t{position.inputs}, [&](int input) {
    if (stop.queues[input].ready == 0) missing |= 1U << input;
  });
  std::uint32_t full = 0;
  for_each_bit(std::uint32_t{position.outputs}, [&](int output) {
    if (stop.credits[output].left() == 0) full |= 1U << output;
  });
  if (full != 0) {
    waiting.reason = fmt::format("a credit of output {}", names(full));
  } else if (position.merge && missing != 0) {
    waiting.reason = fmt::format("an operand from input {}", names(missing));
  } else {
    waiting.reason = "its link";
  }
  return waiting;
}

void ColourPlane::add_waiting(std::size_t limit, std::vector<Waiting>& all) const {
  for (const Stop& stop : stops_) {
    for (std::uint8_t port = 0; port < kMeshPorts && all.size() < limit; ++port) {
      if (stop.queues[port].flits > 0) all.push_back(describe(stop, port));
    }
  }
}

void ColourPlane::require_empty() const {
  WEFT_CHECK(arriving_.empty() && credits_.empty() && turning_.empty(),
             "flits or credits of colours are left on links at the end");
  for (const Stop& stop : stops_) {
    for (int port = 0; port < kMeshPorts; ++port) {
      WEFT_CHECK(stop.queues[port].flits == 0, "a queue is not empty at the end: " + name(stop));
      WEFT_CHECK(stop.queues[port].ahead == 0 && stop.queues[port].early == 0,
                 "copies of a flit have not all left at the end: " + name(stop));
      const bool used = (stop.outputs >> port & 1) != 0;
      stop.credits[port].require_home(used ? depth_ : 0, [&] { return name(stop); });
    }
    WEFT_CHECK(stop.position == 0 && stop.messages_left == current(stop).messages,
               "a route has not seen all of its messages at the end: " + name(stop));
    if (stop.merger == kNoStop) continue;
    for (const auto& stage : mergers_[stop.merger].stages) {
      WEFT_CHECK(stage.empty(), "a merge still holds a result at the end: " + name(stop));
    }
  }
}

std::uint64_t ColourPlane::state_hash(Cycle now) const {
  const auto flit_hash = [&](Flit flit) {
    const Packet& packet = (*around_.pool)[flit.packet()];
    const std::uint64_t hash = mix64(index(packet.src) * 0x100000001b3ULL + packet.sequence);
    return mix64(hash ^ (packet.offset << 2) ^ (flit.head() ? 1U : 0U) ^ (flit.tail() ? 2U : 0U));
  };
  const auto stop_port_hash = [&](std::uint32_t number, std::uint8_t port) {
    const Stop& stop = stops_[number];
    return mix64((std::uint64_t{index(node_of(stop.router))} << 8 | stop.colour) * 8 + port);
  };
  std::uint64_t sum = 0;
  for (const Stop& stop : stops_) {
    std::uint64_t hash = mix64(std::uint64_t{index(node_of(stop.router))} << 8 | stop.colour);
    const auto add = [&](std::uint64_t value) { hash = mix64(hash ^ value) + 0x9e3779b97f4a7c15ULL; };
    add(stop.position);
    add(stop.messages_left);
    add(stop.messages_ahead);
    for (std::uint8_t port = 0; port < kMeshPorts; ++port) {
      const Queue& queue = stop.queues[port];
      add(std::uint64_t{queue.flits} << 32 | std::uint64_t{queue.ready} << 16 | stop.credits[port].left());
      add(std::uint64_t{queue.ahead} << 16 | queue.early);
      for (unsigned i = 0; i < queue.flits; ++i) {
        add(flit_hash(flits_[stop.queue_slots + std::size_t{stop.queue_of[port]} * depth_ + queue.slot(i, depth_)]));
      }
    }
    if (stop.merger != kNoStop) {
      const Merger& merger = mergers_[stop.merger];
      add(merger.messages_in);
      for (const auto& stage : merger.stages) {
        for (std::size_t i = 0; i < stage.size(); ++i) {
          add(flit_hash(stage[i].flit) + (stage[i].at > now ? stage[i].at - now : 0));
        }
      }
    }
    sum += hash;
  }
  for (std::uint32_t router = 0; router < routers_.size(); ++router) {
    if (routers_[router].next != 0) sum += mix64(std::uint64_t{index(node_of(router))} << 16 | routers_[router].next);
  }
  const auto add_flits = [&](Cycle ahead, const FlitArrival& arrival) {
    sum += mix64(ahead * 0x100000001b3ULL ^ stop_port_hash(arrival.stop, arrival.port) ^ flit_hash(arrival.flit));
  };
  arriving_.for_each(now, add_flits);
  turning_.for_each(now, add_flits);
  credits_.for_each(now, [&](Cycle ahead, const CreditArrival& credit) {
    sum += mix64(ahead * 0x1000193ULL ^ stop_port_hash(credit.stop, credit.port));
  });
  return sum;
}

std::size_t ColourPlane::bytes() const {
  return stops_.size() * sizeof(Stop) + routers_.size() * sizeof(RouterEntry) + flits_.size() * sizeof(Flit);
}

}  // namespace weft::router
