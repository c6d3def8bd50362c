// SPDX-License-Identifier: Apache-2.0
// Flits, packets and the pool that holds the descriptors of packets on the way.
#pragma once

#include <cstdint>
#include <vector>

#include "base/big_vector.h"
#include "base/error.h"
#include "base/fabric_flows.h"
#include "base/types.h"

namespace weft {

/// Index of a descriptor in one PacketPool. It means nothing outside the partition that owns the pool.
using PacketIndex = std::uint32_t;

/// Unit of flow control as it lies in buffers: which packet, and whether it is the packet's first or last flit.
class Flit {
 public:
  Flit() = default;
  Flit(PacketIndex packet, bool head, bool tail)
      : bits_(packet << 2 | static_cast<std::uint32_t>(tail) << 1 | static_cast<std::uint32_t>(head)) {}

  PacketIndex packet() const { return bits_ >> 2; }
  bool head() const { return (bits_ & 1) != 0; }
  bool tail() const { return (bits_ & 2) != 0; }

 private:
  std::uint32_t bits_ = 0;
};

/// Data of a message in values mode, shared by its packets (defined by the network interface).
struct PayloadHolder;

/// Descriptor of a packet on the way. Its name is (src, sequence), which is the same in every run.
struct Packet {
  NodeId src{};
  NodeId dst{};
  std::uint32_t sequence = 0;  ///< counts the packets of `src`
  std::uint32_t flits = 1;
  std::uint32_t flits_received = 0;  ///< at the destination, for the check of completeness

  // Routing. Written by the fabric when the head enters it.
  std::uint16_t dst_x = 0;
  std::uint16_t dst_y = 0;
  std::uint16_t via_x = 0;  ///< intermediate destination of two-phase routing functions
  std::uint16_t via_y = 0;
  std::uint8_t route_bits = 0;  ///< choices made for this packet; meaning belongs to the routing function
  std::uint8_t message_class = 0;
  std::uint16_t hops = 0;  ///< routers visited so far

  // Statistics only: these never influence behaviour.
  Cycle created = 0;
  Cycle injected = 0;
  bool measured = false;

  // Message that the packet belongs to; unused by synthetic traffic.
  bool follows_route = false;  ///< goes where the set-up route of its colour goes, not to `dst`
  bool flow = false;           ///< part of what all members of an in-fabric reduction send; `src` is only one of them
  std::uint32_t bytes = 0;     ///< payload of this packet
  std::uint32_t message_sequence = 0;
  std::uint32_t switch_flow = kNoFlow;  ///< what FRED switches do with it; kNoFlow = goes to `dst`
  std::uint64_t tag = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t offset = 0;  ///< offset of this packet's payload within the message, bytes
  PayloadHolder* payload = nullptr;
};

/// Writes a packet into `checkpoint`, or takes it from there, but for its payload.
template <typename Checkpoint>
void keep(Checkpoint& checkpoint, Packet& packet) {
  checkpoint.values(packet.src, packet.dst, packet.sequence, packet.flits, packet.flits_received, packet.dst_x,
                    packet.dst_y, packet.via_x, packet.via_y, packet.route_bits, packet.message_class, packet.hops,
                    packet.created, packet.injected, packet.measured, packet.follows_route, packet.flow, packet.bytes,
                    packet.message_sequence, packet.switch_flow, packet.tag, packet.message_bytes, packet.offset);
}

/// What has to be done with the data of packets that routers copy or merge. Belongs to one partition.
class PacketData {
 public:
  virtual ~PacketData() = default;
  /// `packet` is a new copy of another.
  virtual void copied(const Packet& packet) = 0;
  /// `from` is reduced into `into` and disappears.
  virtual void merged(Packet& into, const Packet& from) = 0;
  /// The packet's bytes, Packet::bytes of them, as its sender has them.
  virtual const std::uint8_t* bytes(const Packet& packet) const = 0;
  /// The packet goes on without its sender's data: a switch has read it.
  virtual void read(Packet& packet) = 0;
  /// What switches have made of a packet's data; it has none so far.
  virtual void made(Packet& packet, std::vector<std::uint8_t> bytes) = 0;
};

/// Storage of descriptors of one partition; never touched by two threads.
class PacketPool {
 public:
  /// A descriptor to fill in.
  PacketIndex allocate() {
    ++in_use_;
    if (!free_.empty()) {
      const PacketIndex index = free_.back();
      free_.pop_back();
      packets_[index] = kNew;
      return index;
    }
    WEFT_CHECK(packets_.size() < (PacketIndex{1} << 30), "more than 2^30 packets on the way in one partition");
    packets_.emplace_back();
    return static_cast<PacketIndex>(packets_.size() - 1);
  }
  void release(PacketIndex index) {
    --in_use_;
    free_.push_back(index);
  }
  Packet& operator[](PacketIndex index) { return packets_[index]; }
  const Packet& operator[](PacketIndex index) const { return packets_[index]; }
  /// Packets on the way.
  std::size_t in_use() const { return in_use_; }
  /// Calls `visit(packet)` for all packets on the way, by index.
  template <typename Visit>
  void for_each(Visit visit) {
    std::vector<bool> free(packets_.size());
    for (const PacketIndex index : free_) free[index] = true;
    for (PacketIndex index = 0; index < packets_.size(); ++index) {
      if (!free[index]) visit(packets_[index]);
    }
  }
  /// Writes its state into `checkpoint`, or takes it from there: all packets keep their indices. Network interfaces
  /// keep the payloads.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.list(free_);
    checkpoint.values(in_use_);
    checkpoint.each(packets_, [&](Packet& packet) { weft::keep(checkpoint, packet); });
  }

 private:
  static constexpr Packet kNew{};

  BigVector<Packet> packets_;
  std::vector<PacketIndex> free_;
  std::size_t in_use_ = 0;
};

}  // namespace weft
