// SPDX-License-Identifier: Apache-2.0
// The state of a collective engine for comparing it with itself a period before.
#include <algorithm>
#include <optional>

#include "base/state_form.h"
#include "npu/collective/engine/collective_engine.h"

namespace weft::npu {
namespace {

/// An instruction of a chunk of a collective, which is told from others under way by its handle. Chunks are counted
/// from the one that begins next.
void put_step(StateForm& form, const ChunkRun* run, std::uint32_t& step) {
  form.same(std::uint64_t{run != nullptr});
  if (run == nullptr) return;
  form.same(run->job().request.handle);
  form.same(run->chunk() - run->job().next_chunk);
  form.same_from(run->first_held(), step);
}

}  // namespace

// Messages that have come are moved on before programs, which ask for them, and behind the numbers of chunks, which
// their tags say.
void CollectiveEngine::put_state(StateForm& form) {
  std::vector<ChunkGrowth> chunks;
  form.same(jobs_.size());
  for (const auto& job : jobs_) {
    if (job->values()) return form.refuse("collectives carry data");
    form.same(job->request.handle);
    form.same(job->runs.size());
    chunks.push_back({job.get(), job->next_chunk, 0});
    form.order(job->next_chunk);
    if (form.bounds()) bound_by_chunks(form, &chunks.back());
  }
  if (form.moves_on() && !form.is_steady()) tell_chunks_again(form, chunks);
  for (const auto& job : jobs_) put_chunks(form, *job);
  if (form.failed()) return;
  const std::vector<TagGrowth> grown = inboxes_.put_state(form, [&](std::uint64_t tags) { return next_chunk(tags); });
  for (const auto& job : jobs_) {
    for (const auto& run : job->runs) {
      run->put_state(form);
      if (form.failed()) return;
    }
  }
  if (flows_ != nullptr) flows_->put_state(form);
  for (const TagGrowth& each : grown) {
    if (each.per_period != program_growth(each.chunk, chunks)) form.bound(0);
  }
}

void FlowQueue::put_state(StateForm& form) {
  for (Line& line : lines_) {
    form.same(std::uint64_t{line.jobs.size()} << 32 | line.kept.size());
    for (std::size_t i = 0; i < line.jobs.size(); ++i) {
      const Job& job = line.jobs[i];
      form.same(job.job->request.handle);
      form.same(job.at);
      std::uint32_t chunk = job.chunk;
      form.same_from(job.job->next_chunk, chunk);
      line.jobs[i].chunk = chunk;
    }
    for (Operand& operand : line.kept) put_step(form, operand.run, operand.index);
  }
}

bool CollectiveEngine::timer_streams(std::uint64_t cookie) const {
  const Timer& timer = timers_.at(cookie);
  return timer.run != nullptr && timer.run->streams(timer.step);
}

// Where a timer or a message lies in the tables of the engine means nothing.
void CollectiveEngine::put_timer(StateForm& form, std::uint64_t cookie) {
  Timer& timer = timers_.at(cookie);
  put_step(form, timer.run, timer.step);
  form.same(timer.bytes);
}

void CollectiveEngine::put_message(StateForm& form, MessageId id) {
  OpenMessage& message = open_messages_.at(static_cast<std::size_t>(id));
  if (form.is_steady() && message.run != nullptr) message.run->put_source(form, message.step);
  put_step(form, message.run, message.step);
}

// In the order of tags and senders, since numbers of inboxes mean nothing. Those that only wait follow from what is
// held of programs. All tags of a chunk grow as those of its program do: one that stays behind would be reached by
// others, or asked for in vain.
std::vector<TagGrowth> InboxTable::put_state(StateForm& form, const NextChunk& next_chunk) {
  std::vector<Inbox*> in_order;
  for (Inbox& inbox : inboxes_) {
    const bool only_waits = inbox.run != nullptr && inbox.message_bytes == 0 && inbox.arrived == 0 && !inbox.complete;
    if (inbox.in_use && !only_waits) in_order.push_back(&inbox);
    if (inbox.in_use && only_waits && form.moves_on()) inbox.tag = with_chunk(inbox.tag, inbox.run->chunk());
  }
  std::sort(in_order.begin(), in_order.end(),
            [](const Inbox* a, const Inbox* b) { return a->tag != b->tag ? a->tag < b->tag : a->src < b->src; });
  form.same(in_order.size());
  std::vector<TagGrowth> grown;
  std::uint64_t first = 0;
  for (Inbox* inbox : in_order) {
    const std::uint64_t chunk = chunk_of_tag(inbox->tag);
    if (grown.empty() || grown.back().chunk != chunk) {
      grown.push_back({chunk, 0});
      first = inbox->tag;
      const std::uint64_t collective = collective_of_tag(first);
      form.same(collective);
      form.same(chunk - chunk_of_tag(with_chunk(first, next_chunk(collective))));
    }
    form.same_from(first, inbox->tag);
    if (form.is_third()) grown.back().per_period = form.last_growth();
    form.same(std::uint64_t{index(inbox->src)} << 32 | std::uint64_t{inbox->complete});
    form.same(inbox->message_bytes);
    form.belongs_to(inbox->src, inbox->tag);
    form.counts_to(inbox->arrived, inbox->message_bytes);
    std::uint32_t step = inbox->step;
    put_step(form, inbox->run, step);
    inbox->step = step % Inbox::kMostSteps;
  }
  if (form.moves_on()) fill_slots();
  return form.is_third() ? grown : std::vector<TagGrowth>();
}

// Returns when it began.
Cycle* ChunkRun::put_chunk(StateForm& form) {
  form.same_from(job_.next_chunk, chunk_);
  return &start_;
}

// Instructions of which nothing has happened yet, or that only wait for a message of which nothing has come, are not
// given: they follow from the program and from those that are done.
void ChunkRun::put_state(StateForm& form) {
  const std::uint32_t first = base_;
  const bool all_loaded = base_ + held_.size() == length_;
  if (can_go_on()) return form.refuse("a collective has something to do at the end of a cycle");
  if (form.is_steady()) {
    if (first_send_ > form.now()) form.event(first_send_);
  } else {
    form.time_ahead(first_send_);
  }
  form.same(all_loaded ? kNoWork : held_.size());
  std::uint32_t begun = 0;
  bool waits_for_result = false;
  for (std::uint32_t i = 0; i < held_.size(); ++i) {
    if (has_begun(held_[i])) begun = i + 1;
  }
  form.same(begun);
  for (std::uint32_t i = 0; i < begun; ++i) {
    const Held& held = held_[i];
    const bool works = !held.done && !held.posted && held.work != kNoWork;
    form.same(static_cast<std::uint64_t>(held.op) << 8 | std::uint64_t{works} << 5 | std::uint64_t{held.adds} << 4 |
              std::uint64_t{held.paid} << 3 | std::uint64_t{held.sent} << 1 | std::uint64_t{held.done});
    if (works) put_state(form, held.op, works_[held.work]);
    // The inbox of a result is none of those that follow from the program.
    waits_for_result = waits_for_result || (works && works_[held.work].result_open);
  }
  form.number(base_);
  if (form.bounds()) {
    const auto step = static_cast<std::uint32_t>(form.last_growth());
    tag_growth_ = 0;
    const bool passes = step > 0 && !waits_for_result && form.order_growth() == 0;
    if (step > 0) form.bound(passes ? repeated_until(step, begun, form.periods()) / step : 0);
  }
  if (form.moves_on() && base_ != first) reload(begun);
}

// What comes of the message that a fused instruction receives is what it sends.
void ChunkRun::put_source(StateForm& form, std::uint32_t step) {
  const Held& sends = held(step);
  if (!streams(step) || sends.sent || sends.done) return;
  const Work& its = work(step);
  if (has_inbox(its)) form.streams_from(inbox(its).src, inbox(its).tag);
}

bool ChunkRun::streams(std::uint32_t step) { return op_streams(held(step).op); }

bool ChunkRun::has_begun(const Held& held) {
  return held.done || held.sent || held.paid || (held.work != kNoWork && !held.posted);
}

// The program is at base_ now; the first `begun` instructions from there on have come as far as those that are held.
void ChunkRun::reload(std::uint32_t begun) {
  std::vector<Held> before;
  for (std::uint32_t i = 0; i < held_.size(); ++i) {
    if (held_[i].posted) engine_.close(held_[i].work);
    if (i < begun) before.push_back(held_[i]);
  }
  while (!held_.empty()) held_.pop();
  blocked_ = 0;
  asked_index_ = kNoWork;
  for (std::uint32_t i = 0; i < begun; ++i) {
    Held& fresh = held_.add();
    fresh = Held{};
    connect(base_ + i, fresh);
    WEFT_CHECK(fresh.op == before[i].op && fresh.adds == before[i].adds, "a program does not repeat itself");
    if (has_begun(before[i])) {
      WEFT_CHECK(fresh.missing == 0, "an instruction has begun before what it depends on");
      fresh.work = before[i].work;
      fresh.paid = before[i].paid;
      fresh.sent = before[i].sent;
      fresh.done = before[i].done;
    } else if (fresh.missing == 0) {
      ready_.push(base_ + i);
    } else {
      ++blocked_;
    }
  }
  load();
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    WEFT_CHECK(op_receives(held(ready_[i]).op), "something could begin after cycles that were left out");
  }
  drain();
}

