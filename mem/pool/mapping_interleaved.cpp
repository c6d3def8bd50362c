// SPDX-License-Identifier: Apache-2.0
// Neighbouring chunks lie in different groups, so that a stream uses all modules.
#include "mem/pool/pool_spec.h"

namespace weft::mem {
namespace {

class Interleaved final : public PoolMapping {
 public:
  Interleaved()
      : PoolMapping({"interleaved", "chunks go round the groups, then their modules, then the pool switches"}) {}
  PoolLocation location(const PoolSpec& spec, std::uint32_t /*controller*/, std::uint64_t address) const override {
    const std::uint64_t chunk = address / spec.interleave_bytes;
    PoolLocation location;
    location.group = static_cast<std::uint32_t>(chunk % spec.groups);
    location.module = static_cast<std::uint32_t>(chunk / spec.groups % spec.modules);
    location.lane = static_cast<std::uint32_t>(chunk / spec.all_modules() % spec.switches);
    return location;
  }
  std::uint64_t run(const PoolSpec& spec, std::uint64_t address) const override {
    return spec.interleave_bytes - address % spec.interleave_bytes;
  }
};

}  // namespace

const PoolMapping& interleaved_mapping() {
  static const Interleaved kMapping;
  return kMapping;
}

}  // namespace weft::mem
