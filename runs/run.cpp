// SPDX-License-Identifier: Apache-2.0
#include "runs/run.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/error.h"
#include "runs/process_usage.h"
#include "runs/recording.h"
#include "runs/run_checkpoint.h"
#include "runs/run_logging.h"
#include "runs/uswitch_waves.h"
#include "sc_models/rank_placement.h"
#include "sc_models/supervisor.h"
#include "sc_models/system.h"
#include "sc_models/system_tables.h"
#include "sc_models/workload.h"

namespace weft::runs {
namespace {

std::unique_ptr<Workload> make_workload(System& system, FabricProbe* probe, ActivityProbe* activities) {
  if (std::holds_alternative<TrafficWorkload>(system.config().workload)) return make_traffic_workload(system);
  if (std::holds_alternative<IoWorkload>(system.config().workload)) return make_io_workload(system);
  return make_npu_workload(system, probe, activities);
}

/// What the simulation loop has cost.
class LoopCost {
 public:
  double cpu_s() const { return process_cpu_s() - cpu_; }
  double wall_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count(); }

 private:
  double cpu_ = process_cpu_s();
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
};

/// Runs until the supervisor ends it. A broken check, or a trace that turns out to be bad further down, becomes part of
/// the result, because what happened until then helps to understand it.
void simulate(System& system, Supervisor& supervisor, Workload& workload, const LoopCost& cost, bool starts,
              RunResult* result) {
  try {
    if (starts) workload.start();
    do {
      SimulatedTime::instance().run_to_rest();
      system.fabric_clock().rethrow_failure();
      system.npu_clock().rethrow_failure();
    } while (supervisor.continue_at_rest());
    result->stop = supervisor.reason();
    result->stop_text = supervisor.text();
    result->cycles = supervisor.cycles();
  } catch (const InputError& error) {
    result->stop = StopReason::kBadInput;
    result->stop_text = error.what();
    result->cycles = system.fabric_clock().now();
  } catch (const ViolationError& error) {
    result->stop = StopReason::kViolation;
    result->stop_text = error.what();
    result->cycles = system.fabric_clock().now();
  } catch (const waves::WaveFileFull& full) {
    result->stop = StopReason::kFullDisk;
    result->stop_text = full.what();
    result->cycles = system.fabric_clock().now();
  }
  result->cpu_s = cost.cpu_s();
  result->wall_s = cost.wall_s();
}

/// The switch in lockstep that a violation is about, "" if it is about something else.
std::string switch_that_differs(const std::string& text) {
  const std::string front = "lockstep: ";
  if (text.rfind(front, 0) != 0) return "";
  return text.substr(front.size(), text.find(' ', front.size()) - front.size());
}

/// A run that has ended otherwise stays what it is when its recording cannot be ended.
void finish_recording(waves::Recorder& recorder, RunResult* result) {
  try {
    if (result->stop == StopReason::kViolation) {
      recorder.mark_difference(result->cycles, switch_that_differs(result->stop_text));
    }
    recorder.finish(result->cycles + 1);
    if (!recorder.warning().empty()) result->warnings.push_back(recorder.warning());
  } catch (const waves::WaveFileFull& full) {
    if (result->stop != StopReason::kFinished && result->stop != StopReason::kDrainLimit) {
      result->warnings.emplace_back(full.what());
      return;
    }
    result->stop = StopReason::kFullDisk;
    result->stop_text = full.what();
  }
}

/// Says that a run is an approximation, or why it is none although that was asked for.
void mark_estimate(const FastForward& fast_forward, const Config& config, RunResult* result) {
  if (config.run.fast_forward != FastForwardMode::kSteady) return;
  const Cycle estimated = fast_forward.estimated();
  if (estimated == 0) {
    result->warnings.push_back("run.fast_forward: steady: no cycle was left out at steady rates: " +
                               fast_forward.steady_reason());
    return;
  }
  EstimateRecord record;
  record.cycles = estimated;
  record.simulated_share = 1 - static_cast<double>(estimated) / static_cast<double>(result->cycles);
  record.text = fmt::format(
      "approximate: {:.2f} % of the cycles were simulated; in the others messages went on at the rates that "
      "they had before{} (run.fast_forward: steady)",
      100 * record.simulated_share,
      fast_forward.played_again() > 0 ? ", and layers of the trace took the time of layers before them" : "");
  result->warnings.push_back(record.text);
  result->estimate = record;
}

}  // namespace

