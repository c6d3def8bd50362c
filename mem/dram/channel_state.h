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
  std::uint8_t blocked = 0;  ///< older bursts at the same location that have to go first
  bool blocks = false;       ///< counted by a younger one in `blocked`
  // Slots of neighbours by age, in the bank and in the whole queue.
  std::uint8_t older_in_bank = 0;
  std::uint8_t younger_in_bank = 0;
  std::uint8_t older = 0;
  std::uint8_t younger = 0;
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
    std::uint8_t writes = 0;           ///< bursts
    std::uint8_t hits = 0;             ///< bursts for the open row
    std::uint8_t read_hit = kNoSlot;   ///< the oldest of them that reads and is not blocked
    std::uint8_t write_hit = kNoSlot;  ///< ... that writes
  };

  ChannelState(const DramTiming& timing, std::size_t depth);

  const DramTiming& timing() const { return timing_; }
  const Bank& bank(std::uint32_t bank) const { return banks_[bank]; }
  /// Bursts in the queue.
  std::size_t size() const { return slots_.size() - free_.size(); }
  const QueueEntry& entry(std::uint8_t slot) const { return slots_[slot]; }
  /// Slot of the oldest burst.
  std::uint8_t oldest() const { return oldest_; }
  /// Number that the next burst to enter the queue gets.
  std::uint64_t next_number() const { return next_number_; }

  /// A command that brings the oldest burst of its kind in a bank on.
  struct Candidate {
    // In `order` stand, from its lowest bits up: the kind, the slot, and the number of the burst, to which
    // kAfterColumns is added when it is ACT or PRE. Of two candidates of one cycle the one with the smaller order goes
    // first.
    static constexpr unsigned kKindBits = 2;
    static constexpr unsigned kSlotBits = 6;
    static constexpr unsigned kNumberShift = kKindBits + kSlotBits;
    static constexpr unsigned kAgeBits = 24;  ///< at most so many bursts come while one waits
    static constexpr std::uint64_t kAfterColumns = std::uint64_t{1} << (kNumberShift + kAgeBits);

    Cycle ready = 0;  ///< as far as the bank itself is concerned
    std::uint64_t order = 0;
    std::uint32_t group_time = 0;  ///< index of its time in group_times()

    static CommandKind kind(std::uint64_t order) { return static_cast<CommandKind>(order & ((1U << kKindBits) - 1)); }
    static std::uint8_t slot(std::uint64_t order) {
      return static_cast<std::uint8_t>((order >> kKindBits) & ((1U << kSlotBits) - 1));
    }
  };
  /// A bit for each bank with bursts.
  std::uint64_t busy_banks() const { return busy_banks_; }
  /// ACT of a closed bank; PRE of one with no burst for the open row; else RD, or WR when none reads. Only for busy
  /// banks.
  const Candidate& candidate(std::uint32_t bank) const { return candidates_[bank]; }
  /// A bit for each bank that has WR beside RD, ...
  std::uint64_t mixed_banks() const { return mixed_banks_; }
  /// ... and that WR.
  const Candidate& write_candidate(std::uint32_t bank) const { return write_candidates_[bank]; }
  /// How many candidates are ACT, RD, WR, PRE (in the order of CommandKind).
  const std::array<std::uint8_t, 4>& counts() const { return counts_; }
  /// First cycles of ACT, RD, WR and PRE (in the order of CommandKind) as far as the whole channel, or a bank group, is
  /// concerned.
  using Times = std::array<Cycle, 4>;
  Times channel_times() const {
    return {std::max(activate_, row_bus_), std::max(read_, column_bus_), std::max(write_, column_bus_), row_bus_};
  }
  /// The same times by bank group: those of group g from index 4 g on.
  const Cycle* group_times() const { return groups_.data(); }

  /// The command that brings one burst on, and when it may be sent.
  NextCommand next_command(const QueueEntry& entry) const;

  /// Slot of the burst that came next, or kNoSlot.
  std::uint8_t younger(std::uint8_t slot) const { return slots_[slot].younger; }
  /// Hash of banks and buses, relative to `now`, up to which all commands were sent. Without the queue.
  std::uint64_t bank_hash(Cycle now) const;

 protected:
  bool is_full() const { return free_.empty(); }
  /// Puts a burst at `location` into the queue and returns its slot.
  std::uint8_t add(const Location& location, bool is_write, std::uint32_t segment, Cycle entered);
  /// Takes a burst out whose RD or WR was sent.
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
  static constexpr std::size_t index(CommandKind kind) { return static_cast<std::size_t>(kind); }
  void take_row_bus(Cycle at);
  void take_column_bus(Cycle at);
  void append(QueueEntry& entry, Bank& bank, std::uint8_t slot);
  void unlink(const QueueEntry& entry, Bank& bank);
  void note_blocked(QueueEntry& entry, const Bank& bank);
  void unblock(const QueueEntry& entry);
  std::uint8_t next_hit(const Bank& bank, std::uint8_t from, bool is_write) const;
  void find_hits(Bank& bank);
  void add_hit(Bank& bank, std::uint8_t slot);
  void set_candidates(std::uint32_t bank);
  void set_candidate(Candidate& candidate, CommandKind kind, Cycle ready, std::uint8_t slot);
  void clear_candidates(std::uint32_t bank);
  static std::uint32_t group_index(std::uint32_t group, CommandKind kind) {
    return static_cast<std::uint32_t>(group * Times{}.size() + index(kind));
  }
  Cycle& group_time(std::uint32_t group, CommandKind kind) { return groups_[group_index(group, kind)]; }

  const DramTiming timing_;
  std::vector<Bank> banks_;
  std::vector<Cycle> groups_;
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
  std::array<std::uint8_t, 4> counts_{};
  std::uint64_t next_number_ = 0;
  std::vector<QueueEntry> slots_;
  std::vector<std::uint8_t> free_;
  std::uint8_t oldest_ = kNoSlot;
  std::uint8_t youngest_ = kNoSlot;
};

}  // namespace weft::mem
