// SPDX-License-Identifier: Apache-2.0
// What the log of a run can hook into: accesses of memories. Producers hold a null pointer when nothing is logged.
#pragma once

#include <cstdint>
#include <string>

#include "base/activity_probe.h"
#include "base/types.h"

namespace weft {

/// One access of a memory, in cycles of the NPUs' clock.
struct MemoryAccess {
  std::string component;           ///< the DRAM or the I/O controller
  NodeId node = kNoPeer;           ///< who has asked, or brought the data
  std::uint32_t group = kNoGroup;  ///< process group that the data were copied to or summed for; kNoGroup = none
  bool write = false;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  Cycle asked = 0;
  Cycle done = 0;
  std::string refused;  ///< reason; "" = it was done
};

/// Is told what memories have done.
class AccessProbe {
 public:
  virtual ~AccessProbe() = default;
  /// `access` has ended in a memory of `owner`, on the thread that owns this node; kNoPeer: in the pool that all share.
  virtual void access_ended(NodeId owner, MemoryAccess access) = 0;
};

}  // namespace weft
