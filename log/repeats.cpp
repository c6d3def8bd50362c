// SPDX-License-Identifier: Apache-2.0
#include "log/repeats.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/random.h"

namespace weft::log {

EventTracks::EventTracks(std::vector<std::uint32_t> part_of, std::size_t parts)
    : part_of_(std::move(part_of)), tracks_(parts) {}

// Events of one cycle have no order, so they are added.
void EventTracks::note(Cycle now, LinkId link, std::uint64_t event, std::uint32_t flits) {
  if (now >= tracks_.front().events.size()) {
    for (EventTrack& track : tracks_) {
      track.events.resize(now + 1);
      track.flits.resize(now + 1);
    }
  }
  EventTrack& track = tracks_[part_of_[index(link)]];
  track.events[now] += mix64(mix64(std::uint64_t{index(link)} + 1) ^ event);
  track.flits[now] += flits;
}

void EventTracks::flit_sent(Cycle now, LinkId link, VcId vc, PacketIdentity /*packet*/, bool head, bool tail,
                            int credits) {
  const std::uint64_t ends = (head ? 1U : 0U) | (tail ? 2U : 0U);
  note(now, link, static_cast<std::uint64_t>(credits) << 16 | std::uint64_t{index(vc)} << 8 | 4 | ends, 1);
}

void EventTracks::credit_returned(Cycle now, LinkId link, VcId vc, int credits) {
  note(now, link, static_cast<std::uint64_t>(credits) << 16 | std::uint64_t{index(vc)} << 8, 0);
}

namespace {

/// The hashes of all windows of a track, by their first cycle.
std::vector<std::uint64_t> window_hashes(const std::vector<std::uint64_t>& events, std::size_t window) {
  if (events.size() < window) return {};
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;
  std::uint64_t out = 1;  // the factor of an event that leaves the window
  for (std::size_t i = 0; i < window; ++i) out *= kFactor;
  std::vector<std::uint64_t> hashes(events.size() - window + 1);
  std::uint64_t hash = 0;
  for (std::size_t cycle = 0; cycle < events.size(); ++cycle) {
    hash = hash * kFactor + events[cycle];
    if (cycle >= window) hash -= out * events[cycle - window];
    if (cycle + 1 >= window) hashes[cycle + 1 - window] = hash;
  }
  return hashes;
}

/// For how many cycles the events from `later` on are those from `earlier` on.
std::size_t alike(const std::vector<std::uint64_t>& events, std::size_t earlier, std::size_t later) {
  const auto from = events.begin() + static_cast<std::ptrdiff_t>(later);
  return static_cast<std::size_t>(
      std::mismatch(from, events.end(), events.begin() + static_cast<std::ptrdiff_t>(earlier)).first - from);
}

/// The windows of a track that have been seen, by hash.
class SeenWindows {
 public:
  SeenWindows(const std::vector<std::uint64_t>& events, std::size_t window)
      : events_(events), hashes_(window_hashes(events, window)), before_(hashes_.size(), kNone) {}

  std::size_t count() const { return hashes_.size(); }
  /// The window from `cycle` on has been seen, if it begins with an event.
  void add(std::size_t cycle) {
    if (cycle >= hashes_.size() || events_[cycle] == 0) return;
    const auto [latest, fresh] = latest_.try_emplace(hashes_[cycle], cycle);
    if (!fresh) before_[cycle] = std::exchange(latest->second, cycle);
  }
  /// The longest copy that begins in `cycle`: of the latest windows that look like this one, the later one of equals.
  Stretch copy_from(std::size_t cycle) const {
    Stretch best{cycle, 0, 0};
    if (events_[cycle] == 0) return best;
    const auto latest = latest_.find(hashes_[cycle]);
    std::size_t earlier = latest == latest_.end() ? kNone : latest->second;
    for (int tried = 0; earlier != kNone && tried < kMostTried; ++tried, earlier = before_[earlier]) {
      const std::size_t length = alike(events_, earlier, cycle);
      if (length > best.length) best = {cycle, cycle - earlier, length};
    }
    return best;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr int kMostTried = 64;

  const std::vector<std::uint64_t>& events_;
  std::vector<std::uint64_t> hashes_;                      ///< by first cycle
  std::vector<std::size_t> before_;                        ///< by first cycle: the window before with the same hash
  std::unordered_map<std::uint64_t, std::size_t> latest_;  ///< by hash: first cycle of the latest window
};

}  // namespace

std::vector<Stretch> find_stretches(const EventTrack& track, std::size_t window) {
  SeenWindows seen(track.events, window);
  std::vector<Stretch> stretches;
  for (std::size_t cycle = 0; cycle < seen.count();) {
    const Stretch copy = seen.copy_from(cycle);
    const bool found = copy.length >= window;
    if (found) stretches.push_back(copy);
    const std::size_t end = cycle + (found ? copy.length : 1);
    for (; cycle < end; ++cycle) seen.add(cycle);
  }
  return stretches;
}

void RepeatedShare::add(const EventTrack& track, const std::vector<Stretch>& stretches_of_it) {
  const auto flits_from = [&](std::size_t start, std::size_t length) {
    const auto from = track.flits.begin() + static_cast<std::ptrdiff_t>(start);
    return std::accumulate(from, from + static_cast<std::ptrdiff_t>(length), std::uint64_t{0});
  };
  cycles += track.events.size();
  flits += flits_from(0, track.flits.size());
  stretches += stretches_of_it.size();
  for (const Stretch& stretch : stretches_of_it) {
    (stretch.periodic() ? periodic_cycles : apart_cycles) += stretch.length;
    (stretch.periodic() ? periodic_flits : apart_flits) += flits_from(stretch.start, stretch.length);
    if (stretch.periodic() && stretch.length > longest.length) longest = stretch;
  }
}

}  // namespace weft::log
