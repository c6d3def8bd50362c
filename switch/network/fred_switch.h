// SPDX-License-Identifier: Apache-2.0
// A FRED switch, cycle by cycle: input buffers, control unit, elastic datapaths, output buffers, credits at its ports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/train_queue.h"
#include "base/types.h"
#include "switch/network/elastic_datapath.h"
#include "switch/network/output_port.h"
#include "switch/network/port_buffer.h"
#include "switch/network/port_set.h"
#include "switch/network/setting_store.h"
#include "switch/network/switch_model.h"
#include "switch/network/switch_spec.h"
#include "switch/network/unicast_datapaths.h"
#include "switch/network/unicast_matching.h"
#include "switch/network/unicast_router.h"

namespace weft::fred {

/// Steps:
/// 1. control: chooses among the packets that can start, see fred_control.cpp;
/// 2. started packets offer a beat at each input, the datapaths move;
/// 3. slots that became free are told upstream; flits that have passed go into output buffers, and from there on the
/// link;
/// 4. what arrived during this step is written: it can be seen in the next one.
/// A flit received before step t, which meets nobody, is sent in step t + 1 + d, d = sum of the cycles of the
/// uSwitches, demuxes and muxes on its way, plus beats - 1; the first of a new setting reconfigure_cycles later,
/// and reload_cycles more if that is not in the memory.
///
/// Where nothing watches its wires and no operand waits for another in the stages, a packet that has started passes
/// without a stop: all its cycles are known then. With `use_trains` the switch takes packets as trains of flits and
/// decides as before, in the same cycles; of a packet that has started it does nothing more. See fred_trains.cpp.
class FredSwitch final : public SwitchModel, public TrainSwitch {
 public:
  /// Throws InputError for parameters that are illegal.
  explicit FredSwitch(const SwitchSpec& spec);

  std::string_view model() const override { return "tlm"; }
  const SwitchSpec& spec() const override { return spec_; }
  const Interconnect& interconnect() const override { return net_; }
  SettingStore& settings() override { return store_; }
  const SettingStore& settings() const override { return store_; }

  void receive(PortId port, const PortFlit& flit, const std::uint8_t* data) override;
  void receive(PortId port, const PortFlit& flit) { receive(port, flit, nullptr); }
  void credit(PortId port, std::uint8_t traffic_class) override;
  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;

  TrainSwitch* trains() override;
  void use_trains() override;
  void receive(PortId port, const PortFlit& head, const FlitTrain& arrivals) override;
  void credits(PortId port, std::uint8_t traffic_class, const FlitTrain& arrivals) override;
  void settle(Cycle end) override;
  std::uint64_t flits_inside(Cycle now) const override;
  Cycle next_credit() const override;
  Cycle next_step() const override { return next_train_work(); }
  void put_state(StateForm& form, const PutPacket& packet) override;
  void keep(Checkpoint& checkpoint) override;
  const std::vector<SentTrain>& sent_trains() const override { return sent_trains_; }
  const std::vector<FreedTrain>& freed_trains() const override { return freed_trains_; }

  const std::vector<SentFlit>& sent() const override { return sent_; }
  const std::vector<FreedSlot>& freed() const override { return freed_; }
  const std::vector<std::uint32_t>& absorbed() const override { return absorbed_; }

