// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/engine/flow_queue.h"

#include <algorithm>

#include "base/error.h"
#include "npu/collective/engine/chunk_run.h"

namespace weft::npu {

void FlowQueue::add(const CollectiveJob& job) {
  Job entry;
  entry.job = &job;
  const Program& program = *job.plan->program;
  const std::uint32_t length = program.length(job.rank());
  for (std::uint32_t i = 0; i < length; ++i) {
    const Instruction in = program.at(job.rank(), i);
    if (in.op == Op::kFlow && in.src.count > 0) entry.operands.push_back(i);
  }
  if (entry.operands.empty()) return;
  lines_[static_cast<std::size_t>(*job.plan->flow_traffic_class)].jobs.add() = std::move(entry);
}

bool FlowQueue::is_next(const Line& line, Operand operand) {
  if (line.jobs.empty()) return false;
  const Job& first = line.jobs.front();
  return first.job == &operand.run->job() && first.chunk == operand.run->chunk() &&
         first.operands[first.at] == operand.index;
}

bool FlowQueue::may_leave(Operand operand) {
  Line& line = lines_[static_cast<std::size_t>(*operand.run->job().plan->flow_traffic_class)];
  if (is_next(line, operand)) return true;
  line.kept.push_back(operand);
  return false;
}

void FlowQueue::left(TrafficClass traffic_class) {
  QueueRing<Job>& jobs = lines_[static_cast<std::size_t>(traffic_class)].jobs;
  WEFT_CHECK(!jobs.empty(), "an operand of a flow left that nobody has queued");
  Job& first = jobs.front();
  if (++first.at < first.operands.size()) return;
  first.at = 0;
  if (++first.chunk == first.job->request.chunks) jobs.pop();
}

FlowQueue::Operand FlowQueue::next(TrafficClass traffic_class) {
  Line& line = lines_[static_cast<std::size_t>(traffic_class)];
  const auto found =
      std::find_if(line.kept.begin(), line.kept.end(), [&](const Operand& each) { return is_next(line, each); });
  if (found == line.kept.end()) return {};
  const Operand operand = *found;
  line.kept.erase(found);
  return operand;
}

}  // namespace weft::npu
