// SPDX-License-Identifier: Apache-2.0
// The program behind `main`: command line in, exit status out.
#pragma once

#include <string>
#include <vector>

namespace weft::cli {

/// Runs `weft` with these arguments (without the program's name). Output goes to standard output, errors to standard
/// error; returns the exit status. Never throws.
int run_program(const std::vector<std::string>& arguments);

}  // namespace weft::cli
