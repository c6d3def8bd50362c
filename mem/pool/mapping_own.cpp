// SPDX-License-Identifier: Apache-2.0
// Controllers have modules of their own, whatever the address: remote memory per NPU or per node.
#include "mem/pool/pool_spec.h"

namespace weft::mem {
namespace {

class Own final : public PoolMapping {
 public:
  Own() : PoolMapping({"own", "each controller, or as many neighbours as there are per module, has a module"}) {}
  PoolLocation location(const PoolSpec& spec, std::uint32_t controller, std::uint64_t /*address*/) const override {
    const auto module = static_cast<std::uint32_t>(std::uint64_t{controller} * spec.all_modules() / spec.controllers);
    return {controller % spec.switches, module / spec.modules, module % spec.modules};
  }
  std::uint64_t run(const PoolSpec& /*spec*/, std::uint64_t /*address*/) const override { return ~std::uint64_t{0}; }
};

}  // namespace

const PoolMapping& own_mapping() {
  static const Own kMapping;
  return kMapping;
}

}  // namespace weft::mem
