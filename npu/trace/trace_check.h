// SPDX-License-Identifier: Apache-2.0
// `weft trace check`: is a trace sound across its ranks?
#pragma once

#include <cstddef>
#include <ostream>
#include <string>

namespace weft::npu {

/// Checks all ranks of a trace and prints one line for each problem and a closing line:
/// files can be read; ids are unique and dependencies have no cycle; groups exist and their members are ranks; a
/// rank uses only groups it belongs to; all members of a group issue the same collectives (kind, size) in the same
/// order, and so the loads and the stores that name the group, each with its size; every send has its receive (source,
/// destination, tag, size).
/// `groups_file` is the JSON of the communicator groups, "" = what the trace itself defines. Gives the number of
/// problems. InputError if there are no files or the groups file cannot be read.
std::size_t trace_check(const std::string& prefix, const std::string& groups_file, std::ostream& out);

}  // namespace weft::npu
