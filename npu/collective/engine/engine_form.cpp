// SPDX-License-Identifier: Apache-2.0
// The state of a collective engine for comparing it with itself a period before.
#include "base/state_form.h"
#include "npu/collective/engine/collective_engine.h"

namespace weft::npu {

void CollectiveEngine::put_state(StateForm& form) {
  if (flows_ != nullptr) return form.refuse("flows of FRED switches do not take part yet");
  form.same(jobs_.size());
  for (const auto& job : jobs_) {
    if (job->values()) return form.refuse("collectives carry data");
    form.same(job->request.handle);
    form.same(std::uint64_t{job->next_chunk} << 32 | job->runs.size());
    for (const auto& run : job->runs) {
      form.same(run->chunk());
      run->put_state(form);
      if (form.failed()) return;
    }
  }
  inboxes_.put_state(form);
  // Chunks are told apart by their numbers: there is one collective at a time, or refusal above.
  if (jobs_.size() > 1) return form.refuse("several collectives are under way at an NPU");
  const auto chunk = [](const ChunkRun* run) { return run == nullptr ? ~std::uint64_t{0} : run->chunk(); };
  form.same(timers_.size());
  for (const Timer& timer : timers_) {
    form.same(chunk(timer.run));
    form.same(timer.step);
    form.same(timer.bytes);
  }
  form.same(free_timers_.size());
  for (const std::uint32_t slot : free_timers_) form.same(slot);
  form.same(open_messages_.size());
  for (const OpenMessage& message : open_messages_) {
    form.same(chunk(message.run));
    form.same(message.step);
  }
}

void InboxTable::put_state(StateForm& form) {
  form.same(inboxes_.size());
  for (Inbox& inbox : inboxes_) {
    form.same(inbox.in_use ? 1 : 0);
    if (!inbox.in_use) continue;
    form.same(inbox.tag);
    form.same(std::uint64_t{index(inbox.src)} << 32 | std::uint64_t{inbox.step} << 1 | std::uint64_t{inbox.complete});
    form.same(inbox.message_bytes);
    form.counts_to(inbox.arrived, inbox.message_bytes);
    form.same(inbox.run == nullptr ? ~std::uint64_t{0} : inbox.run->chunk());
  }
  form.same(free_.size());
  for (const Number number : free_) form.same(number);
}

// What is held of the program does not change while messages stream: instructions start and end between looks that
// differ.
void ChunkRun::put_state(StateForm& form) {
  form.same(std::uint64_t{base_} << 32 | blocked_);
  form.same(first_send_ > form.now() ? first_send_ - form.now() : 0);
  form.same(held_.size());
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const Held& held = held_[i];
    form.same(held.dependents.size());
    for (const std::uint32_t dependent : held.dependents) form.same(dependent);
    form.same(std::uint64_t{held.missing} << 32 | held.missing_order);
    form.same(std::uint64_t{held.work} << 32 | static_cast<std::uint64_t>(held.op) << 8 |
              std::uint64_t{held.adds} << 4 | std::uint64_t{held.paid} << 3 | std::uint64_t{held.posted} << 2 |
              std::uint64_t{held.sent} << 1 | std::uint64_t{held.done});
    if (!held.done && !held.posted && held.work != kNoWork) put_state(form, held.op, works_[held.work]);
  }
  form.same(works_.size());
  form.same(free_works_.size());
  for (const std::uint32_t number : free_works_) form.same(number);
  for (const QueueRing<std::uint32_t>* queue : {&ready_, &ordered_}) {
    form.same(queue->size());
    for (std::size_t i = 0; i < queue->size(); ++i) form.same((*queue)[i]);
  }
}

void ChunkRun::put_state(StateForm& form, Op op, Work& work) {
  form.same(work.bytes);
  form.counts_to(work.taken, work.bytes);
  form.counts_to(work.passed, work.bytes);
  form.time_ahead(work.adder_free);
  form.same(work.messages.size());
  for (const MessageId id : work.messages) form.same(static_cast<std::uint64_t>(id));
  form.same(std::uint64_t{work.inbox} << 32 | std::uint64_t{work.unsent} << 2 | std::uint64_t{work.all_taken} << 1 |
            std::uint64_t{work.result_open});
  // Elements are whole: what has come is compared with what the adder has been given.
  if (op_streams(op) && has_inbox(work)) form.same(inbox(work).arrived - work.taken);
}

}  // namespace weft::npu
