// SPDX-License-Identifier: Apache-2.0
// What switches and their network interfaces say to each other where packets start only when nothing can stop them: all
// cycles of a packet's flits and of its credits at once. Every call may be made as soon as the cycles are known.
#pragma once

#include "base/flit_train.h"
#include "base/packet.h"
#include "base/state_form.h"
#include "base/types.h"

namespace weft {

/// The fabric as its network interfaces see it; the counterpart of FabricSide.
class TrainFabricSide {
 public:
  virtual ~TrainFabricSide() = default;
  /// The flits of a packet enter the fabric at `node`; `arrivals`: the cycles in which the switch receives them.
  virtual void inject(std::uint32_t node, VcId vc, PacketIndex packet, const FlitTrain& arrivals) = 0;
  /// The network interface takes flits out of its buffer; the switch receives the credits in the cycles `arrivals`.
  virtual void return_credits(std::uint32_t node, VcId vc, const FlitTrain& arrivals) = 0;
  /// Gives `form` what decides where the packets go that a node has not formed yet: those of a message of a flow whose
  /// next packet has the offset `offset`, and those of unicasts, by the number of the node's next packet.
  virtual void put_flow(StateForm& form, std::uint32_t flow, std::uint64_t tag, std::uint64_t offset) = 0;
  virtual void put_next_sequence(StateForm& form, std::uint32_t sequence) = 0;
  /// Whether packets of a flow take several routes in turn. Which one is the first depends on the message's tag.
  virtual bool is_striped(std::uint32_t flow) const = 0;
};

/// The network interfaces as the fabric sees them; the counterpart of LocalSide.
class TrainLocalSide {
 public:
  virtual ~TrainLocalSide() = default;
  /// The flits of a packet leave the fabric at `node`; `arrivals`: the cycles in which the network interface has them.
  virtual void eject(std::uint32_t node, VcId vc, PacketIndex packet, const FlitTrain& arrivals) = 0;
  /// Slots of the switch's input buffer become free; `arrivals`: the cycles in which the network interface knows.
  virtual void credits(std::uint32_t node, VcId vc, const FlitTrain& arrivals) = 0;
};

}  // namespace weft
