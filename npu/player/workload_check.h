// SPDX-License-Identifier: Apache-2.0
// Whether a workload can be played on its fabric, found out before the first cycle.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/load.h"
#include "npu/player/group_table.h"
#include "npu/trace/trace_node.h"

namespace weft::npu {

/// What a configuration cannot know of its workload: program, permutation and group files are sound and fit the fabric,
/// the algorithm does the collective, the trace's ranks find nodes. Reads these files, of a trace their names only.
std::vector<ConfigProblem> check_workload(const Config& config);

/// "" or why so many ranks do not fit on so many nodes.
std::string too_many_ranks(std::size_t ranks, std::size_t nodes);

/// The groups that do a single collective, members in their order; a group of all ranks has number 0.
std::vector<ProcessGroup> groups_of_collective(const CollectiveWorkload& workload, std::size_t ranks);

/// The process groups of a trace. Throws InputError for files that cannot be used.
GroupTable groups_of_trace(const TraceWorkload& trace);

/// Reads every node of the trace of `config` and gives each to `visit`, with its group if it has one; gives the
/// sentences about nodes that cannot be played (no such group or peer, an algorithm that does not do the kind), at most
/// 20 and one that counts the rest. Throws InputError for files that cannot be read.
using NodeVisitor = std::function<void(RankId rank, const TraceNode& node, const ProcessGroup* group)>;
std::vector<std::string> check_trace_nodes(const Config& config, const NodeVisitor& visit);
/// The same; throws InputError with these sentences.
void require_playable(const Config& config, const NodeVisitor& visit);

}  // namespace weft::npu
