// SPDX-License-Identifier: Apache-2.0
// What a channel knows of its banks and buses: from which cycle on a command may be sent. Schedulers read it.
#pragma once

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

  /// When a bank may be opened, closed, read, written; its row and its bursts are not looked at.
  Cycle when_activate(const Bank& bank) const {
    return later(bank.activate, groups_[bank.group].activate, activate_, row_bus_);
  }
  Cycle when_precharge(const Bank& bank) const { return bank.precharge > row_bus_ ? bank.precharge : row_bus_; }
  Cycle when_read(const Bank& bank) const { return later(bank.column, groups_[bank.group].read, read_, column_bus_); }
  Cycle when_write(const Bank& bank) const {
    return later(bank.column, groups_[bank.group].write, write_, column_bus_);
  }
  /// The command that brings one burst on, and when it may be sent.
  NextCommand next_command(const QueueEntry& entry) const {
    const Bank& bank = banks_[entry.bank];
    if (!bank.is_open) return {when_activate(bank), CommandKind::kActivate};
    if (bank.row != entry.row) return {when_precharge(bank), CommandKind::kPrecharge};
    if (entry.is_write) return {when_write(bank), CommandKind::kWrite};
    return {when_read(bank), CommandKind::kRead};
  }

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
  struct Group {
    Cycle activate = 0;
    Cycle read = 0;
    Cycle write = 0;
  };
  static Cycle later(Cycle a, Cycle b, Cycle c, Cycle d) {
    const Cycle ab = a > b ? a : b;
    const Cycle cd = c > d ? c : d;
    return ab > cd ? ab : cd;
  }
  static void raise(Cycle& time, Cycle to) {
    if (time < to) time = to;
  }
  void take_row_bus(Cycle at);
  void take_column_bus(Cycle at);
  void find_hits(Bank& bank);
  void add_hit(Bank& bank, std::uint8_t slot);

  const DramTiming timing_;
  std::vector<Bank> banks_;
  std::vector<Group> groups_;
  Cycle activate_ = 0;
  Cycle read_ = 0;
  Cycle write_ = 0;
  Cycle row_bus_ = 0;
  Cycle column_bus_ = 0;
  std::array<Cycle, 4> activates_{};  // the last four, oldest at next_activate_
  std::uint32_t activate_count_ = 0;

  std::uint64_t busy_banks_ = 0;
  std::uint64_t next_number_ = 0;
  std::vector<QueueEntry> slots_;
  std::vector<std::uint8_t> order_;  // slots by age
  std::vector<std::uint8_t> free_;
};

}  // namespace weft::mem
