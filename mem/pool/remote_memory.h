// SPDX-License-Identifier: Apache-2.0
// ASTRA-sim's description of remote memory, and its formula for the time of an access.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::mem {

/// Who shares a remote memory.
enum class RemoteMemoryKind : std::uint8_t {
  kNone,     ///< NO_MEMORY_EXPANSION: there is none
  kPerNpu,   ///< PER_NPU_MEMORY_EXPANSION: nobody; accesses of one NPU do not wait for each other either
  kPerNode,  ///< PER_NODE_MEMORY_EXPANSION: the NPUs of a node, one access at a time
  kPool,     ///< MEMORY_POOL: all NPUs, one access at a time
};

/// What a remote-memory file says.
struct RemoteMemory {
  RemoteMemoryKind kind = RemoteMemoryKind::kNone;
  std::uint64_t latency_ns = 0;
  std::uint64_t gigabytes_per_second = 0;  ///< 10^9 bytes
  std::uint64_t nodes = 0;                 ///< kPerNode only
  std::uint64_t npus_per_node = 0;         ///< kPerNode only
};

/// Reads a remote-memory file of ASTRA-sim (JSON). InputError names file, line, column, what is legal and the nearest
/// known name; all that is wrong is reported at once. Keys of local memory, which older files have, are allowed.
RemoteMemory read_remote_memory(const std::string& path);
/// The same from a text; `source` names it in messages.
RemoteMemory parse_remote_memory(const std::string& text, const std::string& source);

/// The formula: an access takes latency + bytes / bandwidth; where a memory is shared it serves one access at a time,
/// in the order of the calls. Times are whole nanoseconds; the transfer is rounded down after a division in double
/// precision, as ASTRA-sim does, so that both give the same figure.
class RemoteMemoryFormula {
 public:
  /// InputError when the NPUs do not fit the nodes.
  RemoteMemoryFormula(const RemoteMemory& memory, std::uint64_t npus);

  /// Time of one access alone, ns.
  std::uint64_t duration_ns(std::uint64_t bytes) const;
  /// When the access that `npu` issues at `now_ns` ends. Calls come in the order of time. InputError when there is no
  /// remote memory.
  std::uint64_t access(std::uint64_t npu, std::uint64_t bytes, std::uint64_t now_ns);

 private:
  RemoteMemory memory_;
  std::uint64_t npus_;
  std::vector<std::uint64_t> free_at_ns_;  ///< per shared memory
};

}  // namespace weft::mem
