// SPDX-License-Identifier: Apache-2.0
// What a cycle of a switch costs, with the same recorded input in every way of running it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock_domain.h"
#include "tb/bench/switch_traffic.h"
#include "tb/build/rtl_model.h"
#include "tb/switch/rtl_switch.h"

namespace weft::tb {

/// A switch whose ports carry a flit per cycle and whose flows add FP32; of a shape that RTL can have.
fred::SwitchSpec speed_spec(const SwitchShape& shape);

/// What arrives in each cycle, as the model's answers made it.
struct RecordedTraffic {
  struct Cycle {
    std::vector<Traffic::Arrival> arrivals;
    std::vector<std::pair<std::size_t, std::uint8_t>> credits;
  };
  std::vector<fred::FlowSet> settings;  ///< from index 1 on
  std::vector<Cycle> cycles;
  std::uint64_t flits = 0;  ///< sent
  std::uint64_t added = 0;  ///< pairs of beats
};
/// Puts them into a switch's store.
void store_settings(fred::SettingStore& store, const RecordedTraffic& traffic);
/// Random traffic of a seed, `cycles` cycles of it.
RecordedTraffic record_traffic(const fred::SwitchSpec& spec, std::uint32_t settings, std::uint64_t seed,
                               std::uint64_t cycles);

/// CPU seconds of all cycles.
struct SwitchSpeed {
  double bare = 0;      ///< Verilated class alone: inputs are copied to its ports, two evaluations per cycle
  double rtl = 0;       ///< RtlSwitch in a clock domain
  double model = 0;     ///< FredSwitch in a clock domain
  double lockstep = 0;  ///< LockstepSwitch in a clock domain
};

/// Runs recorded traffic; one object per process, as it has a clock domain of SystemC.
class SwitchSpeedBench {
 public:
  SwitchSpeedBench();
  ~SwitchSpeedBench();
  SwitchSpeedBench(const SwitchSpeedBench&) = delete;
  SwitchSpeedBench& operator=(const SwitchSpeedBench&) = delete;

  /// All four, one after the other. Throws ViolationError where RTL and model, or the bare loop's last outputs and
  /// those of RtlSwitch, differ.
  SwitchSpeed measure(const fred::SwitchSpec& spec, const RecordedTraffic& traffic,
                      const std::shared_ptr<const RtlLibrary>& library);
  /// Bare loop and RtlSwitch alone; with `waves` both write all cycles there, for which the library must be built.
  SwitchSpeed measure_rtl(const fred::SwitchSpec& spec, const RecordedTraffic& traffic,
                          const std::shared_ptr<const RtlLibrary>& library,
                          const std::optional<std::filesystem::path>& waves = std::nullopt);

 private:
  class Stepper;
  double drive(fred::SwitchModel& fred, const RecordedTraffic& traffic);
  double drive_waves(RtlSwitch& fred, const RecordedTraffic& traffic, const std::filesystem::path& waves);

  std::unique_ptr<Stepper> stepper_;
  std::unique_ptr<ClockDomain> clock_;
};

}  // namespace weft::tb