RunResult run(const Config& original, RunControl& control, const RunSetup& given) {
  RunResult result;
  Config config = original;
  result.moved = placement_without_conflicts(original);
  if (result.moved) config.npu.placement = result.moved->placement;
  set_time_resolution();
  // SystemC reports that the supervisor ends the simulation; nobody needs to read it.
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
  std::unique_ptr<waves::Recorder> recorder = make_recorder(config);
  WEFT_CHECK(!recorder || given.listener == nullptr, "a run has one listener: waves or another one");
  FabricProbe* const told = recorder ? recorder.get() : given.listener;
  const std::shared_ptr<RunLogging> logging = make_run_logging(config, told);
  SystemSetup setup(logging ? logging->fabric_probe() : told);
  setup.make_switch = given.make_switch;
  if (given.checkpoints != nullptr) setup.threads = given.checkpoints->threads;
  std::unique_ptr<UswitchWaves> insides;
  if (recorder) {
    setup.watches = switch_watches(config, recorder_setup(config));
    insides = std::make_unique<UswitchWaves>(*recorder);
  }
  // The result's tables read from the system when they are written.
  const auto system = std::make_shared<System>("system", config, setup, given.knobs);
  system->fabric().show_insides(insides.get());
  if (logging) logging->attach(*system);
  const std::unique_ptr<Workload> workload =
      make_workload(*system, recorder.get(), logging ? logging->activity_probe() : nullptr);
  if (logging) logging->attach(*workload);
  Supervisor supervisor(*system, *workload, control);
  result.setup_cpu_s = process_cpu_s();
  const LoopCost cost;
  const auto keep = [&](Checkpoint& checkpoint) {
    keep_run(checkpoint, *system, *workload, supervisor, logging.get());
  };
  const bool starts = given.checkpoints == nullptr || given.checkpoints->resume_from.empty();
  if (given.checkpoints != nullptr) {
    // What cannot be kept is said before the first cycle, and not when the first checkpoint is due.
    Checkpoint begins;
    keep(begins);
    supervisor.on_checkpoint([&](Cycle now) {
      // One that cannot be made is no reason to end the run; the earlier one is still there.
      try {
        Checkpoint checkpoint;
        keep(checkpoint);
        given.checkpoints->write(checkpoint.take(), now, cost.cpu_s(), cost.wall_s());
      } catch (const std::exception& error) {
        result.warnings.push_back(fmt::format("no checkpoint of cycle {}: {}", now, error.what()));
      }
      control.checkpoint_written();
    });
  }
  if (!starts) {
    Checkpoint checkpoint(std::move(given.checkpoints->resume_from));
    keep(checkpoint);
    checkpoint.require_end();
  }
  simulate(*system, supervisor, *workload, cost, starts, &result);

  if (recorder) finish_recording(*recorder, &result);
  result.finished = result.stop == StopReason::kFinished || result.stop == StopReason::kDrainLimit;
  result.nodes = static_cast<std::uint64_t>(config.fabric.nodes());
  system->settle(system->fabric_clock().now());
  result.flit_hops = system->fabric().flits_moved();
  result.skipped_cycles = supervisor.fast_forward().skipped() + system->fabric().left_out();
  result.skip_refusal = supervisor.fast_forward().reason();
  result.link_windows = supervisor.take_windows(result.cycles);
  system->finish_statistics(result.cycles);
  if (config.fabric.statistics) result.link_totals = system->link_totals();
  system->fabric().add_to(&result);
  workload->collect(result.cycles, &result);
  mark_estimate(supervisor.fast_forward(), config, &result);
  add_tables(system, &result);
  if (logging) logging->finish(*workload, result.cycles);
  result.log = logging;
  return result;
}

}  // namespace weft::runs
