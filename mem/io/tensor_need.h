// SPDX-License-Identifier: Apache-2.0
// What tensors need of a pool, and which grants mean them, before anything runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mem/io/io_shares.h"
#include "mem/io/pool_layout.h"
#include "mem/pool/pool_file.h"

namespace weft::mem {

/// Collects the tensors of all ranks and process groups as TensorAllocator places them in a run.
class TensorNeed {
 public:
  /// `groups`: their names. Throws InputError where the pool has no page for each rank and group.
  TensorNeed(PoolFile pool, std::size_t ranks, std::vector<std::string> groups, const IoShares& shares);

  /// A load or store of `bytes`.
  void add(PoolOwner owner, const std::string& name, std::uint64_t bytes);

  /// Throws InputError where a rank or group has no room for its tensors: who, and how large the pool has to be.
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

  PoolTensor tensor_of(const std::pair<bool, std::uint32_t>& owner, const std::string& name) const;

  PoolFile pool_;
  std::vector<std::string> groups_;
  IoShares shares_;
  PoolLayout layout_;
  std::map<std::pair<bool, std::uint32_t>, std::map<Tensor, std::uint64_t>> arenas_;  ///< by owner: whole pages
};

}  // namespace weft::mem
