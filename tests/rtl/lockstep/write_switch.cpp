// SPDX-License-Identifier: Apache-2.0
// Writes the generated RTL of one switch for the tests: write_switch M PORTS FILE.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "switch/rtl/interconnect_sv.h"

// libsystemc, which the switch's library brings along, has the main that calls this.
extern "C" int sc_main(int count, char* words[]) {
  if (count != 4) {
    std::cerr << "write_switch M PORTS FILE\n";
    return 2;
  }
  const weft::fred::Interconnect net = weft::fred::build_interconnect(std::atoi(words[1]), std::atoi(words[2]));
  std::ofstream file(words[3]);
  file << "// verilator lint_off DECLFILENAME\n"
       << weft::fred::interconnect_sv(net) << '\n'
       << weft::fred::fred_switch_sv(net) << '\n'
       << weft::fred::in_switch_reducer_sv(net);
  return file.flush() ? 0 : 1;
}
