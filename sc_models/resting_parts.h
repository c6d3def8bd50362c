// SPDX-License-Identifier: Apache-2.0
// Parts of a fabric that repeat themselves rest while the others go on: docs/fast_forward.md, "Parts that rest".
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/block.h"
#include "base/state_form.h"
#include "npu/interface/message_interfaces.h"
#include "sc_models/border_record.h"
#include "sc_models/latency_growth.h"
#include "sc_models/move_history.h"
#include "sc_models/partition.h"

namespace weft::sc_models {

/// One part that may rest. It looks for a period of its state and of what crosses its borders in both directions.
/// Behind three looks that agree it rests: it is not stepped, what it would send is written anew, and what comes is
/// compared with what has come before. Where something else comes, or its period ends, it is moved on by whole periods,
/// and executes what is left of the last one by itself.
class RestingPart {
 public:
  RestingPart(Partition& part, npu::MessageInterfaces& messages, std::uint64_t packet_bytes);

  bool rests() const { return rests_; }
  /// Cycles in which it was not stepped, so far.
  Cycle left_out() const { return left_out_; }
  /// The last cycle in which it rests, if nothing else comes.
  Cycle until() const { return until_; }
  /// It is awake, cycle `now` has been executed, and so it has been by all parts beside it. It may begin to rest.
  void end_of_cycle(Cycle now);
  /// What has been sent to it in cycle `now`, while it rests, is what it expects.
  bool expects_mail(Cycle now) const;
  /// Whether it sends for ever what the part beside it expects, which rests as well, and gets what it expects itself.
  bool agrees_with(const RestingPart& beside, std::size_t box) const;
  /// Whether nothing crosses this border while it rests.
  bool is_silent(std::size_t box) const;
  /// Puts into its boxes what it sends in cycle `now` while it rests.
  void resend(Cycle now);
  /// It goes on behind cycle `now`.
  void wake(Cycle now);
  /// It does not rest after all, though it would from this cycle on.
  void stay_awake();
  void keep(Checkpoint& checkpoint) { checkpoint.values(left_out_); }
  /// It does not rest, and in so many cycles nobody has been stepped.
  void pass(Cycle cycles) { left_out_ += cycles; }

  Partition& part() { return part_; }
  std::size_t nodes() const { return messages_.nodes(); }

 private:
  void note_moves(Cycle now);
  void begin_looking(Cycle now);
  void look(Cycle now);
  void look_first(Cycle period, Cycle now);
  void look_at_multiple(Cycle now);
  bool look_at_state(StateForm::Pass pass, Cycle now);
  bool note_mail(Cycle now);
  bool mail_comes_again() const;
  std::uint64_t periods_of_mail() const;
  bool can_afford_looks() const;
  void confirm(Cycle now);
  void give_up();
  void tap(std::vector<npu::PacketLatency>* latencies);

  Partition& part_;
  npu::MessageInterfaces& messages_;
  StateForm form_;
  MoveHistory moves_;
  std::uint64_t margin_;    ///< bytes of a message that are left when what comes of it may differ
  std::uint64_t next_try_;  ///< when so many cycles have been executed
  int looks_ = 0;
  Cycle period_ = 0;
  Cycle moves_period_ = 0;
  std::uint64_t cost_ = 0;  ///< words of the last look
  Cycle looked_at_ = 0;
  std::vector<npu::PacketLatency> in_period_[2];
  LatencyGrowth latencies_;
  std::vector<BorderRecord> sent_;  ///< by box
  std::vector<BorderRecord> came_;  ///< by box
  bool rests_ = false;
  Cycle until_ = 0;
  Cycle left_out_ = 0;
};

/// All parts of a fabric that one thread steps.
class RestingParts final : public Block {
 public:
  /// The parts outlive it.
  explicit RestingParts(std::vector<std::unique_ptr<RestingPart>> parts);

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;
  /// All go on behind cycle `now`, the last one that has been executed or passed.
  void wake_all(Cycle now);
  /// The first cycle behind which a part goes on by itself; 0 = none rests.
  Cycle rest_until() const;
  /// Writes into `checkpoint` what was left out, or takes it from there. All parts are awake.
  void keep(Checkpoint& checkpoint);
  /// Cycles that were left out: those in which no part was stepped, and of the others the share of the nodes that
  /// rested.
  Cycle left_out() const;

 private:
  void pass(Cycle now);
  void step_parts(Cycle now);
  void look_at_parts(Cycle now);
  bool agrees(RestingPart& part) const;
  void wake(RestingPart& part, Cycle now);
  void wake_whom_else_comes(Cycle now);
  bool all_rest() const;
  RestingPart& beside(RestingPart& part, std::size_t box) const;

  std::vector<std::unique_ptr<RestingPart>> parts_;
  std::uint64_t nodes_ = 0;
  std::size_t resting_ = 0;
  Cycle last_ = 0;  ///< the last cycle that was executed
};

}  // namespace weft::sc_models
