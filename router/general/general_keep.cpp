// SPDX-License-Identifier: Apache-2.0
// The state of general routers in a checkpoint.
#include "router/general/general_routers.h"

namespace weft::router {

void GeneralRouters::keep(Checkpoint& checkpoint) {
  if (probe_ != nullptr || stalls_ != nullptr) Checkpoint::refuse("somebody watches the routers");
  checkpoint.section("routers");
  checkpoint.values(inside_, moved_, choices_);
  checkpoint.all(routers_, [&](Router& router) {
    checkpoint.values(router.va_wait, router.sa_ready, router.slot_waits, router.lost, router.queued, router.vc_freed);
  });
  links_.keep(checkpoint);
  checkpoint.all(inputs_,
                 [&](InputVc& input) { checkpoint.values(input.output, input.port, input.vc_class, input.delayed); });
  checkpoint.all(owners_);
  checkpoint.all(free_vcs_);
  for (std::vector<std::uint8_t>* pointers : {&switch_vc_, &switch_input_, &switch_output_, &va_input_, &va_output_}) {
    checkpoint.all(*pointers);
  }
  wake_ups_.keep(checkpoint, [&](WakeUp& wake) { checkpoint.values(wake.router, wake.vc, wake.what); });
  checkpoint.list(to_visit_);
  checkpoint.all(statistics_, [&](PortStatistics& port) { port.keep(checkpoint); });
  checkpoint.all(waits_, [&](WaitCycles& waits) { waits.keep(checkpoint); });
}

}  // namespace weft::router
