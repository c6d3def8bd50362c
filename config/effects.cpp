// SPDX-License-Identifier: Apache-2.0
#include "config/effects.h"

#include <fmt/format.h>

#include "config/fabric_rules.h"
#include "config/names.h"

namespace weft {
namespace {

/// One rule per group of keys; a rule compares with the default that the type has.
class Effects {
 public:
  explicit Effects(const Config& config) : config_(config), fabric_(config.fabric) {}

  std::vector<std::string> find() {
    check_threads();
    check_routers();
    check_switches();
    check_npus();
    check_memory();
    if (const auto* single = std::get_if<CollectiveWorkload>(&config_.workload)) check_collective(*single);
    if (const auto* trace = std::get_if<TraceWorkload>(&config_.workload)) check_chunks("trace", trace->collective);
    if (const auto* io = std::get_if<IoWorkload>(&config_.workload)) check_streams(*io);
    check_waves();
    return std::move(found_);
  }

 private:
  void idle(const std::string& key, const std::string& reason) {
    found_.push_back(fmt::format("{} has no effect: {}", key, reason));
  }

  void check_threads() {
    const std::string reason = config_.threads > 1 ? one_thread_because(config_) : "";
    if (!reason.empty()) idle("threads", reason);
  }

  void check_routers() {
    const RouterSpec& router = fabric_.router;
    const RouterSpec usual;
    if (router.allocator_iterations != usual.allocator_iterations && router.allocator == "separable_input_first")
      idle("fabric.router.allocator_iterations",
           fmt::format("fabric.router.allocator {} always has one iteration", router.allocator));
    if (router.merge_cycles != usual.merge_cycles && router.colours == 0)
      idle("fabric.router.merge_cycles", "flits merge on set-up routes only, and fabric.router.colours is 0");
    if (router.multicast && router.colours > 0)
      idle("fabric.router.multicast", "with fabric.router.colours messages go over set-up routes, which always copy");
    if (fabric_.io.routing != IoSpec().routing && fabric_.io.controllers == 0)
      idle("io.routing", "io.controllers is 0");
  }

  void check_switches() {
    const FredSpec& fred = fabric_.fred;
    const FredSpec usual;
    if (fred.fp32_accumulation && !fred.in_switch)
      idle("fabric.accumulate", "the switches do not add, since fabric.in_switch is false");
    if (fred.stay_packets != usual.stay_packets && fred.control != FredControl::kOnePhase)
      idle("fabric.stay_packets", "only with fabric.control one_phase do stored settings wait for each other");
  }

  void check_npus() {
    const NpuSpec& npu = config_.npu;
    if (!config_.memory.timing.empty() && npu.memory_bytes_per_s > 0)
      idle("npu.memory_bandwidth", "memory.timing is the NPUs' memory");
    if (npu.peak_flops > 0 && !npu.roofline) idle("npu.peak_flops", "npu.roofline is false");
  }

  void check_memory() {
    const MemorySpec& memory = config_.memory;
    const MemorySpec usual;
    if (!memory.messages && memory.timing.empty())
      idle("memory.messages", "without memory.timing messages never wait for memory");
    if (memory.timing.empty()) {
      const char* const reason = "memory.timing is not given, so that no DRAM is simulated";
      if (memory.scheduler != usual.scheduler) idle("memory.scheduler", reason);
      if (memory.mapping != usual.mapping) idle("memory.mapping", reason);
      if (memory.queue_depth != usual.queue_depth) idle("memory.queue_depth", reason);
      if (memory.age_limit != usual.age_limit) idle("memory.age_limit", reason);
    } else if (memory.scheduler != usual.scheduler && memory.age_limit != usual.age_limit) {
      idle("memory.age_limit", fmt::format("memory.scheduler {} never lets a burst overtake", memory.scheduler));
    }
    if (memory.tensors == TensorMemory::kIo) return;
    const std::string reason =
        fmt::format("it is for memory.tensors io, but memory.tensors is {}", name_of(memory.tensors));
    if (memory.piece != usual.piece) idle("memory.piece", reason);
    if (memory.pieces != usual.pieces) idle("memory.pieces", reason);
    if (memory.latency_cycles != usual.latency_cycles) idle("memory.latency", reason);
  }

  void check_chunks(const char* section, const CollectiveSpec& spec) {
    if (spec.chunk_bytes > 0 && spec.chunks == 1)
      idle(fmt::format("workload.{}.chunk_bytes", section), fmt::format("workload.{}.chunks is 1", section));
  }

  void check_collective(const CollectiveWorkload& workload) {
    const CollectiveSpec& spec = workload.collective;
    check_chunks("collective", spec);
    const CollectiveKind kind = spec.kind;
    const bool reduces =
        kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduce || kind == CollectiveKind::kReduceScatter;
    const std::string none = fmt::format("workload.collective.kind {} ", name_of(kind));
    if (spec.op != CollectiveSpec().op && !reduces) idle("workload.collective.op", none + "reduces nothing");
    // An all-reduce and a barrier may have a root within their algorithm.
    const bool has_root = kind != CollectiveKind::kAllGather && kind != CollectiveKind::kReduceScatter &&
                          kind != CollectiveKind::kAllToAll;
    const RankId first = spec.group.empty() ? RankId{0} : spec.group.front();
    if (workload.parallelism.empty() && spec.root != first && !has_root)
      idle("workload.collective.root", none + "has no root");
  }

  void check_streams(const IoWorkload& io) {
    if (io.window_latency != IoWorkload().window_latency && io.window == 0)
      idle("workload.io.window_latency", "workload.io.window 0 lets controllers send without a bound");
  }

  void check_waves() {
    const WavesSpec& waves = config_.waves;
    const WavesSpec usual;
    if (!waves.file.empty()) return;
    if (!waves.scope.empty() || waves.to_ns >= 0 || waves.from_ns > 0 || waves.last_cycles > 0 ||
        !waves.trigger.empty() || waves.layout != usual.layout || waves.on_full != usual.on_full)
      found_.emplace_back("waves has a scope, window, trigger or layout but no file: nothing is recorded");
  }

  const Config& config_;
  const FabricSpec& fabric_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> keys_without_effect(const Config& config) { return Effects(config).find(); }

std::string one_thread_because(const Config& config) { return rules_of(config.fabric).one_thread(config); }

}  // namespace weft
