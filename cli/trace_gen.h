// SPDX-License-Identifier: Apache-2.0
// The command line of `weft trace gen`: traces from a few numbers.
#pragma once

#include "cli/command_line.h"

namespace weft::cli {

/// Adds `gen` and its generators to `weft trace`.
void add_trace_gen(const Command& trace);

}  // namespace weft::cli
