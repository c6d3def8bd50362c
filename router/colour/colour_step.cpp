// SPDX-License-Identifier: Apache-2.0
// One cycle of the colours of a region: arrivals, merges, departures. Read from `step` downwards.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/prefetch.h"
#include "base/random.h"
#include "router/alloc/round_robin.h"
#include "router/colour/colour_plane.h"
#include "router/router_state.h"

namespace weft::router {
namespace {

constexpr int kind(int port) { return port / 2; }
/// The outputs of `outputs` that are a turn for what comes in by `input`.
constexpr std::uint8_t turning_outputs(int input, std::uint8_t outputs) {
  if (input >= index(kLocal)) return 0;
  return static_cast<std::uint8_t>(outputs & (input < 2 ? 0b01100U : 0b00011U));
}
constexpr std::uint64_t stop_port_key(std::uint32_t stop, std::uint8_t port) { return std::uint64_t{stop} << 3 | port; }

}  // namespace

void ColourPlane::step(Cycle now) {
  for (const std::uint32_t router : claimed_) routers_[router].claimed = 0;
  claimed_.clear();
  const EventList<CreditArrival>& credits = credits_.at(now);
  for (std::size_t i = 0; i < credits.size(); ++i) {
    fetch_stop(credits, i);
    const CreditArrival& credit = credits[i];
    Stop& stop = stops_[credit.stop];
    stop.credits[credit.port].give_back(depth_, [this, &stop] { return name(stop); });
    if (around_.probe != nullptr) {
      around_.probe->credit_returned(now, output_link(node_of(stop.router), PortId{credit.port}),
                                     colour_vc(stop.colour), stop.credits[credit.port].left());
    }
    if ((stop.blocked >> credit.port & 1) != 0) {
      stop.blocked = static_cast<std::uint8_t>(stop.blocked & ~(1U << credit.port));
      if (around_.statistics != nullptr) meter(stop.router, credit.port).unblock(now);
    }
    queue(stop.router);
  }
  credits_.clear(now);
  for (const FlitArrival& turned : turning_.at(now)) {
    Queue& turned_queue = stops_[turned.stop].queues[turned.port];
    if (turned_queue.early > 0) {
      --turned_queue.early;
    } else {
      ++turned_queue.ready;
    }
    queue(stops_[turned.stop].router);
  }
  turning_.clear(now);
  const EventList<FlitArrival>& arrivals = arriving_.at(now);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    fetch_stop(arrivals, i);
    if (large_ && i + kFetchAhead < arrivals.size()) fetch_packet(arrivals[i + kFetchAhead].flit);
    arrive(arrivals[i], now);
  }
  arriving_.clear(now);
  if (!sleep_) {
    for (std::uint32_t router = 0; router < routers_.size(); ++router) queue(router);
  }
  visiting_.clear();
  std::swap(visiting_, to_visit_);
  if (shuffle_ != 0) shuffle_visits(now);
  for (std::size_t i = 0; i < visiting_.size(); ++i) {
    if (large_) fetch_router(i);
    routers_[visiting_[i]].queued = false;
    visit(visiting_[i], now);
  }
}

template <typename Arrival>
void ColourPlane::fetch_stop(const EventList<Arrival>& arrivals, std::size_t position) const {
  if (!large_ || position + kFetchAhead >= arrivals.size()) return;
  fetch_lines(&stops_[arrivals[position + kFetchAhead].stop], sizeof(Stop));
}

void ColourPlane::shuffle_visits(Cycle now) {
  for (std::size_t i = visiting_.size(); i > 1; --i) {
    std::swap(visiting_[i - 1], visiting_[random_bits(shuffle_, now, i) % i]);
  }
}

bool ColourPlane::parts(const Stop& stop) const {
  if (stop.turns == 0) return false;
  const ColourPosition& position = current(stop);
  if (position.merge) return false;
  const std::uint8_t turning = turning_outputs(lowest_bit(std::uint32_t{position.inputs}), position.outputs);
  return turning != 0 && turning != position.outputs;
}

std::uint8_t ColourPlane::outputs_of(const Stop& stop, Part part) const {
  const ColourPosition& position = current(stop);
  if (part == Part::kAll) return position.outputs;
  const std::uint8_t turning = turning_outputs(lowest_bit(std::uint32_t{position.inputs}), position.outputs);
  return part == Part::kTurning ? turning : static_cast<std::uint8_t>(position.outputs & ~turning);
}

