// SPDX-License-Identifier: Apache-2.0
// What the rank that ends last did, from the log of a run.
#pragma once

#include "report/run_folder.h"

namespace weft::report {

/// Splits the time of the rank that ends last into computing and what it waits for, as Fig. 10 of the FRED paper does:
/// {"rank", "cycles", "parts": {"compute", "load", "mp", "dp", "pp", "collective", "other"}}, all in cycles, and the
/// parts add up. Of what goes on at the same time the first of them counts. `load` are loads and stores, `pp` transfers
/// between ranks and the wait for them, `collective` what belongs to no phase of training, `other` the time in which
/// nothing of its own is under way. Null where the run has no log or no rank in it; InputError where the log is
/// damaged.
Json read_time_parts(const RunFacts& facts);

}  // namespace weft::report
