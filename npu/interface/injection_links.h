// SPDX-License-Identifier: Apache-2.0
// What is asked of the ports of network interfaces, whatever fabric they lead into.
#pragma once

#include <cstdint>
#include <vector>

#include "base/event_list.h"
#include "base/packet.h"
#include "base/types.h"

namespace weft::npu {

/// A flit that comes out of the fabric at a node.
struct Arrival {
  std::uint32_t node;
  Flit flit;
  std::uint8_t vc;
};

/// A credit that comes back to a node.
struct Credit {
  std::uint32_t node;
  std::uint8_t vc;
};

/// The ports of the network interfaces of some nodes. Each port is the end of a link into the fabric and of one out of
/// it. The VCs of all ports of a node are numbered in one row.
class InjectionLinks {
 public:
  virtual ~InjectionLinks() = default;
  /// Flits put on the links of `node` so far.
  virtual std::uint64_t flits(std::uint32_t node) const = 0;
  /// How much of them the links carry in cycle `end` and later, in flits.
  virtual double flits_after(std::uint32_t node, Cycle end) const = 0;
  /// The cycle in which the other end has the credit for a flit taken out of the ejection buffer of `vc` in `now`.
  virtual Cycle credit_arrival(Cycle now, VcId vc) const = 0;
  /// Puts the flits of one cycle into the order in which the nodes take them.
  virtual void put_in_order(EventList<Arrival>& arrivals) const = 0;
  /// Throws ViolationError unless all credits are home and no packet is on its way into a link.
  virtual void require_empty() const = 0;
};

}  // namespace weft::npu
