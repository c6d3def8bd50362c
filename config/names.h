// SPDX-License-Identifier: Apache-2.0
// The words of configuration files: names of enumerators, and the names of policies with what each of them needs.
// A new policy gets a line here.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/name_table.h"
#include "config/config.h"

namespace weft {

const NameTable<FabricForm>& fabric_form_names();
const NameTable<FastForwardMode>& fast_forward_names();
const NameTable<VcReuse>& vc_reuse_names();
const NameTable<IssueOrder>& issue_order_names();
const NameTable<InjectionVcs>& injection_vcs_names();
const NameTable<MessageOrder>& message_order_names();
const NameTable<TrainingPhase>& training_phase_names();
const NameTable<CollectiveKind>& collective_kind_names();
const NameTable<ReduceOp>& reduce_op_names();
const NameTable<DataType>& data_type_names();
const NameTable<DataMode>& data_mode_names();
const NameTable<FredControl>& fred_control_names();
const NameTable<IoRouting>& io_routing_names();
const NameTable<TensorMemory>& tensor_memory_names();
const NameTable<LogLevel>& log_level_names();
const NameTable<WavesFull>& waves_full_names();

std::string_view name_of(FabricForm value);
std::string_view name_of(FastForwardMode value);
std::string_view name_of(VcReuse value);
std::string_view name_of(IssueOrder value);
std::string_view name_of(InjectionVcs value);
std::string_view name_of(MessageOrder value);
std::string_view name_of(TrainingPhase value);
std::string_view name_of(CollectiveKind value);
std::string_view name_of(ReduceOp value);
std::string_view name_of(DataType value);
std::string_view name_of(DataMode value);
std::string_view name_of(FredControl value);
std::string_view name_of(IoRouting value);
std::string_view name_of(TensorMemory value);
std::string_view name_of(LogLevel value);
std::string_view name_of(WavesFull value);

/// Bytes of one element.
std::uint64_t element_bytes(DataType type);

const std::vector<std::string_view>& allocator_names();
const std::vector<std::string_view>& memory_mapping_names();
const std::vector<std::string_view>& arbiter_names();
const std::vector<std::string_view>& algorithm_names();
const std::vector<std::string_view>& pattern_names();
/// Answers to flows that FRED switches cannot carry together.
const std::vector<std::string_view>& conflict_answers();
const std::vector<std::string_view>& unicast_matching_names();

/// True for the sections below `workload` of which a configuration has exactly one.
bool is_workload_kind(std::string_view key);

}  // namespace weft
