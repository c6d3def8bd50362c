// SPDX-License-Identifier: Apache-2.0
// Region for up to Cap VCs per port. The steps of a cycle are in region_step.h, the rest in region_impl.cpp.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/big_vector.h"
#include "base/link_rate.h"
#include "base/timing_wheel.h"
#include "base/zero_array.h"
#include "router/alloc/allocator.h"
#include "router/colour/colour_plane.h"
#include "router/region.h"
#include "router/routing/routing_function.h"

namespace weft::router {

namespace test {
struct RegionState;
}

template <int Cap>
class RegionImpl final : public Region {
 public:
  explicit RegionImpl(const RegionParameters& parameters);

  void connect(LocalSide* local, BorderSide* border, PacketPool* pool, FabricProbe* probe) override;
  void set_packet_data(PacketData* data) override;
  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;

  void inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override;
  void return_credit(std::uint32_t node, VcId vc, Cycle at) override;
  void receive_flit(std::uint32_t port, const FlitTransfer& flit, Cycle now, Cycle at) override;
  void receive_credit(std::uint32_t port, VcId vc, Cycle now, Cycle at) override;

  int routers() const override { return static_cast<int>(state_.size()); }
  std::uint32_t router_at(Coordinates at) const override;
  Coordinates coordinates_of(std::uint32_t router) const override { return {state_[router].x, state_[router].y}; }
  const PortStatistics& statistics(std::uint32_t router, PortId port) const override {
    return statistics_[router * kMeshPorts + index(port)];
  }
  double flits_after(std::uint32_t router, PortId port, Cycle end) const override {
    return unit_rate_ ? 0 : link_rates_[router * kMeshPorts + index(port)].flits_after(rate(index(port)), end);
  }
  LinkValues link_values(std::uint32_t router, PortId port) const override;
  void finish_statistics(Cycle now) override;
  std::vector<Waiting> waiting(std::size_t limit) const override;
  void require_empty() const override;
  std::uint64_t state_hash(Cycle now) const override;
  void put_state(StateForm& form) override;
  void keep(Checkpoint& checkpoint) override;
  std::size_t bytes() const override;

 private:
  friend struct test::RegionState;  // tests change single fields to see that a look has them

  using State = RouterState<Cap>;
  using Mask = typename State::Mask;
  static constexpr int kVcs = State::kVcs;
  static constexpr Mask kPortMask = static_cast<Mask>((Mask{1} << Cap) - 1);

  /// A VC of a router in one word: router * 128 + port * Cap + vc.
  using VcAddress = std::uint32_t;
  static constexpr unsigned kVcBits = 7;
  struct FlitArrival {
    VcAddress to;
    Flit flit;
  };
  struct CreditArrival {
    VcAddress to;  ///< output VC
  };
  enum class Wake : std::uint8_t { kRouted, kAllocated, kSlot };
  struct WakeUp {
    std::uint32_t router;
    std::uint8_t vc;  ///< input VC, or the output port of kSlot
    Wake what;
  };
  /// A copy that has sent a flit.
  struct SentCopy {
    Fork* fork;
    Fork::Branch* branch;
  };
  /// Output ports of a visit, as bits.
  struct CopiedOutputs {
    unsigned sent = 0;    ///< take flits of copies
    unsigned wanted = 0;  ///< copies wait for them, other than for credits
  };
  /// Input VCs that send in this cycle, one per input and output port.
  struct SwitchGrants {
    int count = 0;
    std::uint8_t input_vc[sizeof(Mask) * 8];  ///< one bit per input can be granted; only kMeshPorts are used
  };

  void put_state(StateForm& form, std::uint32_t router);
  void keep(Checkpoint& checkpoint, State& state);

  // Set-up.
  void set_delays(const RegionParameters& parameters);
  void set_vc_masks(int message_classes);
  void wire(const Rectangle& rectangle);

  // One cycle, in this order.
  void receive_flits(Cycle now);
  void receive_credits(Cycle now);
  void wake_up(Cycle now);
  void visit_routers(Cycle now);
  void visit(std::uint32_t router, Cycle now);

