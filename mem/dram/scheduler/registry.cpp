// SPDX-License-Identifier: Apache-2.0
// All schedulers by name.
#include "mem/dram/scheduler/scheduler.h"

namespace weft::mem {

// Each is in the file of its name.
extern const SchedulerPolicy kFrFcfs, kFifo;

const PolicyList<SchedulerPolicy>& scheduler_policies() {
  static const PolicyList<SchedulerPolicy> list("no memory scheduler", {&kFrFcfs, &kFifo});
  return list;
}

std::unique_ptr<Scheduler> make_scheduler(const std::string& name, Cycle age_limit) {
  return scheduler_policies().at(name).make(age_limit);
}

}  // namespace weft::mem
