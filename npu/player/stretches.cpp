// SPDX-License-Identifier: Apache-2.0
#include "npu/player/stretches.h"

#include <algorithm>
#include <utility>

#include "base/checkpoint.h"
#include "base/error.h"
#include "npu/player/graph_player.h"
#include "npu/player/player_tap.h"

namespace weft::npu {
namespace {

/// More stretches than these are not remembered.
constexpr std::size_t kMostStretches = 64;
/// Nor one in which more has happened.
constexpr std::size_t kMostOccurrences = 1'000'000;

}  // namespace

void Stretches::HeldActivities::activity_ended(NodeId node, Activity activity) {
  if (!holds_) return told_->activity_ended(node, std::move(activity));
  held_.emplace_back(node, std::move(activity));
}

void Stretches::HeldActivities::rank_finished(NodeId node, Cycle now) {
  if (!holds_) told_->rank_finished(node, now);
}

void Stretches::HeldActivities::tell() {
  holds_ = false;
  for (auto& [node, activity] : held_) told_->activity_ended(node, std::move(activity));
  held_.clear();
}

Stretches::Stretches(std::size_t ranks, ActivityProbe* told) : told_(told), held_(told) {
  current_.requests.resize(ranks);
  current_.computes_until.resize(ranks);
  asked_.resize(ranks);
}

std::size_t Stretches::requested(std::uint32_t rank, const Request& request, Cycle now) {
  if (repeats_) {
    const std::vector<Request>& before = repeated_->requests[rank];
    const std::size_t number = asked_[rank]++;
    differs_ = differs_ || number >= before.size() || !(before[number] == request);
    return number;
  }
  std::vector<Request>& requests = current_.requests[rank];
  requests.push_back(request);
  const std::size_t number = requests.size() - 1;
  if (request.kind == Request::Kind::kTimer) return number;
  if (!communicated_) current_.communicates_from = now;
  communicated_ = true;
  ++open_;
  if (request.kind == Request::Kind::kSend) {
    ++open_;  // until it has left, and until it has come
    ways_[{rank, request.what, request.amount, request.more}].push_back(number);
  }
  return number;
}

void Stretches::occurred(Occurrence occurrence) {
  if (occurrence.kind != Occurrence::Kind::kTimer) --open_;
  current_.whole = current_.whole && current_.occurrences.size() < kMostOccurrences;
  if (current_.whole) current_.occurrences.push_back(occurrence);
}

// Which one of several equal messages has come makes no difference.
void Stretches::came(std::uint32_t rank, std::uint32_t sender, const Request& request, Cycle now) {
  const auto way = ways_.find({sender, request.what, request.amount, request.more});
  WEFT_CHECK(way != ways_.end() && !way->second.empty(), "a message comes that no player has sent");
  const std::size_t number = way->second.front();
  way->second.pop_front();
  occurred({now, rank, Occurrence::Kind::kCome, number, sender});
}

void Stretches::close(Cycle now) {
  stretches_.push_back(std::move(current_));
  if (stretches_.size() > kMostStretches) stretches_.pop_front();
  const std::size_t ranks = taps_.size();
  current_ = {};
  current_.begin = now;
  current_.requests.resize(ranks);
  for (PlayerTap* tap : taps_) {
    current_.computes_until.push_back(tap->timers());
    tap->begin_stretch();
  }
  communicated_ = false;
  ways_.clear();
}

void Stretches::forget(Cycle now) {
  close(now);
  stretches_.clear();
}

bool Stretches::computes_as_before(std::size_t back, Cycle now, Cycle tolerated) const {
  const Stretch& before = stretches_[stretches_.size() - back];
  const auto as_near = [&](const auto& then, const auto& here) {
    const Cycle left_then = then.second - before.begin;
    const Cycle left_here = here.second - now;
    const Cycle apart = left_then > left_here ? left_then - left_here : left_here - left_then;
    return then.first == here.first && apart <= tolerated;
  };
  for (std::size_t rank = 0; rank < taps_.size(); ++rank) {
    const auto& then = before.computes_until[rank];
    const auto& here = taps_[rank]->timers();
    if (then.size() != here.size() || !std::equal(then.begin(), then.end(), here.begin(), as_near)) return false;
  }
  return true;
}

// Where players would go another way, they are put back to where they were, and go as far as they went in the same one.
std::uint64_t Stretches::repeat(std::size_t back, std::uint64_t most, Cycle now) {
  const auto is_whole = [](const Stretch& stretch) { return stretch.whole; };
  if (!std::all_of(stretches_.end() - static_cast<std::ptrdiff_t>(back), stretches_.end(), is_whole)) return 0;
  std::vector<std::map<std::uint64_t, Cycle>> timers;
  for (const PlayerTap* tap : taps_) timers.push_back(tap->timers());
  repeats_ = true;
  held_.hold();
  const std::vector<std::string> states = kept();
  std::uint64_t times = try_to_repeat(back, most, now);
  if (times < most) {
    held_.drop();
    restore(states);
    WEFT_CHECK(try_to_repeat(back, times, now) == times, "players have gone another way the second time");
  }
  repeats_ = false;
  held_.tell();
  const Cycle moved = times * (now - begin_of_last(back));
  for (std::size_t rank = 0; rank < taps_.size(); ++rank) {
    for (auto& timer : timers[rank]) timer.second += moved;
    taps_[rank]->set_timers(std::move(timers[rank]));
    taps_[rank]->player().read_ahead_of(false);
  }
  return times;
}

std::uint64_t Stretches::try_to_repeat(std::size_t back, std::uint64_t most, Cycle now) {
  const Cycle length = now - begin_of_last(back);
  for (std::uint64_t times = 0; times < most; ++times) {
    if (!repeat_once(back, (times + 1) * length)) return times;
  }
  return most;
}

bool Stretches::repeat_once(std::size_t back, Cycle moved) {
  return std::all_of(stretches_.end() - static_cast<std::ptrdiff_t>(back), stretches_.end(),
                     [&](const Stretch& stretch) { return play(stretch, moved); });
}

bool Stretches::play(const Stretch& stretch, Cycle moved) {
  repeated_ = &stretch;
  differs_ = false;
  std::fill(asked_.begin(), asked_.end(), 0);
  for (PlayerTap* tap : taps_) tap->begin_stretch();
  for (const Occurrence& occurrence : stretch.occurrences) {
    time_ = occurrence.at + moved;
    PlayerTap& tap = *taps_[occurrence.rank];
    tap.repeat(occurrence, *taps_[occurrence.sender]);
    if (differs_ || tap.player().finished()) return false;
  }
  for (std::size_t rank = 0; rank < asked_.size(); ++rank) {
    if (asked_[rank] != stretch.requests[rank].size()) return false;
  }
  return true;
}

std::vector<std::string> Stretches::kept() {
  std::vector<std::string> states;
  for (PlayerTap* tap : taps_) {
    Checkpoint checkpoint;
    tap->player().read_ahead_of(true);
    tap->player().keep(checkpoint);
    states.push_back(checkpoint.take());
  }
  return states;
}

void Stretches::restore(std::vector<std::string> states) {
  for (std::size_t rank = 0; rank < taps_.size(); ++rank) {
    Checkpoint checkpoint(std::move(states[rank]));
    taps_[rank]->player().keep(checkpoint);
  }
}

}  // namespace weft::npu
