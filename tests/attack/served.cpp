// SPDX-License-Identifier: Apache-2.0
// The program `weft`, loaded once: each line on standard input is one command line and runs in a fork of this process,
// so that every input meets a fresh program without the start of one.
//   in:  {"args": ["check", "a.yaml"], "dir": "/d", "out": "/d/out", "err": "/d/err", "wall_s": 60, "cpu_s": 10,
//         "rss_mib": 1024}
//   out: {"status": 2, "signal": 0, "killed": "", "cpu_s": 0.01, "wall_s": 0.02, "rss_mib": 40}
// `killed` names the limit above which the fork was killed: wall, cpu or memory. With arguments this is the program.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <systemc>
#include <vector>

#include "cli/program.h"

int sc_main(int argc, char* argv[]) { return weft::cli::run_program(std::vector<std::string>(argv + 1, argv + argc)); }

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Limits {
  double wall_s;
  double cpu_s;
  double rss_mib;
};

/// What a process uses now, from /proc; zeros when it is gone.
struct Use {
  double cpu_s = 0;
  double rss_mib = 0;
};

Use use_of(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  std::ifstream stat(folder + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream words(text.substr(name_end + 2));
  std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
  // Fields 14, 15 and 24 of proc(5); the third one is fields[0].
  constexpr std::size_t kUser = 11;
  constexpr std::size_t kSystem = 12;
  constexpr std::size_t kPages = 21;
  if (fields.size() <= kPages) return {};
  const double ticks = std::stod(fields[kUser]) + std::stod(fields[kSystem]);
  const double pages = std::stod(fields[kPages]);
  return {ticks / static_cast<double>(sysconf(_SC_CLK_TCK)),
          pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0)};
}

const char* limit_passed(pid_t pid, Clock::time_point start, const Limits& limits) {
  if (seconds_since(start) > limits.wall_s) return "wall";
  const Use use = use_of(pid);
  if (use.cpu_s > limits.cpu_s) return "cpu";
  if (use.rss_mib > limits.rss_mib) return "memory";
  return nullptr;
}

/// In the fork: becomes the program with these arguments.
[[noreturn]] void become(const Json& job, const sigset_t& signals) {
  setpgid(0, 0);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  const std::string out = job.at("out");
  const std::string err = job.at("err");
  const std::string dir = job.at("dir");
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
  if (chdir(dir.c_str()) != 0) _exit(126);
  std::vector<std::string> words = job.at("args");
  words.insert(words.begin(), "weft");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int status = sc_core::sc_elab_and_sim(static_cast<int>(words.size()), argv.data());
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  // The process's own statics are not ended, for which a sanitizer takes as long as for a whole `check`. Runs that are
  // processes of their own end theirs.
  _exit(status);
}

/// Waits for the end of `pid`, or ends it with all its children when a limit is passed; gives the limit's name.
std::string wait_for(pid_t pid, Clock::time_point start, const Limits& limits, int& status, rusage& use) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  std::string killed;
  while (wait4(pid, &status, WNOHANG, &use) != pid) {
    const timespec nap{0, 20'000'000};
    sigtimedwait(&child, nullptr, &nap);
    if (!killed.empty()) continue;
    if (const char* limit = limit_passed(pid, start, limits)) {
      killed = limit;
      kill(-pid, SIGKILL);
      kill(pid, SIGKILL);
    }
  }
  kill(-pid, SIGKILL);  // what it has left behind
  return killed;
}

Json run(const Json& job, const sigset_t& signals) {
  const auto start = Clock::now();
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("no new process can be made");
  if (pid == 0) become(job, signals);
  int status = 0;
  rusage use{};
  const std::string killed = wait_for(pid, start, {job.at("wall_s"), job.at("cpu_s"), job.at("rss_mib")}, status, use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {{"status", WIFEXITED(status) ? WEXITSTATUS(status) : -1},
          {"signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0},
          {"killed", killed},
          {"cpu_s", seconds(use.ru_utime) + seconds(use.ru_stime)},
          {"wall_s", seconds_since(start)},
          {"rss_mib", static_cast<double>(use.ru_maxrss) / 1024.0}};
}

int serve() {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  for (std::string line; std::getline(std::cin, line);) std::cout << run(Json::parse(line), before).dump() << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return argc == 1 ? serve() : sc_core::sc_elab_and_sim(argc, argv);
}
