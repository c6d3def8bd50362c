// SPDX-License-Identifier: Apache-2.0
// Entry of the program. The main of libsystemc would print its banner; this one does the rest of what it does.
#include <cstdlib>
#include <string>
#include <systemc>
#include <vector>

#include "cli/program.h"

int sc_main(int argc, char* argv[]) { return weft::cli::run_program(std::vector<std::string>(argv + 1, argv + argc)); }

int main(int argc, char* argv[]) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return sc_core::sc_elab_and_sim(argc, argv);
}
