// SPDX-License-Identifier: Apache-2.0
// Some chiplets of a fabric with the ends of their links: what happens between two switches, for all forms of a fabric.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/link_stalls.h"
#include "base/packet.h"
#include "base/probe.h"
#include "base/queue_ring.h"
#include "base/random.h"
#include "base/region_ports.h"
#include "base/timing_wheel.h"
#include "base/train_ports.h"
#include "config/config.h"
#include "switch/fabric/flow_compiler.h"
#include "switch/fabric/topology.h"
#include "switch/link/gbn_link.h"
#include "switch/network/switch_model.h"
#include "switch/network/uswitch_probe.h"

namespace weft::fred {

/// What passed an output port.
struct PortCounters {
  std::uint64_t flits = 0;
  std::uint64_t packets = 0;
  Cycle last_sent = 0;  ///< cycle of the last flit
};

/// Parameters beside the fabric's.
struct FabricParameters {
  std::uint64_t packet_bytes = 4096;  ///< largest payload
  bool values = false;                ///< flows carry data
  LaneFormat format;
  ReduceOp op = ReduceOp::kSum;
  std::uint64_t seed = 1;  ///< seed of the links' errors
  bool sleep = true;       ///< false: every chiplet is visited in every cycle; results are the same
  /// Packets go as trains of flits where nothing can stop them and none takes longer than this on its way through a
  /// switch, in cycles; results are the same. 0 = never.
  Cycle longest_train = 0;
  SwitchFactory make_switch = make_tlm_switch;
  /// What is shown of a chiplet; empty = nothing. By its number.
  std::function<SwitchWatch(std::uint32_t chiplet)> watch;
};

/// What the groups of one fabric have in common. All of it outlives them.
struct FabricShared {
  const FabricSpec& fabric;
  const FabricParameters& parameters;
  const FredTopology& topology;
  const FlowCompiler& compiler;  ///< what is stored before a run is known everywhere
};

/// Chiplets of a fabric, by number: all of them, some, or one. It knows nothing of the others: what leaves the group
/// goes over its border with its descriptor by value, and so does what comes in. Ports are numbered through the group's
/// chiplets, in their order; so are the nodes at its ports, in the order of their numbers.
///
/// Without a probe, data and a border, packets go from switch to switch as trains of flits (chiplet_trains.cpp).
class ChipletGroup final : public FabricSide, private TrainFabricSide {
 public:
  /// `switches`: by chiplet from number `first` on; null where a chiplet belongs to another group.
  ChipletGroup(const FabricShared& shared, std::uint32_t first, std::vector<SwitchModel*> switches);

  /// Joins it to what lies around. With `local`, nodes at its ports are network interfaces that share the packet pool;
  /// without, they are beyond the border like other chiplets. `border` may be null where nothing is. Before the first
  /// step; `probe` may be null, `data` in timing mode.
  void connect(LocalSide* local, BorderSide* border, PacketPool* pool, PacketData* data, FabricProbe* probe);
  /// Who is shown the wires of switches; only with a probe. Before the first step.
  void show_wires(UswitchProbe* probe);

