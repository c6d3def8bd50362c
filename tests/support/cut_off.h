// SPDX-License-Identifier: Apache-2.0
// For runs that end before their messages have arrived.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace weft::testing {

/// While it lives, the leak sanitizer takes no note of what this thread allocates: a run that is cut off leaves the data
/// of packets on the way to the end of the process.
class CutOff {
 public:
#if defined(__SANITIZE_ADDRESS__)
  CutOff() { __lsan_disable(); }
  ~CutOff() { __lsan_enable(); }
#else
  CutOff() {}   // NOLINT(modernize-use-equals-default): a defaulted one would make every CutOff an unused variable
  ~CutOff() {}  // NOLINT(modernize-use-equals-default)
#endif
  CutOff(const CutOff&) = delete;
  CutOff& operator=(const CutOff&) = delete;
};

}  // namespace weft::testing
