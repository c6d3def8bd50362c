// SPDX-License-Identifier: Apache-2.0
// The links of a pool: flits forward, credits back, and the packets that the flits belong to.
#pragma once

#include <cstdint>
#include <vector>

#include "base/link_rate.h"
#include "base/timing_wheel.h"
#include "mem/pool/pool_spec.h"
#include "mem/request.h"
#include "mem/state_hash.h"

namespace weft::mem {

/// A read or write of one module. A read goes down as one flit and comes up as its data, a write the other way round;
/// headers travel on side wires.
struct PoolPacket {
  std::uint32_t access = 0;  ///< slot of the access it is a part of, at its controller
  std::uint32_t controller = 0;
  PoolPlace place;
  Command command = Command::kRead;
  std::uint64_t bytes = 0;

  std::uint64_t request_flits(std::uint64_t flit_bytes) const { return flits(Command::kWrite, flit_bytes); }
  std::uint64_t response_flits(std::uint64_t flit_bytes) const { return flits(Command::kRead, flit_bytes); }

 private:
  std::uint64_t flits(Command with_data, std::uint64_t flit_bytes) const {
    return command == with_data ? (bytes + flit_bytes - 1) / flit_bytes : 1;
  }
};

struct PoolFlit {
  std::uint32_t packet = 0;
  bool head = false;
  bool tail = false;
};

/// What one link carried.
struct PoolLinkFigures {
  std::uint64_t flits = 0;
  std::uint32_t queue_max = 0;  ///< flits in the buffer behind it
};

/// Names an access without its slot: how many accesses its controller has got since.
class AccessAges {
 public:
  virtual ~AccessAges() = default;
  virtual std::uint64_t age(std::uint32_t controller, std::uint32_t slot) const = 0;
};

/// All links. A node sends on links that leave it and takes from links that reach it; what it sends is seen at least
/// a cycle later. So nodes of one cycle may be stepped in any order.
class PoolNet {
 public:
  std::uint32_t add_link(const PoolLinkSpec& spec, std::uint32_t from_node, std::uint32_t to_node);
  std::uint32_t add_packet(const PoolPacket& packet);
  void drop_packet(std::uint32_t packet) { free_packets_.push_back(packet); }
  const PoolPacket& packet(std::uint32_t number) const { return packets_[number]; }

  /// Delivers what arrives at `now`; calls `wake(node)` for each node that gets a flit or a credit.
  template <typename Wake>
  void deliver(Cycle now, Wake wake) {
    for (const Event& event : wheel_.at(now)) {
      Link& link = links_[event.link];
      if (event.is_credit) {
        ++link.credits;
        wake(link.from_node);
      } else {
        put(link, event.flit);
        wake(link.to_node);
      }
    }
    wheel_.clear(now);
  }
  Cycle next_arrival(Cycle now) const { return wheel_.next_after(now); }

  // For the sender.
  bool can_send(std::uint32_t link, Cycle now) const {
    return links_[link].credits > 0 && links_[link].slots.can_send(links_[link].rate, now);
  }
  /// First edge, `now` or later, at which the link is free; kNever without a credit.
  Cycle next_slot(std::uint32_t link, Cycle now) const {
    return links_[link].credits > 0 ? links_[link].slots.next_slot(links_[link].rate, now) : kNever;
  }
  void send(std::uint32_t link, PoolFlit flit, Cycle now);

  // For the receiver. A flit keeps its slot of the buffer, also after it was taken, until a slot is given back.
  bool empty(std::uint32_t link) const { return links_[link].count == 0; }
  PoolFlit front(std::uint32_t link) const { return links_[link].buffer[links_[link].head]; }
  PoolFlit take(std::uint32_t link);
  void give_back(std::uint32_t link, Cycle now);

  const PoolLinkFigures& figures(std::uint32_t link) const { return links_[link].figures; }
  std::size_t links() const { return links_.size(); }
  /// All buffers empty and all credits home.
  bool at_rest() const;

  /// What a flit is, whatever the number of its packet. `accesses`: of the accesses of each controller.
  std::uint64_t flit_hash(PoolFlit flit, const AccessAges& accesses) const;
  /// Hash of buffers, credits, and what is on the links, relative to `now`.
  std::uint64_t state_hash(Cycle now, const AccessAges& accesses) const;

 private:
  struct Link {
    Rational rate;
    Cycle latency = 1;
    std::uint32_t from_node = 0;
    std::uint32_t to_node = 0;
    // The sender's.
    std::uint32_t credits = 0;
    LinkRate slots;
    // The receiver's.
    std::vector<PoolFlit> buffer;  ///< a ring
    std::uint32_t head = 0;
    std::uint32_t count = 0;  ///< in the ring
    std::uint32_t used = 0;   ///< slots, those of flits that were taken included
    PoolLinkFigures figures;
  };
  struct Event {
    std::uint32_t link = 0;
    bool is_credit = false;
    PoolFlit flit;
  };

  static void put(Link& link, PoolFlit flit);

  std::vector<Link> links_;
  TimingWheel<Event> wheel_;
  std::vector<PoolPacket> packets_;
  std::vector<std::uint32_t> free_packets_;
};

/// What a pool is made of: stepped when something reached it, or when it asked for it.
class PoolNode {
 public:
  virtual ~PoolNode() = default;
  virtual void step(Cycle now) = 0;
  /// First edge after `now` with work, if nothing reaches it before; kNever = none.
  virtual Cycle next_work(Cycle now) const = 0;
  /// Of all state that influences what the node does, relative to `now`, the cycle that was executed last.
  virtual std::uint64_t state_hash(Cycle now, const AccessAges& accesses) const = 0;
};

}  // namespace weft::mem
