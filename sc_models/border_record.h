// SPDX-License-Identifier: Apache-2.0
// What crosses a border between two parts of a fabric again and again, period by period.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/mailbox.h"

namespace weft::sc_models {

/// The mail of one direction over one border in the last period, cycle by cycle, and how it grows from period to
/// period.
class BorderRecord {
 public:
  /// Forgets everything; a period has `period` cycles.
  void begin(Cycle period);
  /// In cycle `at` this was sent; cycles come one after the other. False: it is not what was sent a period before.
  /// Where a cycle of the period is noted a third time, it has to have grown as before.
  bool note(const Mailbox& mail, Cycle at);
  /// Whether all that was noted has been noted in two periods at least. What was sent in a cycle that nobody executed
  /// in the period before, or behind, has not.
  bool complete() const;
  /// So many periods may come before a message comes near its end that only passes by; with the margin of
  /// Mailbox::periods_left. All is complete.
  std::uint64_t periods_left(std::uint64_t margin) const;
  /// Whether exactly this is sent in cycle `at`, which lies behind all that were noted.
  bool expects(const Mailbox& mail, Cycle at) const;
  /// Puts into `mail` what is sent in cycle `at`.
  void write(Mailbox* mail, Cycle at) const;
  /// What has been noted, in flits and credits.
  std::size_t size() const { return size_; }
  Cycle period() const { return static_cast<Cycle>(slots_.size()); }

 private:
  /// A cycle of the period: its mail when it was noted last, and how the packets in it grow.
  struct Slot {
    bool noted = false;
    bool grows = false;
    Cycle at = 0;
    Mailbox mail;
    std::vector<PacketGrowth> growth;
  };
  const Slot& slot_of(Cycle at) const { return slots_[at % slots_.size()]; }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace weft::sc_models
