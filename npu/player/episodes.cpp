// SPDX-License-Identifier: Apache-2.0
#include "npu/player/episodes.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/checkpoint.h"
#include "base/error.h"
#include "npu/player/graph_player.h"
#include "npu/player/player_tap.h"

namespace weft::npu {
namespace {

/// More episodes than these are not remembered.
constexpr std::size_t kMostEpisodes = 64;
/// An episode in which more occurs is forgotten.
constexpr std::size_t kMostOccurrences = 200'000;
/// So many occurrences of all episodes together are remembered at most, ends of chunks included, and of one episode.
constexpr std::size_t kMostRemembered = 1'000'000;
constexpr std::size_t kMostOfOne = 800'000;
/// Players go back by so many occurrences at most: what they have read since then is kept.
constexpr std::size_t kMostAtOnce = 200'000;

// Which of two ranks is told first within a cycle decides nothing, and may differ where all else is the same.
void put_in_order(std::vector<Occurrence>& occurrences) {
  std::stable_sort(occurrences.begin(), occurrences.end(), [](const Occurrence& a, const Occurrence& b) {
    return std::tie(a.at, a.rank) < std::tie(b.at, b.rank);
  });
}

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
  current_.timer_ends.resize(ranks);
  asked_.resize(ranks);
  heard_.resize(ranks);
}

bool Episodes::is_quiet() const {
  const auto holds_data = [](const PlayerTap* tap) { return tap->holds_data(); };
  return may_be_quiet() && std::none_of(taps_.begin(), taps_.end(), holds_data);
}

std::size_t Episodes::requested(std::uint32_t rank, const PlayerRequest& request) {
  const std::size_t number = asked_[rank]++;
  if (repeats_) {
    const std::vector<PlayerRequest>& before = repeated_->requests[rank];
    differs_ = differs_ || number >= before.size() || !request.is(before[number], moved_);
    return number;
  }
  if (current_.complete) current_.requests[rank].push_back(request);
  if (request.kind == PlayerRequest::Kind::kTimer) return number;
  if (!communicated_) current_.communicates_from = request.at;
  communicated_ = true;
  ++open_;
  return number;
}

// It is under way until it has left, and until it has come.
void Episodes::sends(std::uint32_t rank, const PlayerRequest& request, std::uint64_t tag, std::size_t number) {
  ++open_;
  sent_[{rank, request.target, tag}].push_back(number);
}

void Episodes::occurred(Occurrence occurrence) {
  const bool of_chunk = occurrence.kind == Occurrence::Kind::kChunkDone;
  if (occurrence.kind != Occurrence::Kind::kTimer && !of_chunk) --open_;
  if (!of_chunk) ++heard_[occurrence.rank];
  if (!current_.complete) return;
  current_.occurrences.push_back(occurrence);
  if (!of_chunk) ++current_.told;
  if (current_.told < kMostOccurrences && current_.occurrences.size() < kMostOfOne) return;
  current_.complete = false;
  current_.occurrences = {};
  for (std::vector<PlayerRequest>& requests : current_.requests) requests = {};
}

void Episodes::came(std::uint32_t rank, std::uint32_t sender, NodeId node, std::uint64_t tag, Cycle now) {
  const auto sent = sent_.find({sender, index(node), tag});
  WEFT_CHECK(sent != sent_.end(), "a message comes that no player has sent");
  const std::size_t number = sent->second.front();
  sent->second.pop_front();
  if (sent->second.empty()) sent_.erase(sent);
  occurred({now, rank, Occurrence::Kind::kCome, number, sender});
}

void Episodes::close(Cycle now) {
  if (exact_) put_in_order(current_.occurrences);
  remembered_ += current_.occurrences.size();
  episodes_.push_back(std::move(current_));
  while (episodes_.size() > kMostEpisodes || remembered_ > kMostRemembered) {
    remembered_ -= episodes_.front().occurrences.size();
    episodes_.pop_front();
  }
  const std::size_t ranks = taps_.size();
  current_ = {};
  current_.begin = now;
  current_.requests.resize(ranks);
  for (PlayerTap* tap : taps_) current_.timer_ends.push_back(tap->timers());
  communicated_ = false;
  begin_anew();
}

void Episodes::forget(Cycle now) {
  close(now);
  episodes_.clear();
  remembered_ = 0;
}

void Episodes::begin_anew() {
  for (PlayerTap* tap : taps_) tap->begin_episode();
  std::fill(asked_.begin(), asked_.end(), 0);
  std::fill(heard_.begin(), heard_.end(), 0);
}

// Compares the episode behind which there are `before_last` others with the one `back` episodes before it.
bool Episodes::is_alike(std::size_t before_last, std::size_t back, Cycle moved) const {
  if (before_last + back >= episodes_.size()) return false;
  const Episode& last = episodes_[episodes_.size() - 1 - before_last];
  const Episode& before = episodes_[episodes_.size() - 1 - before_last - back];
  const auto is_moved = [moved](const auto& a, const auto& b) { return a.is(b, moved); };
  const auto are_moved = [&](const auto& a, const auto& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_moved);
  };
  return last.complete && before.complete && are_moved(last.occurrences, before.occurrences) &&
         std::equal(last.requests.begin(), last.requests.end(), before.requests.begin(), before.requests.end(),
                    are_moved);
}

bool Episodes::all_are_alike(std::size_t back, Cycle moved) const {
  for (std::size_t before_last = 0; before_last < back; ++before_last) {
    if (!is_alike(before_last, back, moved)) return false;
  }
  return true;
}

