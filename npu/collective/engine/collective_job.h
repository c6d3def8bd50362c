// SPDX-License-Identifier: Apache-2.0
// A collective at one NPU: what was asked for, its program, and its data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "npu/collective/engine/program_cache.h"
#include "npu/collective/form/program.h"
#include "npu/collective/form/tag.h"

namespace weft::npu {

class ChunkRun;

/// A collective as one NPU issues it.
struct CollectiveRequest {
  std::uint64_t handle = 0;  ///< the caller's name for it
  std::string name;          ///< for people: "all_reduce_0"
  std::shared_ptr<const CommGroup> group;
  std::uint32_t my_index = 0;   ///< position of this NPU in the group
  std::uint32_t signature = 0;  ///< below kMaxSignatures, the same on all ranks
  std::uint32_t instance = 0;   ///< how many with this group and signature were started before
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::uint64_t bytes = 0;  ///< as Chakra's comm_size
  std::uint32_t root = 0;   ///< position in the group
  ReduceOp op = ReduceOp::kSum;
  DataType dtype = DataType::kFp32;
  std::uint32_t chunks = 1;         ///< run one behind the other, 1..64
  std::uint32_t active_chunks = 0;  ///< chunks in flight at once; 0 = all
  std::uint8_t priority = 0;
  DataMode data = DataMode::kTiming;
  std::shared_ptr<const Payload> input;  ///< values mode: this rank's input; null where the kind gives it none
};

/// A collective under way at one NPU.
struct CollectiveJob {
  CollectiveJob(const CollectiveRequest& request, std::shared_ptr<const CollectivePlan> plan);
  ~CollectiveJob();
  CollectiveJob(const CollectiveJob&) = delete;
  CollectiveJob& operator=(const CollectiveJob&) = delete;

  CollectiveRequest request;
  std::shared_ptr<const CollectivePlan> plan;
  std::shared_ptr<const Program> program;  ///< the plan's
  std::uint64_t unit;                      ///< bytes of an element
  Geometry geometry;                       ///< in elements
  std::vector<Payload> memory;             ///< values mode: the rank's buffers
  Cycle start_cycle = 0;
  std::uint32_t next_chunk = 0;
  std::vector<std::unique_ptr<ChunkRun>> runs;  ///< chunks in flight, oldest first

  bool values() const { return request.data == DataMode::kValues; }
  std::uint32_t rank() const { return request.my_index; }
  /// What the tags of all its messages have in common: collective_of_tag.
  std::uint64_t tags() const {
    return collective_of_tag(pack_tag({request.group->number, request.signature, request.instance, 0, 0}));
  }
  /// Output of this rank, once all is done.
  std::shared_ptr<const Payload> result() const;
};

}  // namespace weft::npu
