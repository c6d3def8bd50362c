// SPDX-License-Identifier: Apache-2.0
// What a recorder of waves or logs can hook into. Producers hold a null pointer when nothing is recorded.
#pragma once

#include <cstdint>
#include <string>

#include "kernel/types.h"

namespace weft {

/// A packet's name, the same in every run and on every thread count.
struct PacketIdentity {
  NodeId src{};
  std::uint32_t sequence = 0;  ///< counts the packets of `src` from 0
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
  /// What the NPU at `node` does changed: "" = nothing, else for example "all_reduce_0 chunk 1 step 3".
  /// Chiplets of a fabric of switches have the numbers after those of all nodes: "configuration 2: ..." is active.
  virtual void npu_state(Cycle now, NodeId node, const std::string& text) = 0;
};

}  // namespace weft
