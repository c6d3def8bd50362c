// SPDX-License-Identifier: Apache-2.0
// All FRED switches of a fabric as one block: chiplets, the links between them, and the packets on the way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/block.h"
#include "kernel/config.h"
#include "kernel/packet.h"
#include "kernel/probe.h"
#include "kernel/region_ports.h"
#include "kernel/timing_wheel.h"
#include "switch/fabric/flow_compiler.h"
#include "switch/fabric/memory_need.h"
#include "switch/fabric/topology.h"
#include "switch/link/gbn_link.h"
#include "switch/network/switch_model.h"

namespace weft::fred {

/// What passed an output port.
struct PortCounters {
  std::uint64_t flits = 0;
  std::uint64_t packets = 0;
};

/// Parameters beside the fabric's.
struct FabricParameters {
  std::uint64_t packet_bytes = 4096;  ///< largest payload
  bool values = false;                ///< flows carry data
  LaneFormat format;
  ReduceOp op = ReduceOp::kSum;
  std::uint64_t seed = 1;  ///< of the links' errors
  bool sleep = true;       ///< false: every chiplet is visited in every cycle; results are the same
  SwitchFactory make_switch = make_tlm_switch;
};

/// Links: a flit that a port sends in cycle t, or that a network interface injects for cycle t, arrives flit_cycles +
/// latency later; a credit `latency` cycles after the place became free. Network interfaces are those of all nodes, in
/// order; VCs are plane_vc(plane, circuit). With Go-Back-N a packet arrives as a whole, when its tail does; within a
/// cycle the fabric is stepped before network interfaces inject.
class FredFabric final : public Block, public FabricSide {
 public:
  /// Throws InputError where the parameters do not fit each other.
  FredFabric(const FabricSpec& fabric, const FabricParameters& parameters);

  /// Joins it to the network interfaces, whose packet pool it shares. Before the first step; `probe` and `data` may be
  /// null, `data` in timing mode only.
  void connect(LocalSide* local, PacketPool* pool, PacketData* data, FabricProbe* probe);
  /// Who numbers flows; may be asked while the fabric runs.
  FlowCompiler& compiler() { return compiler_; }
  const FlowCompiler& compiler() const { return compiler_; }
  const FredTopology& topology() const { return topology_; }
  const SwitchModel& chiplet(std::uint32_t number) const { return *switches_[number]; }
  std::uint32_t chiplets() const { return static_cast<std::uint32_t>(switches_.size()); }
  const PortCounters& counters(std::uint32_t chiplet, std::uint32_t port) const {
    return ports_[first_port_[chiplet] + port].counters;
  }
  /// Configurations that this chiplet has stored.
  std::uint32_t stored_configurations(std::uint32_t chiplet) const {
    return switches_[chiplet]->configurations().size() - 1;
  }

  /// The chiplet that has stored most configurations so far.
  MemoryNeed memory_need() const;
  /// What happened in all chiplets together.
  SwitchCounters switch_totals() const;

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;
  void inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override;
  void return_credit(std::uint32_t node, VcId vc, Cycle at) override;

  /// What happened on the links, with Go-Back-N; all zero without.
  GbnCounters link_totals() const;
  /// Go-Back-N links: first those into each port, then those out of ports to nodes. Null where there is none.
  const GbnLink* link_into(std::uint32_t chiplet, std::uint32_t port) const {
    return repaired_.empty() ? nullptr : repaired_[first_port_[chiplet] + port].get();
  }
  const GbnLink* link_to_node(std::uint32_t chiplet, std::uint32_t port) const {
    return repaired_.empty() ? nullptr : repaired_[ports_.size() + first_port_[chiplet] + port].get();
  }

  /// Flits on links and in chiplets; 0 = empty.
  std::uint64_t flits_inside() const;
  /// Flits that passed output ports.
  std::uint64_t flits_moved() const { return flits_moved_; }
  std::uint64_t uswitch_hops() const;
  /// Throws ViolationError unless nothing is inside and all credits are home.
  void require_empty() const;
  /// Who waits for whom, in sentences, `most` at most.
  std::vector<std::string> waiting(std::size_t most) const;
  /// Number of the link out of a port, for probes; those of network interfaces, plane_link(), come before.
  LinkId link_of(std::uint32_t chiplet, std::uint32_t port) const { return topology_.link_of(chiplet, port); }
  /// Hash of all state that influences what happens, relative to `now`.
  std::uint64_t state_hash(Cycle now) const;

