// SPDX-License-Identifier: Apache-2.0
// `weft trace info`: what is in the files of a trace.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <ostream>
#include <string>
#include <string_view>

#include "npu/trace/trace_reader.h"

namespace weft::npu {

/// Nodes of one sort and the bytes they name (comm_size).
struct NodesAndBytes {
  std::uint64_t nodes = 0;
  std::uint64_t bytes = 0;
};

/// Counts over all ranks of a trace. Names are Chakra's.
struct TraceSummary {
  std::string prefix;
  std::uint64_t ranks = 0;
  std::uint64_t file_bytes = 0;  ///< as the files lie on the disk
  std::uint64_t nodes = 0;
  std::uint64_t fewest_nodes = std::numeric_limits<std::uint64_t>::max();  ///< the fewest nodes of a rank
  std::uint64_t most_nodes = 0;                                            ///< the most nodes of a rank
  std::map<std::string_view, std::uint64_t> nodes_by_type;
  std::map<std::string_view, NodesAndBytes> collectives;
  std::map<std::string_view, NodesAndBytes> messages;  ///< sends and receives
  std::map<std::string_view, NodesAndBytes> memory;    ///< loads and stores; bytes are those of tensor_size
  std::uint64_t shared_memory_nodes = 0;               ///< loads and stores that name a process group
  std::uint64_t assumed_kinds = 0;                     ///< collectives without comm_type, counted as ALL_REDUCE
  std::uint64_t data_edges = 0;
  std::uint64_t control_edges = 0;
  std::uint64_t absent_edges = 0;  ///< edges to ids that are not in the file
  std::uint64_t duplicate_ids = 0;
  std::uint64_t duration_us = 0;  ///< sum of recorded durations
  double num_ops = 0;             ///< sum of floating-point operations
  std::map<std::string, std::uint64_t> nodes_by_group;
  ProcessGroups groups;    ///< from metadata nodes
  TraceMetadata metadata;  ///< metadata of rank 0
};

/// Reads all files of a trace once. InputError if one cannot be read.
TraceSummary summarize_trace(const std::string& prefix);

/// Prints the summary of a trace as text, or as one JSON object.
void trace_info(const std::string& prefix, std::ostream& out, bool json = false);

}  // namespace weft::npu
