// SPDX-License-Identifier: Apache-2.0
// Moves a run on at the rates that its messages have, where these are steady: docs/fast_forward.md. An approximation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/histogram.h"
#include "base/state_form.h"
#include "base/steady_look.h"
#include "sc_models/link_spread.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// Measures how fast each message goes on in two spans of time, one behind the other. Where all of them go on alike
/// in both, it moves the run on by many times both spans, to shortly before the first end of a message. What
/// lies on links and in buffers stays as it is.
class SteadyRates {
 public:
  explicit SteadyRates(System& system);

  /// Cycle `now` has been executed; the cycles after `last` must not be left out. Returns how many cycles have been
  /// left out: all times in the system have moved on by them.
  Cycle end_of_cycle(Cycle now, Cycle last);
  /// What has been measured is of no use any more.
  void restart();
  /// From cycle `now` on NPUs only compute. What is played from here to the next such moment may be played again.
  void begin_episode(Cycle now);
  /// Gives about how many flits each link has carried up to and with `at`, a cycle of the stretch that was left out
  /// last.
  void link_flits(Cycle at, std::uint64_t* flits) const { spread_.link_flits(at, flits); }

  /// Cycles that were left out so far.
  Cycle skipped() const { return skipped_; }
  /// Why the last look at the state failed; "" where it did not.
  const std::string& reason() const { return reason_; }

 private:
  /// What two spans say: cycles that can pass before something ends.
  struct Horizon {
    bool steady = true;
    bool equal = true;          ///< in both spans to the packet
    bool unlike = false;        ///< some message has another rate now
    bool fine = true;           ///< each message that moves has moved by enough packets to be measured
    bool coarse = true;         ///< and by enough to be measured about
    bool moves = false;         ///< something has moved
    bool settled = true;        ///< each stream that moves has had a whole window of pieces before
    bool filled = true;         ///< as much comes of each message that moves as leaves, from the first look on
    double apart = 0;           ///< part of the bytes by which both spans differ
    Cycle cycles = kLastCycle;  ///< until the first end, about
  };

  /// Streams are measured from the end of a piece of one of them to the end of a later piece of the same one: the
  /// streams lie to each other there as they did before. Messages that are being sent beside them are measured then,
  /// too.
  bool measures_streams() const { return anchor_ != 0; }
  bool has_come(std::uint64_t family, Cycle now) const;
  bool span_of_pieces_ends(Cycle now);
  bool streams_flow() const;
  double stream_times(Cycle both, Cycle left) const;
  bool look(Cycle now);
  bool same_messages(const SteadyLook& a, const SteadyLook& b) const;
  Horizon horizon() const;
  double received(std::size_t look, const MessageProgress& message) const;
  void lengthen();
  bool sends_messages() const { return !looks_at_[0].messages.empty(); }
  void check_streams(Horizon* horizon) const;
  void limit_stream(const StreamProgress& stream, double pace, Horizon* horizon) const;
  std::uint64_t planes() const;
  std::uint64_t window() const;
  std::uint64_t pieces_of(std::size_t stream) const;
  double flow_between(std::size_t stream, std::size_t a, std::size_t b) const;
  double rate_of(std::size_t stream) const;
  double bytes_ended() const;
  double add_streams(double times);
  Cycle least_of_streams(Cycle both) const;
  bool affordable(const Horizon& found, Cycle both, Cycle left) const;
  bool affordable_beside_computation(const Horizon& found, double wrong) const;
  bool affordable_in_episode(const Horizon& found, double wrong) const;
  double may_be_wrong_beside(double part) const;
  Cycle least_of_lines() const;
  void count_wrong(double cycles);
  void limit(const MessageProgress& first, const MessageProgress& last, Horizon* horizon) const;
  void begin_at(Cycle now);
  Cycle move_on(Cycle now, Cycle both, Cycle left);
  MessageJump jump_of(std::size_t message, double times);
  std::size_t source_of(const MessageProgress& message) const;
  void repeat_latencies(double times);
  void add_grown_latencies(Cycle cycles);
  npu::MessageInterfaces& interfaces() const { return *system_.parts().front().messages; }

  System& system_;
  StateForm form_;
  std::string reason_;
  int looks_ = 0;
  std::array<SteadyLook, 3> looks_at_;  ///< where the first span begins, where the second one begins, where it ends
  std::array<npu::SpanLatencies, 2> latencies_;  ///< of the packets of both spans
  std::array<std::uint64_t, 3> flits_at_ = {};   ///< that have moved up to a look
  Cycle next_look_ = 0;
  Cycle began_ = 0;                ///< when the first look was
  std::uint64_t events_ = 0;       ///< of endpoints, at the first look
  std::uint64_t anchor_ = 0;       ///< family of the stream whose pieces say when to look; 0 = none
  std::uint64_t pieces_ = 0;       ///< of that stream that have ended in this span
  std::uint64_t span_pieces_ = 0;  ///< with so many this span ends; 0 in the first one
  bool forgot_ = false;            ///< the first span was forgotten when spans were last found unlike
  std::uint64_t cost_ = 0;         ///< of all looks, in words of state
  Cycle least_cycles_;             ///< that the run lasts
  Cycle episode_from_ = 0;         ///< when the last moment was in which NPUs only computed; 0 = there was none
  double wrong_in_episode_ = 0;    ///< cycles by which what was left out since at rates that differ may be wrong
  double wrong_ = 0;               ///< the same beside one computation
  Cycle wrong_until_ = 0;          ///< when that computation ends
  Cycle pause_ = 0;                ///< before the next look, where the last ones found unlike spans
  SteadyJump jump_;
  std::vector<std::optional<MessageJump>> jumps_;  ///< by message, while they are found
  Cycle skipped_ = 0;
  LinkSpread spread_;
};

}  // namespace weft::sc_models
