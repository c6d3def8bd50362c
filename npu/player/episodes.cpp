// SPDX-License-Identifier: Apache-2.0
#include "npu/player/episodes.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/checkpoint.h"
#include "base/error.h"
#include "npu/player/graph_player.h"
#include "npu/player/player_tap.h"

namespace weft::npu {
namespace {

/// More episodes than these are not remembered.
constexpr std::size_t kMostEpisodes = 64;
/// Nor one in which more has happened.
constexpr std::size_t kMostOccurrences = 1'000'000;

}  // namespace

void Episodes::HeldActivities::activity_ended(NodeId node, Activity activity) {
  if (!holds_) return told_->activity_ended(node, std::move(activity));
  held_.emplace_back(node, std::move(activity));
}

void Episodes::HeldActivities::rank_finished(NodeId node, Cycle now) {
  if (!holds_) told_->rank_finished(node, now);
}

void Episodes::HeldActivities::tell() {
  holds_ = false;
  for (auto& [node, activity] : held_) told_->activity_ended(node, std::move(activity));
  held_.clear();
}

Episodes::Episodes(std::size_t ranks, ActivityProbe* told) : told_(told), held_(told) {
  current_.requests.resize(ranks);
  current_.computes_until.resize(ranks);
  asked_.resize(ranks);
}

std::size_t Episodes::requested(std::uint32_t rank, const Request& request, Cycle now) {
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
    sent_[{rank, request.what, request.amount, request.more}].push_back(number);
  }
  return number;
}

void Episodes::occurred(Occurrence occurrence) {
  if (occurrence.kind != Occurrence::Kind::kTimer) --open_;
  current_.whole = current_.whole && current_.occurrences.size() < kMostOccurrences;
  if (current_.whole) current_.occurrences.push_back(occurrence);
}

// Which one of several equal messages has come makes no difference.
void Episodes::came(std::uint32_t rank, std::uint32_t sender, const Request& request, Cycle now) {
  const auto sent = sent_.find({sender, request.what, request.amount, request.more});
  WEFT_CHECK(sent != sent_.end() && !sent->second.empty(), "a message comes that no player has sent");
  const std::size_t number = sent->second.front();
  sent->second.pop_front();
  occurred({now, rank, Occurrence::Kind::kCome, number, sender});
}

void Episodes::close(Cycle now) {
  episodes_.push_back(std::move(current_));
  if (episodes_.size() > kMostEpisodes) episodes_.pop_front();
  const std::size_t ranks = taps_.size();
  current_ = {};
  current_.begin = now;
  current_.requests.resize(ranks);
  for (PlayerTap* tap : taps_) {
    current_.computes_until.push_back(tap->timers());
    tap->begin_episode();
  }
  communicated_ = false;
  sent_.clear();
}

void Episodes::forget(Cycle now) {
  close(now);
  episodes_.clear();
}

std::optional<std::int64_t> Episodes::computes_later(std::size_t back, Cycle now, Cycle apart) const {
  const Episode& before = episodes_[episodes_.size() - back];
  std::optional<std::int64_t> later;
  const auto as_late = [&](const auto& then, const auto& here) {
    const auto by =
        static_cast<std::int64_t>(here.second - now) - static_cast<std::int64_t>(then.second - before.begin);
    if (!later) later = by;
    return then.first == here.first && std::abs(by - *later) <= static_cast<std::int64_t>(apart);
  };
  for (std::size_t rank = 0; rank < taps_.size(); ++rank) {
    const auto& then = before.computes_until[rank];
    const auto& here = taps_[rank]->timers();
    if (then.size() != here.size() || !std::equal(then.begin(), then.end(), here.begin(), as_late)) return std::nullopt;
  }
  return later.value_or(0);
}

// Where players would ask for something else, they are put back to where they were, and go as far as they went in the
// same one.
std::uint64_t Episodes::repeat(std::size_t back, std::uint64_t most, Cycle now, Cycle period) {
  const auto is_whole = [](const Episode& episode) { return episode.whole; };
  if (!std::all_of(episodes_.end() - static_cast<std::ptrdiff_t>(back), episodes_.end(), is_whole)) return 0;
  std::vector<std::map<std::uint64_t, Cycle>> timers;
  for (const PlayerTap* tap : taps_) timers.push_back(tap->timers());
  repeats_ = true;
  held_.hold();
  const std::vector<std::string> states = kept();
  std::uint64_t times = try_to_repeat(back, most, now, period);
  if (times < most) {
    held_.drop();
    restore(states);
    WEFT_CHECK(try_to_repeat(back, times, now, period) == times, "players have gone something else the second time");
  }
  repeats_ = false;
  held_.tell();
  for (std::size_t rank = 0; rank < taps_.size(); ++rank) {
    for (auto& timer : timers[rank]) timer.second += times * period;
    taps_[rank]->set_timers(std::move(timers[rank]));
    taps_[rank]->player().read_ahead_of(false);
  }
  return times;
}

std::uint64_t Episodes::try_to_repeat(std::size_t back, std::uint64_t most, Cycle now, Cycle period) {
  const Cycle begin = begin_of_last(back);
  const Cycle length = now - begin;
  for (std::uint64_t times = 0; times < most; ++times) {
    // What happens this time begins at now + times * period, and what comes first, the end of a computation, is later
    // than it was by what the period is longer.
    if (!repeat_once(back, now + (times + 1) * period - length - begin)) return times;
  }
  return most;
}

bool Episodes::repeat_once(std::size_t back, Cycle moved) {
  return std::all_of(episodes_.end() - static_cast<std::ptrdiff_t>(back), episodes_.end(),
                     [&](const Episode& episode) { return play(episode, moved); });
}

bool Episodes::play(const Episode& episode, Cycle moved) {
  repeated_ = &episode;
  differs_ = false;
  std::fill(asked_.begin(), asked_.end(), 0);
  for (PlayerTap* tap : taps_) tap->begin_episode();
  for (const Occurrence& occurrence : episode.occurrences) {
    time_ = occurrence.at + moved;
    PlayerTap& tap = *taps_[occurrence.rank];
    tap.repeat(occurrence, *taps_[occurrence.sender]);
    if (differs_ || tap.player().finished()) return false;
  }
  for (std::size_t rank = 0; rank < asked_.size(); ++rank) {
    if (asked_[rank] != episode.requests[rank].size()) return false;
  }
  return true;
}

std::vector<std::string> Episodes::kept() {
  std::vector<std::string> states;
  for (PlayerTap* tap : taps_) {
    Checkpoint checkpoint;
    tap->player().read_ahead_of(true);
    tap->player().keep(checkpoint);
    states.push_back(checkpoint.take());
  }
  return states;
}

void Episodes::restore(std::vector<std::string> states) {
  for (std::size_t rank = 0; rank < taps_.size(); ++rank) {
    Checkpoint checkpoint(std::move(states[rank]));
    taps_[rank]->player().keep(checkpoint);
  }
}

}  // namespace weft::npu
