// SPDX-License-Identifier: Apache-2.0
// Tables of links and nodes of a finished run.
#pragma once

#include <memory>

#include "sc_models/run_result.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// Fills in the tables of `result`; `result->cycles` must be known. The tables keep the system alive and make their
/// rows when they are read.
void add_tables(const std::shared_ptr<System>& system, RunResult* result);

}  // namespace weft::sc_models
