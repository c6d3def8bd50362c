// SPDX-License-Identifier: Apache-2.0
// A memory pool behind a port: requests of the port's sockets become accesses of the I/O controllers.
#pragma once

#include <cstdint>
#include <vector>

#include "mem/controller.h"
#include "mem/pool/pool_fabric.h"

namespace weft::mem {

/// Socket n uses I/O controller n modulo their number.
class PoolController final : public Controller {
 public:
  /// `bytes` can be addressed. InputError when the spec cannot be.
  PoolController(const PoolSpec& spec, std::uint64_t bytes);

  void take(Request& request, Cycle at) override;
  void advance(Cycle now) override;
  Cycle deadline() const override { return next_; }
  Cycle lookahead() const override { return fabric_.spec().path_cycles(); }
  std::uint64_t size() const override { return bytes_; }

  const PoolFabric& fabric() const { return fabric_; }

 private:
  PoolFabric fabric_;
  std::uint64_t bytes_;
  Cycle next_ = kNever;  ///< first edge with work
  std::vector<Request*> open_;
  std::vector<std::uint64_t> free_;
};

}  // namespace weft::mem
