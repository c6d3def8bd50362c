// SPDX-License-Identifier: Apache-2.0
// Leaves out cycles of a run that are copies of what was there before: docs/fast_forward.md.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/state_form.h"
#include "sc_models/chunk_periods.h"
#include "sc_models/latency_growth.h"
#include "sc_models/link_windows.h"
#include "sc_models/move_history.h"
#include "sc_models/period_flits.h"
#include "sc_models/repeated_layers.h"
#include "sc_models/steady_layers.h"
#include "sc_models/steady_rates.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// Looks for a period in what moves in each cycle, confirms it by comparing the whole state three times, a period
/// apart, and then moves the state on by as many periods as nothing ends in. RepeatedLayers does so with whole layers
/// of a trace. The results are those of a run of all cycles. With run.fast_forward: steady it looks for periods, too,
/// and SteadyRates and SteadyLayers look at what does not repeat itself.
class FastForward {
 public:
  /// `windows` ask link_flits about cycles that are left out. `episodes`: who writes down what players of a trace do;
  /// null = nobody. Both outlive the object.
  FastForward(System& system, LinkWindows& windows, npu::Episodes* episodes = nullptr);

  /// Cycle `now` has been executed, and `next` is the next one that will be; the cycles after `last` must not be left
  /// out. Returns how many cycles have been left out: all times in the system have moved on by them.
  Cycle end_of_cycle(Cycle now, Cycle next, Cycle last);
  /// Flits that each link has carried up to and with cycle `at`, one of those that were left out last, in which a
  /// window ends.
  void link_flits(Cycle at, std::uint64_t* flits) const {
    switch (left_out_by_) {
      case By::kCopies:
        return flits_.read(at, flits);
      case By::kCopiesOfLayers:
        return repeated_->link_flits(at, flits);
      case By::kRates:
        return steady_->link_flits(at, flits);
      case By::kLayers:
        return layers_->link_flits(at, flits);
    }
  }

  /// Keeps how many cycles were left out. What was looked for and found is looked for again after loading, but for
  /// layers: what players had done before is not known.
  void keep(Checkpoint& checkpoint) {
    if (steady_) Checkpoint::refuse("run.fast_forward: steady is not kept");
    checkpoint.values(skipped_);
    if (!checkpoint.loads() || !repeated_) return;
    repeated_->end();
    repeated_.reset();
  }
  /// Cycles that were left out so far as copies of others.
  Cycle skipped() const { return skipped_; }
  /// Cycles that were left out so far at steady rates, which is an approximation.
  Cycle estimated() const { return (steady_ ? steady_->skipped() : 0) + (layers_ ? layers_->skipped() : 0); }
  /// Returns how many of these cycles passed in layers of a trace that were played again.
  Cycle played_again() const { return layers_ ? layers_->skipped() : 0; }
  /// Why none were left out that way.
  std::string steady_reason() const;
  /// Why none can be left out, or why the last look at the state failed; "" where nothing is known.
  const std::string& reason() const { return reason_; }

 private:
  /// So many looks show that a state repeats itself.
  static constexpr std::uint64_t kLooks = 3;
  /// So many hashes of state are compared with each other.
  static constexpr std::size_t kHashes = 8;
  /// A row of hashes that has begun goes on if so many more cycles with as many moves could pay for it. At most so many
  /// pay for notes before they are left out.
  static constexpr std::uint64_t kCyclesAhead = 12288;

  /// In most cycles of a run that does not repeat itself there is nothing to do but to note what has moved.
  bool quiet(Cycle next) const {
    return executed() < busy_from_ && next <= busy_cycle_ && messages_->events_and_chunks() == noted_ &&
           (!listening_ || sent_since_hash() < stride_);
  }
  Cycle end_of_added_up_cycle(Cycle now, Cycle next, Cycle last);
  Cycle end_of_busy_cycle(Cycle now, Cycle next, Cycle last);
  Cycle exact_end_of_cycle(Cycle now, Cycle next, Cycle last);
  Cycle steady_end_of_cycle(Cycle now, Cycle next, Cycle last);
  Cycle repeat_layers(Cycle now, Cycle next, Cycle last);
  void note(Cycle next);
  Cycle go_on_looking(Cycle now, Cycle last);
  void rest(Cycle now);
  void begin_looking(Cycle now);
  void note_events();
  void choose_node();
  void listen(Cycle now);
  void listen_to_chunks(Cycle now);
  void forget_hashes() {
    hashes_.clear();
    chunks_.forget();
  }
  std::uint64_t words_left(Cycle ahead) const;
  bool can_afford(std::uint64_t looks, Cycle ahead = 0) const { return looks * cost_ <= words_left(ahead); }
  void try_period(Cycle period, Cycle most, Cycle now);
  void look(Cycle now);
  void begin_notes(Cycle now);
  void look_anew(Cycle now);
  bool look_at_state(StateForm::Pass pass, Cycle now);
  void give_up();
  Cycle repeats_until(Cycle now) const;
  void confirm(Cycle now);
  void rest_until_end(Cycle now);
  void rest_behind(Cycle end);
  Cycle move_on(Cycle now, Cycle last);
  void tap(std::vector<npu::PacketLatency>* latencies);
  std::uint64_t executed() const { return moves_.executed(); }
  /// So many cycles have been executed when the state is looked at next, unless it rests.
  std::uint64_t next_look() const { return known_period_ != 0 ? std::min(next_known_, next_try_) : next_try_; }
  /// Messages that the chosen node has begun since the last hash of state.
  std::uint32_t sent_since_hash() const { return messages_->messages_sent(listens_to_) - messages_sent_; }

