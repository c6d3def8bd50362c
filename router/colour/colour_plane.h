// SPDX-License-Identifier: Apache-2.0
// Set-up routes of a region: flits of a colour follow the positions of its stops. No VC is allocated, no switch where a
// link is private. One cycle is in colour_step.cpp, what waits in colour_waits.cpp, the rest in colour_plane.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/big_vector.h"
#include "base/colour_plan.h"
#include "base/credit_count.h"
#include "base/flit_ring.h"
#include "base/queue_ring.h"
#include "base/timing_wheel.h"
#include "router/region.h"

namespace weft::router {

namespace test {
struct ColourState;
}

/// What a plane shares with the region that it belongs to.
struct ColourSurroundings {
  LocalSide* local = nullptr;
  BorderSide* border = nullptr;
  PacketPool* pool = nullptr;
  FabricProbe* probe = nullptr;
  PacketData* data = nullptr;  ///< null = packets carry no data
  std::uint64_t* inside = nullptr;
  std::uint64_t* moved = nullptr;
  PortStatistics* statistics = nullptr;  ///< per router and port; null = not counted
  WaitCycles* waits = nullptr;           ///< the same
};

/// The colours of one region.
///
/// A flit that is received in cycle A leaves in A if its position serves its input, all its outputs are free of other
/// colours in this cycle and have a credit; the next router receives it in A + link latency (+ hop_cycles). A flit that
/// turns can leave `turn_cycles` later; where copies part, those that go straight on do not wait for it. Where several
/// colours want a link, they are served round-robin; flits in VCs wait for all of them. A merge takes the heads of two
/// flows, one merge per router and cycle, and gives one `merge_cycles` later; n flows are n - 1 merges, each fed by the
/// one before, in the order local, east, west, north, south.
class ColourPlane {
 public:
  /// Throws InputError for a plan that cannot work: see check_colour_plan.
  ColourPlane(const RegionParameters& parameters, const Grid& grid);

  void connect(const ColourSurroundings& surroundings) { around_ = surroundings; }
  void step(Cycle now);
  /// First cycle after `now` with work; kNever = none.
  Cycle next_work(Cycle now) const;
  /// Outputs of `router` that colours have used in the cycle of the last step, as bits.
  unsigned claimed(std::uint32_t router) const { return routers_[router].claimed; }

  /// PortWaits of an output at the end of the last step.
  std::uint8_t waits(std::uint32_t router, int port) const;
  /// Routers at which waits may have changed in the last step.
  const std::vector<std::uint32_t>& visited() const { return visiting_; }

  // Links of the region; `at` is when the router sees it, `port` the router's own.
  void receive(std::uint32_t router, PortId port, VcId vc, Flit flit, Cycle at);
  void receive_credit(std::uint32_t router, PortId port, VcId vc, Cycle at);
  void receive_flit(std::uint32_t router, PortId port, const FlitTransfer& flit, Cycle now, Cycle at);

