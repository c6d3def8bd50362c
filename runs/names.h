// SPDX-License-Identifier: Apache-2.0
// Runs speak the words of the system that they drive: its records, figures and units.
#pragma once

#include "wafer/run_control.h"
#include "wafer/run_result.h"
#include "wafer/wafer.h"
#include "wafer/workload.h"

namespace weft::runs {

using namespace wafer;

}  // namespace weft::runs
