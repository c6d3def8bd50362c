// SPDX-License-Identifier: Apache-2.0
// The files of one trace: `<prefix>.<rank>.et`, one per rank from 0.
#pragma once

#include <string>
#include <vector>

#include "npu/trace/process_groups.h"

namespace weft::npu {

/// Paths of all ranks, index = rank. Each is `<prefix>.<rank>` + `.et`, `.et.gz` or `.json`, the first that exists.
/// InputError if there is no rank 0 (with the nearest prefix that exists) or if a rank is missing in between.
std::vector<std::string> find_trace_files(const std::string& prefix);

/// The groups of a trace: those of `groups_file` if it is not empty, otherwise those that the metadata nodes of all
/// ranks name (for that, every file is read once).
ProcessGroups load_process_groups(const std::vector<std::string>& files, const std::string& groups_file);

}  // namespace weft::npu
