// SPDX-License-Identifier: Apache-2.0
// Runs other processes of this program: SystemC elaborates once per process, so every point of a sweep and every
// benchmark has one of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// How a child ended.
struct ChildEnd {
  pid_t pid = 0;
  int status = 0;  ///< its exit status, or 128 + signal
};

/// The running children of this object. They are not reached by the terminal's Ctrl-C, and die with this process.
class ChildProcesses {
 public:
  ChildProcesses() = default;
  /// Kills what still runs.
  ~ChildProcesses() { kill_all(); }
  ChildProcesses(const ChildProcesses&) = delete;
  ChildProcesses& operator=(const ChildProcesses&) = delete;

  /// Starts `arguments[0]` with its output going to /dev/null and its errors to `errors`.
  /// Throws std::runtime_error when no process can be made; a program that cannot be executed ends with status 127.
  pid_t start(const std::vector<std::string>& arguments, const std::filesystem::path& errors);
  /// Waits until a child ends, a signal arrives or `patience` is over; none in the last two cases.
  std::optional<ChildEnd> wait_for_one(std::chrono::milliseconds patience);
  /// Kills all children and waits for their ends.
  void kill_all();
  std::size_t running() const { return pids_.size(); }

 private:
  std::vector<pid_t> pids_;
};

/// The path of the running program.
std::string own_program();

}  // namespace weft::cli