  void step(Cycle now);
  /// First cycle after `now` with work; kNever = until something arrives.
  Cycle next_work(Cycle now) const;
  /// The nodes at its ports, in the group's order. The calls of FabricSide and LocalSide number them so; their VCs are
  /// plane_vc(plane, traffic class).
  const std::vector<NodeId>& nodes() const { return nodes_; }
  void inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override {
    inject(node_port(node, vc), traffic_class_of(vc), flit, at);
  }
  void return_credit(std::uint32_t node, VcId vc, Cycle at) override {
    return_credit(node_port(node, vc), traffic_class_of(vc), at);
  }
  TrainFabricSide* trains() override { return trains_ ? this : nullptr; }
  /// Counts what passes up to and with cycle `end`, the last one that has been executed.
  void settle(Cycle end);
  /// The last cycle in which something passes without a step; 0 = nothing does.
  Cycle passes_until() const { return last_event_; }
  /// Grows in each cycle by what the packets do that start in it: where the state repeats, so does this. Only where
  /// packets go as trains.
  std::uint64_t pulse() const { return pulse_; }
  /// Gives `form` its state, or refuses with a reason. What passes up to and with cycle `form.now()` is settled.
  void put_state(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// A flit of a network interface that shares the pool arrives at `port` in cycle `at`.
  void inject(std::uint32_t port, TrafficClass traffic_class, Flit flit, Cycle at);
  /// A credit of a network interface or of beyond the border arrives at `port` in cycle `at`.
  void return_credit(std::uint32_t port, TrafficClass traffic_class, Cycle at) {
    credits_.push(at, {port, static_cast<std::uint8_t>(traffic_class)});
  }
  /// A flit comes over the border, VCs are traffic classes. `now` is the last cycle that was executed.
  void receive_flit(std::uint32_t port, const FlitTransfer& flit, Cycle now, Cycle at);

  std::uint32_t first_port(std::uint32_t chiplet) const { return first_port_[chiplet - first_]; }
  std::uint32_t ports() const { return static_cast<std::uint32_t>(ports_.size()); }
  const PortPeer& peer(std::uint32_t port) const { return ports_[port].peer; }
  const PortCounters& counters(std::uint32_t port) const { return ports_[port].counters; }
  /// Why an output carried nothing; none where its switch does not know. Up to the last change, or to `finish_stalls`.
  LinkValues link_values(std::uint32_t port) const;
  /// Counts up to `end`, the first cycle that was not executed.
  void finish_stalls(Cycle end);

  /// What happened on the links, with Go-Back-N; all zero without.
  GbnCounters link_totals() const;
  /// Go-Back-N links: into each port, then out of each port that leads to a node. Null where there is none.
  const GbnLink* repaired_link(std::uint32_t number) const {
    return repaired_.empty() ? nullptr : repaired_[number].get();
  }

  /// Flits on links into chiplets and in chiplets; 0 = empty.
  std::uint64_t flits_inside() const;
  /// Flits that passed output ports.
  std::uint64_t flits_moved() const { return flits_moved_; }
  /// Throws ViolationError unless nothing is inside and all credits are home.
  void require_empty() const;
  /// Adds what links with Go-Back-N wait for, in sentences, until there are `most`.
  void add_waiting_links(std::size_t most, std::vector<std::string>* sentences) const;
  /// Hash of all state that influences what happens, relative to `now`. That of a fabric is the sum over its groups,
  /// however it is cut.
  std::uint64_t state_hash(Cycle now) const;

 private:
  friend struct FredState;  // tests change single fields to see that a look has them
  /// The packet that comes in on a link's VC.
  struct Receiving {
    PortFlit head;             ///< its flits differ from it in `head` and `tail` only
    std::uint32_t flits = 0;   ///< so far
    PacketIndex crossing = 0;  ///< the packet whose flits cross the border now; may be ahead of `head`
  };
  struct Port {
    std::uint32_t chiplet = 0;  ///< number in the fabric
    std::uint8_t number = 0;
    std::uint8_t plane = 0;
    PortPeer peer;                ///< a node has its number in the group
    Cycle travel = 0;             ///< from a flit's being sent to its arrival at the peer
    std::uint32_t peer_port = 0;  ///< number in the group, where the peer is a chiplet of it
    bool at_border = false;
    Receiving receiving[kTrafficClasses];
    PacketIndex sending = 0;           ///< packet whose flits the output sends
    std::uint64_t ejected_flits = 0;   ///< flits of the packet that leaves towards a node
    std::vector<std::uint8_t> result;  ///< its data, where it leaves towards a node
    PortCounters counters;
  };
  struct FlitArrival {
    std::uint32_t port = 0;
    PacketIndex packet = 0;
    std::uint32_t data = kNoData;
    std::uint8_t traffic_class = 0;
    bool head = false;
    bool tail = false;
  };
  struct CreditArrival {
    std::uint32_t port = 0;
    std::uint8_t traffic_class = 0;
  };
  /// A packet whose head is on its way to a switch.
  struct TrainArrival {
    std::uint32_t port = 0;
    PacketIndex packet = 0;
    std::uint8_t traffic_class = 0;
    FlitTrain arrivals;
  };
  static constexpr std::uint32_t kNoData = ~std::uint32_t{0};
  /// What the outputs of a chiplet wait for.
  struct Stalled {
    bool any = false;          ///< something waits for one of them
    bool for_credits = false;  ///< for credits
  };

  SwitchModel& switch_at(std::uint32_t chiplet) { return *switches_[chiplet - first_]; }
  const SwitchModel& switch_at(std::uint32_t chiplet) const { return *switches_[chiplet - first_]; }
  const Chiplet& description(std::uint32_t chiplet) const { return topology_.chiplets()[chiplet]; }
  bool has(std::uint32_t chiplet) const {
    return chiplet - first_ < switches_.size() && switches_[chiplet - first_] != nullptr;
  }
  /// First number that is beyond all chiplets of the group.
  std::uint32_t end() const { return first_ + static_cast<std::uint32_t>(switches_.size()); }
  std::uint32_t node_port(std::uint32_t node, VcId vc) const {
    return node_ports_[node * static_cast<std::uint32_t>(topology_.planes()) +
                       static_cast<std::uint32_t>(plane_of(vc))];
  }
  void number_nodes();

  void take_credits(Cycle now);
  void take_flits(Cycle now);
  bool deliver(const FlitArrival& arrival, bool may_store);
  bool open_packet(Port& port, const FlitArrival& arrival, bool may_store);
  std::uint32_t setting_of(const Packet& packet) const;
  /// Names what is reduced together, the same for all operands.
  static std::uint64_t match_of(const Packet& packet) { return mix64(packet.tag) + packet.offset; }
  void route_flow(const Port& port, PacketIndex index, std::uint32_t slot, PortFlit& head);
  std::uint8_t unicast_output(const Port& port, const Packet& packet) const;
  std::uint32_t slot_of(std::uint32_t chiplet, std::uint32_t setting, bool may_store);
  void step_chiplet(std::uint32_t chiplet, Cycle now);
  void free_slot(const Port& port, std::uint8_t traffic_class, Cycle now);
  // chiplet_report.cpp
  void connect_probe(FabricProbe* probe);
  void step_and_report(std::uint32_t chiplet, Cycle now);
  void report_last_flits(std::uint32_t chiplet, Cycle now);
  void report_state(std::uint32_t chiplet, Cycle now);
  void report_wires(std::uint32_t chiplet, Cycle now);
  void note_stalls(std::uint32_t chiplet, Cycle now);

  // chiplet_output.cpp
  void send(std::uint32_t number, const SentFlit& sent, Cycle now);
  void send_within(std::uint32_t number, const SentFlit& sent, Cycle now);
  void send_over_border(Port& port, const SentFlit& sent, Cycle at);
  PacketIndex packet_leaves(PacketIndex packet);
  void eject(Port& port, const FlitArrival& flit, const std::uint8_t* data, Cycle at);
  void collect_result(Port& port, PacketIndex packet, bool head, bool tail, const std::uint8_t* data);
  std::uint32_t take_data(const std::uint8_t* bytes);
  const std::uint8_t* operand_bytes(const Port& port, const FlitArrival& arrival);

  // chiplet_trains.cpp
  bool may_use_trains(LocalSide* local) const;
  void use_trains(TrainLocalSide& local);
  void inject(std::uint32_t node, VcId vc, PacketIndex packet, const FlitTrain& arrivals) override;
  void return_credits(std::uint32_t node, VcId vc, const FlitTrain& arrivals) override;
  void take_trains(Cycle now);
  bool deliver(const TrainArrival& arrival, bool may_store);
  void pass_trains(std::uint32_t chiplet, Cycle now);
  void give_credits(std::uint32_t port, std::uint8_t traffic_class, const FlitTrain& arrivals);
  void note_work(std::uint32_t chiplet, Cycle at);
  void send_train(const SentTrain& sent, std::uint32_t number, Cycle now);
  void settle_port(std::uint32_t number, Cycle end);
  void count_flits(std::uint32_t number, const FlitRow& row);
  std::uint64_t train_flits_inside() const;
  TrainSwitch& trains_at(std::uint32_t chiplet) { return *train_switches_[chiplet - first_]; }

  // chiplet_form.cpp
  const char* why_not() const;
  void put_packet(StateForm& form, PacketIndex packet);
  void put_flow(StateForm& form, std::uint32_t flow, std::uint64_t tag, std::uint64_t offset) override;
  void put_next_sequence(StateForm& form, std::uint32_t sequence) override;
  bool is_striped(std::uint32_t flow) const override { return compiler_.flow(flow).stripes.size() > 1; }
  void put_chiplet(StateForm& form, std::uint32_t chiplet);
  void put_port(StateForm& form, std::uint32_t number);

  // chiplet_keep.cpp
  void keep_settings(Checkpoint& checkpoint);
  void keep_trains(Checkpoint& checkpoint);
  void keep_flits(Checkpoint& checkpoint);

  // fabric_links.cpp
  bool repairs() const { return fabric_.fred.link_layer.go_back_n; }
  void make_links();
  void add_link(std::uint32_t number, const Port& port, Cycle forward, Cycle backward);
  void offer(std::uint32_t link, const FlitArrival& flit, std::uint16_t packet_flits, Cycle now);
  void step_links(Cycle now);
  void step_link(std::uint32_t link, Cycle now);
  std::string link_name(std::uint32_t link) const;

  void wake(std::uint32_t chiplet) {
    const std::uint32_t number = chiplet - first_;
    awake_[number / 64] |= std::uint64_t{1} << number % 64;
  }

  const FabricSpec& fabric_;
  const FabricParameters& parameters_;
  const FredTopology& topology_;
  const FlowCompiler& compiler_;
  std::uint32_t first_;
  std::vector<SwitchModel*> switches_;     ///< null: not one of the group
  std::vector<std::uint32_t> first_port_;  ///< by chiplet
  std::vector<Port> ports_;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> node_ports_;          ///< by node of the group and plane
  std::vector<std::vector<std::uint32_t>> slots_;  ///< by chiplet and fabric-wide index: index there; 0 = not stored
  std::vector<std::vector<std::uint32_t>> first_used_;  ///< by chiplet: fabric-wide indices, as they were stored
  TimingWheel<FlitArrival> flits_;
  TimingWheel<CreditArrival> credits_;
  std::vector<FlitArrival> first_uses_;             ///< heads of this cycle whose settings are not stored yet
  std::vector<std::unique_ptr<GbnLink>> repaired_;  ///< by port: into it; then by port: out of it, to a node
  std::vector<Cycle> link_work_;                    ///< by link, as repaired_: cycle of its next work
  std::vector<std::uint64_t> awake_;                ///< chiplets, as bits
  std::vector<std::uint32_t> copies_;               ///< by packet: outputs whose heads are still to leave the chiplet
  std::vector<std::uint8_t> data_;                  ///< data of flits on links, slot by slot
  std::vector<std::uint32_t> free_data_;
  std::vector<std::uint8_t> padded_;       ///< last flit of a packet, filled up
  bool notes_stalls_ = true;               ///< they are counted, or a probe wants them
  std::vector<Stalled> stalled_;           ///< by chiplet
  std::vector<StallReason> stalls_noted_;  ///< by port, as last seen
  std::vector<StallClock> stall_clocks_;   ///< by port
  bool trains_ = false;
  TrainLocalSide* train_local_ = nullptr;
  std::vector<TrainSwitch*> train_switches_;   ///< with trains, by chiplet
  std::vector<Cycle> train_work_;              ///< with trains, by chiplet: its next work, if it is awake
  TimingWheel<TrainArrival> train_arrivals_;   ///< by the cycle of their heads
  std::vector<TrainArrival> first_trains_;     ///< as first_uses_
  std::vector<QueueRing<FlitTrain>> leaving_;  ///< with trains, by port: flits that are not in its counters yet
  Cycle settled_ = 0;                          ///< with trains: what passes up to and with this cycle has been counted
  Cycle last_event_ = 0;                       ///< with trains: the last one that is known
  std::uint64_t pulse_ = 0;                    ///< with trains
  LocalSide* local_ = nullptr;
  BorderSide* border_ = nullptr;
  PacketPool* pool_ = nullptr;
  PacketData* packet_data_ = nullptr;
  FabricProbe* probe_ = nullptr;
  std::vector<std::uint32_t> reported_;                     ///< with a probe, by chiplet: its active setting
  std::vector<std::vector<std::uint8_t>> traffic_classes_;  ///< with a probe, by chiplet and index there
  std::vector<std::uint8_t> stalls_wanted_;                 ///< with a probe, by port
  std::vector<StallReason> stalls_now_;                     ///< stalls of one chiplet in this cycle
  UswitchProbe* wire_probe_ = nullptr;
  std::vector<PacketNames> packet_names_;  ///< with a probe of wires, by chiplet
  std::uint64_t flits_moved_ = 0;
};

}  // namespace weft::fred
