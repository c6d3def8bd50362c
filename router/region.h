// SPDX-License-Identifier: Apache-2.0
// A rectangle of routers as contiguous state: the hot loop of the fabric. One router is a region of 1 x 1.
// The pipeline and its delays are in README.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/checkpoint.h"
#include "base/colour_plan.h"
#include "base/link_stalls.h"
#include "base/multicast_plan.h"
#include "base/probe.h"
#include "base/region_ports.h"
#include "base/state_form.h"
#include "config/config.h"
#include "router/grid_names.h"
#include "router/router_state.h"

namespace weft::router {

/// The part of the grid that a region holds.
struct Rectangle {
  int x = 0;
  int y = 0;
  int width = 1;
  int height = 1;
};

/// Everything a region needs to know. The references must outlive it.
struct RegionParameters {
  const FabricSpec& fabric;
  Rectangle rectangle;
  int message_classes = 1;
  std::uint64_t seed = 1;
  bool statistics = true;
  bool sleep = true;          ///< false: visit every router in every cycle (results are the same)
  std::uint64_t shuffle = 0;  ///< not 0: visit routers in a random order with this seed (results are the same)
  bool may_deadlock = false;  ///< for tests of the watchdog: accept too few VCs, so that classes share them
  const ColourPlan* colours = nullptr;       ///< routes that are set up before the run; null = none
  const MulticastPlan* multicast = nullptr;  ///< trees for packets that are copied through VCs; null = none
};

/// An input VC that cannot move its flit, for the watchdog's report.
struct Waiting {
  NodeId router{};
  PortId in{};
  VcId vc{};
  PacketIdentity packet;
  NodeId dst{};
  PortId out{};
  int out_vc = -1;                      ///< output VC it holds and whose credit it lacks; -1 = it waits for a VC
  std::vector<PacketIdentity> holders;  ///< packets that hold the VCs it may use
  std::string reason;                   ///< for a flit on a set-up route: the end of the sentence "waits for ..."
};

/// A region of routers. All links, also between its own routers, take at least one cycle.
class Region : public FabricSide {
 public:
  /// The flit pipeline for `parameters`; throws InputError for what it cannot do.
  static std::unique_ptr<Region> create(const RegionParameters& parameters);

  /// Joins the network interfaces and what lies beyond the borders. Before the first cycle.
  virtual void connect(LocalSide* local, BorderSide* border, PacketPool* pool, FabricProbe* probe) = 0;
  /// Who takes care of the data of packets that are copied or merged; null = they carry none.
  virtual void set_packet_data(PacketData* data) = 0;

  /// Executes cycle `now`. Cycles without work may be left out.
  virtual void step(Cycle now) = 0;
  /// First cycle after `now` in which there is work; kNever = none until something arrives from outside.
  virtual Cycle next_work(Cycle now) const = 0;

  /// A flit of another region arrives through a border port in cycle `at`.
  virtual void receive_flit(std::uint32_t port, const FlitTransfer& flit, Cycle now, Cycle at) = 0;
  /// A credit of another region arrives through a border port in cycle `at`.
  virtual void receive_credit(std::uint32_t port, VcId vc, Cycle now, Cycle at) = 0;

  virtual int routers() const = 0;
  /// Number of the router at `at`, counted row by row within the region.
  virtual std::uint32_t router_at(Coordinates at) const = 0;
  virtual Coordinates coordinates_of(std::uint32_t router) const = 0;
  /// Flits in buffers and on links out of this region's routers.
  const std::uint64_t& flits_inside() const { return inside_; }
  /// Flits moved since the start; grows whenever there is progress.
  const std::uint64_t& flits_moved() const { return moved_; }
  virtual const PortStatistics& statistics(std::uint32_t router, PortId port) const = 0;
  /// How much of what an output has sent its link carries in cycle `end` and later, in flits.
  virtual double flits_after(std::uint32_t router, PortId port, Cycle end) const = 0;
  virtual LinkValues link_values(std::uint32_t router, PortId port) const = 0;
  /// Closes open stall intervals at the end of a run.
  virtual void finish_statistics(Cycle now) = 0;
  /// Who waits for whom, at most `limit` entries.
  virtual std::vector<Waiting> waiting(std::size_t limit) const = 0;
  /// Throws ViolationError unless all buffers are empty and all credits are home.
  virtual void require_empty() const = 0;
  /// Hash of all state that influences behaviour, relative to `now`: equal for equal futures.
  virtual std::uint64_t state_hash(Cycle now) const = 0;
  /// Gives `form` its state.
  virtual void put_state(StateForm& form) = 0;
  /// Writes its state into `checkpoint`, or takes it from there.
  virtual void keep(Checkpoint& checkpoint) = 0;
  /// Bytes of state per router.
  virtual std::size_t bytes() const = 0;

 protected:
  // Asked for in each cycle.
  std::uint64_t inside_ = 0;
  std::uint64_t moved_ = 0;
};

}  // namespace weft::router
