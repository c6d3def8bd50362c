// SPDX-License-Identifier: Apache-2.0
#include "config/names.h"

#include "config/policies.h"

namespace weft {

const NameTable<FabricForm>& fabric_form_names() {
  static const NameTable<FabricForm> names = {{"region", FabricForm::kRegion}, {"modules", FabricForm::kModules}};
  return names;
}

const NameTable<FastForwardMode>& fast_forward_names() {
  static const NameTable<FastForwardMode> names = {
      {"off", FastForwardMode::kOff}, {"exact", FastForwardMode::kExact}, {"steady", FastForwardMode::kSteady}};
  return names;
}
const NameTable<VcReuse>& vc_reuse_names() {
  static const NameTable<VcReuse> names = {{"tail_sent", VcReuse::kTailSent}, {"tail_credit", VcReuse::kTailCredit}};
  return names;
}
const NameTable<IssueOrder>& issue_order_names() {
  static const NameTable<IssueOrder> names = {{"fifo", IssueOrder::kFifo}, {"lifo", IssueOrder::kLifo}};
  return names;
}
const NameTable<InjectionVcs>& injection_vcs_names() {
  static const NameTable<InjectionVcs> names = {{"any", InjectionVcs::kAny},
                                                {"by_direction", InjectionVcs::kByDirection}};
  return names;
}
const NameTable<MessageOrder>& message_order_names() {
  static const NameTable<MessageOrder> names = {{"round_robin", MessageOrder::kRoundRobin},
                                                {"oldest_first", MessageOrder::kOldestFirst}};
  return names;
}
const NameTable<TrainingPhase>& training_phase_names() {
  static const NameTable<TrainingPhase> names = {
      {"mp", TrainingPhase::kMp}, {"pp", TrainingPhase::kPp}, {"dp", TrainingPhase::kDp}};
  return names;
}
const NameTable<CollectiveKind>& collective_kind_names() {
  static const NameTable<CollectiveKind> names = {
      {"all_reduce", CollectiveKind::kAllReduce}, {"reduce_scatter", CollectiveKind::kReduceScatter},
      {"all_gather", CollectiveKind::kAllGather}, {"all_to_all", CollectiveKind::kAllToAll},
      {"broadcast", CollectiveKind::kBroadcast},  {"reduce", CollectiveKind::kReduce},
      {"gather", CollectiveKind::kGather},        {"scatter", CollectiveKind::kScatter},
      {"barrier", CollectiveKind::kBarrier},
  };
  return names;
}
const NameTable<ReduceOp>& reduce_op_names() {
  static const NameTable<ReduceOp> names = {{"sum", ReduceOp::kSum}, {"min", ReduceOp::kMin}, {"max", ReduceOp::kMax}};
  return names;
}
const NameTable<DataType>& data_type_names() {
  static const NameTable<DataType> names = {
      {"fp32", DataType::kFp32}, {"int32", DataType::kInt32}, {"fp16", DataType::kFp16}, {"bf16", DataType::kBf16}};
  return names;
}
const NameTable<DataMode>& data_mode_names() {
  static const NameTable<DataMode> names = {{"timing", DataMode::kTiming}, {"values", DataMode::kValues}};
  return names;
}
const NameTable<FredControl>& fred_control_names() {
  static const NameTable<FredControl> names = {{"one_phase", FredControl::kOnePhase},
                                               {"several_phases", FredControl::kSeveralPhases},
                                               {"one_tree", FredControl::kOneTree}};
  return names;
}
const NameTable<WavesFull>& waves_full_names() {
  static const NameTable<WavesFull> names = {{"stop", WavesFull::kStop}, {"go_on", WavesFull::kGoOn}};
  return names;
}
const NameTable<TensorMemory>& tensor_memory_names() {
  static const NameTable<TensorMemory> names = {
      {"local", TensorMemory::kLocal}, {"io", TensorMemory::kIo}, {"remote", TensorMemory::kRemote}};
  return names;
}
const NameTable<LogLevel>& log_level_names() {
  static const NameTable<LogLevel> names = {{"off", LogLevel::kOff},
                                            {"ranks", LogLevel::kRanks},
                                            {"steps", LogLevel::kSteps},
                                            {"packets", LogLevel::kPackets}};
  return names;
}
const NameTable<IoRouting>& io_routing_names() {
  static const NameTable<IoRouting> names = {{"edge_first", IoRouting::kEdgeFirst}, {"xy", IoRouting::kXy}};
  return names;
}

std::string_view name_of(FabricForm value) { return lookup(fabric_form_names(), value); }
std::string_view name_of(FastForwardMode value) { return lookup(fast_forward_names(), value); }
std::string_view name_of(VcReuse value) { return lookup(vc_reuse_names(), value); }
std::string_view name_of(IssueOrder value) { return lookup(issue_order_names(), value); }
std::string_view name_of(InjectionVcs value) { return lookup(injection_vcs_names(), value); }
std::string_view name_of(MessageOrder value) { return lookup(message_order_names(), value); }
std::string_view name_of(TrainingPhase value) { return lookup(training_phase_names(), value); }
std::string_view name_of(CollectiveKind value) { return lookup(collective_kind_names(), value); }
std::string_view name_of(ReduceOp value) { return lookup(reduce_op_names(), value); }
std::string_view name_of(DataType value) { return lookup(data_type_names(), value); }
std::string_view name_of(DataMode value) { return lookup(data_mode_names(), value); }
std::string_view name_of(FredControl value) { return lookup(fred_control_names(), value); }
std::string_view name_of(IoRouting value) { return lookup(io_routing_names(), value); }
std::string_view name_of(WavesFull value) { return lookup(waves_full_names(), value); }
std::string_view name_of(TensorMemory value) { return lookup(tensor_memory_names(), value); }
std::string_view name_of(LogLevel value) { return lookup(log_level_names(), value); }

std::uint64_t element_bytes(DataType type) { return type == DataType::kFp32 || type == DataType::kInt32 ? 4 : 2; }

const std::vector<std::string_view>& allocator_names() {
  static const std::vector<std::string_view> names = names_of(policies().allocators);
  return names;
}
const std::vector<std::string_view>& memory_mapping_names() {
  static const std::vector<std::string_view> names = names_of(policies().memory_mappings);
  return names;
}
const std::vector<std::string_view>& arbiter_names() {
  static const std::vector<std::string_view> names = {"round_robin"};
  return names;
}
const std::vector<std::string_view>& algorithm_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all = names_of(policies().algorithms);
    all.emplace_back("file");
    all.emplace_back("auto");
    return all;
  }();
  return names;
}
const std::vector<std::string_view>& pattern_names() {
  static const std::vector<std::string_view> names = names_of(policies().patterns);
  return names;
}
const std::vector<std::string_view>& unicast_matching_names() {
  static const std::vector<std::string_view> names = names_of(policies().unicast_matchings);
  return names;
}
const std::vector<std::string_view>& conflict_answers() {
  static const std::vector<std::string_view> names = names_of(policies().conflict_answers);
  return names;
}

bool is_workload_kind(std::string_view key) {
  return key == "trace" || key == "collective" || key == "traffic" || key == "io";
}

}  // namespace weft