  /// Input queues that cannot move their flit, at most `limit`.
  void add_waiting(std::size_t limit, std::vector<Waiting>& all) const;
  /// Throws ViolationError unless all queues are empty and all credits are home.
  void require_empty() const;
  std::uint64_t state_hash(Cycle now) const;
  /// Gives `form` its state.
  void put_state(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// Bytes of state of all routers.
  std::size_t bytes() const;

 private:
  friend struct test::ColourState;  // tests change single fields to see that a look has them

  static constexpr std::uint32_t kNoStop = ~std::uint32_t{0};
  static constexpr std::uint32_t kOutside = kNoStop - 1;  ///< the stop beside is in another region
  static constexpr std::uint8_t kNoQueue = 0xff;

  /// Flits that came in by one port.
  struct Queue : FlitRing<std::uint16_t> {
    std::uint16_t ready = 0;  ///< flits that are past the time of a turn
    std::uint16_t ahead = 0;  ///< the oldest flits, whose copies straight on have left
    std::uint16_t early = 0;  ///< flits that left straight on before the time of a turn was over
  };
  /// What leaves together: all copies of a flit, or first those that go straight on, then those that turn.
  enum class Part { kAll, kStraight, kTurning };
  /// A flit between two merges, or after the last.
  struct Merged {
    Flit flit;
    Cycle at;  ///< out of the pipeline
  };
  /// The merges of a stop: one less than the most inputs of its positions.
  struct Merger {
    std::vector<QueueRing<Merged>> stages;
    std::uint32_t messages_in = 0;  ///< whose first merge is done, in this position
  };
  struct Stop {
    std::uint32_t router = 0;
    std::uint32_t first_position = 0;
    std::uint16_t positions = 1;
    std::uint16_t position = 0;
    std::uint32_t messages_left = 0;
    std::uint32_t messages_ahead = 0;  ///< whose copies straight on have all left
    std::uint32_t merger = kNoStop;
    std::uint32_t queue_slots = 0;  ///< where its queues begin in flits_
    std::uint32_t beside[4];        ///< the same colour's stop across each port
    Queue queues[kMeshPorts];
    std::uint8_t queue_of[kMeshPorts];  ///< number of the port's queue, kNoQueue = the port is no input
    std::uint8_t colour = 0;
    std::uint8_t outputs = 0;  ///< outputs of all positions together
    std::uint8_t turns = 0;    ///< inputs whose flits change their dimension
    std::uint8_t blocked = 0;  ///< outputs counted as stalled
    CreditCount<std::uint16_t> credits[kMeshPorts] = {};
  };
  struct RouterEntry {
    std::uint32_t first = 0;  ///< its stops
    std::uint16_t stops = 0;
    std::uint8_t next = 0;  ///< stop that is asked first
    std::uint8_t claimed = 0;
    bool queued = false;
    // Outputs that carry nothing for these reasons, PortWaits, as bits.
    std::uint8_t lost = 0;
    std::uint8_t merging = 0;
    std::uint8_t held = 0;
  };
  /// What a visit finds: outputs, as bits.
  struct Visit {
    unsigned claimed = 0;
    unsigned lost = 0;
    unsigned merging = 0;
    unsigned held = 0;
  };
  struct FlitArrival {
    std::uint32_t stop;
    Flit flit;
    std::uint8_t port;
  };
  struct CreditArrival {
    std::uint32_t stop;
    std::uint8_t port;
  };

  void put_state(StateForm& form, Stop& stop);
  void keep(Checkpoint& checkpoint, Stop& stop);
  void add_stop(const ColourStop& stop, std::uint32_t router, const ColourPlan& plan);
  void join_stops();
  std::uint32_t find(std::uint32_t router, std::uint8_t colour) const;
  std::uint32_t need(std::uint32_t router, VcId vc) const;

  template <typename Arrival>
  void fetch_stop(const EventList<Arrival>& arrivals, std::size_t position) const;
  void fetch_router(std::size_t position) const;
  template <typename Use>
  void for_each_next(std::uint32_t router, Use use) const;
  void fetch_packet(Flit flit) const;
  void arrive(const FlitArrival& arrival, Cycle now);
  void queue(std::uint32_t router);
  void shuffle_visits(Cycle now);
  void visit(std::uint32_t router, Cycle now);
  bool serve(std::uint32_t number, Part part, Visit& visit, Cycle now);
  void note_lost_positions(const Stop& stop, Visit& visit) const;
  void note_merge(const Stop& stop, Visit& visit, Cycle now) const;
  void note_waits(std::uint32_t router, const Visit& visit, Cycle now);
  bool part_ready(const Stop& stop, Part part, Cycle now) const;
  bool has_credits(Stop& stop, std::uint8_t outputs, Cycle now);
  void send(std::uint32_t number, Part part, Cycle now);
  void send_ahead(std::uint32_t number, Cycle now);
  void put_on_link(Stop& stop, std::uint8_t port, Flit flit, Cycle now);
  Flit copy_for(std::uint32_t number, std::uint8_t port, Flit flit);
  Flit take(Stop& stop, std::uint8_t port, Cycle now);
  bool merge(Stop& stop, Cycle now);
  bool merge_at(Stop& stop, std::size_t stage, Cycle now);
  Flit merged(Flit first, Flit second);
  void count_message(Stop& stop);

  /// Outputs of the current position that belong to `part`.
  std::uint8_t outputs_of(const Stop& stop, Part part) const;
  /// Whether the current position has copies that turn and copies that go straight on.
  bool parts(const Stop& stop) const;
  /// Input number `which` of a merging position, in the order local, east, west, north, south.
  static std::uint8_t merge_input(const ColourPosition& position, std::size_t which);
  /// Stage of a merging position that gives its results.
  static std::size_t last_stage(const ColourPosition& position);
  const ColourPosition& current(const Stop& stop) const { return positions_[stop.first_position + stop.position]; }
  Flit& slot(const Stop& stop, std::uint8_t port, unsigned number) {
    return flits_[stop.queue_slots + std::size_t{stop.queue_of[port]} * depth_ + number];
  }
  const Flit& front(const Stop& stop, std::uint8_t port) const {
    return flits_[stop.queue_slots + std::size_t{stop.queue_of[port]} * depth_ + stop.queues[port].first];
  }
  bool ends_message(Flit flit) const;
  Waiting describe(const Stop& stop, std::uint8_t port) const;
  std::string name(const Stop& stop) const;
  NodeId node_of(std::uint32_t router) const;
  PortMeter meter(std::uint32_t router, int port) const {
    const std::uint32_t at = router * kMeshPorts + static_cast<std::uint32_t>(port);
    return {around_.statistics[at], around_.waits[at]};
  }

  Grid grid_;
  Rectangle rectangle_;
  unsigned depth_;
  Cycle flit_delay_[3];  ///< by kind of link: along x, along y, local
  Cycle credit_delay_[3];
  Cycle turn_cycles_;
  Cycle merge_cycles_;
  std::size_t stage_room_;  ///< flits that a merge may have in its pipeline and behind it
  bool large_;              ///< the state of all stops is too large for the caches
  bool sleep_;              ///< false: visit every router in every cycle
  std::uint64_t shuffle_;   ///< not 0: visit routers in a random order with this seed
  ColourSurroundings around_;

  std::vector<ColourPosition> positions_;
  BigVector<Stop> stops_;
  std::vector<std::uint8_t> stop_colours_;  ///< theirs, side by side: a router's stops are looked for by them
  BigVector<RouterEntry> routers_;
  BigVector<Flit> flits_;
  std::vector<Merger> mergers_;
  TimingWheel<FlitArrival> arriving_;
  TimingWheel<CreditArrival> credits_;
  TimingWheel<FlitArrival> turning_;  ///< flits in queues that become ready
  std::vector<std::uint32_t> to_visit_;
  std::vector<std::uint32_t> visiting_;
  std::vector<std::uint32_t> claimed_;                             ///< routers with claimed outputs
  std::unordered_map<std::uint64_t, PacketIndex> border_packets_;  ///< per stop and port: the packet that comes in
  std::unordered_map<std::uint64_t, PacketIndex> copies_;  ///< per stop and output: descriptor of the copy under way
};

/// Throws InputError with the place and the reason where `plan` cannot work on this fabric: a colour that the routers
/// do not have, an output that leaves the wafer, a flit that no next router would take, merging of less than two flows.
void check_colour_plan(const ColourPlan& plan, const FabricSpec& fabric);

}  // namespace weft::router
