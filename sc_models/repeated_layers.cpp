// SPDX-License-Identifier: Apache-2.0
#include "sc_models/repeated_layers.h"

#include <algorithm>

#include "base/error.h"
#include "base/state_hash.h"
#include "npu/interface/payload_holder.h"
#include "sc_models/latency_growth.h"
#include "sc_models/memory/io_messages.h"

namespace weft::sc_models {
namespace {

/// A word of state may be looked at for so many moves of flits; so many words are free.
constexpr std::uint64_t kMovesPerWord = 4;
constexpr std::uint64_t kFreeWords = 25'000;
/// So many words of moments are kept.
constexpr std::uint64_t kMostWords = 1 << 23;
/// When players ask for something else behind three equal moments, up to so many moments pass without a try.
constexpr int kMostRests = 8;

std::uint64_t words_of(const StateForm::Look& look) { return look.same.size() + look.grows.size(); }

/// Operands of flows begin in one plane after the other, by the number of their collective.
std::uint32_t planes_of(System& system) {
  if (system.fabric().flows() == nullptr) return 1;
  return static_cast<std::uint32_t>(std::max(system.config().fabric.fred.planes, 1));
}

}  // namespace

RepeatedLayers::RepeatedLayers(System& system, LinkWindows& windows, npu::Episodes& episodes)
    : system_(system), windows_(windows), episodes_(episodes), flits_(counters_of(system), windows) {
  form_.set_rules(io_tag_family, npu::put_payload);
  form_.let_players_repeat();
  episodes_.begin_exact(planes_of(system));
}

Cycle RepeatedLayers::end_of_cycle(Cycle now, Cycle next, Cycle last) {
  if (!episodes_.may_be_quiet() || next == kNever || next < system_.parts().front().local->next_timer()) return 0;
  system_.settle(now);
  if (!system_.empty() || !episodes_.is_quiet()) return 0;
  if (!look(now)) {
    forget(now);
    return 0;
  }
  episodes_.close(now);
  while (moments_.size() > episodes_.known() + 1 || (words_ > kMostWords && moments_.size() > 1)) {
    words_ -= words_of(moments_.front().look);
    moments_.pop_front();
  }
  if (last <= now) return 0;
  const Cycle cycles = waits_ > 0 && --waits_ == 0 ? confirm(now, last) : 0;
  if (cycles == 0 && waits_ == 0) find_pair(now, last);
  return cycles;
}

// Looking is to take about a hundredth of the time at most.
std::uint64_t RepeatedLayers::words_left() const {
  const std::uint64_t words = kFreeWords + system_.fabric().flits_moved() / kMovesPerWord;
  return words - std::min(words, form_.given() + flits_.cost());
}

bool RepeatedLayers::put_state(StateForm::Pass pass, Cycle now, std::uint64_t periods) {
  form_.begin(pass, now, period_, periods);
  system_.fabric().put_state(form_);
  return form_.end();
}

bool RepeatedLayers::look(Cycle now) {
  if (words_left() < cost_) return false;
  const std::uint64_t given = form_.given();
  const bool good = put_state(StateForm::Pass::kFirst, now);
  cost_ = form_.given() - given;
  if (!good) return false;
  Moment& moment = moments_.emplace_back();
  moment.at = now;
  moment.look = form_.take_look();
  for (const std::uint64_t word : moment.look.same) moment.hash = quick_mix(moment.hash, word);
  words_ += words_of(moment.look);
  if (3 * words_of(moment.look) > kMostWords) episodes_.end();  // three of them cannot be kept
  return true;
}

// The nearest moment before with the same state, if players have done the same before it as before this one.
void RepeatedLayers::find_pair(Cycle now, Cycle last) {
  flits_.drop();
  if (rests_ > 0) {
    --rests_;
    return;
  }
  for (std::size_t back = 1; back < moments_.size(); ++back) {
    const Moment& before = moments_[moments_.size() - 1 - back];
    if (before.hash != moments_.back().hash || before.look.same != moments_.back().look.same ||
        !episodes_.last_is_alike(back, now - before.at))
      continue;
    back_ = waits_ = back;
    period_ = now - before.at;
    before_ = statistics();
    const std::uint64_t words = words_left();
    flits_.begin(period_, now, last, words - std::min(words, (back + 1) * cost_));
    return;
  }
}

// So many episodes behind the pair: whether the state is the same a third time, and what grows has grown alike.
Cycle RepeatedLayers::confirm(Cycle now, Cycle last) {
  const std::size_t known = moments_.size();
  if (known <= 2 * back_ || now != moments_[known - 1 - back_].at + period_) return 0;
  if (!episodes_.all_are_alike(back_, period_)) return 0;
  flits_.end();
  if (!form_.expect(moments_[known - 1 - 2 * back_].look, moments_[known - 1 - back_].look)) return 0;
  if (!put_state(StateForm::Pass::kThird, now)) return 0;
  if (flits_.on()) {
    last = std::min(last, flits_.known_until());
  } else if (windows_.border() != kNever) {
    last = std::min(last, windows_.border() - 1);
  }
  form_.bound(last > now ? (last - now) / period_ : 0);
  const std::uint64_t times = episodes_.repeat(back_, form_.periods(), now, period_, 0);
  if (times > 0) return move_on(now, times);
  rests_ = pause_;
  pause_ = std::min(2 * pause_ + 1, kMostRests);
  return 0;
}

Cycle RepeatedLayers::move_on(Cycle now, std::uint64_t times) {
  WEFT_CHECK(put_state(StateForm::Pass::kMoveOn, now, times),
             "a state that repeats itself has changed its form: " + form_.refusal());
  repeat_latencies(before_, times, &statistics());
  pause_ = 0;
  const Cycle cycles = times * period_;
  forget(now + cycles);
  return cycles;
}

void RepeatedLayers::forget(Cycle now) {
  moments_.clear();
  words_ = 0;
  waits_ = 0;
  flits_.drop();
  episodes_.forget(now);
}

}  // namespace weft::sc_models
