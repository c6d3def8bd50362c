// SPDX-License-Identifier: Apache-2.0
// The state of general routers for comparing it with itself a period before.
#include "router/general/general_routers.h"

namespace weft::router {

void GeneralRouters::put_state(StateForm& form) {
  if (probe_ != nullptr || stalls_ != nullptr) return form.refuse("somebody watches the routers");
  choices_.put_state(form);
  form.same(inside_);
  form.grows(moved_);
  for (std::uint32_t router = 0; router < routers_.size() && !form.failed(); ++router) put_state(form, router);
  if (form.failed()) return;
  links_.put_state(form, [&](Flit flit) { form.flit(*pool_, flit); });
  const auto number_of = [](const WakeUp& wake) {
    return std::uint64_t{wake.router} << 32 | std::uint64_t{wake.vc} << 8 | static_cast<std::uint64_t>(wake.what);
  };
  wake_ups_.put_state(form, number_of, [&](const WakeUp& wake) { form.same(number_of(wake)); });
  form.unordered(to_visit_);
  if (!parameters_.statistics) return;
  for (PortStatistics& port : statistics_) port.put_state(form);
  for (WaitCycles& waits : waits_) waits.put_state(form);
}

void GeneralRouters::put_state(StateForm& form, std::uint32_t number) {
  const Router& router = routers_[number];
  for (const Mask mask : {router.va_wait, router.sa_ready, router.slot_waits, router.lost}) {
    form.same(static_cast<std::uint64_t>(mask));
    form.same(static_cast<std::uint64_t>(mask >> 64));
  }
  form.same(std::uint64_t{router.queued} << 1 | std::uint64_t{router.vc_freed});
  for (std::uint32_t port = router.first_port; port < router.first_port + router.ports; ++port) {
    form.same(free_vcs_[port]);
    form.same(std::uint64_t{switch_vc_[port]} << 16 | std::uint64_t{switch_input_[port]} << 8 | switch_output_[port]);
  }
  for (std::uint32_t vc = 0; vc < router.ports * vcs_; ++vc) {
    const InputVc& input = in(number, vc);
    form.same(std::uint64_t{static_cast<std::uint32_t>(input.output)} << 32 |
              static_cast<std::uint32_t>(owner(number, vc)));
    form.same(std::uint64_t{input.port} << 32 | std::uint64_t{input.vc_class} << 1 | std::uint64_t{input.delayed});
    form.same(std::uint64_t{va_input_[router.first_vc + vc]} << 8 | va_output_[router.first_vc + vc]);
  }
}

}  // namespace weft::router