  bool busy() const override {
    return trains_busy() || !arrivals_.empty() || buffered_ > 0 || !running_.empty() || output_flits_ > 0;
  }
  std::uint32_t credits(PortId port, int traffic_class) const override {
    return credits_[slot(index(port), static_cast<std::uint32_t>(traffic_class))];
  }
  std::uint32_t credits_known(PortId port, int traffic_class) const override;
  std::uint32_t active_setting() const override { return active_; }
  bool stalls(std::vector<StallReason>* reasons) const override;
  const WireWatch* wires() const override { return watch_.get(); }
  bool stalls_may_differ(bool stalled, bool credits) const override {
    return (heads_moved_ && (stalled || anything_waits())) || (credits && credits_came_);
  }
  std::uint64_t uswitch_hops() const override;
  std::uint64_t reductions() const;
  const SwitchCounters& counters() const override { return counters_; }
  /// The last pre-emption: what was active and what became so, as ranks of phases: 0 control, 1 MP, 2 PP, 3 DP.
  struct Preemption {
    int of = 0;
    int by = 0;
  };
  const Preemption& last_preemption() const { return last_preemption_; }
  std::uint64_t flits_inside() const override { return arrivals_.size() + buffered_ + tails_inside_ + output_flits_; }
  /// Beats whose data is kept somewhere inside.
  std::size_t slots_in_use() const { return pool_.in_use(); }
  std::uint64_t state_hash(Cycle now) const override;
  void require_empty() const override;
  std::vector<std::string> waiting() const override;

 private:
  friend struct FredState;  // tests change single fields to see that a look has them
  static constexpr std::uint32_t kNoPort = ~std::uint32_t{0};
  static constexpr std::size_t kNoRoute = ~std::size_t{0};
  /// A packet that enters the datapath from one input port.
  struct Stream {
    ElasticDatapath* datapath = nullptr;  ///< null = none
    std::uint8_t vc = 0;
    bool absorbed = false;  ///< another operand gives the sum its name
    std::uint32_t flits_left = 0;
    std::uint32_t next_flits = 0;  ///< flits of a packet of the same datapath that has started, too; 0 = none
    std::uint32_t beat = 0;        ///< number of the beat of the front flit, the next to enter
    Cycle end = 0;                 ///< for a train: the step in which its last beat enters
  };
  /// A datapath with packets under way.
  struct Running {
    ElasticDatapath* datapath = nullptr;
    std::uint8_t vc = 0;
    std::uint32_t tails = 0;  ///< that are still to leave through the outputs
    Cycle next_start = 0;     ///< first step in which its next packet may start
    Cycle gone = 0;           ///< for trains: the step in which the last tail leaves the datapath
  };
  struct WireState {
    Cycle busy_until = 0;  ///< first step in which its register may take a packet of another datapath; 0 = never used
    std::uint32_t setting = 0;
    const ElasticDatapath* owner = nullptr;  ///< datapath that used it last
  };
  /// A flit that has arrived since the last step; the flits of heads are in arrived_heads_.
  struct Arrival {
    std::uint16_t slot = 0;
    bool head = false;
    bool tail = false;
    bool has_data = false;
  };
  /// A packet that could start now.
  struct Candidate {
    std::uint32_t setting = 0;
    int flow = 0;
    PortId input{};
    PortId output{};  ///< output of a unicast
    std::uint8_t vc = 0;
    std::uint32_t flits = 0;
    std::size_t route = kNoRoute;  ///< index in routes_ at which the route of a unicast begins
  };

  /// A packet that has started and may still be in the stages: its beats enter one in each step from `start` on.
  struct PassingTrain {
    const ElasticDatapath* datapath = nullptr;
    Cycle start = 0;
    Cycle beats = 0;
    Cycle gone = 0;
  };
  /// A head that has arrived since the last step.
  struct TrainArrival {
    std::uint32_t slot = 0;
    PortFlit head;
    FlitTrain arrivals;
  };

  /// Why a packet cannot start. It is not asked again before the port named has changed.
  struct Obstacle {
    enum Kind : std::uint8_t {
      kUnknown,
      kFirstInput,  ///< its flow is asked for at another port
      kInput,       ///< an operand, or the rest of a packet, is not here
      kOutput,      ///< a closed output
      kStream       ///< an input port that a packet streams from
    };
    Kind kind = kUnknown;
    bool waits_for_service = false;  ///< it could start, and nobody does before `start_at_`
    std::uint8_t port = 0;
    std::uint16_t flits = 0;    ///< flits of the packet, where an output is closed to it
    std::uint64_t changes = 0;  ///< changes of the port, when it was asked
  };