void ColourPlane::arrive(const FlitArrival& arrival, Cycle now) {
  Stop& stop = stops_[arrival.stop];
  WEFT_CHECK(stop.queue_of[arrival.port] != kNoQueue,
             fmt::format("a flit came in by {}, which is no input of its colour: {}", port_name(PortId{arrival.port}),
                         name(stop)));
  Queue& queue = stop.queues[arrival.port];
  slot(stop, arrival.port, queue.push(depth_, 0, [this, &stop] { return name(stop); })) = arrival.flit;
  if (arrival.flit.head()) ++(*around_.pool)[arrival.flit.packet()].hops;
  if ((stop.turns >> arrival.port & 1) != 0) {
    turning_.push(now + turn_cycles_, arrival);
  } else {
    ++queue.ready;
  }
  this->queue(stop.router);
}

void ColourPlane::queue(std::uint32_t router) {
  RouterEntry& entry = routers_[router];
  if (entry.queued) return;
  entry.queued = true;
  to_visit_.push_back(router);
}

// Stops are served round-robin: the one after the last that sent asks first.
void ColourPlane::visit(std::uint32_t router, Cycle now) {
  RouterEntry& entry = routers_[router];
  Visit visit;
  bool merged = false;
  bool again = false;
  unsigned next = entry.next;
  for (unsigned i = 0; i < entry.stops; ++i) {
    unsigned number = entry.next + i;
    if (number >= entry.stops) number -= entry.stops;
    Stop& stop = stops_[entry.first + number];
    const bool first = visit.claimed == 0;
    if (parts(stop)) {
      again |= serve(entry.first + number, Part::kTurning, visit, now);
      // That may have been the position's last flit.
      if (parts(stop)) again |= serve(entry.first + number, Part::kStraight, visit, now);
    } else {
      again |= serve(entry.first + number, Part::kAll, visit, now);
    }
    if (first && visit.claimed != 0) next = number + 1;
    if (stop.positions > 1) note_lost_positions(stop, visit);
    if (stop.merger == kNoStop) continue;
    // The adder is shared by all colours of the router; what is in its pipeline comes out later.
    if (!merged) merged = merge(stop, now);
    for (const auto& stage : mergers_[stop.merger].stages) again |= !stage.empty() && stage.front().at > now;
    again |= merged;
    note_merge(stop, visit, now);
  }
  if (visit.claimed != 0) {
    entry.next = static_cast<std::uint8_t>(next < entry.stops ? next : 0);
    entry.claimed = static_cast<std::uint8_t>(visit.claimed);
    claimed_.push_back(router);
  }
  note_waits(router, visit, now);
  if (again) queue(router);
}

// Sends a flit of this part if its outputs are free and have credits. Returns whether to ask again in the next cycle.
bool ColourPlane::serve(std::uint32_t number, Part part, Visit& visit, Cycle now) {
  Stop& stop = stops_[number];
  if (!part_ready(stop, part, now)) return false;
  const std::uint8_t outputs = outputs_of(stop, part);
  if ((visit.claimed & outputs) != 0) {
    visit.lost |= outputs;
    return true;
  }
  if (!has_credits(stop, outputs, now)) {
    visit.held |= outputs;
    return false;
  }
  visit.claimed |= outputs;
  if (part == Part::kStraight) {
    send_ahead(number, now);
  } else {
    send(number, part, now);
  }
  return true;
}

bool ColourPlane::part_ready(const Stop& stop, Part part, Cycle now) const {
  const ColourPosition& position = current(stop);
  if (position.merge) {
    const auto& results = mergers_[stop.merger].stages[last_stage(position)];
    return !results.empty() && results.front().at <= now;
  }
  const int input = lowest_bit(std::uint32_t{position.inputs});
  const Queue& queue = stop.queues[input];
  if (part == Part::kStraight) return queue.flits > queue.ahead && stop.messages_ahead < stop.messages_left;
  if (part == Part::kTurning) return queue.ready > 0 && queue.ahead > 0;
  return turning_outputs(input, position.outputs) != 0 ? queue.ready > 0 : queue.flits > 0;
}

