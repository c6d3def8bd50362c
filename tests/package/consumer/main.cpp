// SPDX-License-Identifier: Apache-2.0
// Uses an installed Weft as a stranger would: a header-only part, a compiled part, and SystemC behind it.
#include <cstdio>
#include <systemc>

#include "base/error.h"
#include "base/rational.h"

namespace {

// 750 GB/s over 512-byte flits at 1 GHz: 750 / 512 = 375 / 256 flits per cycle.
bool reduces_a_rate() { return weft::make_rational(750, 512) == weft::Rational{375, 256}; }

bool throws_from_the_library() {
  try {
    WEFT_CHECK(false, "as asked for");
  } catch (const weft::ViolationError&) {
    return true;
  }
  return false;
}

bool keeps_time() {
  sc_core::sc_start(3, sc_core::SC_NS);
  return sc_core::sc_time_stamp() == sc_core::sc_time(3, sc_core::SC_NS);
}

}  // namespace

int sc_main(int, char*[]) {
  const bool good = reduces_a_rate() && throws_from_the_library() && keeps_time();
  std::puts(good ? "consumer: good" : "consumer: wrong");
  return good ? 0 : 1;
}