  bool anything_waits() const {
    return std::any_of(waiting_.begin(), waiting_.end(), [](const PortSet& ports) { return !ports.empty(); });
  }
  std::uint32_t slot(std::uint32_t port, std::uint32_t vc) const {
    return port * static_cast<std::uint32_t>(spec_.traffic_classes) + vc;
  }
  PortBuffer& buffer(std::uint32_t port, std::uint32_t vc) { return buffers_[slot(port, vc)]; }
  const PortBuffer& buffer(std::uint32_t port, std::uint32_t vc) const { return buffers_[slot(port, vc)]; }
  void check_arrival(PortId port, const PortFlit& flit) const;
  void check_head(PortId port, const PortFlit& flit) const;

  // fred_control.cpp
  void control(Cycle now);
  void control_one_phase(Cycle now);
  void control_one_tree(Cycle now);
  void start_matching(Cycle now);
  void wait_for_service(Cycle at, bool active_too);
  void find_candidates(Cycle now);
  bool stands(const Obstacle& obstacle, std::uint8_t vc) const;
  void note_obstacle(std::uint32_t slot, Obstacle::Kind kind, std::uint32_t port, std::uint64_t changes) {
    obstacles_[slot] = {kind, false, static_cast<std::uint8_t>(port), 0, changes};
  }
  void consider(std::uint32_t port, std::uint8_t vc, Cycle now);
  void consider_unicast(Candidate& candidate, const PortFlit& head, bool loaded, Cycle now);
  bool packet_here(std::uint32_t port, std::uint8_t vc, const PortFlit& head) const;
  bool came_complete(std::uint32_t port, std::uint8_t vc) const;
  std::uint32_t missing_operand(const Flow& flow, const PortFlit& head, std::uint8_t vc) const;
  bool find_output(Candidate& candidate, std::uint8_t wanted, bool loaded, Cycle now);
  bool streams_open(const ElasticDatapath& datapath, std::uint8_t vc, Cycle now);
  Running* running(const ElasticDatapath& datapath);
  bool output_open(std::uint32_t port, std::uint8_t vc, std::uint32_t flits) const;
  /// Whether there is a route from an idle input wherever the last wire to the output is free, so that the routes of
  /// unicasts need not be found before they start. A packet that may stop holds its wires when its input is idle again.
  bool routes_exist() const { return spec_.m >= 3 && store_.size() == 1 && !wormhole(); }
  bool end_free(PortId output, Cycle now);
  bool find_route(Candidate& candidate, std::uint8_t output, Cycle now);
  bool has_route(Candidate& candidate, Cycle now);
  bool wire_free(std::uint32_t channel, std::uint32_t entry, std::uint32_t setting, Cycle now) const {
    const WireState& wire = wires_[channel];
    const bool other = wire.setting != setting;
    if (other && spec_.control == FredControl::kOnePhase) return true;  // a change waits until it is, see drained_
    return wire.busy_until == 0 || wire.busy_until + (other ? spec_.reconfigure_cycles : 0) <= now + entry;
  }
  bool datapath_free(const ElasticDatapath& datapath, std::uint32_t setting, Cycle now) const;
  bool carries(const ElasticDatapath& datapath, std::uint8_t vc);
  bool start(const Candidate& candidate, Cycle now);
  void start_stream(ElasticDatapath& datapath, const Candidate& candidate, std::size_t input);
  bool higher_waits(int rank_of_target) const;
  bool served_before(PortId a, PortId b) const;
  void activate(std::uint32_t setting, Cycle now);
  ElasticDatapath& stored_datapath(std::uint32_t setting, int flow);
  ElasticDatapath& unicast_datapath(const Candidate& candidate, Cycle now);
  bool let_go(const ElasticDatapath& datapath, Cycle now);
  void reserve(const ElasticDatapath& datapath, const Candidate& candidate, Cycle now);
  /// Beats of unicasts take the same steps on all routes and never wait: one datapath serves all from one port to
  /// another.
  bool routes_alike() const { return !wormhole() && watch_ == nullptr; }
  bool wormhole() const { return spec_.flow_control == PortFlowControl::kWormhole; }
  int rank(std::uint8_t vc) const { return vc == static_cast<int>(TrafficClass::kControl) ? 0 : 1 + vc; }

