// SPDX-License-Identifier: Apache-2.0
// `weft run` without its command line.
#pragma once

#include <string>
#include <vector>

namespace weft::cli {

/// What `weft run` was asked for.
struct RunRequest {
  std::string config;
  std::vector<std::string> settings;
  std::string out;  ///< empty: results/<name>-<n>, the first free n
  bool quiet = false;
  bool all_tables = false;
};

/// Loads, runs, writes the results and prints the report. Returns the exit status; throws for bad input and for
/// violations that leave nothing to write.
int run_configuration(const RunRequest& request);

}  // namespace weft::cli
