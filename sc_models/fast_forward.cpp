// SPDX-License-Identifier: Apache-2.0
#include "sc_models/fast_forward.h"

#include <algorithm>

#include "npu/interface/payload_holder.h"
#include "sc_models/memory/io_messages.h"
#include "sc_models/takes_part.h"

namespace weft::sc_models {
namespace {

/// The first look comes after so many executed cycles, and at least so many lie between two looks.
constexpr std::uint64_t kTryEvery = 128;
/// So many executed cycles lie at least before the period that was found last is tried again.
constexpr std::uint64_t kTryKnown = 32;
/// Looking begins anew so many times at most with a period that the state has not had.
constexpr int kMostAnew = 4;
/// Behind a look that the state has not passed, the next row of looks waits for this share of the time since the first
/// such look: where a state takes long to settle, a few cycles more cost less than looks in all of them.
constexpr Cycle kSettlingShare = 8;
/// Where the saved work pays for so many looks, looking begins anew as often as need be, and the wait behind an end of
/// a message does not grow.
constexpr std::uint64_t kManyLooks = 64;
/// A word of state may be looked at for so many moves of flits that were simulated or left out; so many words are free,
/// and three times as many where no states are hashed.
constexpr std::uint64_t kMovesPerWord = 8;
constexpr std::uint64_t kMovesLeftOutPerWord = 2;
constexpr std::uint64_t kFreeWords = 25'000;
/// Fewer cycles are not left out: moving the state on costs as much as some of them.
constexpr Cycle kLeastSkip = 32;
/// The last packet of a message differs from the others, and the one behind it may be of another message.
constexpr std::uint64_t kLookAheadPackets = 4;
/// The first look comes so many cycles after the end of a message; they double up to the second number.
constexpr Cycle kBehindEnd = 256;
constexpr Cycle kMostBehindEnd = Cycle{1} << 16;

}  // namespace

FastForward::FastForward(System& system, LinkWindows& windows, npu::Episodes* episodes)
    : system_(system),
      messages_(system.parts().front().messages),
      windows_(windows),
      reason_(why_nothing_repeats(system)),
      off_(!reason_.empty()),
      pulse_(system.fabric().pulse_words()),
      next_try_(kTryEvery),
      behind_end_(kBehindEnd),
      flits_(counters_of(system), windows) {
  if (off_) return;
  listens_ = system.fabric().flows() == nullptr || system.config().memory.tensors == TensorMemory::kIo;
  form_.set_rules(io_tag_family, npu::put_payload);
  form_.set_look_ahead(kLookAheadPackets * system.config().npu.packet_bytes);
  if (takes_steady(system.config())) {
    steady_.emplace(system);
    if (episodes != nullptr) layers_.emplace(system, *episodes);
  } else if (episodes != nullptr && system.config().run.fast_forward == FastForwardMode::kExact) {
    repeated_.emplace(system, windows, *episodes);
  }
  sent_.resize(messages_->nodes());
  RankId rank{0};
  if (const auto* single = std::get_if<CollectiveWorkload>(&system.config().workload)) {
    if (!single->collective.group.empty()) rank = single->collective.group.front();
  }
  system.part_of(system.config().npu.placement.at(index(rank)), &listens_to_);
}

Cycle FastForward::end_of_cycle(Cycle now, Cycle next, Cycle last) {
  if (off_) return 0;
  if (pulse_.sum == nullptr) return end_of_added_up_cycle(now, next, last);
  moves_.add(now, *pulse_.sum, *pulse_.level);
  return quiet(next) ? 0 : end_of_busy_cycle(now, next, last);
}

// Where what has moved has to be added up.
Cycle FastForward::end_of_added_up_cycle(Cycle now, Cycle next, Cycle last) {
  const Fabric::Pulse pulse = system_.fabric().pulse();
  moves_.add(now, pulse.sum, pulse.level);
  return quiet(next) ? 0 : end_of_busy_cycle(now, next, last);
}

Cycle FastForward::end_of_busy_cycle(Cycle now, Cycle next, Cycle last) {
  Cycle cycles = exact_end_of_cycle(now, next, last);
  if (cycles > 0) {
    left_out_by_ = By::kCopies;
    if (steady_) steady_->restart();
  } else if (repeated_) {
    cycles = repeat_layers(now, next, last);
  } else if (steady_) {
    cycles = steady_end_of_cycle(now, next, last);
  }
  next_ += cycles;
  note(next_ > last ? last + 1 : next_);
  if (!steady_) rest(now + cycles);  // steady rates look at the run in every cycle
  return cycles;
}

Cycle FastForward::exact_end_of_cycle(Cycle now, Cycle next, Cycle last) {
  busy_from_ = 0;
  busy_cycle_ = kLastCycle;
  next_ = next > last ? last + 1 : next;  // nothing passes behind the last one
  noted_ = messages_->events_and_chunks();
  if (messages_->events() != events_) note_events();
  if (looks_ < 3) {
    if (executed() >= next_choice_) choose_node();
    // What a hash has found goes on; what moves have found gives way to it.
    if (listens_ && sent_since_hash() >= stride_ && (looks_ == 0 || moves_period_ > 0) && !chunks_.trying())
      listen(now);
    listen_to_chunks(now);
  }
  Cycle cycles = 0;
  if (looks_ > 0) {
    cycles = go_on_looking(now, last);
  } else if (executed() >= next_look() && now >= rests_until_) {
    begin_looking(now);
  }
  return cycles;
}

// Until the next look or note only endpoints give cause to do anything.
void FastForward::rest(Cycle now) {
  listening_ = listens_ && (looks_ == 0 || (looks_ < 3 && moves_period_ > 0));
  if (looks_ == 0) {
    busy_from_ = std::min(next_choice_, next_look());
  } else if (looks_ < 3) {
    busy_from_ = next_choice_;
    busy_cycle_ = std::min(looked_at_ + period_, flits_.due());
  } else {
    busy_from_ = kLastCycle;
    busy_cycle_ = std::min(until_, now + period_ - (now - looked_at_) % period_);
  }
  if (!repeated_) return;
  if (repeated_->may_look()) busy_from_ = 0;
  busy_cycle_ = std::min(busy_cycle_, repeated_->due());
}

Cycle FastForward::go_on_looking(Cycle now, Cycle last) {
  if (!flits_.on()) last = std::min(last, windows_.border() - 1);
  if (repeated_) last = std::min(last, repeated_->due() - 1);
  if (looks_ == 3) return move_on(now, last);
  if (now < looked_at_ + period_) return 0;
  now == looked_at_ + period_ ? look(now) : give_up();
  return looks_ == 3 ? move_on(now, last) : 0;
}

void FastForward::begin_looking(Cycle now) {
  if (known_period_ != 0 && executed() >= next_known_) return try_period(known_period_, known_period_, now);
  next_try_ = executed() + kTryEvery;
  const MoveHistory::Period found = moves_.find(system_.fabric().flits_moved());
  if (found.cycles == 0) return give_up();
  // What has moved alike for long goes on to do so.
  try_period(found.cycles, std::max<Cycle>(kMostMultiple * found.cycles, found.alike_for), now);
}

// The state may take several of these periods, until `most`.
void FastForward::try_period(Cycle period, Cycle most, Cycle now) {
  period_ = moves_period_ = period;
  most_period_ = most;
  came_anew_ = false;
  // What is tried again and again must leave something for hashes.
  can_afford(period == known_period_ ? kLooks + kHashes : kLooks) ? look(now) : give_up();
}

// What a player begins or ends is no part of a period. What comes after it may be one that is worth looking for.
void FastForward::note_events() {
  events_ = messages_->events();
  fresh_from_ = executed();
  rests_until_ = 0;
  behind_end_ = kBehindEnd;
  stride_ = 1;
  forget_hashes();
  give_up();
}

// Looking is to take about a hundredth of the time at most, and a tenth of what it has saved, but for the first looks
// at a small system.
std::uint64_t FastForward::words_left(Cycle ahead) const {
  const std::uint64_t moved = system_.fabric().flits_moved();
  const std::uint64_t to_come = ahead * (moved - moves_left_out_) / executed();
  const std::uint64_t words =
      (listens_ ? 1 : 3) * kFreeWords + (moved + to_come) / kMovesPerWord + moves_left_out_ / kMovesLeftOutPerWord;
  return words - std::min(words, form_.given() + flits_.cost());
}

void FastForward::look(Cycle now) {
  constexpr StateForm::Pass kPasses[] = {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird};
  if (!look_at_state(kPasses[looks_], now)) {
    const Cycle next = moves_period_ * next_multiple(period_ / std::max<Cycle>(moves_period_, 1));
    const bool again = looks_ == 1 && reason_.empty() && moves_period_ > 0 && next <= most_period_;
    if (behind_an_end_ && !can_afford(kManyLooks)) behind_end_ = std::min(2 * behind_end_, kMostBehindEnd);
    behind_an_end_ = false;
    if (!again) return look_anew(now);
    // What decides nothing just now, such as whom a round robin asks first, may take several of these periods. Where no
    // states are hashed, the first look may also have come too early: another one comes once, a period later.
    period_ = next;
    if (listens_ || came_anew_) return;
    came_anew_ = true;
    period_ = moves_period_;
    looks_ = 0;
    return look(now);
  }
  looked_at_ = now;
  ++looks_;
  if (looks_ < 3) tap(&in_period_[looks_ - 1]);
  if (looks_ == 2) {
    begin_notes(now);
  } else if (looks_ == 3) {
    flits_.end();
    tap(nullptr);
    confirm(now);
  }
}

// Cycles that are left out pay for notes as those do that are simulated. Where the third look will find nothing to
// leave out, there are no notes.
void FastForward::begin_notes(Cycle now) {
  if (form_.periods() <= 1 || form_.periods() == StateForm::kNoBound) return;
  const std::uint64_t words = words_left(std::min(repeats_until(now) - now, kCyclesAhead));
  flits_.begin(period_, now, repeats_until(now), words - std::min(words, cost_));
}

// Where messages begin, what repeats itself does so a little later. A period that a hash has found is no such thing.
void FastForward::look_anew(Cycle now) {
  const bool again = (looks_ == 2 || (looks_ == 1 && period_ == known_period_)) && moves_period_ > 0 &&
                     reason_.empty() && can_afford(++anew_ <= kMostAnew ? kLooks + kHashes : kManyLooks);
  if (!again) return give_up();
  if (anew_ == 1) settles_from_ = now;
  most_period_ = period_;
  tap(nullptr);
  looks_ = 0;
  flits_.drop();
  const Cycle waits = (now - settles_from_) / kSettlingShare;
  if (period_ != known_period_ || waits < period_) return look(now);
  next_known_ = executed();
  rests_until_ = now + waits;
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
  chunks_.end_trying();
  anew_ = 0;
  flits_.drop();
  next_try_ = executed() + std::max(kTryEvery, (executed() - fresh_from_) / 8);
  next_known_ = executed() + std::max(kTryKnown, executed() - fresh_from_);
}

// What repeats itself does so until this cycle; after the second look it may end before.
Cycle FastForward::repeats_until(Cycle now) const {
  return now + std::min(form_.periods(), (kLastCycle - now) / period_) * period_;
}

void FastForward::confirm(Cycle now) {
  const std::uint64_t periods = form_.periods();
  const bool grows = latencies_.compare(in_period_[0], in_period_[1]);
  // Where nothing comes nearer to an end, nobody knows what the run waits for.
  if (!grows || periods == StateForm::kNoBound) return give_up();
  if (periods == 0) return rest_until_end(now);
  if (!chunks_.trying()) known_period_ = period_;  // chunks are recognised when the next one begins
  chunks_.found(now, periods);
  until_ = repeats_until(now);
  ends_at_ = form_.ends_in() < kLastCycle - now ? now + form_.ends_in() : 0;
  if (flits_.on() && flits_.known_until() < until_) {
    // Behind this window what repeats itself is looked for anew.
    until_ = flits_.known_until();
    ends_at_ = 0;
  }
  // What repeats itself so soon behind this end may do so sooner behind the next one.
  if (behind_an_end_) behind_end_ = std::max(behind_end_ / 2, kBehindEnd);
  behind_an_end_ = false;
}

// What repeats itself does so no more: a message ends too soon. Where no states are hashed, the period is tried again
// behind that end.
void FastForward::rest_until_end(Cycle now) {
  const bool known = !listens_ && !chunks_.trying() && form_.ends_in() < kLooks * period_;
  give_up();
  if (!known) return;
  known_period_ = period_;
  rest_behind(now + form_.ends_in());
}

// Nothing can be left out before the message has ended that ends first, in cycle `end`.
void FastForward::rest_behind(Cycle end) {
  behind_an_end_ = true;
  rests_until_ = end + behind_end_;
  next_known_ = executed();
}

void FastForward::tap(std::vector<npu::PacketLatency>* latencies) {
  if (latencies != nullptr) latencies->clear();
  messages_->set_latency_tap(latencies);
}

Cycle FastForward::move_on(Cycle now, Cycle last) {
  if (now >= until_) {
    fresh_from_ = executed();
    give_up();
    behind_an_end_ = false;
    rests_until_ = 0;
    next_known_ = executed();
    if (ends_at_ > now) rest_behind(ends_at_);
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
  latencies_.add((now - looked_at_) / period_, periods, &messages_->statistics());
  skipped_ += cycles;
  moves_left_out_ += system_.fabric().flits_moved() - moved;
  moves_.leave_out(cycles, system_.fabric().pulse().sum);
  if (chunks_.trying()) chunks_.begin_anew();
  return cycles;
}

}  // namespace weft::sc_models
