// SPDX-License-Identifier: Apache-2.0
// The links of a pool, and the packets that their flits belong to.
#pragma once

#include <cstdint>
#include <vector>

#include "base/credit_links.h"
#include "mem/pool/pool_spec.h"
#include "mem/request.h"

namespace weft::mem {

/// A read or write of one module. A read goes down as one flit and comes up as its data, a write the other way round;
/// headers travel on side wires.
struct PoolPacket {
  std::uint32_t access = 0;  ///< slot of the access it is a part of, at its controller
  std::uint32_t controller = 0;
  PoolLocation location;
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

/// Names an access without its slot: how many accesses its controller has got since.
class AccessAges {
 public:
  virtual ~AccessAges() = default;
  virtual std::uint64_t age(std::uint32_t controller, std::uint32_t slot) const = 0;
};

/// All links, of one VC each, between the nodes of the pool, and the packets on them.
class PoolNet final : public CreditLinks<PoolFlit> {
 public:
  PoolNet();
  std::uint32_t add_link(const PoolLinkSpec& spec, std::uint32_t from_node, std::uint32_t to_node);
  std::uint32_t add_packet(const PoolPacket& packet);
  void drop_packet(std::uint32_t packet) { free_packets_.push_back(packet); }
  const PoolPacket& packet(std::uint32_t number) const { return packets_[number]; }

  /// What a flit is, whatever the number of its packet. `accesses`: ages of the accesses of each controller.
  std::uint64_t flit_hash(PoolFlit flit, const AccessAges& accesses) const;

 private:
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
  /// Hash of all state that influences what the node does, relative to `now`, the cycle that was executed last.
  virtual std::uint64_t state_hash(Cycle now, const AccessAges& accesses) const = 0;
};

}  // namespace weft::mem
