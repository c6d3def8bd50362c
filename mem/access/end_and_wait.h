// SPDX-License-Identifier: Apache-2.0
// Ends of grants for SystemC threads: calls that return when nothing of the grant is left.
#pragma once

#include <memory>
#include <systemc>

#include "mem/access/validation_unit.h"

namespace weft::mem {

/// Calls `end(done)`, which is to end a grant of a ValidationUnit, and waits in the calling SC_THREAD until `done` was
/// called. Returns what `end` returned, at once if that is a refusal.
template <typename End>
Denial end_and_wait(End end) {
  struct Wait {
    bool is_done = false;
    sc_core::sc_event event;
  };
  // The unit may call back after the thread was killed.
  const auto wait = std::make_shared<Wait>();
  const Denial denial = end([wait] {
    wait->is_done = true;
    wait->event.notify(sc_core::SC_ZERO_TIME);
  });
  if (denial == Denial::kNone && !wait->is_done) sc_core::wait(wait->event);
  return denial;
}

/// ValidationUnit::revoke that returns after the pointers were invalidated and the accesses accepted before finished.
inline Denial revoke_and_wait(ValidationUnit& unit, Initiator by, Initiator from, AddressRange pages, Rights rights) {
  return end_and_wait([&](auto done) { return unit.revoke(by, from, pages, rights, std::move(done)); });
}
inline Denial unshare_and_wait(ValidationUnit& unit, Initiator by, AddressRange pages, Rights rights) {
  return end_and_wait([&](auto done) { return unit.unshare(by, pages, rights, std::move(done)); });
}
inline Denial release_and_wait(ValidationUnit& unit, Initiator by, AddressRange pages) {
  return end_and_wait([&](auto done) { return unit.release(by, pages, std::move(done)); });
}

}  // namespace weft::mem
