// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/chakra_names.h"

#include <array>

namespace weft::npu {

namespace {

struct TypeRow {
  TraceNodeType type;
  int number;
  std::string_view name;
};
constexpr std::array<TypeRow, 7> kTypes{{
    {TraceNodeType::kMetadata, 1, "METADATA"},
    {TraceNodeType::kMemLoad, 2, "MEM_LOAD"},
    {TraceNodeType::kMemStore, 3, "MEM_STORE"},
    {TraceNodeType::kCompute, 4, "COMP"},
    {TraceNodeType::kSend, 5, "COMM_SEND"},
    {TraceNodeType::kRecv, 6, "COMM_RECV"},
    {TraceNodeType::kCollective, 7, "COMM_COLL"},
}};

struct KindRow {
  CollectiveKind kind;
  int number;
  std::string_view name;
};
constexpr std::array<KindRow, 9> kKinds{{
    {CollectiveKind::kAllReduce, 0, "ALL_REDUCE"},
    {CollectiveKind::kReduce, 1, "REDUCE"},
    {CollectiveKind::kAllGather, 2, "ALL_GATHER"},
    {CollectiveKind::kGather, 3, "GATHER"},
    {CollectiveKind::kScatter, 4, "SCATTER"},
    {CollectiveKind::kBroadcast, 5, "BROADCAST"},
    {CollectiveKind::kAllToAll, 6, "ALL_TO_ALL"},
    {CollectiveKind::kReduceScatter, 7, "REDUCE_SCATTER"},
    {CollectiveKind::kBarrier, 9, "BARRIER"},
}};
constexpr std::int64_t kReduceScatterBlock = 8;

const TypeRow& row(TraceNodeType type) {
  for (const TypeRow& entry : kTypes) {
    if (entry.type == type) return entry;
  }
  return kTypes[0];
}
const KindRow& row(CollectiveKind kind) {
  for (const KindRow& entry : kKinds) {
    if (entry.kind == kind) return entry;
  }
  return kKinds[0];
}

}  // namespace

std::string_view chakra_name(TraceNodeType type) { return row(type).name; }
std::string_view chakra_name(CollectiveKind kind) { return row(kind).name; }
int chakra_number(TraceNodeType type) { return row(type).number; }
int chakra_number(CollectiveKind kind) { return row(kind).number; }

std::optional<TraceNodeType> node_type_from_chakra(std::int64_t number) {
  for (const TypeRow& entry : kTypes) {
    if (entry.number == number) return entry.type;
  }
  return std::nullopt;
}

std::optional<CollectiveKind> collective_from_chakra(std::int64_t number) {
  if (number == kReduceScatterBlock) return CollectiveKind::kReduceScatter;
  for (const KindRow& entry : kKinds) {
    if (entry.number == number) return entry.kind;
  }
  return std::nullopt;
}

}  // namespace weft::npu
