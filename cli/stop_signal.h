// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first asks for a clean end, the second ends the program at once.
#pragma once

#include <stdexcept>

namespace weft::wafer {
class RunControl;
}

namespace weft::cli {

/// Thrown where Ctrl-C leaves nothing to write: the program ends with kExitInterrupted.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// While it lives, SIGINT is counted instead of killing. One at a time per process.
class StopSignal {
 public:
  /// `control`, if any, is asked to stop at the first Ctrl-C; it must outlive this object.
  explicit StopSignal(wafer::RunControl* control = nullptr);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// True from the first Ctrl-C on, as long as a StopSignal lives.
  static bool requested();
};

}  // namespace weft::cli
