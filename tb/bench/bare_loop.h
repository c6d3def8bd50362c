// SPDX-License-Identifier: Apache-2.0
// The Verilated class of a switch alone, with recorded input: what our harness is measured against.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tb/bench/switch_speed.h"
#include "tb/build/rtl_model.h"

namespace weft::tb {

/// Holds the input ports of every cycle as bytes; in the loop they are copied, and the model is evaluated twice.
class BareLoop {
 public:
  /// The RTL after reset, with its settings. `seed`: fills registers before reset.
  BareLoop(const fred::SwitchSpec& spec, const RecordedTraffic& traffic,
           const std::shared_ptr<const RtlLibrary>& library, std::uint64_t seed);
  void run();
  /// The same, all cycles into the open trace, two times in each as RtlSwitch writes them.
  void run_with_waves();
  RtlModel& rtl() { return rtl_; }

 private:
  void record(const fred::SwitchSpec& spec, const RecordedTraffic& traffic);
  void start(const fred::SwitchSpec& spec, const RecordedTraffic& traffic);

  RtlModel rtl_;
  RtlModel::Port clock_;
  std::vector<RtlModel::Port> inputs_;
  std::vector<std::uint8_t> images_;  ///< bytes of all inputs, cycle by cycle
  std::size_t cycles_ = 0;
};

/// Throws ViolationError where two switches show different outputs.
void require_same_outputs(const RtlModel& a, const RtlModel& b);

}  // namespace weft::tb
