// SPDX-License-Identifier: Apache-2.0
#include "sc_models/takes_part.h"

#include <variant>

#include "base/state_form.h"
#include "sc_models/system.h"

namespace weft::sc_models {
namespace {

std::string why_memory(const MemorySpec& memory) {
  if (!memory.pool.empty()) return "memory.pool does not take part yet";
  if (memory.tensors == TensorMemory::kRemote) return "loads and stores of remote memory do not take part yet";
  if (!memory.timing.empty()) return "memories of NPUs whose timing is simulated do not take part yet";
  return "";
}

bool carries_data(const Config& config) {
  const auto* collective = std::get_if<CollectiveWorkload>(&config.workload);
  const auto* trace = std::get_if<TraceWorkload>(&config.workload);
  const DataMode data = collective != nullptr ? collective->collective.data
                        : trace != nullptr    ? trace->collective.data
                                              : DataMode::kTiming;
  return data == DataMode::kValues;
}

}  // namespace

std::string why_nothing_repeats(const Config& config) {
  if (config.run.fast_forward == FastForwardMode::kOff) return "run.fast_forward is off";
  if (std::holds_alternative<TrafficWorkload>(config.workload)) return "synthetic traffic is random";
  if (std::holds_alternative<IoWorkload>(config.workload)) return "streams of I/O controllers do not take part yet";
  if (const std::string reason = why_memory(config.memory); !reason.empty()) return reason;
  if (config.npu.clock) return "NPUs have a clock of their own";
  if (carries_data(config)) return "collectives carry data";
  if (!config.waves.file.empty()) return "a waveform shows every cycle";
  if (config.log.level >= LogLevel::kSteps) return "log.level: steps and packets tell of every cycle";
  return "";
}

std::string why_nothing_repeats(System& system) {
  if (const std::string reason = why_nothing_repeats(system.config()); !reason.empty()) return reason;
  if (system.fabric().parts_may_rest()) return "no part has repeated itself for long";
  if (system.parts().size() != 1) return "only a fabric that one thread steps as a whole takes part";
  // What refuses before the first cycle does so for good, and costs nothing from here on.
  StateForm form;
  form.begin(StateForm::Pass::kHash, 0, 1);
  system.fabric().put_state(form);
  return form.refusal();
}

bool takes_steady(const Config& config) {
  return config.run.fast_forward == FastForwardMode::kSteady && config.fabric.router.colours == 0;
}

}  // namespace weft::sc_models
