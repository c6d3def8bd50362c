// SPDX-License-Identifier: Apache-2.0
// The fabric of a system: its routers or switches with the links between them. `system.h` joins network interfaces to
// it; `mesh_fabric.h`, `graph_fabric.h` and `switch_fabric.h` are what there is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock_domain.h"
#include "base/fabric_flows.h"
#include "base/flit_socket.h"
#include "base/probe.h"
#include "config/config.h"
#include "network/network.h"
#include "npu/interface/local_block.h"
#include "sc_models/run_result.h"
#include "switch/network/uswitch_probe.h"

namespace weft::sc_models {

/// Switches for tests; those of law 2 may not change any result.
struct TestKnobs {
  bool sleep = true;          ///< false: every router is visited in every cycle
  bool trains = true;         ///< false: flits go one by one through FRED switches, whose states can be compared then
  std::uint64_t shuffle = 0;  ///< not 0: routers, or modules, are visited in a random order
  bool may_deadlock = false;  ///< accept too few VCs; this one does change results
  int columns_per_part = 0;   ///< not 0: a mesh is cut into bands of so many columns, which may rest
};

/// What a system is given from outside. Who watches it never influences it.
struct SystemSetup {
  SystemSetup(FabricProbe* fabric = nullptr) : probe(fabric) {}
  FabricProbe* probe;                      ///< what happens on links and at nodes; null = nobody wants to know
  std::vector<fred::SwitchWatch> watches;  ///< by chiplet of a fabric of switches, what is wanted of its inside
  fred::SwitchFactory make_switch = fred::make_tlm_switch;  ///< folders above the system add models of switches
  int threads = 0;  ///< step the parts into which `config.threads` cuts the fabric; 0 = one for each part
};

/// What a fabric is built from. `config`, `clock` and `data` outlive it.
struct FabricSetup {
  const Config& config;
  ClockDomain& clock;
  PacketData* data;  ///< for packets that the fabric copies or reduces; null in timing mode
  const SystemSetup& given;
  const TestKnobs& knobs;
};

/// What the sender of links has counted.
struct LinkCounts {
  std::uint64_t flits = 0;
  LinkValues values;  ///< none where it does not know, or keeps no statistics
};

/// Built in one of two forms. As plain state it has parts, each of which shares a block with the network interfaces of
/// its nodes. As modules every router or switch is a SystemC module that the network interfaces bind to.
class Fabric {
 public:
  virtual ~Fabric() = default;

  /// In this configuration it is built as modules.
  virtual bool in_modules() const = 0;

  // These build it as plain state.
  /// The nodes of each part, in the part's order.
  virtual std::vector<std::vector<NodeId>> parts() const = 0;
  /// Joins the network interfaces of a part. Returns who is to be told what happens there; null = nobody.
  virtual FabricProbe* attach(std::size_t part, npu::LocalBlock& interfaces) = 0;
  /// To be called when all parts are attached; gives what the fabric's clock steps.
  virtual Block& join_parts() = 0;

  // These build it as modules. A fabric that has no such form is never asked.
  virtual std::size_t modules() const;
  virtual void build_module(std::size_t number);
  virtual void join_modules();
  /// Ports of every network interface, and the VCs of all of them together.
  virtual int interface_ports() const;
  virtual int interface_vcs() const;
  /// The fabric's end of the link at a port of a node's network interface.
  virtual LinkEnd& link_to(NodeId node, int port);

  /// Who numbers the flows of its switches; null if it has none that reduce and copy.
  virtual FlowDirectory* flows() { return nullptr; }
  /// Before the first cycle: who is shown the wires inside of switches; outlives the last cycle.
  virtual void show_insides(fred::UswitchProbe* /*probe*/) {}

  // Parts may rest while they repeat themselves (resting_parts.h).
  virtual bool parts_may_rest() const { return false; }
  /// All go on behind cycle `end`, the last one that has been executed or passed. To be called before the state is
  /// read.
  virtual void wake_all(Cycle /*end*/) {}
  /// The first cycle behind which a part that rests goes on by itself; 0 = none rests.
  virtual Cycle rest_until() const { return 0; }
  /// Cycles in which parts have rested, each counted by its share of the nodes.
  virtual Cycle left_out() const { return 0; }
  /// Counts what passes without a step up to and with cycle `end`, the last one that has been executed. To be called
  /// before anything that is counted is read.
  virtual void settle(Cycle /*end*/) {}
  /// The last cycle in which something passes without a step; 0 = nothing does.
  virtual Cycle passes_until() const { return 0; }
  /// What moves, as is cheap to ask. Where the state repeats, `sum` grows by the same again and `level` is what it was.
  struct Pulse {
    std::uint64_t sum = 0;
    std::uint64_t level = 0;
  };
  virtual Pulse pulse() const { return {flits_moved(), flits_inside()}; }
  /// Where both stand, if each is a word of its own for as long as the fabric is there; else null.
  struct PulseWords {
    const std::uint64_t* sum = nullptr;
    const std::uint64_t* level = nullptr;
  };
  virtual PulseWords pulse_words() const { return {}; }
  /// Gives `form` the state of all parts with their network interfaces, or refuses with a reason.
  virtual void put_state(StateForm& form) { form.refuse("this form of the fabric does not take part yet"); }
  /// Writes its state into `checkpoint`, or takes it from there. With the network interfaces, as put_state.
  virtual void keep(Checkpoint& /*checkpoint*/) { Checkpoint::refuse("fabric.form: modules is not kept"); }
  virtual std::uint64_t flits_inside() const = 0;
  virtual std::uint64_t flits_moved() const = 0;
  /// Descriptors of packets that are in use.
  virtual std::size_t packets() const = 0;
  /// Throws ViolationError unless all buffers are empty and all credits are home.
  virtual void require_empty() const = 0;
  /// Who waits for whom, in sentences; ends with the circle if there is one.
  virtual std::string waiting_report() const = 0;

  /// To be called once after the last cycle, before quantities of links are read.
  virtual void finish_statistics(Cycle cycles) = 0;
  /// What it has to add to a run's result.
  virtual void add_to(RunResult* /*result*/) const {}

  // These are about links whose source is not a network interface (network::Network::row_source).
  /// Whether links count their flits in this run.
  virtual bool counts_flits() const = 0;
  virtual LinkCounts link_counts(network::LinkSource source) const = 0;
  /// Flits that were put on the link so far; cheap.
  virtual std::uint64_t link_flits(network::LinkSource source) const = 0;
  /// How much of them the link carries in cycle `end` and later, in flits.
  virtual double link_flits_after(network::LinkSource source, Cycle end) const = 0;
};

}  // namespace weft::sc_models