// Whether all outputs have a credit; those without count as stalled until one comes.
bool ColourPlane::has_credits(Stop& stop, std::uint8_t outputs, Cycle now) {
  bool all = true;
  for_each_bit(std::uint32_t{outputs}, [&](int port) {
    if (stop.credits[port].left() > 0) return;
    all = false;
    if ((stop.blocked >> port & 1) != 0) return;
    stop.blocked = static_cast<std::uint8_t>(stop.blocked | 1U << port);
    if (around_.statistics != nullptr) meter(stop.router, port).block(now);
  });
  return all;
}

// ---- merging

bool ColourPlane::merge(Stop& stop, Cycle now) {
  const ColourPosition& position = current(stop);
  if (!position.merge) return false;
  // What is furthest on goes first, so that a result never waits for a slot.
  for (std::size_t stage = last_stage(position) + 1; stage-- > 0;) {
    if (merge_at(stop, stage, now)) return true;
  }
  return false;
}

// Stage k merges what stage k - 1 gives (for k = 0 the first input) with input k + 1.
bool ColourPlane::merge_at(Stop& stop, std::size_t stage, Cycle now) {
  const ColourPosition& position = current(stop);
  Merger& merger = mergers_[stop.merger];
  if (merger.stages[stage].size() >= stage_room_) return false;
  const std::uint8_t second = merge_input(position, stage + 1);
  if (stop.queues[second].ready == 0) return false;
  Flit operand;
  if (stage == 0) {
    const std::uint8_t first = merge_input(position, 0);
    if (stop.queues[first].ready == 0 || merger.messages_in == stop.messages_left) return false;
    operand = take(stop, first, now);
    if (ends_message(operand)) ++merger.messages_in;
  } else {
    auto& before = merger.stages[stage - 1];
    if (before.empty() || before.front().at > now) return false;
    operand = before.front().flit;
    before.pop();
  }
  merger.stages[stage].push({merged(operand, take(stop, second, now)), now + merge_cycles_});
  return true;
}

// The flit that stands for both from now on: the first one's.
Flit ColourPlane::merged(Flit first, Flit second) {
  PacketPool& pool = *around_.pool;
  Packet& into = pool[first.packet()];
  const Packet& from = pool[second.packet()];
  WEFT_CHECK(first.head() == second.head() && first.tail() == second.tail() && into.offset == from.offset &&
                 into.message_bytes == from.message_bytes && into.tag == from.tag,
             fmt::format("packets {}.{} and {}.{} meet in a merge, but are not the same part of the same message",
                         index(into.src), into.sequence, index(from.src), from.sequence));
  if (first.head()) {
    into.hops = std::max(into.hops, from.hops);
    if (around_.data != nullptr) around_.data->merged(into, from);
  }
  --*around_.inside;
  if (second.tail()) pool.release(second.packet());
  return first;
}

// ---- departure

void ColourPlane::send(std::uint32_t number, Part part, Cycle now) {
  Stop& stop = stops_[number];
  const ColourPosition& position = current(stop);
  const std::uint8_t outputs = outputs_of(stop, part);
  Flit flit;
  if (position.merge) {
    auto& results = mergers_[stop.merger].stages[last_stage(position)];
    flit = results.front().flit;
    results.pop();
  } else {
    flit = take(stop, static_cast<std::uint8_t>(lowest_bit(std::uint32_t{position.inputs})), now);
  }
  const bool message_ends = ends_message(flit);
  // The copies first: the flit itself goes to the lowest port, perhaps out of this region.
  for (std::uint32_t others = outputs & (outputs - 1U); others != 0; others &= others - 1) {
    const auto port = static_cast<std::uint8_t>(lowest_bit(others));
    put_on_link(stop, port, copy_for(number, port, flit), now);
    ++*around_.inside;
  }
  put_on_link(stop, static_cast<std::uint8_t>(lowest_bit(std::uint32_t{outputs})), flit, now);
  if (message_ends) count_message(stop);
}

