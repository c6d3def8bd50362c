// SPDX-License-Identifier: Apache-2.0
// Trees for packets that routers copy on their way through VCs.
#pragma once

#include <vector>

#include "base/multicast_plan.h"
#include "config/config.h"
#include "config/load.h"

namespace weft::sc_models {

/// A tree for each rank of the workload's collective that sends one message to several ranks, along x first; or to all
/// nodes from each site where an I/O controller streams (io_sites.h). Empty without `fabric.router.multicast`, for
/// other workloads, and where messages take set-up routes.
///
/// InputError where copying could deadlock or cannot work: a packet that does not fit the buffer of a VC, so that its
/// copies could hold each other up; a routing function whose packets turn from y to x; a rank that sends to two sets.
MulticastPlan multicast_plan_of(const Config& config);

/// Why the trees cannot be set up; empty if they can. The workload itself must be sound.
std::vector<ConfigProblem> check_multicast(const Config& config);

}  // namespace weft::sc_models
