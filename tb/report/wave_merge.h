// SPDX-License-Identifier: Apache-2.0
// Waves of RTL and model in one file on one time axis.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tb/bench/block_bench.h"
#include "tb/build/rtl_model.h"

namespace weft::tb {

/// A value of the model from `time` on.
struct ModelChange {
  std::uint64_t time = 0;
  std::size_t signal = 0;
  std::string bits;  ///< highest first; x = the model does not say
};

struct ModelSignal {
  std::string name;
  std::uint32_t width = 1;
};

/// Writes `out`: what `rtl` (a VCD file) holds, and a scope `model` with the signals. `changes` are in order of time.
/// Throws std::runtime_error where a file cannot be read or written.
void merge_waves(const std::filesystem::path& rtl, const std::vector<ModelSignal>& signals,
                 const std::vector<ModelChange>& changes, const std::filesystem::path& out);

/// Records both.
class WaveRecorder {
 public:
  /// Throws std::runtime_error for a model without waves.
  WaveRecorder(RtlModel& rtl, std::filesystem::path file);
  ~WaveRecorder();
  WaveRecorder(const WaveRecorder&) = delete;
  WaveRecorder& operator=(const WaveRecorder&) = delete;
  /// RTL and model as they are now.
  void dump(std::uint64_t time, const std::vector<Expected>& expected) {
    rtl_.dump(time);
    record(time, expected);
  }
  /// The model alone.
  void record(std::uint64_t time, const std::vector<Expected>& expected);
  void dump_rtl(std::uint64_t time) { rtl_.dump(time); }
  /// Writes the file.
  void finish();

 private:
  RtlModel& rtl_;
  std::filesystem::path file_;
  std::filesystem::path rtl_file_;
  std::vector<ModelSignal> signals_;
  std::vector<std::string> last_;
  std::vector<ModelChange> changes_;
};

}  // namespace weft::tb
