// SPDX-License-Identifier: Apache-2.0
// The order of the flits in one buffer. The flits themselves lie in an array of the buffer's owner.
#pragma once

#include <cstdint>

#include "base/credit_count.h"

namespace weft {

/// A buffer of `slots` flits as a ring: which slots of it are in use. `name(arguments...)` gives the name of
/// the buffer for the sentence of a broken invariant; it is called only then.
template <typename Count>
struct FlitRing {
  Count first = 0;  ///< slot of the oldest flit
  Count flits = 0;  ///< flits in the buffer

  /// Slot of flit `number`; 0 is the oldest.
  std::uint32_t slot(std::uint32_t number, std::uint32_t slots) const {
    const std::uint32_t at = first + number;
    return at < slots ? at : at - slots;
  }
  /// The slot for a flit that arrives. `held`: slots of flits that were taken and whose credits have not been sent.
  template <typename Name, typename... Arguments>
  std::uint32_t push(std::uint32_t slots, std::uint32_t held, Name name, Arguments... arguments) {
    if (__builtin_expect(flits + held >= slots, 0))
      link_violation("a flit arrived at a full buffer", name, arguments...);
    return slot(flits++, slots);
  }
  /// The slot of the oldest flit, which leaves the ring.
  template <typename Name, typename... Arguments>
  std::uint32_t pop(std::uint32_t slots, Name name, Arguments... arguments) {
    if (__builtin_expect(flits == 0, 0)) link_violation("a flit was taken from an empty buffer", name, arguments...);
    const std::uint32_t at = first;
    if (++first == slots) first = 0;
    --flits;
    return at;
  }
};

}  // namespace weft
