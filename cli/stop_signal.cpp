// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "wafer/run_control.h"

namespace weft::cli {
namespace {

// A signal handler has no other way to its object.
std::atomic<wafer::RunControl*> g_control{nullptr};
std::atomic<bool> g_requested{false};

extern "C" void weft_on_interrupt(int signal_number) {
  if (g_requested.exchange(true)) {
    // Die by the signal itself, so that a calling shell knows.
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    return;
  }
  if (wafer::RunControl* control = g_control.load()) control->request_stop();
  static const char kText[] = "\nweft: stopping cleanly; Ctrl-C once more ends at once\n";
  const ssize_t ignored = write(STDERR_FILENO, kText, sizeof kText - 1);
  (void)ignored;
}

}  // namespace

StopSignal::StopSignal(wafer::RunControl* control) {
  g_control = control;
  g_requested = false;
  struct sigaction action {};
  action.sa_handler = weft_on_interrupt;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART: waits for child processes return at once.
  sigaction(SIGINT, &action, nullptr);
}

StopSignal::~StopSignal() {
  signal(SIGINT, SIG_DFL);
  g_control = nullptr;
  g_requested = false;
}

bool StopSignal::requested() { return g_requested; }

}  // namespace weft::cli
