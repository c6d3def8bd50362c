// SPDX-License-Identifier: Apache-2.0
// Runs speak the words of the system that they drive: its records, figures and units.
#pragma once

#include "sc_models/run_control.h"
#include "sc_models/run_result.h"
#include "sc_models/system.h"
#include "sc_models/workload.h"

namespace weft::runs {

using namespace sc_models;

}  // namespace weft::runs
