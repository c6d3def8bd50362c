// SPDX-License-Identifier: Apache-2.0
// The hash of all state of general routers that influences behaviour, relative to now.
#include "base/state_hash.h"
#include "router/general/general_routers.h"
#include "router/packet_hash.h"

namespace weft::router {

std::uint64_t GeneralRouters::state_hash(Cycle now) const {
  StateHash hash;
  for (std::uint32_t number = 0; number < routers_.size(); ++number) {
    const Router& router = routers_[number];
    for (const Mask mask : {router.va_wait, router.sa_ready}) {
      hash.add(static_cast<std::uint64_t>(mask)).add(static_cast<std::uint64_t>(mask >> 64));
    }
    for (std::uint32_t port = router.first_port; port < router.first_port + router.ports; ++port) {
      hash.add(free_vcs_[port]);
      hash.add(std::uint64_t{switch_vc_[port]} << 16 | std::uint64_t{switch_input_[port]} << 8 | switch_output_[port]);
    }
    for (std::uint32_t vc = 0; vc < router.ports * vcs_; ++vc) {
      const InputVc& input = in(number, vc);
      hash.add(static_cast<std::uint64_t>(input.output)).add(static_cast<std::uint64_t>(owner(number, vc)));
      hash.add(std::uint64_t{va_input_[router.first_vc + vc]} << 8 | va_output_[router.first_vc + vc]);
      // Behind the tail of a packet its port and set of VCs are left over.
      if (flits_in(number, vc) == 0) continue;
      hash.add(input.port).add(input.vc_class).add(input.delayed ? 1 : 0);
    }
  }
  std::uint64_t sum =
      hash.value() + links_.state_hash(now, [this](Flit flit) { return detail::flit_hash(*pool_, flit); });
  // What wakes up in one cycle has no order.
  wake_ups_.for_each(now, [&](Cycle ahead, const WakeUp& wake) {
    if (wake.what == Wake::kSlot) return;
    sum += StateHash().add(ahead).add(wake.router).add(wake.vc).add(static_cast<std::uint64_t>(wake.what)).value();
  });
  return sum;
}

}  // namespace weft::router
