// SPDX-License-Identifier: Apache-2.0
// What is asked of the links out of network interfaces, whatever fabric they lead into.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace weft::npu {

/// The links from the network interfaces of some nodes into their fabric.
class InjectionLinks {
 public:
  virtual ~InjectionLinks() = default;
  /// Flits put on the links of `node` so far.
  virtual std::uint64_t flits(std::uint32_t node) const = 0;
  /// How much of them the links carry in cycle `end` and later, in flits.
  virtual double flits_after(std::uint32_t node, Cycle end) const = 0;
  /// Throws ViolationError unless all credits are home and no packet is on its way into a link.
  virtual void require_empty() const = 0;
};

}  // namespace weft::npu
