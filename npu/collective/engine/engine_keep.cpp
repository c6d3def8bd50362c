// SPDX-License-Identifier: Apache-2.0
// The state of a collective engine in a checkpoint: the collectives under way with their chunks, and the messages,
// timers and inboxes that belong to them. A chunk is named by its collective and its position in that.
#include "base/checkpoint.h"
#include "npu/collective/engine/chunk_run.h"
#include "npu/collective/engine/collective_engine.h"

namespace weft::npu {
namespace {

constexpr std::uint32_t kNoJob = ~std::uint32_t{0};

template <typename List>
void keep_inline(Checkpoint& checkpoint, List& list) {
  std::size_t size = list.size();
  checkpoint.values(size);
  if (checkpoint.loads()) list.clear();
  for (std::size_t i = 0; i < size; ++i) {
    typename List::value_type item{};
    if (!checkpoint.loads()) item = list[i];
    checkpoint.values(item);
    if (checkpoint.loads()) list.push_back(item);
  }
}

}  // namespace

void CollectiveEngine::keep(Checkpoint& checkpoint, const std::vector<SharedGroup>& groups) {
  std::size_t size = jobs_.size();
  checkpoint.values(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (checkpoint.loads()) {
      jobs_.push_back(keep_request(checkpoint, {}, groups));
    } else {
      keep_request(checkpoint, jobs_[i]->request, groups);
    }
    CollectiveJob& job = *jobs_[i];
    checkpoint.values(job.start_cycle, job.next_chunk);
    std::size_t runs = job.runs.size();
    checkpoint.values(runs);
    for (std::size_t number = 0; number < runs; ++number) {
      std::uint32_t chunk = checkpoint.loads() ? 0 : job.runs[number]->chunk();
      checkpoint.values(chunk);
      if (checkpoint.loads()) {
        job.runs.push_back(std::make_unique<ChunkRun>(job, chunk, static_cast<EngineServices&>(*this)));
      }
      job.runs[number]->keep(checkpoint);
    }
  }
  const auto keep_run = [&](ChunkRun*& run) { keep(checkpoint, run); };
  inboxes_.keep(checkpoint, keep_run);
  checkpoint.each(open_messages_, [&](OpenMessage& message) {
    keep_run(message.run);
    checkpoint.values(message.step);
  });
  checkpoint.each(timers_, [&](Timer& timer) {
    keep_run(timer.run);
    checkpoint.values(timer.step, timer.bytes);
  });
  checkpoint.list(free_timers_);
  bool has_flows = flows_ != nullptr;
  checkpoint.values(has_flows);
  if (has_flows && flows_ == nullptr) flows_ = std::make_unique<FlowQueue>();
  if (has_flows) flows_->keep(checkpoint, jobs_, keep_run);
  if (!checkpoint.loads()) return;
  last_run_ = nullptr;
  last_inbox_ = InboxTable::kNone;
}

// Keeps what was asked for. Returns the collective, not yet begun, when loading.
std::unique_ptr<CollectiveJob> CollectiveEngine::keep_request(Checkpoint& checkpoint, CollectiveRequest request,
                                                              const std::vector<SharedGroup>& groups) {
  if (request.data == DataMode::kValues) Checkpoint::refuse("collectives carry data (data: values)");
  std::uint32_t group = request.group == nullptr ? 0 : request.group->number;
  checkpoint.values(request.handle, group, request.my_index, request.signature, request.instance, request.kind,
                    request.bytes, request.root, request.op, request.dtype, request.chunks, request.active_chunks,
                    request.priority);
  checkpoint.text(request.name);
  if (!checkpoint.loads()) return nullptr;
  request.group = groups.at(group);
  return std::make_unique<CollectiveJob>(request,
                                         programs_.plan(request.kind, *request.group, request.root, request.bytes));
}

void CollectiveEngine::keep(Checkpoint& checkpoint, ChunkRun*& run) {
  std::uint32_t job = kNoJob;
  std::uint32_t number = 0;
  if (!checkpoint.loads() && run != nullptr) {
    for (job = 0; jobs_[job].get() != &run->job(); ++job) {
    }
    for (number = 0; jobs_[job]->runs[number].get() != run; ++number) {
    }
  }
  checkpoint.values(job, number);
  if (checkpoint.loads()) run = job == kNoJob ? nullptr : jobs_.at(job)->runs.at(number).get();
}

void FlowQueue::keep(Checkpoint& checkpoint, const std::vector<std::unique_ptr<CollectiveJob>>& jobs,
                     const std::function<void(ChunkRun*&)>& run) {
  for (Line& line : lines_) {
    checkpoint.queue(line.jobs, [&](Job& entry) {
      std::uint32_t number = 0;
      while (!checkpoint.loads() && jobs[number].get() != entry.job) ++number;
      checkpoint.values(number, entry.chunk, entry.at);
      checkpoint.list(entry.operands);
      entry.job = jobs.at(number).get();
    });
    checkpoint.each(line.kept, [&](Operand& operand) {
      run(operand.run);
      checkpoint.values(operand.index);
    });
  }
}

void ChunkRun::keep(Checkpoint& checkpoint) {
  checkpoint.values(start_, first_send_, blocked_, base_);
  checkpoint.queue(held_, [&](Held& held) {
    keep_inline(checkpoint, held.dependents);
    bool adds = held.adds;
    bool paid = held.paid;
    bool posted = held.posted;
    bool sent = held.sent;
    bool done = held.done;
    checkpoint.values(held.missing, held.missing_order, held.work, held.op, adds, paid, posted, sent, done);
    held.adds = adds;
    held.paid = paid;
    held.posted = posted;
    held.sent = sent;
    held.done = done;
  });
  checkpoint.each(works_, [&](Work& work) {
    if (work.payload != nullptr) Checkpoint::refuse("messages carry data");
    checkpoint.values(work.bytes, work.taken, work.passed, work.adder_free, work.inbox, work.unsent, work.all_taken,
                      work.result_open);
    keep_inline(checkpoint, work.messages);
  });
  checkpoint.list(free_works_);
  const auto keep_number = [&](std::uint32_t& number) { checkpoint.values(number); };
  checkpoint.queue(ready_, keep_number);
  checkpoint.queue(ordered_, keep_number);
  if (checkpoint.loads()) asked_index_ = kNoWork;
}

}  // namespace weft::npu