  // Stages of a router.
  void arrive(std::uint32_t router, int vc, Flit flit, Cycle now);
  void make_ready(std::uint32_t router, int vc, Cycle now);
  void start_packet(std::uint32_t router, int vc, Cycle now, Cycle wait);
  void route(std::uint32_t router, int vc);
  Mask allocate_vcs(std::uint32_t router, Mask* winners, Cycle now);
  void take_vc(std::uint32_t router, int input, int output, Cycle now);
  void allocate_switch(std::uint32_t router, Mask ready, Cycle now);
  void allocate_switch_speculatively(std::uint32_t router, Mask ready, Mask asked, Mask winners, unsigned claimed,
                                     Cycle now);
  /// VCs that ask for the switch.
  struct SwitchRequests {
    Mask towards[kMeshPorts] = {};  ///< by the output port that they ask for
    unsigned ports = 0;             ///< output ports that some may ask for, as bits
  };
  void request_switch(const State& state, Mask ready, SwitchRequests* requests) const;
  SwitchGrants match_switch(const SwitchRequests& requests, Mask ready, SwitchPointers& pointers) const;
  void allocate_switch_by_rounds(std::uint32_t router, Mask ready, Cycle now);
  SwitchGrants grant_switch(State& state, Mask ready) const;
  SwitchGrants match_switch(const State& state, Mask ready, SwitchPointers& pointers) const;
  unsigned open_ports(std::uint32_t router, unsigned asked, Cycle at);
  Mask with_open_links(std::uint32_t router, Mask ready, Cycle now);
  Mask on_open_links(std::uint32_t router, Mask ready, Cycle at) const;
  void send(std::uint32_t router, int input, Cycle now);
  void put_on_link(std::uint32_t router, int output, Flit flit, Cycle now);
  void return_upstream(std::uint32_t router, int input, Cycle now);
  void end_packet(std::uint32_t router, int input, int output, Cycle now);

  void connect_colours();

  // Multicast through VCs: region_fork.h.
  void set_trees(const RegionParameters& parameters);
  static constexpr std::uint64_t tree_key(NodeId sender, std::uint8_t message_class) {
    return std::uint64_t{index(sender)} << 8 | message_class;
  }
  std::uint8_t tree_outputs(std::uint32_t router, const Packet& packet) const {
    return trees_.at(tree_key(packet.src, packet.message_class))[router];
  }
  bool start_fork(std::uint32_t router, int vc, Cycle now);
  unsigned serve_forks(std::uint32_t router, unsigned claimed, Cycle now);
  unsigned send_first_copies(std::uint32_t router, Fork& fork, unsigned taken, Cycle now, unsigned* wanted);
  void send_more_copies(std::uint32_t router, Cycle now);
  bool release_copied(std::uint32_t router, Fork& fork, Cycle now);
  bool copies(std::uint32_t router) const { return !forks_.empty() && !forks_[router].list.empty(); }
  std::uint8_t lost_copies(std::uint32_t router) const { return forks_.empty() ? 0 : forks_[router].lost; }
  bool take_branch_vc(std::uint32_t router, const Fork& fork, Fork::Branch& branch, Cycle now);
  bool has_credit(std::uint32_t router, const Fork::Branch& branch) const;
  bool link_is_open(std::uint32_t router, const Fork::Branch& branch, Cycle now) const;
  void note_blocked(std::uint32_t router, Fork::Branch& branch, bool blocked, Cycle now);
  void send_copy(std::uint32_t router, const Fork& fork, Fork::Branch& branch, Cycle now);
  void end_forks(std::uint32_t router, Mask ended, Cycle now);
  void put_forks(StateForm& form, std::uint32_t router);
  Mask without_claimed(const State& state, Mask ready, unsigned claimed) const;
  void send_over_border(std::uint32_t router, int output, Flit flit, Cycle now);

  void queue(std::uint32_t router);
  void fetch(std::uint32_t router) const;
  void fetch_flits(std::uint32_t router);
  void shuffle_visits(Cycle now);
  OutputSpace output_space(const State& state) const;
  void report_flit(std::uint32_t router, int output, Flit flit, Cycle now);
  void report_credit(std::uint32_t router, int output, Cycle now);

