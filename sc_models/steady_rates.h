// SPDX-License-Identifier: Apache-2.0
// Moves a run on at the rates that its messages have, where these are steady: docs/fast_forward.md. An approximation.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/histogram.h"
#include "base/state_form.h"
#include "base/steady_look.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// Measures how fast each message goes on in two spans of time, one behind the other. Where all of them go on alike
/// in both, it moves the run on by many times both spans, to shortly before the first end of a message. What
/// lies on links and in buffers stays as it is.
class SteadyRates {
 public:
  explicit SteadyRates(System& system) : system_(system) {}

  /// Cycle `now` has been executed; the cycles after `last` must not be left out. Returns how many cycles have been
  /// left out: all times in the system have moved on by them.
  Cycle end_of_cycle(Cycle now, Cycle last);
  /// What has been measured is of no use any more.
  void restart();
  /// Flits that each link has carried up to and with cycle `at`, about, one of those that were left out last.
  void link_flits(Cycle at, std::uint64_t* flits) const;

  /// Cycles that were left out so far.
  Cycle skipped() const { return skipped_; }
  /// Why the last look at the state failed; "" where it did not.
  const std::string& reason() const { return reason_; }

 private:
  /// What two spans say: cycles that can pass before something ends.
  struct Horizon {
    bool steady = true;
    bool unlike = false;        ///< some message has another rate now
    bool fine = true;           ///< each message that moves has moved by enough packets to be measured
    Cycle cycles = kLastCycle;  ///< until the first end, about
  };

  bool look(Cycle now);
  bool same_messages(const SteadyLook& a, const SteadyLook& b) const;
  Horizon horizon() const;
  double received(std::size_t look, const MessageProgress& message) const;
  void limit(const MessageProgress& first, const MessageProgress& last, Horizon* horizon) const;
  void begin_at(Cycle now);
  void lengthen();
  Cycle move_on(Cycle now, std::uint64_t times);
  MessageJump jump_of(std::size_t message, std::uint64_t times);
  std::size_t source_of(const MessageProgress& message) const;
  void repeat_latencies(std::uint64_t times);
  npu::MessageInterfaces& interfaces() const { return *system_.parts().front().messages; }

  System& system_;
  StateForm form_;
  std::string reason_;
  int looks_ = 0;
  SteadyLook looks_at_[3];  ///< where the first span begins, where the second one begins, where it ends
  Cycle next_look_ = 0;
  Cycle span_ = 0;
  std::uint64_t events_ = 0;  ///< of endpoints, at the first look
  LatencyHistogram latency_;  ///< of packets, up to the first look
  LatencyHistogram network_latency_;
  std::uint64_t cost_ = 0;  ///< of all looks, in words of state
  SteadyJump jump_;
  std::vector<std::optional<MessageJump>> jumps_;  ///< by message, while they are found
  Cycle skipped_ = 0;
  Cycle left_out_from_ = 0;  ///< the last time
  Cycle left_out_ = 0;
  std::vector<std::uint64_t> flits_before_;  ///< by link
  std::vector<std::uint64_t> flits_behind_;
};

}  // namespace weft::sc_models
