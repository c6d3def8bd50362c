// SPDX-License-Identifier: Apache-2.0
#include "cli/trace_volume.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/held_nodes.h"
#include "mem/dram/dram_config.h"
#include "npu/player/compute_model.h"
#include "npu/trace/trace_files.h"
#include "runs/estimate/engine_need.h"
#include "runs/estimate/workload_volume.h"

namespace weft::cli {
namespace {

/// Bursts that the nodes of a trace cost the NPUs' own DRAM: what compute nodes, loads and stores move, and messages at
/// both their ends where they use it.
class DramVolume {
 public:
  explicit DramVolume(const Config& config)
      : model_(config.npu, config.clock),
        moves_loads_(config.memory.tensors == TensorMemory::kLocal),
        moves_messages_(config.memory.messages) {
    if (!config.memory.timing.empty()) burst_bytes_ = mem::timing_of(config.memory).burst_bytes;
  }
  double bursts(const npu::TraceNode& node) const {
    const bool computes = node.type == npu::TraceNodeType::kCompute;
    if (!computes && !(moves_loads_ && npu::is_memory(node.type))) return 0;
    return bursts_of(static_cast<double>(model_.bytes_moved(node)));
  }
  /// Counts messages that have these bytes.
  double bursts_of_messages(double bytes) const { return moves_messages_ ? bursts_of(2 * bytes) : 0; }

 private:
  double bursts_of(double bytes) const {
    return burst_bytes_ == 0 ? 0 : std::ceil(bytes / static_cast<double>(burst_bytes_));
  }

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

runs::TraceVolume trace_volume(const Config& config, sc_models::FabricSketch& sketch, const npu::NodeVisitor& visit) {
  runs::TraceVolume volume;
  RankId busy{};
  double compute_seconds = 0;
  HeldNodes held;
  const DramVolume dram(config);
  runs::TraceEngines engines(config);
  runs::TraceTraffic traffic(config, sketch);
  const auto add = [&](RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group) {
    if (visit) visit(rank, node, group);
    if (rank != busy) {
      compute_seconds = 0;
      volume.held.trace_nodes += static_cast<double>(held.most());
      held = HeldNodes();
    }
    busy = rank;
    held.add(node);
    volume.dram_bursts += dram.bursts(node);
    engines.add(rank, node, group);
    traffic.add(rank, node, group);
    if (node.type == npu::TraceNodeType::kCompute) compute_seconds += 1e-6 * static_cast<double>(node.duration_us);
    volume.compute_seconds = std::max(volume.compute_seconds, compute_seconds);
  };
  npu::require_playable(config, add);
  volume.held.trace_nodes += static_cast<double>(held.most());
  volume.held.json_bytes = json_bytes(std::get<TraceWorkload>(config.workload).chakra);
  volume.held.engines = engines.need();
  volume.sent = traffic.volume();
  volume.dram_bursts += dram.bursts_of_messages(volume.sent.bytes);
  return volume;
}

}  // namespace weft::cli
