// SPDX-License-Identifier: Apache-2.0
// What the leak sanitizer passes over in all programs that are built with it.

/// A run that is cut off leaves the data of packets on the way to the end of the process. The name is the sanitizer's;
/// clang says inlined functions without their namespaces.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(*-reserved-identifier,readability-identifier-naming)
  return "leak:hold_payload\n";
}
