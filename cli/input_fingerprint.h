// SPDX-License-Identifier: Apache-2.0
// Tells whether the files that a configuration names have changed.
#pragma once

#include <string>

#include "config/config.h"

namespace weft::cli {

/// Sizes and times of last change of the trace, group, program and pattern files of `config`, one line each.
std::string input_fingerprint(const Config& config);
/// Which files differ between two of them, one line each, such as "trace.3.et has changed".
std::string changed_inputs(const std::string& before, const std::string& now);

}  // namespace weft::cli
