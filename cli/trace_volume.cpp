// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_volume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernel/error.h"
#include "npu/player/workload_check.h"

namespace weft::cli {
namespace {

/// Bytes that this node makes its own rank send: its share of the collective, or its message.
double sent_bytes(const npu::TraceNode& node, std::size_t group_size) {
  if (node.type == npu::TraceNodeType::kSend) return static_cast<double>(node.comm_bytes);
  if (node.type != npu::TraceNodeType::kCollective || group_size == 0) return 0;
  const auto members = static_cast<double>(group_size);
  return collective_bytes(*node.collective, members, static_cast<double>(node.comm_bytes)) / members;
}

}  // namespace

TraceVolume trace_volume(const Config& config) {
  TraceVolume volume;
  RankId busy{};
  double compute_seconds = 0;
  const bool over_io = config.memory.place == MemoryPlace::kIo;
  const auto add = [&](RankId rank, const npu::TraceNode& node, std::size_t group_size) {
    if (rank != busy) compute_seconds = 0;
    busy = rank;
    volume.message_bytes += sent_bytes(node, group_size);
    // Over the I/O controllers each rank gets or gives its own, as if nothing were copied or summed on its way.
    if (over_io && npu::is_memory(node.type))
      volume.message_bytes += static_cast<double>(node.tensor_bytes.value_or(0));
    if (node.type == npu::TraceNodeType::kCompute) compute_seconds += 1e-6 * static_cast<double>(node.duration_us);
    volume.compute_seconds = std::max(volume.compute_seconds, compute_seconds);
  };
  const std::vector<std::string> problems = npu::check_trace_nodes(config, add);
  if (!problems.empty()) throw InputError(fmt::format("{}", fmt::join(problems, "\n")));
  return volume;
}

}  // namespace weft::cli
