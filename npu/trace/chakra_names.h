// SPDX-License-Identifier: Apache-2.0
// Chakra's own words and numbers for node types and collectives.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "npu/trace/trace_node.h"

namespace weft::npu {

/// The largest numbers of attributes that Chakra gives 64 and 32 bits.
inline constexpr std::uint64_t kAnyCount = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t kAnyCount32 = std::numeric_limits<std::uint32_t>::max();

/// Chakra's name without the suffix `_NODE`: "COMP", "COMM_COLL", ...
std::string_view chakra_name(TraceNodeType type);
/// Chakra's name: "ALL_REDUCE", ...
std::string_view chakra_name(CollectiveKind kind);

/// Number of Chakra's NodeType.
int chakra_number(TraceNodeType type);
/// Number of Chakra's CollectiveCommType.
int chakra_number(CollectiveKind kind);

/// nullopt: Chakra has no such node type, or it is INVALID_NODE.
std::optional<TraceNodeType> node_type_from_chakra(std::int64_t number);
/// nullopt: Chakra has no such collective. REDUCE_SCATTER_BLOCK is REDUCE_SCATTER: sizes do not differ between ranks.
std::optional<CollectiveKind> collective_from_chakra(std::int64_t number);

}  // namespace weft::npu
