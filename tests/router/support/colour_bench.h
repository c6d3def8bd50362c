// SPDX-License-Identifier: Apache-2.0
// Two routers with set-up routes and nothing around them: inputs send by chance what they have credits for, outputs
// give credits back by chance. With copies that part at a turn, merges of two and three flows, positions that take
// turns and a link that two colours share.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/random.h"
#include "base/state_form.h"
#include "router/colour/colour_plane.h"
#include "router/router_state.h"

namespace weft::router::test {

/// Routers 0 and 1 of the plane are nodes 5 and 6 of a mesh of 4 x 3, side by side. Each message is a packet of two
/// flits; packets are of one of two sources, by chance.
class ColourBench final : public LocalSide, public BorderSide {
 public:
  explicit ColourBench(bool counts)
      : counts_(counts),
        plane_(RegionParameters{fabric(), kRectangle, 1, 1, true, true, 0, false, &plan()}, Grid(fabric())) {
    plane_.connect({this, this, &pool_, nullptr, nullptr, &inside_, &moved_, counts ? statistics_.data() : nullptr,
                    counts ? waits_.data() : nullptr});
  }

  ColourPlane& plane() { return plane_; }
  PacketPool& pool() { return pool_; }
  /// The next cycle.
  Cycle now() const { return now_; }

  /// One cycle. Each input of those in the set `active` sends with a chance of `send` eighths, each output gives a
  /// credit back with one of `back`.
  void step(std::uint64_t random, unsigned active, unsigned send, unsigned back) {
    const auto happens = [&](std::size_t which, unsigned chance) { return (random >> 3 * which & 7) < chance; };
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if ((active >> i & 1) != 0 && inputs_[i].credits > 0 && happens(i, send)) {
        this->send(inputs_[i], static_cast<std::uint32_t>(random >> (40 + i) & 1));
      }
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      Output& output = outputs_[i];
      if (output.owed == 0 || !happens(inputs_.size() + i, back)) continue;
      --output.owed;
      plane_.receive_credit(output.router, output.port, colour_vc(output.colour), now_ + 2);
    }
    plane_.step(now_);
    std::sort(events_.begin() + static_cast<std::ptrdiff_t>(seen_),
              events_.end());  // within a cycle they have no order
    note_waits();
    seen_ = events_.size();
    ++now_;
  }

  /// Gives `form` the state of the plane. What its surroundings know follows from that, but for whether an NPU is in
  /// the middle of a packet.
  void put_state(StateForm& form) {
    plane_.put_state(form);
    for (Input& input : inputs_) {
      if (input.port != kLocal) continue;
      form.same(std::uint64_t{input.in_packet});
      if (input.in_packet) form.packet(pool_, input.packet);
    }
    if (!counts_) return;
    for (PortStatistics& port : statistics_) port.put_state(form);
  }

  /// What has happened since this was asked last: flits and credits out of the plane, claimed outputs and waits.
  std::vector<std::uint64_t> take_events() {
    for (std::size_t i = 0; i < statistics_.size(); ++i) {
      PortMeter(statistics_[i], waits_[i]).count_to(now_);
      events_.insert(events_.end(), {statistics_[i].flits, statistics_[i].stall_cycles, waits_[i].lost_arbitration,
                                     waits_[i].waiting_operand});
      statistics_[i].flits = statistics_[i].stall_cycles = 0;
      waits_[i] = WaitCycles();
    }
    seen_ = 0;
    std::vector<std::uint64_t> events;
    events.swap(events_);
    return events;
  }

