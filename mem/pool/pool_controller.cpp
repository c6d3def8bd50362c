// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_controller.h"

#include <algorithm>

namespace weft::mem {

PoolController::PoolController(const PoolSpec& spec, std::uint64_t bytes) : fabric_(spec), bytes_(bytes) {
  fabric_.on_done([this](std::uint64_t id, Cycle now) {
    Request& request = *open_[id];
    free_.push_back(id);
    request.owner->served(request, now);
  });
}

void PoolController::take(Request& request, Cycle at) {
  if (free_.empty()) {
    free_.push_back(open_.size());
    open_.push_back(nullptr);
  }
  const std::uint64_t id = free_.back();
  free_.pop_back();
  open_[id] = &request;
  PoolAccess access;
  access.id = id;
  access.command = request.command;
  access.address = request.physical;
  access.bytes = request.bytes * request.passes;
  fabric_.submit(request.initiator % fabric_.spec().controllers, access, at);
  next_ = std::min(next_, at);
}

void PoolController::advance(Cycle now) {
  while (next_ <= now) {
    const Cycle edge = next_;
    fabric_.step(edge);
    next_ = fabric_.next_work(edge);
  }
}

}  // namespace weft::mem
