// SPDX-License-Identifier: Apache-2.0
#include "npu/player/least_cycles.h"

#include <algorithm>
#include <variant>

#include "npu/player/compute_model.h"
#include "npu/trace/trace_files.h"
#include "npu/trace/trace_reader.h"

namespace weft::npu {

Cycle least_cycles(const Config& config) {
  const auto* trace = std::get_if<TraceWorkload>(&config.workload);
  if (trace == nullptr) return 0;
  const ComputeModel model(config.npu, config.npu.clock.value_or(config.clock));
  Cycle accelerator = 0;
  Cycle host = 0;
  const auto reader = open_trace(find_trace_files(trace->chakra).front());
  while (const auto record = reader->next()) {
    if (record->node.type != TraceNodeType::kCompute) continue;
    Cycle& sum = record->node.is_cpu_op ? host : accelerator;
    sum = std::min(sum + model.compute_cycles(record->node), kLastCycle);
  }
  const Cycle longest = std::max(accelerator, host);
  return config.limits.cycles == 0 ? longest : std::min(longest, config.limits.cycles);
}

}  // namespace weft::npu
