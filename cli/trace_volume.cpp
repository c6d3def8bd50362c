// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_volume.h"

#include <algorithm>

#include "npu/trace/trace_files.h"
#include "npu/trace/trace_reader.h"

namespace weft::cli {
namespace {

/// Bytes that this node makes its own rank send: its share of the collective, or its message.
double sent_bytes(const npu::TraceNode& node, const npu::ProcessGroups& groups, std::size_t world) {
  if (node.type == npu::TraceNodeType::kSend) return static_cast<double>(node.comm_bytes);
  if (node.type != npu::TraceNodeType::kCollective || !node.collective) return 0;
  const auto members = static_cast<double>(groups.members(node.group, world).size());
  return collective_bytes(*node.collective, members, static_cast<double>(node.comm_bytes)) / members;
}

}  // namespace

TraceVolume trace_volume(const std::string& prefix, const std::string& groups_file) {
  const auto files = npu::find_trace_files(prefix);
  const npu::ProcessGroups groups = npu::load_process_groups(files, groups_file);
  TraceVolume volume;
  for (const std::string& file : files) {
    double compute_seconds = 0;
    const auto reader = npu::open_trace(file);
    while (const auto record = reader->next()) {
      const npu::TraceNode& node = record->node;
      volume.message_bytes += sent_bytes(node, groups, files.size());
      if (node.type == npu::TraceNodeType::kCompute) compute_seconds += 1e-6 * static_cast<double>(node.duration_us);
    }
    volume.compute_seconds = std::max(volume.compute_seconds, compute_seconds);
  }
  return volume;
}

}  // namespace weft::cli