// How many instructions behind the first `begun` ones can be passed by, because each is the one `step` before it once
// more; the last periods before the first that differs are not. What is loaded ahead of it then must only wait.
std::uint32_t ChunkRun::repeated_until(std::uint32_t step, std::uint32_t begun, std::uint64_t periods) {
  if (base_ < step) return 0;
  const std::uint64_t most = std::min<std::uint64_t>(
      length_ - base_, begun + (std::min<std::uint64_t>(periods, length_) + 3) * std::uint64_t{step});
  std::optional<std::uint32_t> tags;
  std::uint32_t count = 0;
  while (count < most && is_repeated(base_ + count, step, &tags)) ++count;
  tag_growth_ = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(tags.value_or(0))});
  if (count <= begun + 2 * step) return 0;
  const std::uint32_t passed = (count - begun - 2 * step) / step * step;
  const std::uint32_t end = std::min<std::uint32_t>(length_, base_ + passed + static_cast<std::uint32_t>(held_.size()));
  for (std::uint32_t ahead = base_ + count; ahead < end; ++ahead) {
    const Instruction next = job_.program->at(job_.rank(), ahead);
    const auto waits = [&](std::uint32_t dep) { return dep >= base_ + passed + begun; };
    if (!op_receives(next.op) && std::none_of(next.deps.begin(), next.deps.end(), waits)) return 0;
  }
  return passed;
}

