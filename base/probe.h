// SPDX-License-Identifier: Apache-2.0
// What a recorder of waves or logs can hook into. Producers hold a null pointer when nothing is recorded.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/types.h"

namespace weft {

/// A packet's name, the same in every run and on every thread count.
struct PacketIdentity {
  NodeId src{};
  std::uint32_t sequence = 0;  ///< counts the packets of `src` from 0
};

/// What a node does, in parts; those that do not apply are empty or kNone.
struct NodeActivity {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  NodeActivity() = default;
  /// For people only.
  NodeActivity(std::string says) : text(std::move(says)) {}

  std::string text;  ///< all of it for people, for example "all_reduce_0 chunk 1 step 3 | compute fwd"; "" = nothing
  std::string collective;          ///< the oldest under way: "all_reduce_0"
  std::string group;               ///< its process group
  std::uint32_t instance = kNone;  ///< how many of its kind were started before in this group
  std::uint32_t chunk = kNone;     ///< its oldest chunk under way
  std::uint32_t step = kNone;      ///< tag of the first instruction that is not done
  std::string flow;                ///< switch flow: at an NPU its number in the program, at a chiplet all active ones
  std::string phase;               ///< mp, pp, dp or control: the traffic class of the flow
  std::uint32_t setting = kNone;   ///< active one of a chiplet; 0 = unicasts

  friend bool operator==(const NodeActivity& a, const NodeActivity& b) {
    return a.text == b.text && a.collective == b.collective && a.group == b.group && a.instance == b.instance &&
           a.chunk == b.chunk && a.step == b.step && a.flow == b.flow && a.phase == b.phase && a.setting == b.setting;
  }
};

/// Why a link carries nothing although something waits for it. Where several wait, the first reason from below.
enum class StallReason : std::uint8_t {
  kNone,             ///< nothing waits, or what waits is on its way through the pipeline
  kNoCredit,         ///< the buffer behind the link is full
  kLostArbitration,  ///< something else has the switch or its output VC, or another stored setting is active
  kWaitingOperand,   ///< the operand of another input is not here
};

/// Receives what happens on links and at NPUs, in order of time. Calls of one cycle may come in any order, except that
/// those of one link or NPU keep the order in which it made them.
class FabricProbe {
 public:
  virtual ~FabricProbe() = default;
  /// The sender of a link gives a flit away in cycle `now`, and with it a credit; `credits` are left for its VC. A
  /// router does so when the flit wins the switch: switch traversal and the link itself come after it.
  virtual void flit_sent(Cycle now, LinkId link, VcId vc, PacketIdentity packet, bool head, bool tail, int credits) = 0;
  /// A credit for `vc` of `link` can be used from cycle `now` on; `credits` are there now.
  virtual void credit_returned(Cycle now, LinkId link, VcId vc, int credits) = 0;
  /// What `node` does has changed. Chiplets of a fabric of switches have the numbers after those of all nodes.
  virtual void node_activity(Cycle now, NodeId node, const NodeActivity& activity) = 0;
  /// Whether this link's stalls are wanted; asked once, before the first cycle. Finding them out costs time.
  virtual bool wants_stalls(LinkId /*link*/) const { return false; }
  /// Why nothing that waits for the link can go, from the end of cycle `now` on. In cycles in which the link carries a
  /// flit it means nothing. Called when it changes.
  virtual void link_stalled(Cycle /*now*/, LinkId /*link*/, StallReason /*reason*/) {}
};

}  // namespace weft
