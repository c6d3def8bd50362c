// SPDX-License-Identifier: Apache-2.0
// Flows that the fabric's switches carry out: what NPUs ask for by content and name by number.
#pragma once

#include <cstdint>
#include <vector>

#include "base/checkpoint.h"
#include "base/types.h"

namespace weft {

/// Traffic classes of a port of a FRED switch, one for each phase of parallel training and one for control. They are
/// the message classes of its network interfaces; MP goes first, then PP, then DP; control before all of them.
enum class TrafficClass : std::uint8_t { kMp = 0, kPp = 1, kDp = 2, kControl = 3 };
inline constexpr int kTrafficClasses = 4;

/// VC number of a traffic class in one of the planes, at the links of network interfaces.
constexpr VcId plane_vc(int plane, TrafficClass traffic_class) {
  return VcId{static_cast<std::uint8_t>(plane * kTrafficClasses + static_cast<int>(traffic_class))};
}
constexpr int plane_of(VcId vc) { return index(vc) / kTrafficClasses; }
/// Number, for probes, of the link from a network interface into one of `planes` planes; its VCs are the traffic
/// classes.
constexpr LinkId plane_link(NodeId node, int plane, int planes) {
  return LinkId{index(node) * static_cast<std::uint32_t>(planes) + static_cast<std::uint32_t>(plane)};
}
constexpr VcId traffic_class_vc(TrafficClass traffic_class) { return VcId{static_cast<std::uint8_t>(traffic_class)}; }
constexpr TrafficClass traffic_class_of(VcId vc) { return TrafficClass(index(vc) % kTrafficClasses); }

/// The data of all inputs is reduced and the result copied to all outputs. Nodes ascend.
struct FabricFlow {
  std::vector<NodeId> inputs;
  std::vector<NodeId> outputs;
  friend bool operator<(const FabricFlow& a, const FabricFlow& b) {
    return a.inputs != b.inputs ? a.inputs < b.inputs : a.outputs < b.outputs;
  }
  friend bool operator==(const FabricFlow& a, const FabricFlow& b) {
    return a.inputs == b.inputs && a.outputs == b.outputs;
  }
};

inline constexpr std::uint32_t kNoFlow = ~std::uint32_t{0};

/// Numbers flows. What is routed and stored before a run is known to every node of it, so asking costs no time.
class FlowDirectory {
 public:
  virtual ~FlowDirectory() = default;
  /// Number of `flows[which]`; the same, whoever asks. `flows` are those of one phase: no two of them share an input
  /// or an output, and they should be able to run at the same time. kNoFlow: the endpoints have to carry it out.
  /// Throws InputError where the fabric cannot carry it and may not pass it on to the endpoints.
  virtual std::uint32_t number_of(const std::vector<FabricFlow>& flows, std::size_t which) = 0;
  /// Writes into `checkpoint` what has been numbered in which order, or numbers it in that order.
  virtual void keep(Checkpoint& /*checkpoint*/) { Checkpoint::refuse("numbers of flows are not kept"); }
};

}  // namespace weft
