// SPDX-License-Identifier: Apache-2.0
#include "sc_models/fast_forward.h"

#include <algorithm>

namespace weft::sc_models {
namespace {

/// Executed cycles that are remembered: a period of more than half of them is not found.
constexpr std::size_t kMostMoves = 4096;
/// A period is looked for in so many of the last cycles first, then in more.
constexpr std::size_t kLeastMoves = 64;
/// Executed cycles until the first look, and at least between looks.
constexpr std::uint64_t kTryEvery = 128;
/// Periods of what moves that a period of the state has at most.
constexpr Cycle kMostMultiple = 24;
/// Moves of flits for each word of state that may be looked at, and words that need none.
constexpr std::uint64_t kMovesPerWord = 4;
constexpr std::uint64_t kFreeWords = 50'000;
/// Hashes of state that are compared with each other, and most messages between them.
constexpr std::size_t kHashes = 8;
constexpr std::uint32_t kMostMessages = 256;
/// Fewer cycles are not left out: moving the state on costs as much as some of them.
constexpr Cycle kLeastSkip = 32;
/// Flits of links times cycles of a period that are kept.
constexpr std::size_t kMostCounts = std::size_t{1} << 24;

std::string why_off(System& system) {
  const Config& config = system.config();
  if (config.run.fast_forward == FastForwardMode::kOff) return "run.fast_forward is off";
  if (!std::holds_alternative<CollectiveWorkload>(config.workload))
    return "only workloads of a single collective take part yet";
  if (config.npu.clock) return "NPUs have a clock of their own";
  if (system.parts().size() != 1) return "only a fabric that one thread steps as a whole takes part";
  // What refuses before the first cycle does so for good, and costs nothing from here on.
  StateForm form;
  form.begin(StateForm::Pass::kHash, 0, 1);
  system.fabric().put_state(form);
  return form.refusal();
}

}  // namespace

FastForward::FastForward(System& system, bool windows)
    : system_(system),
      reason_(why_off(system)),
      off_(!reason_.empty()),
      moves_(kMostMoves),
      next_try_(kTryEvery),
      windows_(windows) {
  if (off_) return;
  const std::vector<RankId>& group = std::get<CollectiveWorkload>(system.config().workload).collective.group;
  const RankId rank = group.empty() ? RankId{0} : group.front();
  system.part_of(system.config().npu.placement.at(index(rank)), &listens_to_);
}

Cycle FastForward::end_of_cycle(Cycle now, Cycle last, Cycle border) {
  if (off_) return 0;
  remember(now);
  if (flits_.empty()) last = std::min(last, border - 1);
  if (looks_ == 3) return move_on(now, last);
  // What a hash has found goes on; what moves have found gives way to it.
  if (looks_ == 0 || moves_period_ > 0) listen(now);
  if (looks_ > 0) {
    if (looks_ == 2 && now < looked_at_ + period_) note_links(now);
    if (now < looked_at_ + period_) return 0;
    now == looked_at_ + period_ ? look(now) : give_up();
    return looks_ == 3 ? move_on(now, last) : 0;
  }
  if (executed_ < next_try_) return 0;
  next_try_ = executed_ + kTryEvery;
  if (!can_afford(3)) return 0;
  period_ = find_period();
  moves_period_ = period_;
  period_ == 0 ? give_up() : look(now);
  return 0;
}

// What moves may look the same in all cycles while messages begin and end. Their beginnings come rarely enough for a
// hash of all state; where one comes again, the looks show whether it is the same state.
void FastForward::listen(Cycle now) {
  const std::uint32_t sent = interfaces().messages_sent(listens_to_);
  if (sent - messages_sent_ < stride_) return;
  messages_sent_ = sent;
  // As many as are compared are made in a row.
  if (hashes_.empty() && !can_afford(kHashes)) return;
  if (!look_at_state(StateForm::Pass::kHash, now)) return hashes_.clear();
  const auto [found, fresh] = hashes_.emplace(form_.hash(), now);
  if (!fresh) {
    period_ = now - found->second;
    moves_period_ = 0;
    hashes_.clear();
    if (looks_ > 0) give_up();
    look(now);
  } else if (hashes_.size() == kHashes) {
    // Perhaps a period has more messages. Those of a few times a power of two are found.
    stride_ = stride_ < kMostMessages ? 2 * stride_ : 1;
    hashes_.clear();
  }
}

// Looking is to take about a fiftieth of the time at most, but for the first looks at a small system.
bool FastForward::can_afford(std::uint64_t looks) const {
  return form_.given() + looks * cost_ <= kFreeWords + system_.fabric().flits_moved() / kMovesPerWord;
}

void FastForward::remember(Cycle now) {
  const std::uint64_t moved = system_.fabric().flits_moved();
  moves_[executed_++ % kMostMoves] = {now - last_cycle_, moved - last_moved_, system_.fabric().flits_inside()};
  last_cycle_ = now;
  last_moved_ = moved;
}

Cycle FastForward::find_period() const {
  for (std::size_t cycles = kLeastMoves; cycles <= kMostMoves && cycles <= executed_; cycles *= 4) {
    if (const Cycle period = period_of_last(cycles); period != 0) return period;
  }
  return 0;
}

// The longest border of the last cycles, read backwards, gives their shortest period; it must be there twice.
Cycle FastForward::period_of_last(std::size_t cycles) const {
  const auto at = [&](std::size_t back) -> const Moves& { return moves_[(executed_ - 1 - back) % kMostMoves]; };
  std::vector<std::size_t> border(cycles);
  for (std::size_t i = 1; i < cycles; ++i) {
    std::size_t length = border[i - 1];
    while (length > 0 && !(at(i) == at(length))) length = border[length - 1];
    border[i] = at(i) == at(length) ? length + 1 : 0;
  }
  const std::size_t period = cycles - border.back();
  if (2 * period > cycles) return 0;
  Cycle sum = 0;
  for (std::size_t i = 0; i < period; ++i) sum += at(i).cycles;
  return sum;
}

// Cycles that were not executed have changed nothing.
void FastForward::note_links(Cycle now) {
  if (flits_.empty()) return;
  const std::size_t links = system_.links();
  std::vector<std::uint64_t> flits(links);
  system_.read_link_flits(flits.data());
  if (looks_ == 1) {
    std::copy(flits.begin(), flits.end(), flits_.begin());
    noted_ = 0;
    return;
  }
  for (++noted_; noted_ < std::min(now - looked_at_, period_); ++noted_) {
    const auto before = flits_.begin() + static_cast<std::ptrdiff_t>((noted_ - 1) * links);
    std::copy_n(before, links, before + static_cast<std::ptrdiff_t>(links));
  }
  if (noted_ < period_) {
    std::copy(flits.begin(), flits.end(), flits_.begin() + static_cast<std::ptrdiff_t>(noted_ * links));
    return;
  }
  flits_growth_.resize(links);
  for (std::size_t i = 0; i < links; ++i) flits_growth_[i] = flits[i] - flits_[i];
}

void FastForward::link_flits(Cycle at, std::uint64_t* flits) const {
  const Cycle since = at - (looked_at_ - period_);
  const std::size_t links = system_.links();
  const std::uint64_t* const phase = &flits_[since % period_ * links];
  for (std::size_t i = 0; i < links; ++i) flits[i] = phase[i] + since / period_ * flits_growth_[i];
}

void FastForward::look(Cycle now) {
  constexpr StateForm::Pass kPasses[] = {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird};
  if (!look_at_state(kPasses[looks_], now)) {
    const bool again = looks_ == 1 && reason_.empty() && period_ + moves_period_ <= kMostMultiple * moves_period_;
    if (!again) return give_up();
    // What decides nothing just now, such as whom a round robin asks first, may take several of these periods.
    period_ += moves_period_;
    return;
  }
  if (looks_ == 1 && windows_ && period_ * system_.links() <= kMostCounts) flits_.resize(period_ * system_.links());
  note_links(now);
  looked_at_ = now;
  ++looks_;
  if (looks_ < 3) {
    tap(&in_period_[looks_ - 1]);
  } else {
    tap(nullptr);
    confirm(now);
  }
}

bool FastForward::look_at_state(StateForm::Pass pass, Cycle now) {
  const std::uint64_t given = form_.given();
  form_.begin(pass, now, period_);
  system_.fabric().put_state(form_);
  cost_ = std::max(cost_, form_.given() - given);
  const bool good = form_.end();
  reason_ = form_.refusal();
  return good;
}

// A run that does not repeat itself is looked at less and less often.
void FastForward::give_up() {
  if (looks_ > 0) tap(nullptr);
  looks_ = 0;
  flits_.clear();
  next_try_ = executed_ + std::max(kTryEvery, executed_ / 8);
}

void FastForward::confirm(Cycle now) {
  const std::uint64_t periods = form_.periods();
  const bool grows = latencies_.compare(in_period_[0], in_period_[1]);
  // Where nothing comes nearer to an end, nobody knows what the run waits for.
  if (!grows || periods == StateForm::kNoBound || periods == 0) return give_up();
  until_ = now + std::min(periods, (kLastCycle - now) / period_) * period_;
}

void FastForward::tap(std::vector<npu::PacketLatency>* latencies) {
  if (latencies != nullptr) latencies->clear();
  interfaces().set_latency_tap(latencies);
}

Cycle FastForward::move_on(Cycle now, Cycle last) {
  if (now >= until_) {
    give_up();
    next_try_ = executed_ + kTryEvery;
    return 0;
  }
  if ((now - looked_at_) % period_ != 0 || now >= last) return 0;
  const std::uint64_t periods = (std::min(until_, last) - now) / period_;
  const Cycle cycles = periods * period_;
  if (cycles < kLeastSkip) return 0;
  form_.begin(StateForm::Pass::kMoveOn, now, period_, periods);
  system_.fabric().put_state(form_);
  WEFT_CHECK(form_.end(), "a state that repeats itself has changed its form: " + form_.refusal());
  latencies_.add((now - looked_at_) / period_, periods, &interfaces().statistics());
  skipped_ += cycles;
  last_cycle_ += cycles;
  last_moved_ = system_.fabric().flits_moved();
  return cycles;
}

}  // namespace weft::sc_models
