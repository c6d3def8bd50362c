// SPDX-License-Identifier: Apache-2.0
// What the players of a trace did from one quiet moment to the next one, and how they do it again:
// docs/fast_forward.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/activity_probe.h"
#include "base/types.h"

namespace weft::npu {

class PlayerTap;

/// Something that a player has asked for: a computation, a message, a collective, a load or a store.
struct PlayerRequest {
  enum class Kind : std::uint8_t { kTimer, kSend, kCollective, kLoad, kStore };
  Kind kind = Kind::kTimer;
  std::uint64_t size = 0;    ///< cycles or bytes
  std::uint64_t target = 0;  ///< cookie of a timer, receiver of a message, group
  std::uint64_t detail = 0;  ///< priority, kind of a collective, whether a message is an announcement
  std::uint32_t plane = 0;   ///< in which a collective's flows begin, where they do so in plane after plane
  std::uint32_t heard = 0;   ///< what the player had been told in the episode before: the order within a cycle
  Cycle at = 0;              ///< when it was asked for
  /// Whether this is the same, asked for `moved` cycles later.
  bool is(const PlayerRequest& before, Cycle moved) const {
    return kind == before.kind && size == before.size && target == before.target && detail == before.detail &&
           plane == before.plane && heard == before.heard && at == before.at + moved;
  }
};

/// Something that a player is told: what it asked for has ended, or a message has come. The end of a chunk of a
/// collective is told to the log alone.
struct Occurrence {
  enum class Kind : std::uint8_t { kTimer, kSent, kCome, kCollectiveDone, kMemoryDone, kChunkDone };
  Cycle at = 0;
  std::uint32_t rank = 0;
  Kind kind = Kind::kTimer;
  std::uint64_t number = 0;  ///< cookie of a timer, else number of the request within the episode
  std::uint32_t sender = 0;  ///< of a message that has come; `number` is that of its send there
  std::uint32_t chunk = 0;
  Cycle lasted = 0;  ///< from the chunk's begin to its end
  /// Whether this is the same, `moved` cycles later.
  bool is(const Occurrence& before, Cycle moved) const {
    return at == before.at + moved && rank == before.rank && kind == before.kind && number == before.number &&
           sender == before.sender && chunk == before.chunk && lasted == before.lasted;
  }
};

/// What has happened between two quiet moments: those in which no rank sends, loads, stores or takes part in a
/// collective, no message is on its way, and no engine has data that nobody has asked for. The requests of each rank
/// are in their order, its occurrences in that in which it was told; where copies are asked for, all occurrences are in
/// that of cycles.
struct Episode {
  Cycle begin = 0;
  Cycle communicates_from = 0;  ///< when the first message, load, store or collective was asked for
  std::vector<std::vector<PlayerRequest>> requests;
  std::vector<Occurrence> occurrences;
  std::size_t told = 0;                                    ///< occurrences without ends of chunks
  std::vector<std::map<std::uint64_t, Cycle>> timer_ends;  ///< at its begin: by rank and cookie
  bool complete = true;                                    ///< false: more has happened than is remembered
};

/// Writes down what all players of a run do, episode by episode, and lets them do the last episodes once more, as
/// often as they ask for the same things at the same times. The players themselves play: they read their traces, count
/// and tell who listens what they have done, in the cycles in which they did it before, moved on. Nothing of it reaches
/// the network. It serves runs on one thread.
class Episodes {
 public:
  /// `told`: who is told what NPUs have done; null = nobody. It outlives the object.
  Episodes(std::size_t ranks, ActivityProbe* told);
  void add(PlayerTap& tap) { taps_.push_back(&tap); }
  /// Who is to be told by players and engines; null = nobody.
  ActivityProbe* activities() { return told_ == nullptr ? nullptr : &held_; }

  /// From here on what players do is written down; before, and without, it passes.
  void begin() { on_ = true; }
  /// The same, where what is repeated has to be a copy. Flows of each collective begin in one of so many planes.
  void begin_exact(std::uint32_t planes) {
    on_ = exact_ = true;
    planes_ = planes;
  }
  /// From here on it passes again.
  void end() { on_ = false; }
  bool is_on() const { return on_; }
  /// Whether the moment may be quiet as far as players and messages tell; see is_quiet.
  bool may_be_quiet() const { return on_ && open_ == 0 && communicated_; }
  /// Nothing is under way for any rank but computations, and something else was since the last episode was closed.
  bool is_quiet() const;
  /// The moment is quiet: an episode ends, and the next one begins.
  void close(Cycle now);
  /// Forgets all episodes; the next one begins.
  void forget(Cycle now);
  /// Episodes that are known.
  std::size_t known() const { return episodes_.size(); }
  /// When the `back`-th last of them began.
  Cycle begin_of_last(std::size_t back) const { return episodes_[episodes_.size() - back].begin; }
  /// Whether in the last episode players did what they did `back` episodes before it, so many cycles later.
  bool last_is_alike(std::size_t back, Cycle moved) const { return is_alike(0, back, moved); }
  /// The same of each of the last `back` episodes.
  bool all_are_alike(std::size_t back, Cycle moved) const;
  /// When the first communication of the `back`-th last of them began.
  Cycle communicates_from(std::size_t back) const { return episodes_[episodes_.size() - back].communicates_from; }
  /// How much further the computations under way now, a quiet moment, are from their ends than those were when the
  /// `back`-th last episode began: the least of them. Nothing where some of them differs from it by more than `apart`
  /// cycles, where other ones are under way, and where what followed then would lie before now.
  std::optional<std::int64_t> computes_later(std::size_t back, Cycle now, Cycle apart) const;
  /// Lets all players do the last `back` episodes up to `most` times, and returns how often they did. Each time they
  /// ask for the same things at the same times, none of them finishes, and none meets something that is wrong with its
  /// trace, which it will meet again. Each time takes `period` cycles: where
  /// computations end later than they did then, all that follows is as much later. Computations that were under way end
  /// up to `apart` cycles early.
  std::uint64_t repeat(std::size_t back, std::uint64_t most, Cycle now, Cycle period, Cycle apart);

