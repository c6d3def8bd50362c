// SPDX-License-Identifier: Apache-2.0
// libsystemc wants this symbol, with C linkage; libFuzzer's main never calls it.
extern "C" int sc_main(int, char*[]) { return 0; }