  void eject(std::uint32_t router, VcId vc, Flit flit, Cycle at) override {
    const Packet& packet = pool_[flit.packet()];
    leave(router, kLocal, vc, flit.head(), flit.tail(), std::uint64_t{index(packet.src)} << 16 | packet.hops, at);
    if (flit.tail()) pool_.release(flit.packet());
  }
  void send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) override {
    leave(port / kMeshPorts, PortId{static_cast<std::uint8_t>(port % kMeshPorts)}, flit.vc, flit.head, flit.tail,
          flit.head ? std::uint64_t{index(flit.packet.src)} << 16 | flit.packet.hops : 0, at);
  }
  void credit(std::uint32_t router, VcId vc, Cycle at) override { credit_comes(router, kLocal, vc, at); }
  void send_credit(std::uint32_t port, VcId vc, Cycle at) override {
    credit_comes(port / kMeshPorts, PortId{static_cast<std::uint8_t>(port % kMeshPorts)}, vc, at);
  }

 private:
  static constexpr Rectangle kRectangle{1, 1, 2, 1};
  static constexpr unsigned kDepth = 3;
  struct Input {
    std::uint32_t router;
    PortId port;
    std::uint8_t colour;
    unsigned credits = kDepth;
    bool in_packet = false;  ///< its head has been sent, its tail has not
    PacketIndex packet = 0;
  };
  struct Output {
    std::uint32_t router;
    PortId port;
    std::uint8_t colour;
    unsigned owed = 0;  ///< credits of flits that have left
  };

  static const FabricSpec& fabric() {
    static const FabricSpec made = [] {
      FabricSpec fabric;
      fabric.size_x = 4;
      fabric.size_y = 3;
      fabric.router.colours = 2;
      fabric.router.buffer_flits = kDepth;
      fabric.router.turn_cycles = 2;
      fabric.router.merge_cycles = 2;
      fabric.link.latency_cycles = 2;
      return fabric;
    }();
    return made;
  }
  static const ColourPlan& plan() {
    static const ColourPlan made = [] {
      constexpr std::uint8_t kE = 1, kW = 2, kN = 4, kS = 8, kL = 16;
      ColourPlan plan;
      const auto stop = [&plan](std::uint32_t node, std::uint8_t colour, const std::vector<ColourPosition>& positions) {
        plan.stops.push_back({NodeId{node}, colour, static_cast<std::uint32_t>(plan.positions.size()),
                              static_cast<std::uint32_t>(positions.size())});
        plan.positions.insert(plan.positions.end(), positions.begin(), positions.end());
      };
      stop(2, 0, {{kN, kL}});
      stop(5, 0, {{kW, kE | kN | kL, false, 2}, {kL, kE}});
      stop(5, 1, {{kL | kW | kN, kE, true, 2}});
      stop(6, 0, {{kW, kL | kS}});
      stop(6, 1, {{kW | kL, kE, true}, {kN, kE}});
      stop(7, 1, {{kW, kL}});
      stop(9, 0, {{kS, kL}});
      return plan;
    }();
    return made;
  }

  void send(Input& input, std::uint32_t source) {
    --input.credits;
    const bool head = !input.in_packet;
    input.in_packet = head;
    Packet packet;
    packet.src = NodeId{source};
    packet.flits = 2;
    packet.bytes = 64;
    packet.message_bytes = 64;
    const VcId vc = colour_vc(input.colour);
    if (input.port != kLocal)
      return plane_.receive_flit(input.router, input.port, {vc, head, !head, packet}, now_, now_ + 2);
    if (head) {
      input.packet = pool_.allocate();
      pool_[input.packet] = packet;
    }
    ++inside_;
    plane_.receive(input.router, kLocal, vc, Flit(input.packet, head, !head), now_ + 2);
  }
  template <typename Ends>
  static auto& find(Ends& ends, std::uint32_t router, PortId port, VcId vc) {
    const auto is_it = [&](const auto& end) {
      return end.router == router && end.port == port && end.colour == colour_of(vc);
    };
    const auto found = std::find_if(ends.begin(), ends.end(), is_it);
    WEFT_CHECK(found != ends.end(), "something leaves a bench where nothing is connected");
    return *found;
  }
  void leave(std::uint32_t router, PortId port, VcId vc, bool head, bool tail, std::uint64_t of_packet, Cycle at) {
    ++find(outputs_, router, port, vc).owed;
    note(1, router, port, vc, of_packet << 2 | std::uint64_t{head} << 1 | std::uint64_t{tail}, at);
  }
  void credit_comes(std::uint32_t router, PortId port, VcId vc, Cycle at) {
    ++find(inputs_, router, port, vc).credits;
    note(2, router, port, vc, 0, at);
  }
  void note(std::uint64_t kind, std::uint32_t router, PortId port, VcId vc, std::uint64_t what, Cycle at) {
    events_.push_back(kind << 60 | (at - now_) << 50 | std::uint64_t{router} << 44 | std::uint64_t{index(port)} << 40 |
                      std::uint64_t{index(vc)} << 32 | what);
  }
  void note_waits() {
    for (std::uint32_t router = 0; router < 2; ++router) {
      std::uint64_t all = plane_.claimed(router);
      for (int port = 0; port < kMeshPorts; ++port) all = all << 8 | plane_.waits(router, port);
      events_.push_back(all);
    }
  }

  bool counts_;
  PacketPool pool_;
  std::uint64_t inside_ = 0;
  std::uint64_t moved_ = 0;
  std::array<PortStatistics, std::size_t{2} * kMeshPorts> statistics_{};
  std::array<WaitCycles, std::size_t{2} * kMeshPorts> waits_{};
  ColourPlane plane_;
  std::array<Input, 7> inputs_{
      {{0, kWest, 0}, {0, kLocal, 0}, {0, kLocal, 1}, {0, kWest, 1}, {0, kNorth, 1}, {1, kLocal, 1}, {1, kNorth, 1}}};
  std::array<Output, 5> outputs_{{{0, kNorth, 0}, {0, kLocal, 0}, {1, kLocal, 0}, {1, kSouth, 0}, {1, kEast, 1}}};
  std::vector<std::uint64_t> events_;
  std::size_t seen_ = 0;  ///< events of earlier cycles
  Cycle now_ = 0;
};

}  // namespace weft::router::test