  void move(Cycle now);
  void pass(Running& running);
  void enter_operands(const DatapathPlan& plan, const Beat& beat);
  void step_registers(Running& running);
  void offer(const Running& running);
  void ask_outputs(const Running& running);
  void take(const Running& running);
  Beat next_beat(std::uint32_t port, const Stream& stream) const;
  std::uint32_t enter_data(std::uint32_t port, const Stream& stream);
  void leave_input(std::uint32_t port, bool flit_end);
  void collect(Running& running, std::uint32_t port, const Beat& beat, std::uint32_t data);
  void free_slots();
  void end_packet(std::uint32_t port, Stream& stream, std::uint32_t packet);
  void retire(Cycle now);
  void send(Cycle now);
  void write_arrivals();
  // fred_trains.cpp
  bool trains_busy() const;
  void step_trains(Cycle now);
  void free_streams(Cycle end);
  void take_credits(std::uint32_t at, Cycle end) const;
  Cycle packet_complete(std::uint32_t at) const;
  Cycle output_opens(std::uint32_t port, std::uint8_t vc, std::uint32_t flits) const;
  Cycle next_event() const;
  std::uint32_t credits_seen(std::uint32_t at) const {
    if (trains_) take_credits(at, credits_end_);
    return credits_[at];
  }
  std::uint32_t room_seen(std::uint32_t port) const {
    if (trains_) outputs_[port].depart_until(seen_);
    return outputs_[port].room();
  }
  Cycle next_change_for(std::uint32_t at, std::uint8_t vc) const;
  Cycle start_train(ElasticDatapath& datapath, const Candidate& candidate, Cycle now);
  template <typename After>
  std::uint64_t sum_passing(const After& after) const;
  std::uint64_t train_moves_ahead() const;
  std::uint64_t train_reductions_ahead() const;
  void write_heads();
  // fred_keep.cpp
  void keep(Checkpoint& checkpoint, ElasticDatapath*& datapath);
  void keep(Checkpoint& checkpoint, const ElasticDatapath*& datapath);
  void keep_waiting(Checkpoint& checkpoint);
  void keep_datapaths(Checkpoint& checkpoint);
  // fred_form.cpp
  std::uint64_t name_of(const ElasticDatapath* datapath) const;
  void put_control(StateForm& form);
  void put_waiting(StateForm& form);
  void put_buffers(StateForm& form, const PutPacket& packet);
  void put_datapaths(StateForm& form);
  void put_counts(StateForm& form);
  Cycle next_train_work() const;
  Cycle next_look() const;
  std::string waiting_for(const PortFlit& head, std::uint32_t port, std::uint32_t vc) const;

