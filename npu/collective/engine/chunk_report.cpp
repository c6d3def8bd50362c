// SPDX-License-Identifier: Apache-2.0
// What a chunk tells of itself: how far it is, and what it waits for.
#include <fmt/format.h>

#include <algorithm>

#include "npu/collective/engine/chunk_run.h"

namespace weft::npu {

double ChunkRun::share(const Held& held) const {
  if (held.done) return 1;
  if (held.work == kNoWork || held.posted) return 0;
  const Work& s = works_[held.work];
  const auto part = [](std::uint64_t bytes, std::uint64_t all) {
    return all == 0 ? 0.0 : std::min(1.0, static_cast<double>(bytes) / static_cast<double>(all));
  };
  const double come = has_inbox(s) ? part(inbox(s).arrived, inbox(s).message_bytes) : 0;
  return std::max(come, part(s.passed, s.bytes));
}

double ChunkRun::share() const {
  if (length_ == 0) return 1;
  double done = base_;
  for (std::size_t i = 0; i < held_.size(); ++i) done += share(held_[i]);
  return done / length_;
}

const Instruction* ChunkRun::first_open() const {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (!held_[i].done) return &instruction(static_cast<std::uint32_t>(base_ + i));
  }
  return nullptr;
}

std::uint32_t ChunkRun::current_step() const {
  const Instruction* const in = first_open();
  if (in == nullptr) return 0;
  return op_receives(in->op) ? in->recv_tag : in->send_tag;
}

int ChunkRun::current_flow() const {
  const Instruction* const in = first_open();
  return in != nullptr && in->op == Op::kFlow ? in->hints.flow : -1;
}

std::string ChunkRun::waiting_for() const {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const Held& held = held_[i];
    if (held.work == kNoWork && !held.sent) continue;
    const Instruction& in = instruction(static_cast<std::uint32_t>(base_ + i));
    const Work* const s = held.posted || held.sent ? nullptr : &works_[held.work];
    if (held.posted || (op_receives(in.op) && has_inbox(*s) && !inbox(*s).complete)) {
      return fmt::format("waits in step {} for data from member {}", in.recv_tag, in.from);
    }
    if (in.op == Op::kFlow) {
      if (in.src.count > 0 && s->messages.empty()) {
        return fmt::format("waits for the turn of its operand of flow {}", in.hints.flow);
      }
      if (s->unsent > 0) return fmt::format("waits for its operand of flow {} to leave", in.hints.flow);
      return fmt::format("waits for the result of flow {}", in.hints.flow);
    }
    if (held.sent || s->unsent > 0) {
      return fmt::format("waits in step {} for its data to member {} to leave", in.send_tag, in.to.front());
    }
  }
  return fmt::format("is at work in step {}", current_step());
}

}  // namespace weft::npu
