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
  Cycle entered = 0;  ///< into the queue
  std::uint32_t column = 0;
  std::uint32_t segment = 0;  ///< whose it is
  std::uint8_t bank = 0;      ///< through all groups
  std::uint8_t group = 0;
  bool is_write = false;
  bool was_counted = false;  ///< as hit, miss or conflict
  std::uint8_t blocked = 0;  ///< older bursts at the same place that have to go first
};

/// The next command of a burst and its first possible cycle.
struct NextCommand {
  Cycle at = kNever;
  CommandKind kind = CommandKind::kActivate;
};

/// Banks, groups and buses of one channel. Every time is the first cycle at which the command may be sent.
class ChannelState {
 public:
  struct Bank {
    Cycle activate = 0;
    Cycle precharge = 0;
    Cycle column = 0;
    std::uint64_t row = 0;
    bool is_open = false;
    std::uint16_t hits = 0;  ///< bursts in the queue for the open row
  };

  ChannelState(const DramTiming& timing, std::size_t depth);

  const DramTiming& timing() const { return timing_; }
  const Bank& bank(std::uint32_t bank) const { return banks_[bank]; }
  /// Bursts in the order in which they entered the queue.
  std::size_t size() const { return order_.size(); }
  const QueueEntry& entry(std::size_t age) const { return slots_[order_[age]]; }
  /// The command that brings the burst on, and when it may be sent.
  NextCommand next_command(const QueueEntry& entry) const {
    const Bank& bank = banks_[entry.bank];
    const Group& group = groups_[entry.group];
    if (!bank.is_open) return {later(bank.activate, group.activate, activate_, row_bus_), CommandKind::kActivate};
    if (bank.row != entry.row) return {later(bank.precharge, row_bus_, 0, 0), CommandKind::kPrecharge};
    if (entry.is_write) return {later(bank.column, group.write, write_, column_bus_), CommandKind::kWrite};
    return {later(bank.column, group.read, read_, column_bus_), CommandKind::kRead};
  }

 protected:
  bool is_full() const { return free_.empty(); }
  void add(const QueueEntry& entry);
  void remove(std::size_t age);
  QueueEntry& mutable_entry(std::size_t age) { return slots_[order_[age]]; }
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
  void count_hits(std::uint32_t bank);

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

  std::vector<QueueEntry> slots_;
  std::vector<std::uint8_t> order_;  // slots by age
  std::vector<std::uint8_t> free_;
};

}  // namespace weft::mem
