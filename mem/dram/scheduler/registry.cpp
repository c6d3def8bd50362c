// SPDX-License-Identifier: Apache-2.0
// All schedulers by name.
#include <fmt/format.h>

#include "base/error.h"
#include "base/text_distance.h"
#include "mem/dram/scheduler/schedulers.h"

namespace weft::mem {

std::vector<std::string> scheduler_names() { return {"fr_fcfs", "fifo"}; }

std::unique_ptr<Scheduler> make_scheduler(const std::string& name, Cycle age_limit) {
  if (name == "fr_fcfs") return std::make_unique<FrFcfs>(age_limit);
  if (name == "fifo") return std::make_unique<Fifo>();
  const std::vector<std::string> names = scheduler_names();
  throw InputError(fmt::format("no memory scheduler {}; known: {}{}", in_quotes(name), fmt::join(names, ", "),
                               did_you_mean(name, {names.begin(), names.end()})));
}

}  // namespace weft::mem
