// SPDX-License-Identifier: Apache-2.0
// What drives a system, as the supervisor of a run sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/access_probe.h"
#include "base/activity_probe.h"
#include "npu/player/episodes.h"
#include "sc_models/run_control.h"
#include "sc_models/run_result.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// The workload of one run.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Starts it, in cycle 0.
  virtual void start() {}
  /// Everything that was asked for has happened.
  virtual bool done() = 0;
  /// The cycle of the fabric's clock in which it was done, when `done` was first seen in cycle `now`.
  virtual Cycle done_cycle(Cycle now) const { return now; }
  /// Asked when nothing moves any more and it is not done: true if it has found more to do.
  virtual bool look_further() { return false; }
  /// Share that is done, 0..1, for the progress line. `now` is a cycle of the fabric's clock.
  virtual double share(Cycle now) const = 0;
  /// Last cycle of the fabric's clock that it wants; kNever = no limit of its own. Reaching it is a regular end.
  virtual Cycle last_cycle() const { return kNever; }
  /// Collectives under way in cycle `now` of the fabric's clock.
  virtual std::vector<RunningCollective> running(Cycle /*now*/) const { return {}; }
  /// What its NPUs wait for, in sentences: for the report of a run that stopped making progress.
  virtual std::string waiting_report() const { return ""; }
  /// After it is done and the fabric is empty: what is half done, in sentences; "" if it was sound.
  virtual std::string left_over() const { return ""; }
  /// Names of the groups of its collectives, by number; "all" = all ranks.
  virtual std::vector<std::string> group_names() const { return {}; }
  /// Training phases of these groups, by number: "mp", "pp", "dp", "" where nobody says.
  virtual std::vector<std::string> group_phases() const { return {}; }
  /// Who is told of accesses of memories, before the start.
  virtual void set_access_probe(AccessProbe* /*probe*/) {}
  /// Who writes down what the players of a trace do; null = nobody.
  virtual npu::Episodes* episodes() { return nullptr; }
  /// Writes into `checkpoint` what network interfaces and the fabric do not, or takes it from there; before they do.
  virtual void keep(Checkpoint& /*checkpoint*/) { Checkpoint::refuse("a workload of its own is not kept"); }
  /// Adds its part of the result. The run has ended in cycle `now`.
  virtual void collect(Cycle now, RunResult* result) = 0;
};

/// Synthetic traffic in phases.
std::unique_ptr<Workload> make_traffic_workload(System& system);
/// Adds what network interfaces counted.
void add_messages(System& system, RunResult* result);
/// Streams of the I/O controllers to all NPUs.
std::unique_ptr<Workload> make_io_workload(System& system);
/// A trace or a collective, played by one NPU per rank. `probe` and `activities` may be null.
std::unique_ptr<Workload> make_npu_workload(System& system, FabricProbe* probe, ActivityProbe* activities = nullptr);

}  // namespace weft::sc_models
