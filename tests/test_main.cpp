// SPDX-License-Identifier: Apache-2.0
// One main for all tests. libsystemc brings a `main` of its own that calls sc_main, which has C linkage there.
#include <gtest/gtest.h>
#ifdef WEFT_TEST_POLICIES
#include "sc_models/policies/policy_catalog.h"
#endif

extern "C" int sc_main(int argc, char* argv[]) {
#ifdef WEFT_TEST_POLICIES
  weft::use_policies(weft::sc_models::policy_catalog());
#endif
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
