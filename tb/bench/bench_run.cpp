// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/bench_run.h"

#include <fmt/format.h>

#include "base/error.h"
#include "tb/report/wave_merge.h"

namespace weft::tb {
namespace {

constexpr std::uint64_t kPauseEvery = 4096;  ///< cycles between calls of `pause`

/// RTL, bench and clock.
class Run {
 public:
  Run(const BenchRequest& request, const std::shared_ptr<const RtlLibrary>& library,
      const std::optional<WaveWindow>& waves)
      : request_(request), waves_(waves), rtl_(library, request.seed), dice_(request.seed, NodeId{2}) {
    for (const auto& [name, value] : request.more_inputs) rtl_.port(name).set(value);
    start();
    bench_ = request.block->make({rtl_, coverage_, request.shape, request.seed, request.stall, request.compare});
    if (waves_) recorder_.emplace(rtl_, waves_->file);
  }

  BenchResult all(const std::function<void()>& pause) {
    try {
      reset_rtl(2);
      while (now_ < request_.cycles && !done()) {
        if (pause && now_ % kPauseEvery == 0) pause();
        if (clocked_ && dice_.below(bench_->reset_once_in()) == 0) {
          bench_->reset();
          reset_rtl(1 + dice_.below(3));
        }
        cycle(false);
      }
      drain();
    } catch (const ViolationError& error) {
      note({now_, "assertion", "", "none", error.what()});
    }
    if (recorder_) recorder_->finish();
    result_.cycles = now_;
    result_.bins = coverage_.counts();
    return result_;
  }

 private:
  bool done() const {
    if (waves_) return now_ > waves_->to;
    return result_.first && clocked_;
  }
  void note(const Mismatch& mismatch) {
    ++result_.mismatches;
    if (!result_.first) result_.first = mismatch;
  }

  /// The first evaluation sees no edges: the reset falls in the second one, before any edge of the clock.
  void start() {
    clocked_ = rtl_.has_port("clk_i");
    if (!clocked_) return;
    clock_ = rtl_.port("clk_i");
    clock_.set(1);
    if (!rtl_.has_port("rst_ni")) return;
    reset_ = rtl_.port("rst_ni");
    reset_.set(1);
    rtl_.eval();
    reset_.set(0);
    rtl_.eval();
  }

  /// The inputs of a cycle stand from just after an edge to the next one.
  void cycle(bool draining) {
    const std::uint64_t before = bench_->progress(now_);
    bench_->drive(now_, draining);
    const bool watched = recorder_ && now_ >= waves_->from && now_ <= waves_->to;
    if (watched) {
      rtl_.eval();
      recorder_->dump(now_ * kTimePerCycle, bench_->expected());
    }
    if (clocked_) clock_.set(0);
    rtl_.eval();
    if (watched) recorder_->dump_rtl(now_ * kTimePerCycle + kTimePerCycle / 2);
    if (const auto mismatch = bench_->check(now_)) note(*mismatch);
    if (clocked_) {
      clock_.set(1);
      rtl_.eval();
    }
    bench_->advance(now_);
    ++now_;
    watch(before);
  }

  void watch(std::uint64_t before) {
    still_ = bench_->progress(now_) != before || bench_->empty() ? 0 : still_ + 1;
    if (still_ <= bench_->patience()) return;
    note({now_, "watchdog", "", "progress", fmt::format("none for {} cycles while words are under way", still_)});
    still_ = 0;
    stuck_ = true;
  }

  /// At the end nothing new comes and everybody takes: all must come out.
  void drain() {
    if (waves_ || result_.first || stuck_) return;
    const std::uint64_t last = now_ + 4 * bench_->patience();
    while (!bench_->empty() && now_ < last && !result_.first) cycle(true);
    if (!result_.first && !bench_->empty()) {
      note({now_, "end", "", "empty", "words are left inside"});
    }
    // Nothing may come out of an empty block.
    for (int i = 0; i < 8 && !result_.first; ++i) cycle(true);
  }

  void reset_rtl(std::uint64_t cycles) {
    if (reset_.bytes == nullptr) return;
    reset_.set(0);
    for (std::uint64_t i = 0; i < cycles; ++i) {
      clock_.set(0);
      rtl_.eval();
      clock_.set(1);
      rtl_.eval();
    }
    reset_.set(1);
    rtl_.eval();
  }

  const BenchRequest& request_;
  const std::optional<WaveWindow>& waves_;
  Coverage coverage_;
  RtlModel rtl_;
  std::unique_ptr<BlockBench> bench_;
  std::optional<WaveRecorder> recorder_;
  RandomStream dice_;
  bool clocked_ = false;
  RtlModel::Port clock_;
  RtlModel::Port reset_;
  std::uint64_t now_ = 0;
  std::uint64_t still_ = 0;
  bool stuck_ = false;
  BenchResult result_;
};

}  // namespace

BenchResult run_bench(const BenchRequest& request, const std::shared_ptr<const RtlLibrary>& library,
                      const std::optional<WaveWindow>& waves, const std::function<void()>& pause) {
  return Run(request, library, waves).all(pause);
}

}  // namespace weft::tb
