// SPDX-License-Identifier: Apache-2.0
#include "sc_models/part_threads.h"

#include <algorithm>
#include <utility>

namespace weft::sc_models {

PartThreads::PartThreads(std::vector<FabricPart*> parts, int threads)
    : parts_(std::move(parts)),
      threads_(threads == 0 ? parts_.size() : std::min(parts_.size(), static_cast<std::size_t>(threads))),
      // NOLINTNEXTLINE(bugprone-throw-keyword-missing): a vector of exception pointers
      failures_(parts_.size()),
      begun_(parts_.size()) {
  for (std::size_t i = 1; i < threads_; ++i) workers_.emplace_back([this, i] { work(i); });
}

PartThreads::~PartThreads() {
  quit_ = true;
  round_.add();
  for (std::thread& worker : workers_) worker.join();
}

/// Whether the caller is the one to step a part in this round. A round ends when all parts have been stepped,
/// so one that nobody has begun is at the round before.
bool PartThreads::begin(std::size_t number, std::uint64_t round) {
  std::uint64_t before = round - 1;
  return begun_[number].compare_exchange_strong(before, round);
}

void PartThreads::step_part(std::size_t number) {
  try {
    parts_[number]->step(now_);
  } catch (...) {
    failures_[number] = std::current_exception();
  }
}

// A part that another thread has begun in this round is left to that thread.
void PartThreads::step_parts(std::size_t first, std::size_t stride, std::uint64_t round) {
  for (std::size_t i = first; i < parts_.size(); i += stride) {
    if (!begin(i, round)) continue;
    step_part(i);
    finished_.add();
  }
}

void PartThreads::work(std::size_t thread) {
  for (std::uint64_t round = 0;;) {
    round = round_.wait_for(round + 1);
    if (quit_) return;
    step_parts(thread, threads_, round);
  }
}

void PartThreads::step(Cycle now) {
  if (parts_.size() == 1) {
    parts_.front()->step(now);
    return;
  }
  now_ = now;
  round_.add();
  const std::uint64_t round = round_.value();
  step_parts(0, threads_, round);
  step_parts(1, 1, round);
  finished_.wait_for(round * parts_.size());
  for (const std::exception_ptr& failure : failures_) {
    if (failure) std::rethrow_exception(failure);
  }
  for (FabricPart* part : parts_) part->drain_probe();
}

Cycle PartThreads::next_work(Cycle now) const {
  Cycle next = kNever;
  for (const FabricPart* part : parts_) next = std::min(next, part->next_work(now));
  return next;
}

}  // namespace weft::sc_models
