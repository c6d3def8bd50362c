// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/engine/chunk_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "npu/collective/engine/held_instructions.h"
#include "npu/collective/form/tag.h"

namespace weft::npu {
ChunkRun::ChunkRun(CollectiveJob& job, std::uint32_t chunk, EngineServices& engine)
    : job_(job),
      chunk_(chunk),
      engine_(engine),
      start_(engine.now()),
      first_send_(start_ + engine.cost().delay()),
      length_(job.program->length(job.rank())),
      look_ahead_(job.program->in_order() ? kLookAhead : length_) {
  load();
}

void ChunkRun::drain() {
  while (!ready_.empty() || !ordered_.empty()) {
    if (!ordered_.empty()) {
      const std::uint32_t index = ordered_.front();
      ordered_.pop_front();
      commit(index);
    } else {
      const std::uint32_t index = ready_.front();
      ready_.pop_front();
      start(index);
    }
    load();
  }
}

void ChunkRun::load() {
  while (!steps_.empty() && steps_.front().done) {
    steps_.pop_front();
    ++base_;
  }
  while (blocked_ < look_ahead_ && base_ + steps_.size() < length_) {
    const auto index = static_cast<std::uint32_t>(base_ + steps_.size());
    Step fresh;
    fresh.instruction = job_.program->at(job_.rank(), index);
    connect(index, fresh);
    if (fresh.missing == 0) {
      ready_.push_back(index);
    } else {
      ++blocked_;
    }
    steps_.push_back(std::move(fresh));
  }
}

void ChunkRun::connect(std::uint32_t index, Step& fresh) {
  const Instruction& in = fresh.instruction;
  for (const std::uint32_t dep : in.deps) {
    if (dep < base_ || step(dep).done) continue;
    const Instruction& before = step(dep).instruction;
    const bool same_sum = in.op == Op::kRecvReduce && before.op == Op::kRecvReduce && in.dst == before.dst &&
                          in.src == in.dst && before.src == before.dst;
    if (same_sum) {
      ++fresh.missing_order;
      step(dep).order_dependents.push_back(index);
    } else {
      ++fresh.missing;
      step(dep).dependents.push_back(index);
    }
  }
}

void ChunkRun::start(std::uint32_t index) {
  Step& s = step(index);
  s.started = true;
  switch (s.instruction.op) {
    case Op::kSend:
      s.bytes = slice_bytes(s.instruction.src);
      wait_then(index, first_send_ > engine_.now() ? first_send_ - engine_.now() : 0, s.bytes);
      return;
    case Op::kCopy:
      wait_then(index, 0, 0);
      return;
    case Op::kReduce:
      wait_then(index, engine_.cost().reduction(slice_bytes(s.instruction.src)), 0);
      return;
    case Op::kFlow:
      start_flow(index);
      return;
    default:
      s.bytes = slice_bytes(op_reduces(s.instruction.op) ? s.instruction.src : s.instruction.dst);
      s.inbox = &engine_.post(*this, index, node(s.instruction.from), tag(s.instruction.recv_tag));
      if (s.inbox->arrived > 0 || s.inbox->complete) arrived(index);
  }
}

// The operand goes into the fabric at once; the result, if it comes out here, is waited for.
void ChunkRun::start_flow(std::uint32_t index) {
  Step& s = step(index);
  const Instruction& in = s.instruction;
  const bool coloured = engine_.colours() > 0 && in.hints.colour >= 0;
  if (!coloured && !job_.plan->flow_traffic_class) {
    throw InputError(fmt::format(
        "collective {}: its program has in-fabric flows, which this fabric has no set-up routes for; a single "
        "collective has them with fabric.router.colours, algorithm in_switch with fabric.kind: fred",
        job_.request.name));
  }
  s.bytes = slice_bytes(in.src.count > 0 ? in.src : in.dst);
  s.result_open = in.dst.count > 0;
  if (s.result_open) {
    s.inbox = &engine_.post(*this, index, kFlowSource, tag(in.recv_tag));
  }
  if (in.src.count > 0) {
    wait_then(index, first_send_ > engine_.now() ? first_send_ - engine_.now() : 0, s.bytes);
  } else if (s.inbox->arrived > 0 || s.inbox->complete) {
    arrived(index);  // what others send alone may come before this rank asks for it
  }
}

void ChunkRun::wait_then(std::uint32_t index, Cycle delay, std::uint64_t bytes) {
  if (delay == 0) {
    elapsed(index, bytes);
  } else {
    engine_.after(*this, index, delay, bytes);
  }
}

void ChunkRun::arrived(std::uint32_t index) {
  Step& s = step(index);
  WEFT_CHECK(s.inbox->message_bytes == s.bytes,
             fmt::format("collective {} chunk {}: rank {} expects {} bytes from rank {} in step {}, {} come: the ranks "
                         "of group {} disagree about the collective",
                         job_.request.name, chunk_, job_.rank(), s.bytes, s.instruction.from, s.instruction.recv_tag,
                         s.inbox->message_bytes, job_.request.group->name));
  if (op_streams(s.instruction.op)) {
    take(index);
  } else if (s.inbox->complete) {
    const bool reduces = op_reduces(s.instruction.op);
    wait_then(index, engine_.cost().receive_delay() + (reduces ? engine_.cost().reduction(s.bytes) : 0), 0);
  }
}

void ChunkRun::elapsed(std::uint32_t index, std::uint64_t bytes) {
  Step& s = step(index);
  switch (s.instruction.op) {
    case Op::kSend:
      launch(index, s.bytes);
      return;
    case Op::kFlow:
      if (s.messages.empty() && s.instruction.src.count > 0) {
        job_.plan->flow_traffic_class ? put_into_flow(index) : launch(index, s.bytes);
      } else {
        commit(index);
      }
      return;
    case Op::kRecvReduceSend:
    case Op::kRecvCopySend:
      pass(index, bytes);
      return;
    default:
      s.paid = true;
      if (s.missing_order == 0) commit(index);
  }
}

Message ChunkRun::message_of(Step& s) {
  if (job_.values() && s.payload == nullptr) {
    s.payload = std::make_shared<Payload>(s.bytes);
    copy_out(s.instruction.src, 0, s.bytes, s.payload->data());
  }
  Message message;
  message.tag = tag(s.instruction.send_tag);
  message.bytes = s.bytes;
  message.message_class = job_.plan->message_class;
  message.priority = static_cast<std::uint8_t>(std::min(255, job_.request.priority + s.instruction.hints.priority));
  message.order = chunk_;
  message.payload = s.payload;
  return message;
}

// An operand of a flow of FRED switches, when its turn has come. Chunks of one packet begin in plane after plane.
void ChunkRun::put_into_flow(std::uint32_t index) {
  if (!engine_.may_leave(*this, index)) return;
  Step& s = step(index);
  const auto packets = static_cast<std::uint32_t>((s.bytes + engine_.packet_bytes() - 1) / engine_.packet_bytes());
  Message message = message_of(s);
  message.message_class = class_of(*job_.plan->flow_traffic_class);
  message.flow = true;
  message.switch_flow = job_.plan->flows.at(static_cast<std::size_t>(s.instruction.hints.flow));
  message.stripe = job_.request.instance + s.instruction.send_tag + chunk_ * std::max(packets, 1u);
  message.dst = node(job_.rank());
  s.unsent = 1;
  s.messages.push_back(engine_.send(*this, index, message, s.bytes));
  engine_.operand_left(*this);
}

void ChunkRun::launch(std::uint32_t index, std::uint64_t released) {
  Step& s = step(index);
  Message message = message_of(s);
  if (launch_once(s, index, message, released)) return;
  s.unsent = static_cast<std::uint32_t>(s.instruction.to.size());
  for (const std::uint32_t to : s.instruction.to) {
    message.dst = node(to);
    message.message_class = job_.plan->class_between(node(job_.rank()), message.dst);
    s.messages.push_back(engine_.send(*this, index, message, released));
  }
}

// One message, whatever the number of receivers, where routers copy and merge.
bool ChunkRun::launch_once(Step& s, std::uint32_t index, Message& message, std::uint64_t released) {
  const Instruction& in = s.instruction;
  const bool coloured = in.hints.colour >= 0 && engine_.colours() > 0;
  if (!coloured && !(engine_.multicast() && in.to.size() > 1)) return false;
  if (coloured) message.colour = in.hints.colour;
  message.multicast = in.to.size() > 1;
  message.flow = in.op == Op::kFlow;
  message.dst = node(message.flow ? job_.rank() : in.to.front());
  s.unsent = 1;
  s.messages.push_back(engine_.send(*this, index, message, released));
  return true;
}

// Everything an instruction that keeps its data does to memory.
void ChunkRun::commit(std::uint32_t index) {
  Step& s = step(index);
  const Instruction& in = s.instruction;
  if (job_.values()) {
    const std::uint64_t bytes = slice_bytes(in.dst);
    Payload operand(bytes);
    const bool comes = op_receives(in.op) || in.op == Op::kFlow;
    if (comes) operand = s.inbox->data;
    if (!comes) copy_out(in.src, 0, bytes, operand.data());
    if (op_reduces(in.op)) {
      Payload sum(bytes);
      copy_out(in.op == Op::kReduce ? in.dst : in.src, 0, bytes, sum.data());
      reduce_into(sum, operand.data());
      operand.swap(sum);
    }
    copy_in(in.dst, 0, bytes, operand.data());
  }
  if (op_receives(in.op)) engine_.close(node(in.from), tag(in.recv_tag));
  if (in.op == Op::kFlow) engine_.close(kFlowSource, tag(in.recv_tag));
  s.inbox = nullptr;
  s.result_open = false;
  if (s.unsent == 0) finish(index);
}

// Fused forms: gives the adder all whole elements that have come.
void ChunkRun::take(std::uint32_t index) {
  Step& s = step(index);
  const std::uint64_t whole = s.inbox->complete ? s.bytes : s.inbox->arrived / job_.unit * job_.unit;
  const std::uint64_t fresh = whole - s.taken;
  if (fresh == 0 && !s.inbox->complete) return;
  s.taken = whole;
  s.all_taken = s.inbox->complete;
  const bool reduces = op_reduces(s.instruction.op);
  const Cycle ready = engine_.now() + engine_.cost().receive_delay() + (reduces ? engine_.cost().reduction(fresh) : 0);
  s.adder_free = std::max(s.adder_free, ready);
  wait_then(index, s.adder_free - engine_.now(), fresh);
}

// Fused forms: `bytes` more come out of the adder, into the messages and into memory.
void ChunkRun::pass(std::uint32_t index, std::uint64_t bytes) {
  Step& s = step(index);
  const Instruction& in = s.instruction;
  if (job_.values()) {
    if (s.payload == nullptr) s.payload = std::make_shared<Payload>(s.bytes);
    const std::uint8_t* received = s.inbox->data.data() + s.passed;
    Payload part(received, received + bytes);
    if (op_reduces(in.op)) {
      Payload sum(bytes);
      copy_out(in.src, s.passed, bytes, sum.data());
      reduce_into(sum, part.data());
      part.swap(sum);
    }
    std::copy(part.begin(), part.end(), s.payload->begin() + static_cast<std::ptrdiff_t>(s.passed));
    if (in.dst.count > 0) copy_in(in.dst, s.passed, bytes, part.data());
  }
  s.passed += bytes;
  if (s.messages.empty()) {
    launch(index, s.passed);
  } else {
    for (const MessageId id : s.messages) engine_.release(id, bytes);
  }
  if (s.passed == s.bytes && s.all_taken) {
    engine_.close(node(in.from), tag(in.recv_tag));
    s.inbox = nullptr;
  }
}

double ChunkRun::share(const Step& step) {
  if (step.done) return 1;
  const auto part = [](std::uint64_t bytes, std::uint64_t all) {
    return all == 0 ? 0.0 : std::min(1.0, static_cast<double>(bytes) / static_cast<double>(all));
  };
  const double come = step.inbox == nullptr ? 0 : part(step.inbox->arrived, step.inbox->message_bytes);
  return std::max(come, part(step.passed, step.bytes));
}

double ChunkRun::share() const {
  if (length_ == 0) return 1;
  double done = base_;
  for (const Step& step : steps_) done += share(step);
  return done / length_;
}

void ChunkRun::sent(std::uint32_t index) {
  Step& s = step(index);
  WEFT_CHECK(s.unsent > 0, "a message of a collective is reported as sent twice");
  if (--s.unsent == 0 && !s.result_open) finish(index);
}

void ChunkRun::finish(std::uint32_t index) {
  Step& s = step(index);
  s.done = true;
  for (const std::uint32_t next : s.dependents) {
    if (--step(next).missing > 0) continue;
    ready_.push_back(next);
    --blocked_;
  }
  for (const std::uint32_t next : s.order_dependents) {
    if (--step(next).missing_order == 0 && step(next).paid) ordered_.push_back(next);
  }
  load();
}

std::uint64_t ChunkRun::tag(std::uint32_t program_tag) const {
  return pack_tag({job_.request.group->number, job_.request.signature, job_.request.instance, chunk_, program_tag});
}

std::uint64_t ChunkRun::slice_bytes(const Slice& slice) const {
  return job_.geometry.elements(job_.rank(), slice, chunk_) * job_.unit;
}

std::uint32_t ChunkRun::current_step() const {
  for (const Step& s : steps_) {
    if (s.done) continue;
    return op_receives(s.instruction.op) ? s.instruction.recv_tag : s.instruction.send_tag;
  }
  return 0;
}

int ChunkRun::current_flow() const {
  for (const Step& s : steps_) {
    if (!s.done) return s.instruction.op == Op::kFlow ? s.instruction.hints.flow : -1;
  }
  return -1;
}

std::string ChunkRun::waiting_for() const {
  for (const Step& s : steps_) {
    if (s.done || !s.started) continue;
    const Instruction& in = s.instruction;
    if (op_receives(in.op) && s.inbox != nullptr && !s.inbox->complete) {
      return fmt::format("chunk {} step {} waits for data from member {}", chunk_, in.recv_tag, in.from);
    }
    if (in.op == Op::kFlow) {
      const bool held = in.src.count > 0 && s.messages.empty();
      return fmt::format("chunk {} waits for {} of flow {}", chunk_,
                         held           ? "the turn of its operand"
                         : s.unsent > 0 ? "its operand to leave"
                                        : "the result",
                         in.hints.flow);
    }
    if (s.unsent > 0) {
      return fmt::format("chunk {} step {} waits for its data to member {} to leave", chunk_, in.send_tag,
                         in.to.front());
    }
  }
  return fmt::format("chunk {} step {} is at work", chunk_, current_step());
}

}  // namespace weft::npu
