// SPDX-License-Identifier: Apache-2.0
// Input-queued VC routers of any number of ports, joined as a network::RouterGraph says. The pipeline is that of a
// region (README.md of router/) cycle for cycle; a region is this for a grid, laid out for speed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/block.h"
#include "base/checkpoint.h"
#include "base/credit_links.h"
#include "base/link_stalls.h"
#include "base/probe.h"
#include "base/region_ports.h"
#include "base/state_form.h"
#include "base/timing_wheel.h"
#include "config/config.h"
#include "network/graph_routing.h"
#include "network/router_graph.h"
#include "router/alloc/allocator.h"
#include "router/router_state.h"

namespace weft::router {

namespace test {
struct GeneralState;
}

/// What the routers need to know. The references must outlive them.
struct GeneralParameters {
  const network::RouterGraph& graph;
  const network::GraphRouting& routing;
  const RouterSpec& router;
  int message_classes = 1;
  std::uint64_t seed = 1;
  bool statistics = true;
  bool sleep = true;          ///< false: visit every router in every cycle (results are the same)
  std::uint64_t shuffle = 0;  ///< not 0: visit routers in a random order with this seed (results are the same)
};

/// All routers of a fabric as plain state. `node` of FabricSide is the number of the NPU.
class GeneralRouters final : public FabricSide, public Block {
 public:
  /// No router has more VCs over all its ports than kMaxAgents.
  explicit GeneralRouters(const GeneralParameters& parameters);
  ~GeneralRouters() override;

  /// Joins the network interfaces. Before the first cycle; `probe` may be null.
  void connect(LocalSide* local, PacketPool* pool, FabricProbe* probe);
  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;

  void inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override;
  void return_credit(std::uint32_t node, VcId vc, Cycle at) override;

  /// Flits in buffers and on links out of routers.
  const std::uint64_t& flits_inside() const { return inside_; }
  /// Flits moved since the start; grows whenever there is progress.
  const std::uint64_t& flits_moved() const { return moved_; }
  std::uint64_t flits(network::Attachment at) const { return statistics_[port_index(at.router, at.port)].flits; }
  /// How many of the flits that an output has sent its link carries in cycle `end` and later; a part of a flit counts
  /// as such.
  double flits_after(network::Attachment at, Cycle end) const;
  LinkValues link_values(network::Attachment at) const;
  /// Closes open stall intervals at the end of a run.
  void finish_statistics(Cycle now);
  /// Who waits for whom, in sentences, at most `limit` of them.
  std::vector<std::string> waiting(std::size_t limit) const;
  /// Throws ViolationError unless all buffers are empty and all credits are home.
  void require_empty() const;
  /// Hash of all state that influences behaviour, relative to `now`, the last cycle that was executed. What only says
  /// when to look at a router is left out: sleeping and the order of visits do not change it.
  std::uint64_t state_hash(Cycle now) const;
  /// Gives `form` all state, or refuses with a reason.
  void put_state(StateForm& form);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);

 private:
  friend struct test::GeneralState;  // tests change single fields to see that hash and looks have them

  using Mask = Uint128;
  static constexpr int kNone = -1;
  static constexpr std::uint32_t kNoNpu = ~std::uint32_t{0};
  static constexpr int kDraining = -2;  ///< in owners_: the tail is sent, its credits are not all back

  /// VCs of a router are numbered port * vcs + vc. The buffer of an input VC and the credits of an output VC are in
  /// links_, where links are numbered by port.
  struct InputVc {
    int output = kNone;  ///< output VC that its packet holds
    std::uint32_t port = 0;
    std::uint32_t vc_class = 0;
    bool delayed = false;  ///< its output VC is granted but takes effect later
  };
  struct Router {
    Mask va_wait = 0;
    Mask sa_ready = 0;
    Mask slot_waits = 0;  ///< ports for which a wake-up at the link's next slot is on its way
    Mask lost = 0;        ///< statistics: ports whose VCs lost arbitration in the last visit
    bool queued = false;
    bool vc_freed = false;
    std::uint32_t ports = 0;
    std::uint32_t first_port = 0;  ///< index into all arrays by port
    std::uint32_t first_vc = 0;    ///< index into all arrays by VC
  };
  enum class Wake : std::uint8_t { kRouted, kAllocated, kSlot };
  struct WakeUp {
    std::uint32_t router;
    std::uint32_t vc;  ///< input VC, or the port of kSlot
    Wake what;
  };
  struct StallWatch;

  // general_step.cpp and general_allocate.cpp: one cycle.
  void receive(Cycle now);
  void wake_up(Cycle now);
  void visit_routers(Cycle now);
  void visit(std::uint32_t router, Cycle now);
  void come_to_front(std::uint32_t router, std::uint32_t vc, Cycle now);
  void start_packet(std::uint32_t router, std::uint32_t vc, Cycle now, Cycle wait);
  void route(std::uint32_t router, std::uint32_t vc);
  void make_ready(std::uint32_t router, std::uint32_t vc, Cycle now);
  Mask allocate_vcs(std::uint32_t router, Cycle now, Mask* winners);
  void take_vc(std::uint32_t router, std::uint32_t input, std::uint32_t output, Cycle now);
  void allocate_switch(std::uint32_t router, Mask ready, Cycle now);
  std::vector<std::uint32_t>& match_switch(std::uint32_t router, Mask ready);
  Mask with_open_links(std::uint32_t router, Mask ready, Cycle at, bool wake);
  void send(std::uint32_t router, std::uint32_t input, Cycle now);
  void put_on_link(std::uint32_t router, std::uint32_t output, Flit flit, Cycle now);
  void return_upstream(std::uint32_t input, Cycle now);
  void end_packet(std::uint32_t router, std::uint32_t input, Cycle now);
  void count_lost(std::uint32_t router, Mask waiting, Cycle now);
  void queue(std::uint32_t router);

