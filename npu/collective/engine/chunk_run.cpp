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
  WEFT_CHECK(length_ <= Inbox::kMostSteps, "a program has more instructions per rank than a chunk can number");
  load();
}

void ChunkRun::drain() {
  while (can_go_on()) {
    if (!ordered_.empty()) {
      const std::uint32_t index = ordered_.front();
      ordered_.pop();
      commit(index);
    } else {
      const std::uint32_t index = ready_.front();
      ready_.pop();
      start(index);
    }
    load();
  }
}

void ChunkRun::load() {
  while (!held_.empty() && held_.front().done) {
    held_.pop();
    ++base_;
  }
  while (blocked_ < look_ahead_ && base_ + held_.size() < length_) {
    const auto index = static_cast<std::uint32_t>(base_ + held_.size());
    Held& fresh = held_.add();
    fresh = Held{};
    connect(index, fresh);
    if (fresh.missing == 0) {
      ready_.push(index);
    } else {
      ++blocked_;
    }
  }
}

const Instruction& ChunkRun::instruction(std::uint32_t index) const {
  if (index != asked_index_) {
    // Made where it stays: a program is asked several times for each message.
    struct FromProgram {
      const ChunkRun& run;
      std::uint32_t index;
      operator Instruction() const { return run.job_.program->at(run.job_.rank(), index); }  // NOLINT
    };
    asked_.emplace(FromProgram{*this, index});
    asked_index_ = index;
  }
  return *asked_;
}

void ChunkRun::connect(std::uint32_t index, Held& fresh) {
  const Instruction& in = instruction(index);
  fresh.op = in.op;
  fresh.adds = in.op == Op::kRecvReduce && in.src == in.dst;
  for (const std::uint32_t dep : in.deps) {
    if (dep < base_ || held(dep).done) continue;
    Held& before = held(dep);
    if (add_to_one_sum(dep, fresh, in.dst)) {
      ++fresh.missing_order;
      before.dependents.push_back(2 * index + 1);
    } else {
      ++fresh.missing;
      before.dependents.push_back(2 * index);
    }
  }
}

ChunkRun::Work& ChunkRun::add_work(std::uint32_t index) {
  if (free_works_.empty()) {
    free_works_.push_back(static_cast<std::uint32_t>(works_.size()));
    works_.emplace_back();
  }
  held(index).work = free_works_.back();
  free_works_.pop_back();
  return work(index) = Work{};
}

void ChunkRun::free_work(Held& held) {
  if (held.work == kNoWork) return;
  works_[held.work].payload = nullptr;
  free_works_.push_back(held.work);
  held.work = kNoWork;
}

void ChunkRun::start(std::uint32_t index) {
  const Op op = held(index).op;
  if (op_receives(op)) return post(index);
  Work& s = add_work(index);
  const Instruction& in = instruction(index);
  switch (op) {
    case Op::kSend:
      s.bytes = slice_bytes(in.src);
      wait_then(index, first_send_ > engine_.now() ? first_send_ - engine_.now() : 0, s.bytes);
      return;
    case Op::kCopy:
      wait_then(index, 0, 0);
      return;
    case Op::kReduce:
      wait_then(index, engine_.cost().reduction(slice_bytes(in.src)), 0);
      return;
    case Op::kFlow:
      start_flow(index);
      return;
    default:
      violation("an instruction of no known kind is started");
  }
}

// A receive. What is to be known of it is in its inbox until something comes.
void ChunkRun::post(std::uint32_t index) {
  const Instruction& in = instruction(index);
  Held& waiting = held(index);
  waiting.work = engine_.post(*this, index, node(in.from), tag(in.recv_tag));
  waiting.posted = true;
  const Inbox& from = engine_.inbox(waiting.work);
  if (from.arrived > 0 || from.complete) arrived(index);
}

// The operand goes into the fabric at once; the result, if it comes out here, is waited for.
void ChunkRun::start_flow(std::uint32_t index) {
  Work& s = work(index);
  const Instruction& in = instruction(index);
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
    s.inbox = engine_.post(*this, index, kFlowSource, tag(in.recv_tag));
  }
  if (in.src.count > 0) {
    wait_then(index, first_send_ > engine_.now() ? first_send_ - engine_.now() : 0, s.bytes);
  } else if (inbox(s).arrived > 0 || inbox(s).complete) {
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
  if (held(index).posted) {
    held(index).posted = false;
    const InboxTable::Number number = held(index).work;
    const Instruction& in = instruction(index);
    Work& begun = add_work(index);
    begun.inbox = number;
    begun.bytes = slice_bytes(op_reduces(in.op) ? in.src : in.dst);
  }
  const Op op = held(index).op;
  Work& s = work(index);
  const Inbox& from = inbox(s);
  WEFT_CHECK(from.message_bytes == s.bytes,
             fmt::format("collective {} chunk {}: rank {} expects {} bytes from rank {} in step {}, {} come: the ranks "
                         "of group {} disagree about the collective",
                         job_.request.name, chunk_, job_.rank(), s.bytes, instruction(index).from,
                         instruction(index).recv_tag, from.message_bytes, job_.request.group->name));
  if (op_streams(op)) {
    take(index);
  } else if (from.complete) {
    const bool reduces = op_reduces(op);
    wait_then(index, engine_.cost().receive_delay() + (reduces ? engine_.cost().reduction(s.bytes) : 0), 0);
  }
}

