// SPDX-License-Identifier: Apache-2.0
// One SystemC process per clock that steps exactly the blocks with work in a cycle.
#pragma once

#include <exception>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "base/block.h"
#include "base/checkpoint.h"
#include "base/clock.h"
#include "base/simulated_time.h"
#include "base/types.h"

namespace weft {

/// Looks at every executed cycle after its blocks, one domain at a time: limits, watchdog, end of the workload.
class CycleObserver {
 public:
  virtual ~CycleObserver() = default;
  /// Called when cycle `now` is done; `next` is the next one with work (kNever = none known). Returns the next cycle
  /// to execute: `next`, or an earlier one that the observer wants to see; kNever stops the domain until it is woken.
  virtual Cycle end_of_cycle(Cycle now, Cycle next) = 0;
};

/// A clock and the blocks that run on it.
class ClockDomain : public sc_core::sc_module, private TimedProcess {
 public:
  ClockDomain(const sc_core::sc_module_name& name, ClockSpec spec);
  ~ClockDomain() override;

  /// Adds a block, once; its first edge is 0. Before the simulation starts; the block must outlive the domain.
  void add(Block& block);
  void set_observer(CycleObserver& observer) { observer_ = &observer; }

  const Clock& clock() const { return clock_; }
  /// The last edge that was executed (or is being executed).
  Cycle now() const { return now_; }
  /// Like `now`, but of a sleeping domain the last edge before the present instant.
  Cycle reached() const;
  /// The next edge to be executed; kNever = none known.
  Cycle next() const { return next_; }
  /// Steps all blocks at the next edge. For changes from outside, while nothing is being executed.
  void wake_all();
  /// `cycles` are left out after the last edge that was executed: its number and those of all edges to come grow.
  /// Blocks have been moved on before; they are asked when they have work.
  void leave_out(Cycle cycles);
  /// Says that something arrives at `block` in cycle `at`.
  void wake(const Block& block, Cycle at);
  /// Delay from the present instant to edge `at` of this domain. Throws ViolationError where sc_time cannot hold it.
  sc_core::sc_time delay_to(Cycle at) const;
  /// First edge of this domain at or after `delay` from the present instant.
  Cycle edge_after(const sc_core::sc_time& delay) const;
  /// Writes its state into `checkpoint`, or takes it from there. Loading comes before the simulation starts,
  /// which then begins at the next edge.
  void keep(Checkpoint& checkpoint);
  /// After the simulation: throws again what a block or the observer threw. SystemC would turn it into a report of its
  /// own.
  void rethrow_failure() const;

 private:
  struct Entry {
    Block* block;
    Cycle next;
  };

  Instant next_instant() const override;
  sc_core::sc_event& wake_event() override { return wake_event_; }
  void wait_for_next() { SimulatedTime::instance().wake_at(clock_.edge_fs(next_), wake_event_); }
  std::size_t entry_of(const Block& block);
  void tick();
  void execute();

  Clock clock_;
  std::vector<Entry> entries_;
  std::unordered_map<const Block*, std::size_t> entry_of_;
  std::size_t last_woken_ = 0;  // entry
  CycleObserver* observer_ = nullptr;
  Cycle now_ = 0;
  Cycle next_ = 0;
  bool ticking_ = false;
  std::exception_ptr failure_;
  sc_core::sc_event wake_event_;
};

/// Sets SystemC's time resolution to the femtoseconds that Clock counts in. First thing in a process.
void set_time_resolution();

}  // namespace weft
