// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_controller.h"

#include <algorithm>

namespace weft::mem {

PoolController::PoolController(const PoolSpec& spec, std::uint64_t bytes)
    : fabric_(spec), bytes_(bytes), ports_(spec.controllers) {
  fabric_.on_done([this](std::uint64_t id, Cycle now) {
    const Open done = open_[id];
    free_.push_back(id);
    Port& port = ports_[done.port];
    ++served_;
    port.queue.leave(now);
    port.latency.add(now - done.from);
    done.request->owner->served(*done.request, now);
  });
}

void PoolController::take_at(std::uint32_t port, Request& request, Cycle at) {
  waiting_.push_back({&request, port, at});
  next_ = std::min(next_, at);
}

void PoolController::submit(std::uint32_t number, Request& request, Cycle at) {
  if (free_.empty()) {
    free_.push_back(open_.size());
    open_.emplace_back();
  }
  const std::uint64_t id = free_.back();
  free_.pop_back();
  open_[id] = {&request, number, at};
  const PoolAccess access{id, request.command, request.physical, request.bytes * request.passes};
  Port& port = ports_[number];
  ++(request.command == Command::kRead ? port.reads : port.writes);
  port.bytes += access.bytes;
  port.queue.enter(at);
  fabric_.submit(number, access, at);
}

void PoolController::advance(Cycle now) {
  while (next_ <= now) {
    const Cycle edge = next_;
    for (; !waiting_.empty() && waiting_.front().at <= edge; waiting_.pop_front())
      submit(waiting_.front().port, *waiting_.front().request, edge);
    fabric_.step(edge);
    next_ = fabric_.next_work(edge);
    if (!waiting_.empty()) next_ = std::min(next_, waiting_.front().at);
  }
  executed_ = std::max(executed_, now + 1);
}

std::vector<MemoryRow> PoolController::figures(const std::string& name) const {
  std::vector<MemoryRow> rows;
  const auto add = [&](const std::string& kind, std::uint32_t channel, const QueueMeter& queue) -> ChannelFigures& {
    ChannelFigures& figures = rows.emplace_back(MemoryRow{name + kind, channel, {}}).figures;
    figures.cycles = executed_;
    figures.queue_max = queue.longest();
    figures.queue_mean = queue.mean(executed_);
    return figures;
  };
  for (std::uint32_t c = 0; c < ports_.size(); ++c) {
    const Port& port = ports_[c];
    ChannelFigures& figures = add(".io", c, port.queue);
    figures.reads = port.reads;
    figures.writes = port.writes;
    figures.bytes = port.bytes;
    figures.refused = port.refused;
    figures.latency = port.latency;
  }
  for (std::uint32_t m = 0; m < fabric_.spec().all_modules(); ++m) {
    const PoolModuleFigures& module = fabric_.module(m);
    ChannelFigures& figures = add(".module", m, module.queue);
    figures.reads = module.reads;
    figures.writes = module.writes;
    figures.bytes = module.bytes;
  }
  return rows;
}

}  // namespace weft::mem
