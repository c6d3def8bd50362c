// SPDX-License-Identifier: Apache-2.0
// One main for all tests. libsystemc brings a `main` of its own that calls sc_main, which has C linkage there.
#include <gtest/gtest.h>

extern "C" int sc_main(int argc, char* argv[]) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