// Copies that go straight on leave; the flit stays for those that turn.
void ColourPlane::send_ahead(std::uint32_t number, Cycle now) {
  Stop& stop = stops_[number];
  const auto input = static_cast<std::uint8_t>(lowest_bit(std::uint32_t{current(stop).inputs}));
  Queue& queue = stop.queues[input];
  const Flit flit = slot(stop, input, queue.slot(queue.ahead, depth_));
  ++queue.ahead;
  if (ends_message(flit)) ++stop.messages_ahead;
  for_each_bit(std::uint32_t{outputs_of(stop, Part::kStraight)}, [&](int output) {
    const auto port = static_cast<std::uint8_t>(output);
    put_on_link(stop, port, copy_for(number, port, flit), now);
    ++*around_.inside;
  });
}

// The flit of the copy that goes out by `port`. Copies have descriptors of their own, since their routes part.
Flit ColourPlane::copy_for(std::uint32_t number, std::uint8_t port, Flit flit) {
  PacketPool& pool = *around_.pool;
  const std::uint64_t key = stop_port_key(number, port);
  if (!flit.head()) {
    const auto found = copies_.find(key);
    WEFT_CHECK(found != copies_.end(), "a body flit is copied without its head: " + name(stops_[number]));
    const PacketIndex packet = found->second;
    if (flit.tail()) copies_.erase(found);
    return {packet, false, flit.tail()};
  }
  const PacketIndex packet = pool.allocate();
  pool[packet] = pool[flit.packet()];
  if (around_.data != nullptr) around_.data->copied(pool[packet]);
  if (!flit.tail()) copies_[key] = packet;
  return {packet, true, flit.tail()};
}

void ColourPlane::put_on_link(Stop& stop, std::uint8_t port, Flit flit, Cycle now) {
  stop.credits[port].take([this, &stop] { return name(stop); });
  ++*around_.moved;
  if (around_.statistics != nullptr) meter(stop.router, port).count_send(now);
  const VcId vc = colour_vc(stop.colour);
  if (around_.probe != nullptr) {
    const Packet& packet = (*around_.pool)[flit.packet()];
    around_.probe->flit_sent(now, output_link(node_of(stop.router), PortId{port}), vc, {packet.src, packet.sequence},
                             flit.head(), flit.tail(), stop.credits[port].left());
  }
  const Cycle at = now + flit_delay_[kind(port)];
  if (PortId{port} == kLocal) {
    --*around_.inside;
    around_.local->eject(stop.router, vc, flit, at);
  } else if (stop.beside[port] != kOutside) {
    arriving_.push(at, {stop.beside[port], flit, static_cast<std::uint8_t>(port ^ 1U)});
  } else {
    FlitTransfer transfer{vc, flit.head(), flit.tail(), {}};
    if (flit.head()) transfer.packet = (*around_.pool)[flit.packet()];
    if (flit.tail()) around_.pool->release(flit.packet());
    --*around_.inside;
    around_.border->send_flit(stop.router * kMeshPorts + port, transfer, at);
  }
}

// Takes the oldest flit of an input and gives its slot back.
Flit ColourPlane::take(Stop& stop, std::uint8_t port, Cycle now) {
  Queue& queue = stop.queues[port];
  const Flit flit = slot(stop, port, queue.pop(depth_, [this, &stop] { return name(stop); }));
  if (queue.ready > 0) {
    --queue.ready;
  } else {
    ++queue.early;
  }
  if (queue.ahead > 0) --queue.ahead;
  const Cycle at = now + credit_delay_[kind(port)];
  const VcId vc = colour_vc(stop.colour);
  if (PortId{port} == kLocal) {
    around_.local->credit(stop.router, vc, at);
  } else if (stop.beside[port] != kOutside) {
    credits_.push(at, {stop.beside[port], static_cast<std::uint8_t>(port ^ 1U)});
  } else {
    around_.border->send_credit(stop.router * kMeshPorts + port, vc, at);
  }
  return flit;
}

bool ColourPlane::ends_message(Flit flit) const {
  if (!flit.tail()) return false;
  const Packet& packet = (*around_.pool)[flit.packet()];
  return packet.offset + packet.bytes == packet.message_bytes;
}

// A message has passed: perhaps the next position is served now.
void ColourPlane::count_message(Stop& stop) {
  if (stop.merger != kNoStop && current(stop).merge) --mergers_[stop.merger].messages_in;
  if (stop.messages_ahead > 0) --stop.messages_ahead;
  if (--stop.messages_left > 0) return;
  if (++stop.position == stop.positions) stop.position = 0;
  stop.messages_left = current(stop).messages;
}

}  // namespace weft::router
