// SPDX-License-Identifier: Apache-2.0
// What sits at the local ports of a region: network interfaces with traffic sources or message queues behind them.
#pragma once

#include "base/block.h"
#include "base/checkpoint.h"
#include "base/link_stalls.h"
#include "base/node_quantities.h"
#include "base/probe.h"
#include "base/region_ports.h"
#include "base/state_form.h"
#include "config/config.h"
#include "npu/interface/injection_links.h"

namespace weft::npu {

/// Network interfaces of the nodes of one region. `node` counts them in the region's order.
class LocalBlock : public LocalSide, public Block {
 public:
  /// Joins them to the fabric, whose packet pool they share. Before the first step; `probe` may be null.
  virtual void connect(FabricSide* fabric, PacketPool* pool, FabricProbe* probe) = 0;
  /// Nothing is on its way into or out of the fabric here.
  virtual bool idle() const = 0;
  /// First cycle in which something ends that endpoints do without the fabric: computing, an access to a memory. kNever
  /// if there is none.
  virtual Cycle next_timer() const { return kNever; }
  virtual const InjectionLinks& ports() const = 0;
  /// Why the links of `node` into the fabric carried nothing; those of all ports together.
  virtual LinkValues link_values(std::uint32_t node) const = 0;
  /// Counts them up to `end`, the first cycle of this block's clock that was not executed.
  virtual void finish_stalls(Cycle end) = 0;
  /// Counts what passes without a step up to and with cycle `end`, the last one that has been executed.
  virtual void settle(Cycle /*end*/) {}
  /// Gives `form` its state, or refuses with a reason.
  virtual void put_state(StateForm& form) { form.refuse("synthetic traffic is random"); }
  /// Writes its state into `checkpoint`, or takes it from there.
  virtual void keep(Checkpoint& checkpoint) = 0;
  /// What was measured at `node`.
  virtual NodeValues node_values(std::uint32_t node) const = 0;
};

}  // namespace weft::npu