void ChunkRun::elapsed(std::uint32_t index, std::uint64_t bytes) {
  Work& s = work(index);
  switch (held(index).op) {
    case Op::kSend:
      launch(index, s.bytes);
      return;
    case Op::kFlow:
      if (s.messages.empty() && instruction(index).src.count > 0) {
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
      held(index).paid = true;
      if (held(index).missing_order == 0) commit(index);
  }
}

Message ChunkRun::message_of(std::uint32_t index) {
  Work& s = work(index);
  const Instruction& in = instruction(index);
  if (job_.values() && s.payload == nullptr) {
    s.payload = std::make_shared<Payload>(s.bytes);
    copy_out(in.src, 0, s.bytes, s.payload->data());
  }
  Message message;
  message.tag = tag(in.send_tag);
  message.bytes = s.bytes;
  message.message_class = job_.plan->message_class;
  message.priority = static_cast<std::uint8_t>(std::min(255, job_.request.priority + in.hints.priority));
  message.order = chunk_;
  message.payload = s.payload;
  return message;
}

// An operand of a flow of FRED switches, when it is next in the order of its flow. Chunks of one packet begin in plane
// after plane.
void ChunkRun::put_into_flow(std::uint32_t index) {
  if (!engine_.may_leave(*this, index)) return;
  Work& s = work(index);
  const Instruction& in = instruction(index);
  Message message = message_of(index);
  message.message_class = class_of(*job_.plan->flow_traffic_class);
  message.flow = true;
  message.switch_flow = job_.plan->flows.at(static_cast<std::size_t>(in.hints.flow));
  message.stripe = job_.request.instance + in.send_tag + chunk_ * planes_of_operand(s.bytes, engine_.packet_bytes());
  message.dst = node(job_.rank());
  s.unsent = 1;
  s.messages.push_back(engine_.send(*this, index, message, s.bytes));
  engine_.operand_left(*this);
}

void ChunkRun::launch(std::uint32_t index, std::uint64_t released) {
  Work& s = work(index);
  const Instruction& in = instruction(index);
  Message message = message_of(index);
  if (launch_once(index, message, released)) return;
  s.unsent = static_cast<std::uint32_t>(in.to.size());
  for (const std::uint32_t to : in.to) {
    message.dst = node(to);
    message.message_class = job_.plan->class_between(node(job_.rank()), message.dst);
    s.messages.push_back(engine_.send(*this, index, message, released));
  }
  if (held(index).op == Op::kSend && s.unsent == 1) {
    free_work(held(index));
    held(index).sent = true;
  }
}

// One message, whatever the number of receivers, where routers copy and merge.
bool ChunkRun::launch_once(std::uint32_t index, Message& message, std::uint64_t released) {
  Work& s = work(index);
  const Instruction& in = instruction(index);
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
  Work& s = work(index);
  if (job_.values()) commit_values(index);
  if (has_inbox(s)) engine_.close(s.inbox);
  s.inbox = InboxTable::kNone;
  s.result_open = false;
  if (s.unsent == 0) finish(index);
}

// Fused forms: gives the adder all whole elements that have come.
void ChunkRun::take(std::uint32_t index) {
  Work& s = work(index);
  const Inbox& from = inbox(s);
  const std::uint64_t whole = from.complete ? s.bytes : from.arrived / job_.unit * job_.unit;
  const std::uint64_t fresh = whole - s.taken;
  if (fresh == 0 && !from.complete) return;
  s.taken = whole;
  s.all_taken = from.complete;
  const bool reduces = op_reduces(held(index).op);
  const Cycle ready = engine_.now() + engine_.cost().receive_delay() + (reduces ? engine_.cost().reduction(fresh) : 0);
  s.adder_free = std::max(s.adder_free, ready);
  wait_then(index, s.adder_free - engine_.now(), fresh);
}

// Fused forms: `bytes` more come out of the adder, into the messages and into memory.
void ChunkRun::pass(std::uint32_t index, std::uint64_t bytes) {
  Work& s = work(index);
  if (job_.values()) pass_values(index, bytes);
  s.passed += bytes;
  if (s.messages.empty()) {
    launch(index, s.passed);
  } else {
    for (const MessageId id : s.messages) engine_.release(id, bytes);
  }
  if (s.passed == s.bytes && s.all_taken) {
    engine_.close(s.inbox);
    s.inbox = InboxTable::kNone;
  }
}

void ChunkRun::sent(std::uint32_t index) {
  if (held(index).sent) return finish(index);
  Work& s = work(index);
  WEFT_CHECK(s.unsent > 0, "a message of a collective is reported as sent twice");
  if (--s.unsent == 0 && !s.result_open) finish(index);
}

void ChunkRun::finish(std::uint32_t index) {
  Held& ended = held(index);
  ended.done = true;
  ended.sent = false;
  free_work(ended);
  for (const std::uint32_t dependent : ended.dependents) {
    const std::uint32_t next = dependent / 2;
    if (dependent % 2 == 1) {
      if (--held(next).missing_order == 0 && held(next).paid) ordered_.push(next);
    } else if (--held(next).missing == 0) {
      ready_.push(next);
      --blocked_;
    }
  }
  load();
}

std::uint64_t ChunkRun::tag(std::uint32_t program_tag) const {
  return pack_tag({job_.request.group->number, job_.request.signature, job_.request.instance, chunk_, program_tag});
}

std::uint64_t ChunkRun::slice_bytes(const Slice& slice) const {
  return job_.geometry.elements(job_.rank(), slice, chunk_) * job_.unit;
}

}  // namespace weft::npu
