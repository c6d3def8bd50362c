// SPDX-License-Identifier: Apache-2.0
#include "sc_models/fast_forward.h"

#include <algorithm>

namespace weft::sc_models {
namespace {

/// Executed cycles that are remembered: a period of more than half of them is not found.
constexpr std::size_t kMostMoves = 8192;
/// A period is looked for in so many of the last cycles first, then in more.
constexpr std::size_t kMovesTried[] = {64, 256, 1024, 4096, kMostMoves};
/// Executed cycles until the first look, and at least between looks.
constexpr std::uint64_t kTryEvery = 128;
/// The same before the period that was found last is tried again.
constexpr std::uint64_t kTryKnown = 32;
/// Periods of what moves that a period of the state has at most.
constexpr Cycle kMostMultiple = 24;
/// Multiples of shorter periods are tried up to this one: packets may take turns.
constexpr Cycle kLongEnough = 512;
/// Times that looking begins anew with a period that the state has not had.
constexpr int kMostAnew = 4;
/// Moves of flits for each executed cycle that is compared with others, and comparisons that need none.
constexpr std::uint64_t kMovesPerComparison = 8;
constexpr std::uint64_t kFreeComparisons = 100'000;
/// Executed cycles after which another node may be chosen, if the last one has sent nothing and that one so many
/// messages.
constexpr std::uint64_t kListenFor = 1024;
constexpr std::uint32_t kMoreMessages = 3;
/// Moves of flits for each word of state that may be looked at, those of them that were left out, and words that need
/// none.
constexpr std::uint64_t kMovesPerWord = 4;
constexpr std::uint64_t kMovesLeftOutPerWord = 2;
constexpr std::uint64_t kFreeWords = 50'000;
/// Hashes of state that are compared with each other, and most messages between them.
constexpr std::size_t kHashes = 8;
constexpr std::uint32_t kMostMessages = 256;
/// Fewer cycles are not left out: moving the state on costs as much as some of them.
constexpr Cycle kLeastSkip = 32;
/// Links whose flits are read at the cost of a word, where none pass without a step.
constexpr std::size_t kLinksPerWord = 8;
/// So many periods are worth another look at them.
constexpr std::uint64_t kWorthNoting = 64;
/// Cycles behind the end of a message after which the first look comes, and most of them.
constexpr Cycle kBehindEnd = 256;
constexpr Cycle kMostBehindEnd = Cycle{1} << 16;
/// Flits of links times cycles of a period that are kept at most, and so few that they cost next to nothing.
constexpr std::size_t kMostCounts = std::size_t{1} << 24;
constexpr std::size_t kFewCounts = std::size_t{1} << 19;

/// The next number of periods of what moves that may be a period of the state: all small ones, then those that turns
/// of a few make.
Cycle next_multiple(Cycle multiple) {
  const auto has_small_factors = [](Cycle number) {
    while (number % 2 == 0) number /= 2;
    while (number % 3 == 0) number /= 3;
    return number == 1;
  };
  do ++multiple;
  while (multiple > kMostMultiple && !has_small_factors(multiple));
  return multiple;
}

std::string why_memory(const MemorySpec& memory) {
  if (memory.tensors == TensorMemory::kIo)
    return "loads and stores that I/O controllers carry out do not take part yet";
  if (memory.tensors == TensorMemory::kRemote) return "loads and stores of remote memory do not take part yet";
  if (!memory.timing.empty()) return "memories of NPUs whose timing is simulated do not take part yet";
  return "";
}

std::string why_off(System& system) {
  const Config& config = system.config();
  if (config.run.fast_forward == FastForwardMode::kOff) return "run.fast_forward is off";
  if (std::holds_alternative<TrafficWorkload>(config.workload)) return "synthetic traffic is random";
  if (std::holds_alternative<IoWorkload>(config.workload)) return "streams of I/O controllers do not take part yet";
  if (const std::string reason = why_memory(config.memory); !reason.empty()) return reason;
  if (std::holds_alternative<TraceWorkload>(config.workload) && system.fabric().flows() != nullptr)
    return "traces on FRED switches do not take part yet";
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
      behind_end_(kBehindEnd),
      windows_(windows) {
  if (off_) return;
  sent_.resize(interfaces().nodes());
  RankId rank{0};
  if (const auto* single = std::get_if<CollectiveWorkload>(&system.config().workload)) {
    if (!single->collective.group.empty()) rank = single->collective.group.front();
  }
  system.part_of(system.config().npu.placement.at(index(rank)), &listens_to_);
}

Cycle FastForward::end_of_cycle(Cycle now, Cycle next, Cycle last, Cycle border) {
  if (off_) return 0;
  border_ = border;
  next_ = next > last ? last + 1 : next;  // nothing passes behind the last one
  remember(now);
  if (interfaces().events() != events_) note_events();
  if (!notes_) last = std::min(last, border - 1);
  if (looks_ == 3) return move_on(now, last);
  if (executed_ >= next_choice_) choose_node();
  // What a hash has found goes on; what moves have found gives way to it.
  if (looks_ == 0 || moves_period_ > 0) listen(now);
  if (looks_ > 0) {
    if (looks_ == 2 && now < looked_at_ + period_) note_links(now);
    if (now < looked_at_ + period_) return 0;
    now == looked_at_ + period_ ? look(now) : give_up();
    return looks_ == 3 ? move_on(now, last) : 0;
  }
  if (now < rests_until_) return 0;
  if (known_period_ != 0 && executed_ >= next_known_) {
    try_period(known_period_, known_period_, now);
  } else if (executed_ >= next_try_) {
    next_try_ = executed_ + kTryEvery;
    std::size_t executed = 0;
    const Cycle found = find_period(&executed);
    if (found == 0) {
      give_up();
    } else {
      // What has moved alike for long goes on to do so.
      try_period(found, std::max(kMostMultiple * found, std::min<Cycle>(kLongEnough, alike_for(executed))), now);
    }
  }
  return 0;
}

// The state may take several of these periods, until `most`.
void FastForward::try_period(Cycle period, Cycle most, Cycle now) {
  period_ = moves_period_ = period;
  anew_ = 0;
  most_period_ = most;
  // What is tried again and again must leave something for hashes.
  const std::uint64_t noting = notes_links_of(period) ? period * words_of_links() : 0;
  can_afford(period == known_period_ ? 3 + kHashes : 3, noting) ? look(now) : give_up();
}

// What a player begins or ends is no part of a period. What comes after it may be one that is worth looking for.
void FastForward::note_events() {
  events_ = interfaces().events();
  fresh_from_ = executed_;
  rests_until_ = 0;
  behind_end_ = kBehindEnd;
  stride_ = 1;
  hashes_.clear();
  give_up();
}

// Another one, where that one sends nothing while others do.
void FastForward::choose_node() {
  next_choice_ = executed_ + kListenFor;
  std::uint32_t best = listens_to_;
  std::uint32_t most = 0;
  if (interfaces().messages_sent(listens_to_) == sent_[listens_to_]) {
    for (std::uint32_t node = 0; node < sent_.size(); ++node) {
      const std::uint32_t sent = interfaces().messages_sent(node) - sent_[node];
      if (sent > most) best = node;
      most = std::max(most, sent);
    }
    if (most < kMoreMessages) return;
    listens_to_ = best;
    messages_sent_ = interfaces().messages_sent(best);
    hashes_.clear();
  }
  for (std::uint32_t node = 0; node < sent_.size(); ++node) sent_[node] = interfaces().messages_sent(node);
}

// What moves may look the same in all cycles while messages begin and end. Their beginnings come rarely enough for a
// hash of all state; where one comes again, the looks show whether it is the same state.
// Messages of flows have tags that have to stay the same, so that none of them begins in the state of another.
void FastForward::listen(Cycle now) {
  if (system_.fabric().flows() != nullptr) return;
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

// Looking is to take about a fiftieth of the time at most, and a tenth of what it has saved, but for the first looks at
// a small system.
bool FastForward::can_afford(std::uint64_t looks, std::uint64_t words) const {
  return form_.given() + links_noted_ + words + looks * cost_ <=
         kFreeWords + system_.fabric().flits_moved() / kMovesPerWord + moves_left_out_ / kMovesLeftOutPerWord;
}

// Whether the flits of links are noted in each cycle of a period. Where they pass without a step that costs much, so
// that a period has to have led somewhere before.
bool FastForward::notes_links_of(Cycle period) const {
  if (!windows_ || period * system_.links() > kMostCounts) return false;
  return period == known_period_ || system_.fabric().passes_until() == 0 || period * system_.links() <= kFewCounts;
}

// What it costs to read the flits of all links, in words of state.
std::uint64_t FastForward::words_of_links() const {
  return system_.links() / (system_.fabric().passes_until() > 0 ? 1 : kLinksPerWord);
}

void FastForward::remember(Cycle now) {
  const Fabric::Pulse pulse = system_.fabric().pulse();
  moves_[executed_++ % kMostMoves] = {now - last_cycle_, pulse.sum - last_sum_, pulse.level};
  last_cycle_ = now;
  last_sum_ = pulse.sum;
}

Cycle FastForward::find_period(std::size_t* executed) {
  for (const std::size_t cycles : kMovesTried) {
    if (cycles > executed_) return 0;
    if (compared_ > kFreeComparisons + system_.fabric().flits_moved() / kMovesPerComparison) return 0;
    compared_ += cycles;
    *executed = period_of_last(cycles);
    Cycle sum = 0;
    for (std::size_t i = 0; i < *executed; ++i) sum += moves(i).cycles;
    if (sum > 0) return sum;
  }
  return 0;
}

// Executed cycles for which the moves have had the period.
std::size_t FastForward::alike_for(std::size_t period) {
  const std::size_t most = std::min<std::size_t>(kLongEnough, executed_);
  std::size_t count = 0;
  while (count + period < most && moves(count) == moves(count + period)) ++count;
  compared_ += count;
  return count;
}

// The longest border of the last cycles, read backwards, gives their shortest period; it must be there twice.
std::size_t FastForward::period_of_last(std::size_t cycles) const {
  std::vector<std::size_t> border(cycles);
  for (std::size_t i = 1; i < cycles; ++i) {
    std::size_t length = border[i - 1];
    while (length > 0 && !(moves(i) == moves(length))) length = border[length - 1];
    border[i] = moves(i) == moves(length) ? length + 1 : 0;
  }
  const std::size_t period = cycles - border.back();
  return 2 * period > cycles ? 0 : period;
}

// Up to the next executed cycle. What passes without a step is counted where a cycle is settled.
void FastForward::note_links(Cycle now) {
  if (!notes_) return;
  const std::size_t links = system_.links();
  const bool passes = system_.fabric().passes_until() > 0;
  const Cycle end = std::min(next_, looked_at_ + period_);
  // A window that ends before the next executed cycle has to be counted before what passes behind it.
  notes_ = !passes || border_ >= end;
  if (!notes_) return;
  for (Cycle at = now; at < end; ++at) {
    std::uint64_t* const flits = &flits_[(at - looked_at_) * links];
    if (passes) system_.settle(at);
    if (passes || at == now) {
      system_.read_link_flits(flits);
      links_noted_ += words_of_links();
    } else {
      std::copy_n(flits - links, links, flits);
    }
  }
}

void FastForward::note_growth() {
  if (!notes_) return;
  flits_growth_.resize(system_.links());
  system_.read_link_flits(flits_growth_.data());
  for (std::size_t i = 0; i < flits_growth_.size(); ++i) flits_growth_[i] -= flits_[i];
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
    const Cycle next = moves_period_ * next_multiple(period_ / std::max<Cycle>(moves_period_, 1));
    const bool again = looks_ == 1 && reason_.empty() && moves_period_ > 0 && next <= most_period_;
    if (behind_an_end_) behind_end_ = std::min(2 * behind_end_, kMostBehindEnd);
    behind_an_end_ = false;
    if (!again) return look_anew(now);
    // What decides nothing just now, such as whom a round robin asks first, may take several of these periods.
    period_ = next;
    return;
  }
  looked_at_ = now;
  ++looks_;
  if (looks_ < 3) tap(&in_period_[looks_ - 1]);
  if (looks_ == 2) {
    notes_ = notes_links_of(period_);
    if (notes_ && flits_.size() < period_ * system_.links()) flits_.resize(period_ * system_.links());
    note_links(now);
  } else if (looks_ == 3) {
    note_growth();
    tap(nullptr);
    confirm(now);
  }
}

// Where messages begin, what repeats itself does so a little later. A period that a hash has found is no such thing.
void FastForward::look_anew(Cycle now) {
  const bool again = (looks_ == 2 || (looks_ == 1 && period_ == known_period_)) && moves_period_ > 0 &&
                     reason_.empty() && ++anew_ <= kMostAnew && can_afford(3 + kHashes);
  if (!again) return give_up();
  most_period_ = period_;
  tap(nullptr);
  looks_ = 0;
  notes_ = false;
  look(now);
}

bool FastForward::look_at_state(StateForm::Pass pass, Cycle now) {
  const std::uint64_t given = form_.given();
  system_.settle(now);
  form_.begin(pass, now, period_);
  system_.fabric().put_state(form_);
  if (pass == StateForm::Pass::kFirst || pass == StateForm::Pass::kHash) cost_ = form_.given() - given;
  const bool good = form_.end();
  reason_ = form_.refusal();
  return good;
}

// What does not repeat itself is looked at less and less often.
void FastForward::give_up() {
  if (looks_ > 0) tap(nullptr);
  looks_ = 0;
  notes_ = false;
  next_try_ = executed_ + std::max(kTryEvery, (executed_ - fresh_from_) / 8);
  next_known_ = executed_ + std::max(kTryKnown, executed_ - fresh_from_);
}

void FastForward::confirm(Cycle now) {
  const std::uint64_t periods = form_.periods();
  const bool grows = latencies_.compare(in_period_[0], in_period_[1]);
  // Where nothing comes nearer to an end, nobody knows what the run waits for.
  if (!grows || periods == StateForm::kNoBound || periods == 0) return give_up();
  const bool fresh = period_ != known_period_;
  known_period_ = period_;
  if (fresh && !notes_ && periods > kWorthNoting && notes_links_of(period_)) {
    // Once more, with the flits of links, so that windows end in cycles that are left out.
    give_up();
    next_known_ = executed_;
    return;
  }
  until_ = now + std::min(periods, (kLastCycle - now) / period_) * period_;
  ends_at_ = form_.ends_in() < kLastCycle - now ? now + form_.ends_in() : 0;
  behind_an_end_ = false;
}

void FastForward::tap(std::vector<npu::PacketLatency>* latencies) {
  if (latencies != nullptr) latencies->clear();
  interfaces().set_latency_tap(latencies);
}

Cycle FastForward::move_on(Cycle now, Cycle last) {
  if (now >= until_) {
    fresh_from_ = executed_;
    give_up();
    // Nothing can be left out before the message has ended that ends first.
    behind_an_end_ = ends_at_ > now;
    rests_until_ = behind_an_end_ ? ends_at_ + behind_end_ : 0;
    next_known_ = executed_;
    return 0;
  }
  if ((now - looked_at_) % period_ != 0 || now >= last) return 0;
  const std::uint64_t periods = (std::min(until_, last) - now) / period_;
  const Cycle cycles = periods * period_;
  if (cycles < kLeastSkip) return 0;
  system_.settle(now);
  const std::uint64_t moved = system_.fabric().flits_moved();
  form_.begin(StateForm::Pass::kMoveOn, now, period_, periods);
  system_.fabric().put_state(form_);
  WEFT_CHECK(form_.end(), "a state that repeats itself has changed its form: " + form_.refusal());
  latencies_.add((now - looked_at_) / period_, periods, &interfaces().statistics());
  skipped_ += cycles;
  last_cycle_ += cycles;
  moves_left_out_ += system_.fabric().flits_moved() - moved;
  last_sum_ = system_.fabric().pulse().sum;
  return cycles;
}

}  // namespace weft::sc_models
