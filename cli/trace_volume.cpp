// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_volume.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/engine_need.h"
#include "cli/held_nodes.h"
#include "mem/dram/dram_config.h"
#include "npu/player/compute_model.h"
#include "npu/trace/trace_files.h"

namespace weft::cli {
namespace {

/// Bytes that this node makes its own rank send: its share of the collective, or its message.
double sent_bytes(const npu::TraceNode& node, std::size_t group_size) {
  if (node.type == npu::TraceNodeType::kSend) return static_cast<double>(node.comm_bytes);
  if (node.type != npu::TraceNodeType::kCollective || group_size == 0) return 0;
  const auto members = static_cast<double>(group_size);
  return collective_bytes(*node.collective, members, static_cast<double>(node.comm_bytes)) / members;
}

/// Bursts that the nodes of a trace cost the NPUs' own DRAM: what compute nodes, loads and stores move, and messages at
/// both their ends where they use it.
class DramVolume {
 public:
  explicit DramVolume(const Config& config)
      : model_(config.npu, config.clock),
        moves_loads_(config.memory.place == MemoryPlace::kLocal),
        moves_messages_(config.memory.messages) {
    if (!config.memory.timing.empty()) burst_bytes_ = mem::timing_of(config.memory).burst_bytes;
  }
  double bursts(const npu::TraceNode& node, double sent) const {
    if (burst_bytes_ == 0) return 0;
    double bytes = moves_messages_ ? 2 * sent : 0;
    const bool computes = node.type == npu::TraceNodeType::kCompute;
    if (computes || (moves_loads_ && npu::is_memory(node.type))) bytes += static_cast<double>(model_.bytes_moved(node));
    return std::ceil(bytes / static_cast<double>(burst_bytes_));
  }

 private:
  const npu::ComputeModel model_;
  const bool moves_loads_;
  const bool moves_messages_;
  std::uint64_t burst_bytes_ = 0;  // 0 = no DRAM is simulated
};

/// Bytes of the files of a trace that are JSON, which a run holds as a whole.
double json_bytes(const std::string& prefix) {
  double bytes = 0;
  for (const std::filesystem::path file : npu::find_trace_files(prefix)) {
    std::error_code no_file;  // a pipe has no size
    const std::uintmax_t size = std::filesystem::file_size(file, no_file);
    if (file.extension() == ".json" && !no_file) bytes += static_cast<double>(size);
  }
  return bytes;
}

}  // namespace

TraceVolume trace_volume(const Config& config, const npu::NodeVisitor& visit) {
  TraceVolume volume;
  RankId busy{};
  double compute_seconds = 0;
  HeldNodes held;
  const DramVolume dram(config);
  TraceEngines engines(config);
  const bool over_io = config.memory.place == MemoryPlace::kIo;
  const auto add = [&](RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group) {
    if (visit) visit(rank, node, group);
    if (rank != busy) {
      compute_seconds = 0;
      volume.held_nodes += static_cast<double>(held.most());
      held = HeldNodes();
    }
    busy = rank;
    held.add(node);
    const double sent = sent_bytes(node, group == nullptr ? 0 : group->members.size());
    volume.message_bytes += sent;
    volume.dram_bursts += dram.bursts(node, sent);
    engines.add(rank, node, group);
    // Over the I/O controllers each rank gets or gives its own, as if nothing were copied or summed on its way.
    if (over_io && npu::is_memory(node.type))
      volume.message_bytes += static_cast<double>(node.tensor_bytes.value_or(0));
    if (node.type == npu::TraceNodeType::kCompute) compute_seconds += 1e-6 * static_cast<double>(node.duration_us);
    volume.compute_seconds = std::max(volume.compute_seconds, compute_seconds);
  };
  npu::require_playable(config, add);
  volume.held_nodes += static_cast<double>(held.most());
  volume.json_bytes = json_bytes(std::get<TraceWorkload>(config.workload).chakra);
  volume.engines = engines.need();
  return volume;
}

}  // namespace weft::cli