  // Stall reasons of links that are watched: region_stalls.h.
  struct StallWatch {
    std::vector<std::uint8_t> ports;     ///< by router: output ports, as bits
    std::vector<StallReason> reported;   ///< by router and port
    std::vector<std::uint32_t> touched;  ///< routers, watched ones only, in which something happens in this cycle
    std::vector<Mask> asking;            ///< by entry of `touched`: input VCs that may ask for the switch in this cycle
  };
  void watch_stalls();
  void find_touched(Cycle now);
  void note_asking();
  void report_stalls(Cycle now);
  StallReason stall_of(std::uint32_t router, int port, Mask asking, Cycle now) const;
  std::string describe(std::uint32_t router, int vc) const;
  std::string output_name(std::uint32_t router, int vc) const;
  std::string forked_reason(std::uint32_t router, int vc) const;
  Waiting describe_waiting(std::uint32_t router, int vc) const;
  PortMeter meter(std::uint32_t router, int port) {
    const std::uint32_t at = router * kMeshPorts + static_cast<std::uint32_t>(port);
    return {statistics_[at], waits_[at]};
  }
  void count_lost(std::uint32_t router, Mask waiting, Cycle now);
  Flit& slot(std::uint32_t router, int vc, unsigned position) {
    return flits_[(static_cast<std::size_t>(router) * kVcs + vc) * depth_ + position];
  }
  const Flit& front(std::uint32_t router, int vc) const {
    return flits_[(static_cast<std::size_t>(router) * kVcs + vc) * depth_ + state_[router].in[vc].first];
  }
  /// Links of one kind are alike: those along x, those along y, the local ones.
  static constexpr int kKinds = 3;
  static constexpr int kind(int port) { return port / 2; }
  Rational rate(int port) const { return rates_[kind(port)]; }

  // Fixed after construction.
  Grid grid_;
  Rectangle rectangle_;
  int vcs_;
  unsigned depth_;
  std::uint64_t seed_;
  Cycle routing_delay_;
  Cycle turn_cycles_;
  Cycle vc_alloc_delay_;
  Cycle credit_delay_;
  Cycle flit_delay_[kKinds];     ///< from switch allocation to the next buffer: link, local
  Cycle credit_travel_[kKinds];  ///< from switch allocation to the sender's register
  bool tail_credit_;
  bool speculative_;
  bool statistics_on_;
  bool large_;       ///< the state of all routers is too large for the caches
  bool very_large_;  ///< so large that what is touched less often is not there either
  bool sleep_;
  bool unit_rate_;                       ///< all links carry exactly one flit per cycle
  int port_flits_[kKinds];               ///< most flits per cycle that a port's buffers deliver
  Rational rates_[kKinds];               ///< flits per cycle
  std::vector<std::uint32_t> vc_masks_;  ///< [message class][VC class], the last one of a class = all of its VCs
  int vc_classes_;
  std::unique_ptr<RoutingFunction> routing_;
  bool adaptive_;
  std::unique_ptr<Allocator<Mask>> allocator_;

  // Connections.
  LocalSide* local_ = nullptr;
  BorderSide* border_ = nullptr;
  PacketPool* pool_ = nullptr;
  FabricProbe* probe_ = nullptr;
  PacketData* data_ = nullptr;

  // State.
  BigVector<State> state_;
  ZeroArray<Flit> flits_;             ///< by router, VC and slot
  std::vector<LinkRate> link_rates_;  ///< per output port; empty with unit_rate_
  TimingWheel<FlitArrival> arriving_flits_;
  TimingWheel<CreditArrival> arriving_credits_;
  TimingWheel<WakeUp> wake_ups_;
  std::vector<std::uint32_t> to_visit_;  ///< routers to visit in this or the next stepped cycle
  std::vector<std::uint32_t> visiting_;
  Mask sent_ = 0;                                              ///< input VCs that have sent in the visit under way
  std::unordered_map<VcAddress, PacketIndex> border_packets_;  ///< per border input VC: the packet that comes in
  ChoiceCount choices_;
  BigVector<PortStatistics> statistics_;
  BigVector<WaitCycles> waits_;  ///< by router and port
  std::uint64_t shuffle_;
  std::unordered_map<std::uint64_t, std::vector<std::uint8_t>> trees_;  ///< by tree_key: outputs per router
  std::vector<Forks> forks_;              ///< by router: packets being copied; empty without trees
  std::vector<SentCopy> copied_;          ///< copies that have sent a flit in this round of the visit under way
  std::unique_ptr<StallWatch> stalls_;    ///< null = nobody wants them
  std::unique_ptr<ColourPlane> colours_;  ///< null = no routes are set up
};

}  // namespace weft::router