  // For the taps.
  bool repeats() const { return repeats_; }
  /// The cycle that players are in while they repeat an episode.
  Cycle time() const { return time_; }
  /// The plane in which a collective begins that is the `instance`-th of its kind; 0 where copies are not asked for.
  std::uint32_t plane_of(std::uint32_t instance) const { return exact_ ? instance % planes_ : 0; }
  /// How much the player of a rank has been told in this episode; 0 where copies are not asked for.
  std::uint32_t heard_by(std::uint32_t rank) const { return exact_ ? heard_[rank] : 0; }
  /// A player asks for something. Returns its number within the episode.
  std::size_t requested(std::uint32_t rank, const PlayerRequest& request);
  /// It is told something.
  void occurred(Occurrence occurrence);
  /// Bytes of a message that comes in the episode that is repeated.
  std::uint64_t bytes_of(const Occurrence& occurrence) const {
    return repeated_->requests[occurrence.sender][occurrence.number].size;
  }
  /// A message with this tag from `sender`, which is at `node`, comes to `rank`.
  void came(std::uint32_t rank, std::uint32_t sender, NodeId node, std::uint64_t tag, Cycle now);
  /// A message with this tag is sent by request `number`.
  void sends(std::uint32_t rank, const PlayerRequest& request, std::uint64_t tag, std::size_t number);

 private:
  /// Holds back what is told while it is not yet known whether an episode can be repeated.
  class HeldActivities final : public ActivityProbe {
   public:
    explicit HeldActivities(ActivityProbe* told) : told_(told) {}
    void activity_ended(NodeId node, Activity activity) override;
    void rank_finished(NodeId node, Cycle now) override;
    void hold() { holds_ = true; }
    void drop() { held_.clear(); }
    void tell();

   private:
    ActivityProbe* told_;
    bool holds_ = false;
    std::vector<std::pair<NodeId, Activity>> held_;
  };

  std::uint64_t periods_at_once(std::size_t back) const;
  std::uint64_t repeat_some(std::size_t back, std::uint64_t done, std::uint64_t most, Cycle period);
  std::uint64_t try_to_repeat(std::size_t back, std::uint64_t done, std::uint64_t most, Cycle period);
  bool repeat_once(std::size_t back, Cycle moved);
  bool play(const Episode& episode, Cycle moved);
  bool may_occur(const Occurrence& occurrence) const;
  bool is_alike(std::size_t before_last, std::size_t back, Cycle moved) const;
  void begin_anew();
  std::vector<std::string> kept();
  void restore(std::vector<std::string> states);

  std::vector<PlayerTap*> taps_;  ///< by rank
  ActivityProbe* told_;
  HeldActivities held_;
  std::deque<Episode> episodes_;
  std::size_t remembered_ = 0;  ///< occurrences in all of them
  Episode current_;
  std::uint64_t open_ = 0;     ///< requests that have not ended, messages that have not come
  bool communicated_ = false;  ///< in the current episode
  /// Messages with one tag from one rank to a node.
  struct SendKey {
    std::uint32_t sender;
    std::uint64_t receiver;
    std::uint64_t tag;
    bool operator<(const SendKey& other) const {
      return std::tie(sender, receiver, tag) < std::tie(other.sender, other.receiver, other.tag);
    }
  };
  /// Numbers of the sends of the current episode whose messages have not come.
  std::map<SendKey, std::deque<std::size_t>> sent_;
  bool on_ = false;
  bool exact_ = false;
  std::uint32_t planes_ = 1;
  std::vector<std::uint32_t> heard_;  ///< by rank, in this episode
  bool repeats_ = false;
  bool differs_ = false;  ///< a player has asked for something else than before
  const Episode* repeated_ = nullptr;
  std::vector<std::size_t> asked_;  ///< requests in the episode that is repeated, by rank
  Cycle time_ = 0;
  Cycle moved_ = 0;  ///< from when it happened to now
  Cycle apart_ = 0;  ///< by which the ends of computations may differ
};

}  // namespace weft::npu
