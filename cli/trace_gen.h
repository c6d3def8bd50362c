// SPDX-License-Identifier: Apache-2.0
// The command line of `weft trace gen`: traces from a few numbers.
#pragma once

#include <CLI/App.hpp>

namespace weft::cli {

/// Adds `gen` and its generators to `weft trace`.
void add_trace_gen(CLI::App& trace);

}  // namespace weft::cli
