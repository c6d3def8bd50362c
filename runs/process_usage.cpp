// SPDX-License-Identifier: Apache-2.0
#include "runs/process_usage.h"

#include <sys/resource.h>

#include <ctime>
#include <fstream>
#include <string>

namespace weft::runs {

double process_cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t peak_rss_bytes() {
  // getrusage keeps the peak of the program that called exec, so a child of a large process would report its
  // parent; VmHWM starts anew with each program.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stoull(line.substr(6)) * 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace weft::runs