  System& system_;
  /// Null where NPUs send no messages; such a run leaves nothing out.
  npu::MessageInterfaces* messages_;
  const LinkWindows& windows_;
  StateForm form_;
  std::string reason_;
  bool off_ = false;
  Cycle skipped_ = 0;

  Fabric::PulseWords pulse_;
  MoveHistory moves_;
  std::uint64_t next_try_;  ///< when so many cycles have been executed
  // Before so many cycles have been executed, and before this cycle has been, only endpoints give cause to do anything.
  std::uint64_t busy_from_ = 0;
  Cycle busy_cycle_ = kLastCycle;
  bool listening_ = false;        ///< to messages that begin
  std::uint64_t events_ = 0;      ///< of endpoints, up to the last cycle
  std::uint64_t noted_ = 0;       ///< the same with chunks that have begun
  std::uint64_t fresh_from_ = 0;  ///< cycles that had been executed at the last of them, or when something was left out
  int looks_ = 0;                 ///< at the state, since the period was found
  int anew_ = 0;                  ///< times that the first one was taken anew
  Cycle settles_from_ = 0;        ///< cycle in which that was done first
  std::uint64_t cost_ = 0;        ///< words of the last whole look
  // The state is hashed whenever a chosen node has begun a message: one of those that send most. Where switches carry
  // flows and nothing else, a message is a chunk.
  bool listens_ = false;
  std::uint32_t listens_to_ = 0;     ///< its number in the part
  std::uint64_t next_choice_ = 0;    ///< when so many cycles have been executed
  std::vector<std::uint32_t> sent_;  ///< messages of each node, at the last choice
  std::uint32_t messages_sent_ = 0;  ///< by it, at the last look
  std::uint32_t stride_ = 1;         ///< messages from one hash to the next
  std::unordered_map<std::uint64_t, Cycle> hashes_;
  ChunkPeriods chunks_;  ///< of that node

  Cycle period_ = 0;
  Cycle moves_period_ = 0;                        ///< period of what moves; that of the state may be several of these
  Cycle most_period_ = 0;                         ///< until this one
  bool came_anew_ = false;                        ///< the first look has come anew once
  std::uint64_t next_known_ = 0;                  ///< the known one is tried when so many cycles have been executed
  std::uint64_t moves_left_out_ = 0;              ///< moves of flits in cycles that were left out
  Cycle next_ = 0;                                ///< the next cycle that will be executed
  Cycle looked_at_ = 0;                           ///< cycle of the last look
  Cycle known_period_ = 0;                        ///< the last one that has come again
  Cycle ends_at_ = 0;                             ///< when the next end of a message comes, about; 0 = not known
  Cycle rests_until_ = 0;                         ///< no look before
  Cycle behind_end_;                              ///< so far behind an end looks begin
  bool behind_an_end_ = false;                    ///< the next look is such a one
  Cycle until_ = 0;                               ///< after the third look: the state repeats itself until this cycle
  std::vector<npu::PacketLatency> in_period_[2];  ///< from look to look
  PeriodFlits flits_;                             ///< from the second look to the third
  LatencyGrowth latencies_;
  std::optional<RepeatedLayers> repeated_;  ///< with run.fast_forward: exact and a trace
  std::optional<SteadyRates> steady_;       ///< with run.fast_forward: steady
  std::optional<SteadyLayers> layers_;      ///< and with a trace
  /// How cycles were left out last.
  enum class By : std::uint8_t { kCopies, kCopiesOfLayers, kRates, kLayers } left_out_by_ = By::kCopies;
};

}  // namespace weft::sc_models
