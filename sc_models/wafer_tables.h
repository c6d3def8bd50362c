// SPDX-License-Identifier: Apache-2.0
// Tables of links and nodes of a finished run.
#pragma once

#include <memory>

#include "sc_models/run_result.h"
#include "sc_models/wafer.h"

namespace weft::sc_models {

/// Fills in the tables of `result`; `result->cycles` must be known. The tables keep the wafer alive and make their rows
/// when they are read.
void add_tables(const std::shared_ptr<Wafer>& wafer, RunResult* result);

}  // namespace weft::sc_models
