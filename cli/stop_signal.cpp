// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_signal.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "sc_models/run_control.h"

namespace weft::cli {
namespace {

/// Added to the number of a signal, as shells do.
constexpr int kSignalStatus = 128;

// A signal handler has no other way to its object.
std::atomic<sc_models::RunControl*> g_control{nullptr};
std::atomic<bool> g_requested{false};
/// The signal that asked first; 0 before.
std::atomic<int> g_signal{0};
std::atomic<std::int64_t> g_requested_ns{0};

/// All that end a program which does not expect them, but the one that is a fault of its own.
constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU};

/// Programs such as timeout(1) send a signal to a process and to its group: the second of two within this time is none
/// of a person's.
constexpr std::int64_t kSameSignalNs = 100'000'000;

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void weft_on_stop_signal(int signal_number) {
  if (g_requested.exchange(true)) {
    // Systems that end a job send several signals, and SIGXCPU comes every second: only a person ends it at once.
    if (signal_number != SIGINT || now_ns() - g_requested_ns < kSameSignalNs) return;
    // Die by the signal itself, so that a calling shell knows.
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    return;
  }
  g_requested_ns = now_ns();
  g_signal = signal_number;
  if (sc_models::RunControl* control = g_control.load()) control->request_stop();
  static const char kText[] = "\nweft: stopping cleanly; Ctrl-C once more ends at once\n";
  const ssize_t ignored = write(STDERR_FILENO, kText, sizeof kText - 1);
  (void)ignored;
}

}  // namespace

StopSignal::StopSignal(sc_models::RunControl* control) {
  g_control = control;
  g_requested = false;
  g_signal = 0;
  for (const int signal_number : kSignals) {
    struct sigaction action {};
    // nohup(1) and its like have a program ignore a signal, and that stays so.
    sigaction(signal_number, nullptr, &action);
    if (action.sa_handler == SIG_IGN && signal_number != SIGINT) continue;
    action = {};
    action.sa_handler = weft_on_stop_signal;
    sigemptyset(&action.sa_mask);
    // Without SA_RESTART: waits for child processes return at once.
    sigaction(signal_number, &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (const int signal_number : kSignals) {
    struct sigaction action {};
    sigaction(signal_number, nullptr, &action);
    if (action.sa_handler == weft_on_stop_signal) signal(signal_number, SIG_DFL);
  }
  g_control = nullptr;
  g_requested = false;
}

bool StopSignal::requested() { return g_requested; }

int StopSignal::status() { return kSignalStatus + (g_signal == 0 ? SIGINT : g_signal.load()); }

std::string StopSignal::name() { return std::string("SIG") + sigabbrev_np(g_signal == 0 ? SIGINT : g_signal.load()); }

void ignore_file_size_signal() { signal(SIGXFSZ, SIG_IGN); }

}  // namespace weft::cli
