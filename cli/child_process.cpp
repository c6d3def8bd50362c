// SPDX-License-Identifier: Apache-2.0
#include "cli/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <stdexcept>

namespace weft::cli {
namespace {

constexpr int kCannotExecute = 127;

int exit_status(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

/// Runs in the child between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(char* const* arguments, const char* errors) {
  // A group of its own: Ctrl-C of the terminal goes to the parent alone, which decides.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_DFL);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int error_file = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
  }
  if (error_file >= 0) dup2(error_file, STDERR_FILENO);
  execv(arguments[0], arguments);
  static const char kText[] = "the program of the point cannot be executed\n";
  const ssize_t ignored = write(STDERR_FILENO, kText, sizeof kText - 1);
  (void)ignored;
  _exit(kCannotExecute);
}

}  // namespace

pid_t ChildProcesses::start(const std::vector<std::string>& arguments, const std::filesystem::path& errors) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const std::string error_path = errors.string();
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error(fmt::format("no new process can be made: {}", std::strerror(errno)));
  if (pid == 0) become(argv.data(), error_path.c_str());
  pids_.push_back(pid);
  return pid;
}

std::optional<ChildEnd> ChildProcesses::wait_for_one(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  do {
    for (const pid_t pid : pids_) {
      int status = 0;
      if (waitpid(pid, &status, WNOHANG) != pid) continue;
      pids_.erase(std::find(pids_.begin(), pids_.end(), pid));
      return ChildEnd{pid, exit_status(status)};
    }
    const timespec nap{0, 5'000'000};
    if (nanosleep(&nap, nullptr) != 0) return std::nullopt;
  } while (std::chrono::steady_clock::now() < deadline);
  return std::nullopt;
}

void ChildProcesses::kill_all() {
  for (const pid_t pid : pids_) kill(pid, SIGKILL);
  for (const pid_t pid : pids_) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  pids_.clear();
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace weft::cli