 private:
  /// The packet that comes in on a link's VC.
  struct Receiving {
    PortFlit head;
    std::uint32_t flits = 0;  ///< so far
  };
  struct Port {
    std::uint32_t chiplet = 0;
    std::uint8_t number = 0;
    PortPeer peer;
    std::uint32_t peer_port = 0;  ///< number among all ports, where the peer is a chiplet
    Receiving receiving[kCircuits];
    PacketIndex sending = 0;           ///< packet whose flits the output sends
    std::uint64_t ejected_flits = 0;   ///< of the packet that leaves towards a node
    std::vector<std::uint8_t> result;  ///< its data, where it leaves towards a node
    PortCounters counters;
  };
  struct FlitArrival {
    std::uint32_t port = 0;
    PacketIndex packet = 0;
    std::uint32_t data = kNoData;
    std::uint8_t circuit = 0;
    bool head = false;
    bool tail = false;
  };
  struct CreditArrival {
    std::uint32_t port = 0;
    std::uint8_t circuit = 0;
  };
  static constexpr std::uint32_t kNoData = ~std::uint32_t{0};

  void deliver(const FlitArrival& arrival);
  void open_packet(Port& port, const FlitArrival& arrival);
  void route_flow(const Port& port, PacketIndex index, PortFlit& head);
  std::uint8_t unicast_output(const Port& port, const Packet& packet) const;
  std::uint32_t slot_of(std::uint32_t chiplet, std::uint32_t configuration);
  void step_chiplet(std::uint32_t chiplet, Cycle now);
  void send(std::uint32_t chiplet, const SentFlit& sent, Cycle now);
  void report_state(std::uint32_t chiplet, Cycle now);
  PacketIndex packet_leaves(PacketIndex packet);
  void eject(Port& port, const FlitArrival& flit, const std::uint8_t* data, Cycle at);
  bool repairs() const { return fabric_.fred.link_layer.go_back_n; }
  void make_links();
  void add_link(std::uint32_t number, const Port& port, Cycle forward, Cycle backward);
  void offer(std::uint32_t link, const FlitArrival& flit, std::uint16_t packet_flits, Cycle now);
  void step_links(Cycle now);
  void step_link(std::uint32_t link, Cycle now);
  std::string link_name(std::uint32_t link) const;
  void wake(std::uint32_t chiplet) { awake_[chiplet / 64] |= std::uint64_t{1} << chiplet % 64; }
  std::uint32_t take_data(const std::uint8_t* bytes);
  const std::uint8_t* operand_bytes(const Port& port, const FlitArrival& arrival);

  FabricSpec fabric_;
  FabricParameters parameters_;
  FredTopology topology_;
  FlowCompiler compiler_;
  std::vector<std::unique_ptr<SwitchModel>> switches_;
  std::vector<std::uint32_t> first_port_;  ///< by chiplet
  std::vector<Port> ports_;
  std::vector<std::vector<std::uint32_t>> slots_;  ///< by chiplet and fabric-wide index: index there; 0 = not stored
  TimingWheel<FlitArrival> flits_;
  TimingWheel<CreditArrival> credits_;
  std::vector<std::unique_ptr<GbnLink>> repaired_;  ///< by port: into it; then by port: out of it, to a node
  std::vector<Cycle> link_work_;                    ///< of each, its next work
  std::vector<std::uint64_t> awake_;                ///< chiplets, as bits
  std::vector<std::uint32_t> copies_;               ///< by packet: outputs whose heads are still to leave the chiplet
  std::vector<std::uint8_t> data_;                  ///< of flits on links, slot by slot
  std::vector<std::uint32_t> free_data_;
  std::vector<std::uint8_t> padded_;  ///< last flit of a packet, filled up
  LocalSide* local_ = nullptr;
  PacketPool* pool_ = nullptr;
  PacketData* packet_data_ = nullptr;
  FabricProbe* probe_ = nullptr;
  std::vector<std::uint32_t> reported_;  ///< with a probe, by chiplet: its active configuration
  std::uint64_t flits_moved_ = 0;
};

}  // namespace weft::fred
