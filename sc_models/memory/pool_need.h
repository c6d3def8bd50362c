// SPDX-License-Identifier: Apache-2.0
// What the tensors of a trace need of a pool, and which grants mean them, before anything runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "mem/pool/pool_file.h"
#include "npu/player/group_table.h"
#include "npu/trace/trace_node.h"
#include "sc_models/memory/io_plan.h"
#include "sc_models/memory/pool_layout.h"

namespace weft::sc_models {

/// Collects the loads and stores of all ranks as TensorAllocator places them in a run.
class PoolNeed {
 public:
  /// `config` has a pool and a trace; it outlives this. Throws InputError as pool_of does, and where the pool has no
  /// page for each rank and group.
  explicit PoolNeed(const Config& config);

  /// A node of a trace, with the group of a load or store.
  void add(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group);

  /// Throws InputError where a rank or group has no place for its tensors: who, and how large the pool has to be.
  void check() const;
  /// Grants that decide nothing: no tensor has such a name, or others that stand before mean all that they mean.
  std::vector<std::string> warnings() const;

 private:
  struct Tensor {
    std::string name;
    std::uint64_t bytes = 0;
    friend bool operator<(const Tensor& a, const Tensor& b) {
      return std::tie(a.name, a.bytes) < std::tie(b.name, b.bytes);
    }
  };

  void place(PoolOwner owner, const std::string& name, std::uint64_t bytes);
  mem::PoolTensor tensor_of(const std::pair<bool, std::uint32_t>& owner, const std::string& name) const;

  const Config& config_;
  mem::PoolFile pool_;
  std::vector<npu::SharedGroup> groups_;
  IoPlan plan_;
  PoolLayout layout_;
  std::map<std::pair<bool, std::uint32_t>, std::map<Tensor, std::uint64_t>> arenas_;  ///< by owner: whole pages
};

}  // namespace weft::sc_models
