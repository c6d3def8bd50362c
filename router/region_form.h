// SPDX-License-Identifier: Apache-2.0
// The state of a region for comparing it with itself a period before. Only flits on set-up routes take part: VCs have
// to be empty.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/state_form.h"
#include "router/region_impl.h"

namespace weft::router {

template <int Cap>
void RegionImpl<Cap>::put_state(StateForm& form) {
  if (probe_ != nullptr) return form.refuse("somebody watches the routers");
  if (colours_ == nullptr) return form.refuse("routers with packets in VCs do not take part yet");
  const bool quiet =
      arriving_flits_.empty() && arriving_credits_.empty() && wake_ups_.empty() && to_visit_.empty() && forks_.empty();
  if (!quiet) return form.refuse("packets are in VCs");
  form.same(inside_);
  form.grows(moved_);
  colours_->put_state(form);
  for (const State& state : state_) {
    for (const InputVc& in : state.in) {
      if (in.flits > 0) return form.refuse("packets are in VCs");
    }
    // Pointers, credits and owners as they lie in memory: packets may have passed since the last look.
    static_assert(std::is_trivially_copyable<State>::value && sizeof(State) % sizeof(std::uint64_t) == 0);
    std::array<std::uint64_t, sizeof(State) / sizeof(std::uint64_t)> words;
    std::memcpy(words.data(), &state, sizeof(State));
    for (const std::uint64_t word : words) form.same(word);
    if (form.failed()) return;
  }
  if (statistics_on_) {
    for (PortStatistics& port : statistics_) {
      form.same(std::uint64_t{port.blocked_vcs} << 8 | port.waits);
      form.grows(port.flits);
      form.grows(port.stall_cycles);
      form.grows(port.counted_to);
    }
    for (WaitCycles& waits : waits_) {
      form.grows(waits.lost_arbitration);
      form.grows(waits.waiting_operand);
    }
  }
  for (LinkRate& link : link_rates_) link.put_state(form);
}

}  // namespace weft::router