std::optional<std::int64_t> Episodes::computes_later(std::size_t back, Cycle now, Cycle apart) const {
  const Episode& before = episodes_[episodes_.size() - back];
  std::vector<std::int64_t> later;
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  for (std::size_t rank = 0; rank < taps_.size(); ++rank) {
    const auto& then = before.timer_ends[rank];
    const auto& here = taps_[rank]->timers();
    const auto same_timer = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (then.size() != here.size() || !std::equal(then.begin(), then.end(), here.begin(), same_timer)) return {};
    for (auto one = then.begin(), other = here.begin(); one != then.end(); ++one, ++other) {
      const auto left = static_cast<std::int64_t>(one->second - before.begin);
      later.push_back(static_cast<std::int64_t>(other->second - now) - left);
      first_end = std::min(first_end, left);
    }
  }
  if (later.empty()) return 0;
  const auto [least, most] = std::minmax_element(later.begin(), later.end());
  if (*most - *least > static_cast<std::int64_t>(apart) || first_end + *least <= 0) return {};
  return *least;
}

std::uint64_t Episodes::repeat(std::size_t back, std::uint64_t most, Cycle now, Cycle period, Cycle apart) {
  const auto is_complete = [](const Episode& episode) { return episode.complete; };
  const auto first = episodes_.end() - static_cast<std::ptrdiff_t>(back);
  if (most == 0 || !std::all_of(first, episodes_.end(), is_complete)) return 0;
  WEFT_CHECK(now >= begin_of_last(back), "episodes are repeated before they have ended");
  std::vector<std::map<std::uint64_t, Cycle>> timers;
  for (const PlayerTap* tap : taps_) timers.push_back(tap->timers());
  repeats_ = true;
  apart_ = apart;
  const std::uint64_t at_once = periods_at_once(back);
  std::uint64_t done = 0;
  for (bool goes_on = true; goes_on && done < most;) {
    const std::uint64_t wanted = std::min(at_once, most - done);
    const std::uint64_t times = repeat_some(back, done, wanted, period);
    goes_on = times == wanted;
    done += times;
  }
  repeats_ = false;
  for (std::size_t rank = 0; rank < taps_.size(); ++rank) {
    for (auto& timer : timers[rank]) timer.second += done * period;
    taps_[rank]->set_timers(std::move(timers[rank]));
    taps_[rank]->player().remember_reads(false);
  }
  begin_anew();
  return done;
}

std::uint64_t Episodes::periods_at_once(std::size_t back) const {
  std::size_t occurrences = 1;
  for (std::size_t last = 1; last <= back; ++last) occurrences += episodes_[episodes_.size() - last].occurrences.size();
  return std::max<std::size_t>(kMostAtOnce / occurrences, 1);
}

// Where players ask for something else, they are put back to where they were, and then play only as many times as they
// did without a difference.
std::uint64_t Episodes::repeat_some(std::size_t back, std::uint64_t done, std::uint64_t most, Cycle period) {
  std::vector<std::map<std::uint64_t, Cycle>> timers;
  for (const PlayerTap* tap : taps_) timers.push_back(tap->timers());
  held_.hold();
  std::vector<std::string> states = kept();
  const std::uint64_t times = try_to_repeat(back, done, most, period);
  if (times < most) {
    held_.drop();
    restore(std::move(states));
    for (std::size_t rank = 0; rank < taps_.size(); ++rank) taps_[rank]->set_timers(std::move(timers[rank]));
    WEFT_CHECK(try_to_repeat(back, done, times, period) == times, "players ask for something else the second time");
  }
  held_.tell();
  return times;
}

// What is wrong with a trace belongs to the cycle in which a player meets it, so that the player does so once more when
// that cycle is simulated.
std::uint64_t Episodes::try_to_repeat(std::size_t back, std::uint64_t done, std::uint64_t most, Cycle period) {
  std::uint64_t times = 0;
  try {
    while (times < most && repeat_once(back, (done + times + 1) * period)) ++times;
  } catch (const InputError&) {
    WEFT_CHECK(times < most, "a player meets something wrong in what it has played before");
  }
  return times;
}

bool Episodes::repeat_once(std::size_t back, Cycle moved) {
  return std::all_of(episodes_.end() - static_cast<std::ptrdiff_t>(back), episodes_.end(),
                     [&](const Episode& episode) { return play(episode, moved); });
}

// Whether a player has asked for what ends now. A computation that was under way when the episodes began may end early
// by the cycles that such ends may differ by.
bool Episodes::may_occur(const Occurrence& occurrence) const {
  if (occurrence.kind == Occurrence::Kind::kCome) return occurrence.number < asked_[occurrence.sender];
  if (occurrence.kind != Occurrence::Kind::kTimer) return occurrence.number < asked_[occurrence.rank];
  const auto& timers = taps_[occurrence.rank]->timers();
  const auto timer = timers.find(occurrence.number);
  return timer != timers.end() && timer->second >= time_ && timer->second - time_ <= apart_;
}

bool Episodes::play(const Episode& episode, Cycle moved) {
  repeated_ = &episode;
  differs_ = false;
  moved_ = moved;
  begin_anew();
  for (const Occurrence& occurrence : episode.occurrences) {
    time_ = occurrence.at + moved;
    PlayerTap& tap = *taps_[occurrence.rank];
    if (occurrence.kind != Occurrence::Kind::kChunkDone) ++heard_[occurrence.rank];
    if (!may_occur(occurrence) || !tap.repeat(occurrence, *taps_[occurrence.sender])) return false;
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
    tap->player().remember_reads(true);
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