bool ChunkRun::is_repeated(std::uint32_t index, std::uint32_t step, std::optional<std::uint32_t>* tags) const {
  const Program& program = *job_.program;
  const Instruction before = program.at(job_.rank(), index - step);
  const Instruction now = program.at(job_.rank(), index);
  const bool sends = op_sends(now.op) || now.op == Op::kFlow;
  const std::uint32_t grown = sends ? now.send_tag - before.send_tag : now.recv_tag - before.recv_tag;
  if (!*tags) *tags = grown;
  if (now.op != before.op || now.from != before.from || !(now.to == before.to) || grown != **tags) return false;
  if (sends && op_receives(now.op) && now.recv_tag - before.recv_tag != **tags) return false;
  if (slice_bytes(now.src) != slice_bytes(before.src) || slice_bytes(now.dst) != slice_bytes(before.dst) ||
      (now.src == now.dst) != (before.src == before.dst) || now.deps.size() != before.deps.size())
    return false;
  for (std::size_t i = 0; i < now.deps.size(); ++i) {
    if (now.deps[i] != before.deps[i] + step) return false;
    const bool adds_now = program.at(job_.rank(), now.deps[i]).dst == now.dst;
    if (adds_now != (program.at(job_.rank(), before.deps[i]).dst == before.dst)) return false;
  }
  return now.hints.priority == before.hints.priority && now.hints.colour == before.hints.colour &&
         now.hints.flow == before.hints.flow;
}

void ChunkRun::put_state(StateForm& form, Op op, Work& work) {
  form.same(work.bytes);
  has_inbox(work) ? form.belongs_to(inbox(work).src, inbox(work).tag) : form.belongs_to_none();
  form.counts_to(work.taken, work.bytes);
  form.counts_to(work.passed, work.bytes);
  form.time_ahead(work.adder_free);
  form.same(work.messages.size());
  form.same(std::uint64_t{has_inbox(work)} << 33 | std::uint64_t{work.unsent} << 2 |
            std::uint64_t{work.all_taken} << 1 | std::uint64_t{work.result_open});
  // Elements are whole: what has come is compared with what the adder has been given.
  if (op_streams(op) && has_inbox(work)) form.same(inbox(work).arrived - work.taken);
}

}  // namespace weft::npu
