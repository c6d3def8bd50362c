// SPDX-License-Identifier: Apache-2.0
#include "mem/host_port.h"

#include <algorithm>

namespace weft::mem {

PortOptions host_port_options(const Config& config) {
  PortOptions options;
  options.dmi = config.memory.dmi;
  options.debug_all = config.memory.debug_all;
  return options;
}

std::unique_ptr<ValidationUnit> host_access_check(const Config& config, const PoolFile& pool) {
  if (!pool.access) return nullptr;
  ValidationSpec spec = *pool.access;
  spec.dmi = config.memory.dmi;
  spec.debug_all = config.memory.debug_all;
  const std::uint64_t unit = std::max(pool.page_bytes, spec.oblivious.is_on() ? spec.oblivious.block_bytes : 1);
  GrantTable grants(pool.page_bytes, {{"pool", {0, pool.size / unit * unit}}});
  return std::make_unique<ValidationUnit>(spec, std::move(grants));
}

}  // namespace weft::mem
