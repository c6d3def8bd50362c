// SPDX-License-Identifier: Apache-2.0
#include "sc_models/steady_layers.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "npu/interface/payload_holder.h"
#include "sc_models/latency_growth.h"
#include "sc_models/memory/io_messages.h"

namespace weft::sc_models {
namespace {

/// A moment is quiet where the next cycle with work comes so many cycles later: what still goes home, such as credits,
/// takes fewer.
constexpr Cycle kQuiet = 256;
/// All computations are further from their ends than before, or nearer, by the same time, but for this part of the time
/// since the last quiet moment.
constexpr Cycle kPartApart = 4096;
/// The same time is no more than this part: communication beside computations takes now more and now less time.
constexpr Cycle kPartLater = 32;
/// So many earlier moments that look alike are tried.
constexpr int kMostTries = 4;
/// Behind moments at which these have not come again, up to so many moments pass without a try.
constexpr int kMostRests = 8;

}  // namespace

SteadyLayers::SteadyLayers(System& system, npu::Episodes& episodes) : system_(system), episodes_(episodes) {
  form_.set_rules(io_tag_family, npu::put_payload);
  episodes_.begin();
}

Cycle SteadyLayers::end_of_cycle(Cycle now, Cycle next, Cycle last) {
  if (!episodes_.is_quiet() || next == kNever || next < now + kQuiet || !system_.empty()) return 0;
  if (!look(now)) {
    forget(now);
    return 0;
  }
  episodes_.close(now);
  last_moment_ = now;
  while (moments_.size() > episodes_.known() + 1) moments_.pop_front();
  if (moments_.size() < 2 || last <= now) return 0;
  if (rests_ > 0) {
    --rests_;
    return 0;
  }
  int tries = 0;
  const Cycle recently = now - episodes_.begin_of_last(1);
  for (std::size_t back = 1; back < moments_.size() && tries < kMostTries; ++back) {
    const auto later = episodes_.computes_later(back, now, recently / kPartApart);
    if (!later || std::abs(*later) > static_cast<std::int64_t>(recently / kPartLater)) continue;
    ++tries;
    const Cycle period = now - episodes_.begin_of_last(back) + static_cast<Cycle>(*later);
    const std::uint64_t times = episodes_.repeat(back, (last - now) / period, now, period, recently / kPartApart);
    if (times > 0) return move_on(now, back, times, period);
  }
  if (tries > 0) {
    rests_ = pause_;
    pause_ = std::min(2 * pause_ + 1, kMostRests);
  }
  return 0;
}

void SteadyLayers::forget(Cycle now) {
  moments_.clear();
  episodes_.forget(now);
}

bool SteadyLayers::look(Cycle now) {
  system_.settle(now);
  Moment& moment = moments_.emplace_back();
  form_.begin_rates(&moment.look, now);
  system_.fabric().put_state(form_);
  if (!form_.end() || !moment.look.messages.empty() || !moment.look.streams.empty()) return false;
  moment.statistics = interfaces().statistics();
  moment.flits.resize(system_.links());
  system_.read_link_flits(moment.flits.data());
  return true;
}

Cycle SteadyLayers::move_on(Cycle now, std::size_t back, std::uint64_t times, Cycle period) {
  const Moment& then = moments_[moments_.size() - 1 - back];
  const Moment& here = moments_.back();
  const Cycle cycles = times * period;
  WEFT_CHECK(then.look.counters.size() == here.look.counters.size(), "a state has counters that it had not before");
  SteadyJump jump;
  jump.whole = true;
  jump.measured_from = then.look.at;
  jump.period = period;
  for (std::size_t i = 0; i < here.look.counters.size(); ++i)
    jump.counters.push_back(times * (here.look.counters[i] - then.look.counters[i]));
  flits_.set(parts_of(back, now), period);
  form_.begin_advance(&jump, now, cycles);
  system_.fabric().put_state(form_);
  WEFT_CHECK(form_.end(), "a state has changed its form while it was moved on: " + form_.refusal());
  repeat_latencies(then.statistics, times, &interfaces().statistics());
  skipped_ += cycles;
  last_moment_ += cycles;
  pause_ = 0;
  forget(now + cycles);
  return cycles;
}

std::vector<LayerFlits::Part> SteadyLayers::parts_of(std::size_t back, Cycle now) const {
  std::vector<LayerFlits::Part> parts;
  for (std::size_t last = back; last > 0; --last) {
    const std::size_t moment = moments_.size() - 1 - last;
    const Cycle end = last == 1 ? now : episodes_.begin_of_last(last - 1);
    parts.push_back({episodes_.begin_of_last(last), episodes_.communicates_from(last), end, moments_[moment].flits,
                     moments_[moment + 1].flits});
  }
  return parts;
}

}  // namespace weft::sc_models