  SwitchSpec spec_;
  Interconnect net_;
  StageTiming timing_;
  SettingStore store_;
  WordPool pool_;
  DatapathContext context_;
  UnicastRouter unicasts_;
  std::unique_ptr<UnicastMatching> matching_;
  mutable std::vector<PortBuffer> buffers_;  ///< by port and traffic class
  std::vector<Stream> streams_;              ///< by input port
  mutable std::vector<OutputPort> outputs_;
  mutable std::vector<std::uint32_t> credits_;  ///< by port and traffic class
  std::vector<std::uint32_t> most_credits_;     ///< by port and traffic class: slots of the buffer behind it
  std::vector<std::uint8_t> whole_packets_;     ///< by input port
  std::vector<std::vector<std::unique_ptr<ElasticDatapath>>> stored_datapaths_;  ///< by setting and flow
  UnicastDatapaths unicast_datapaths_;
  std::vector<WireUse> routes_;          ///< of candidates, one behind the other
  bool started_any_ = false;             ///< since the routes were found
  Cycle most_adders_ = 0;                ///< on a route
  std::vector<Running> running_;         ///< in order of start
  std::vector<std::uint32_t> operands_;  ///< slots of the data of one beat, by input of its datapath
  std::uint32_t beats_;                  ///< beats of a flit
  std::vector<WireState> wires_;         ///< by channel
  std::vector<Candidate> candidates_;
  std::vector<UnicastRequest> requests_;  ///< candidates that are unicasts
  std::vector<std::uint32_t> requested_;  ///< their positions in candidates_
  std::vector<Arrival> arrivals_;
  std::vector<PortFlit> arrived_heads_;
  std::vector<std::uint32_t> credits_arrived_;  ///< slots
  std::vector<std::uint8_t> arrived_bytes_;
  std::vector<SentFlit> sent_;
  std::vector<FreedSlot> freed_;
  std::vector<std::uint32_t> absorbed_;
  std::vector<PortSet> waiting_;               ///< by traffic class: input ports with flits of packets not started
  PortSet leaving_;                            ///< input ports that a flit leaves in this step
  PortSet sending_;                            ///< output ports with flits
  std::vector<Obstacle> obstacles_;            ///< by input port and traffic class: of the packet that waits there
  std::vector<std::uint64_t> input_changes_;   ///< by port and traffic class: times that operands may have come
  std::vector<std::uint64_t> output_changes_;  ///< by port: times that there may be more room or credits
  std::vector<std::uint64_t> stream_changes_;  ///< by input port: times that it may have become free
  bool heads_moved_ = false;   ///< in the last step a head has come to wait, or one that waited has started
  bool credits_came_ = false;  ///< in the last step
  std::uint64_t buffered_ = 0;
  std::uint64_t tails_inside_ = 0;  ///< tails of packets that have started, still to leave through outputs
  std::uint64_t output_flits_ = 0;
  std::uint32_t streams_open_ = 0;
  std::uint32_t active_ = kNothing;
  Cycle loaded_from_ = 0;  ///< first step in which the active setting is in the memory
  Cycle open_from_ = 0;    ///< first step in which packets of the active setting may start
  /// First step in which packets of another one may: they reach no wire before what adders have held up has left it.
  Cycle drained_ = 0;
  std::uint32_t started_since_load_ = 0;
  std::uint32_t next_port_ = 0;       ///< port that is asked first
  std::uint32_t next_uplink_ = 0;     ///< uplink that is tried first
  std::vector<PortId> serve_order_;   ///< input ports, the one served least recently first; of a flow, its first input
  mutable bool dirty_ = false;        ///< something has changed that may let a packet start
  bool timed_ = false;                ///< a packet waits for nothing but time
  std::unique_ptr<WireWatch> watch_;  ///< mostly null
  bool trains_ = false;
  Cycle looked_ = 0;       ///< trains: the last step
  Cycle credits_end_ = 0;  ///< trains: as `seen_`, for credits, which stalls see one step earlier than control
  Cycle seen_ = 0;         ///< trains: what passes up to and with this cycle is seen; it is counted when somebody asks
  mutable Cycle look_at_ = kNever;  ///< when control has to look next, as it was last computed
  Cycle start_at_ = kNever;         ///< when packets may start that wait for the round-robin pointer
  Cycle next_free_ = kNever;        ///< when the next input port or datapath becomes free
  std::vector<TrainArrival> trains_arrived_;
  mutable std::vector<TrainQueue> credit_queues_;  ///< by port and traffic class: credits that are to come
  std::vector<PassingTrain> passing_;
  std::vector<SentTrain> sent_trains_;
  std::vector<FreedTrain> freed_trains_;
  SwitchCounters counters_;
  Preemption last_preemption_;
};

}  // namespace weft::fred
