// SPDX-License-Identifier: Apache-2.0
// What a channel knows of its banks and buses: from which cycle on a command may be sent. Schedulers read it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "mem/dram/command.h"
#include "mem/dram/mapping/mapping.h"
#include "mem/dram/timing.h"

namespace weft::mem {

/// A burst that waits for its column command.
struct QueueEntry {
  std::uint64_t row = 0;
  std::uint64_t number = 0;  ///< in the order in which bursts entered the queue
  Cycle entered = 0;         ///< into the queue
  std::uint32_t column = 0;
  std::uint32_t segment = 0;  ///< whose it is
  std::uint8_t bank = 0;      ///< through all groups
  std::uint8_t group = 0;
  bool is_write = false;
  bool was_counted = false;  ///< as hit, miss or conflict
  std::uint8_t blocked = 0;  ///< older bursts at the same place that have to go first
  std::uint8_t next = 0;     ///< slot of the next younger burst of the bank
};

/// The next command of a burst and its first possible cycle.
struct NextCommand {
  Cycle at = kNever;
  CommandKind kind = CommandKind::kActivate;
};

/// Banks, groups and buses of one channel, and its queue. Every time is the first cycle at which the command may be
/// sent. Bursts are known by their slots in the queue.
class ChannelState {
 public:
  static constexpr std::uint8_t kNoSlot = 255;
  struct Bank {
    Cycle activate = 0;
    Cycle precharge = 0;
    Cycle column = 0;
    std::uint64_t row = 0;
    bool is_open = false;
    std::uint8_t group = 0;
    std::uint8_t oldest = kNoSlot;  ///< burst of the bank
    std::uint8_t youngest = kNoSlot;
    std::uint8_t hits = 0;             ///< bursts for the open row
    std::uint8_t read_hit = kNoSlot;   ///< the oldest of them that reads and is not blocked
    std::uint8_t write_hit = kNoSlot;  ///< ... that writes
  };

  ChannelState(const DramTiming& timing, std::size_t depth);

  const DramTiming& timing() const { return timing_; }
  const Bank& bank(std::uint32_t bank) const { return banks_[bank]; }
  /// A bit for each bank with bursts.
  std::uint64_t busy_banks() const { return busy_banks_; }
  /// Bursts in the queue.
  std::size_t size() const { return order_.size(); }
  const QueueEntry& entry(std::uint8_t slot) const { return slots_[slot]; }
  /// Slot of the oldest burst.
  std::uint8_t oldest() const { return order_.front(); }

  /// A command that brings the oldest burst of its kind in a bank on.
  struct Candidate {
    Cycle ready = 0;           ///< as far as the bank itself is concerned
    std::uint64_t number = 0;  ///< of the burst
    std::uint8_t slot = 0;
    std::uint8_t group = 0;
    bool is_row = false;  ///< ACT or PRE
    CommandKind kind = CommandKind::kActivate;
  };
  /// ACT of a closed bank; PRE of one with no burst for the open row; else RD, or WR when none reads. Only for busy
  /// banks.
  const Candidate& candidate(std::uint32_t bank) const { return candidates_[bank]; }
  /// A bit for each bank that has WR beside RD, ...
  std::uint64_t mixed_banks() const { return mixed_banks_; }
  /// ... and that WR.
  const Candidate& write_candidate(std::uint32_t bank) const { return write_candidates_[bank]; }
  /// First cycles of ACT, RD, WR and PRE (in the order of CommandKind) as far as the whole channel, or a bank group, is
  /// concerned.
  using Times = std::array<Cycle, 4>;
  Times channel_times() const {
    return {std::max(activate_, row_bus_), std::max(read_, column_bus_), std::max(write_, column_bus_), row_bus_};
  }
  const Times& group_times(std::uint32_t group) const { return groups_[group]; }

  /// The command that brings one burst on, and when it may be sent.
  NextCommand next_command(const QueueEntry& entry) const;

 protected:
  bool is_full() const { return free_.empty(); }
  void add(const QueueEntry& entry);
  void remove(std::uint8_t slot);
  QueueEntry& mutable_entry(std::uint8_t slot) { return slots_[slot]; }
  void activate(const QueueEntry& entry, Cycle at);
  void precharge(std::uint32_t bank, Cycle at);
  void read_or_write(const QueueEntry& entry, Cycle at);
  /// Closes all banks and refreshes them as soon as may be from `due` on. Returns the cycles of PREA (kNever = all were
  /// closed) and REF.
  std::pair<Cycle, Cycle> refresh(Cycle due);
  /// After a refresh at `at` that is known to have happened with all banks closed.
  void refreshed(Cycle at);

 private:
  static void raise(Cycle& time, Cycle to) {
    if (time < to) time = to;
  }
  void take_row_bus(Cycle at);
  void take_column_bus(Cycle at);
  void find_hits(Bank& bank);
  void add_hit(Bank& bank, std::uint8_t slot);
  void set_candidates(std::uint32_t bank);
  Candidate make_candidate(Cycle ready, std::uint8_t slot, CommandKind kind) const;
  Cycle& group_time(std::uint32_t group, CommandKind kind) { return groups_[group][static_cast<std::size_t>(kind)]; }

  const DramTiming timing_;
  std::vector<Bank> banks_;
  std::vector<Times> groups_;
  Cycle activate_ = 0;
  Cycle read_ = 0;
  Cycle write_ = 0;
  Cycle row_bus_ = 0;
  Cycle column_bus_ = 0;
  std::array<Cycle, 4> activates_{};  // the last four, oldest at next_activate_
  std::uint32_t activate_count_ = 0;

  std::uint64_t busy_banks_ = 0;
  std::uint64_t mixed_banks_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> write_candidates_;
  std::uint64_t next_number_ = 0;
  std::vector<QueueEntry> slots_;
  std::vector<std::uint8_t> order_;  // slots by age
  std::vector<std::uint8_t> free_;
};

}  // namespace weft::mem
