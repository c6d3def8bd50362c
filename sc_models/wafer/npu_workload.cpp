// SPDX-License-Identifier: Apache-2.0
// Traces and collectives as a workload: one NPU per rank.
#include "kernel/error.h"
#include "wafer/workload.h"

namespace weft::wafer {

std::unique_ptr<Workload> make_npu_workload(Wafer&, FabricProbe*) {
  throw InputError("workload: traces and collectives cannot be run yet; use workload.traffic");
}

}  // namespace weft::wafer
