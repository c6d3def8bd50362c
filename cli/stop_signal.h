// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and the signals with which shells and batch systems end a job (SIGTERM, SIGHUP, SIGUSR1, SIGXCPU): the first
// asks for a clean end; Ctrl-C after it ends the program at once.
#pragma once

#include <stdexcept>
#include <string>

namespace weft::sc_models {
class RunControl;
}

namespace weft::cli {

/// Thrown where a signal leaves nothing to write: the program ends with StopSignal::status().
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// While it lives, these signals are counted instead of killing. One at a time per process.
class StopSignal {
 public:
  /// `control`, if any, is asked to stop at the first signal; it must outlive this object.
  explicit StopSignal(sc_models::RunControl* control = nullptr);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// True from the first signal on, as long as a StopSignal lives.
  static bool requested();
  /// Exit status of a program that the last signal has ended: 128 + its number; 130 before any.
  static int status();
  /// Name of that signal, such as SIGTERM.
  static std::string name();
};

/// From here on a file that may not grow further (ulimit -f) is an error of the write, which is reported, and no
/// SIGXFSZ.
void ignore_file_size_signal();

}  // namespace weft::cli