  void put_state(StateForm& form, std::uint32_t number);

  // general_routers.cpp: waves.
  void watch_stalls();
  void find_touched(Cycle now);
  void note_asking();
  void report_stalls(Cycle now);
  StallReason stall_of(std::uint32_t router, std::uint32_t port, Mask asking, Cycle now) const;
  std::string describe(std::uint32_t router, std::uint32_t vc) const;

  void add_links(const RouterSpec& router);
  std::string vc_name(std::uint32_t vc, bool is_sending) const;
  std::uint32_t port_index(std::uint32_t router, std::uint32_t port) const {
    return routers_[router].first_port + port;
  }
  const network::RouterPort& port_spec(std::uint32_t router, std::uint32_t port) const {
    return parameters_.graph.routers()[router].ports[port];
  }
  Rational rate(std::uint32_t router, std::uint32_t port) const { return port_spec(router, port).link.flits_per_cycle; }
  std::uint32_t port_of(std::uint32_t vc) const { return vc / vcs_; }
  /// Number of a router's VC among all VCs.
  std::uint32_t vc_index(std::uint32_t router, std::uint32_t vc) const { return routers_[router].first_vc + vc; }
  InputVc& in(std::uint32_t router, std::uint32_t vc) { return inputs_[vc_index(router, vc)]; }
  const InputVc& in(std::uint32_t router, std::uint32_t vc) const { return inputs_[vc_index(router, vc)]; }
  int& owner(std::uint32_t router, std::uint32_t vc) { return owners_[vc_index(router, vc)]; }
  int owner(std::uint32_t router, std::uint32_t vc) const { return owners_[vc_index(router, vc)]; }
  std::uint32_t credits(std::uint32_t router, std::uint32_t vc) const { return links_.credits(vc_index(router, vc)); }
  std::uint32_t flits_in(std::uint32_t router, std::uint32_t vc) const { return links_.waiting(vc_index(router, vc)); }
  const Flit& front(std::uint32_t router, std::uint32_t vc) const { return links_.front(vc_index(router, vc)); }
  PortMeter meter(std::uint32_t router, std::uint32_t port) {
    return {statistics_[port_index(router, port)], waits_[port_index(router, port)]};
  }
  VcId vc_on_link(std::uint32_t vc) const { return VcId(static_cast<std::uint8_t>(vc % vcs_)); }

  // Fixed after construction.
  GeneralParameters parameters_;
  std::uint32_t vcs_;
  std::uint32_t depth_;
  bool unit_rate_ = true;  ///< all links carry exactly one flit per cycle
  std::uint32_t vc_classes_;
  std::vector<std::uint32_t> vc_masks_;  ///< [message class][VC class], the last one of a class = all of its VCs
  std::vector<std::uint32_t> npus_;      ///< by VC: the NPU at its port; kNoNpu = another router
  std::vector<std::uint32_t> npu_vcs_;   ///< by NPU: the first VC of its port
  std::unique_ptr<Allocator<Mask>> allocator_;
  LocalSide* local_ = nullptr;
  PacketPool* pool_ = nullptr;
  FabricProbe* probe_ = nullptr;

  // State.
  std::vector<Router> routers_;
  CreditLinks<Flit> links_;  ///< by port: out of it, and the buffers into it
  std::vector<InputVc> inputs_;
  std::vector<int> owners_;                  ///< by output VC: the input VC that holds it
  std::vector<std::uint32_t> free_vcs_;      ///< by port: VCs that can be given to a packet, as bits
  std::vector<std::uint8_t> switch_vc_;      ///< by port: pointer over the VCs of an input
  std::vector<std::uint8_t> switch_input_;   ///< by port: pointer of an input over outputs
  std::vector<std::uint8_t> switch_output_;  ///< by port: pointer of an output over inputs
  std::vector<std::uint8_t> va_input_;       ///< by VC: pointer of an input VC over output VCs
  std::vector<std::uint8_t> va_output_;      ///< by VC: pointer of an output VC over input VCs
  TimingWheel<WakeUp> wake_ups_;
  std::vector<std::uint32_t> to_visit_;
  std::vector<std::uint32_t> visiting_;
  std::vector<std::uint32_t> granted_;  ///< input VCs that one match grants
  std::vector<std::uint8_t> picked_;    ///< VC by input and output port, in one match
  Mask sent_ = 0;                       ///< input VCs that have sent in the visit under way
  std::uint64_t inside_ = 0;
  std::uint64_t moved_ = 0;
  ChoiceCount choices_;
  std::vector<PortStatistics> statistics_;
  std::vector<WaitCycles> waits_;
  std::unique_ptr<StallWatch> stalls_;  ///< null = nobody wants them
};

}  // namespace weft::router
