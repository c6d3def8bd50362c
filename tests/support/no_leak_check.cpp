// SPDX-License-Identifier: Apache-2.0
// For programs with SystemC threads: their stacks lie on the heap and end in a page that nobody may read, on which the
// leak sanitizer, which reads all of the heap when the program ends, fails. Addresses and behaviour are still checked.

/// Asked by the leak sanitizer when a program ends; the name is the sanitizer's.
extern "C" int __lsan_is_turned_off() { return 1; }  // NOLINT(*-reserved-identifier,readability-identifier-naming)
