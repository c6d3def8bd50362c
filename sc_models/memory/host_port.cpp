// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/host_port.h"

#include <algorithm>

namespace weft::sc_models {

mem::PortOptions host_port_options(const Config& config) {
  mem::PortOptions options;
  options.dmi = config.memory.dmi;
  options.debug_all = config.memory.debug_all;
  return options;
}

std::unique_ptr<mem::ValidationUnit> host_gate(const Config& config, const mem::PoolFile& pool) {
  if (!pool.access) return nullptr;
  mem::ValidationSpec spec = *pool.access;
  spec.dmi = config.memory.dmi;
  spec.debug_all = config.memory.debug_all;
  const std::uint64_t unit = std::max(pool.page_bytes, spec.oblivious.is_on() ? spec.oblivious.block_bytes : 1);
  mem::GrantTable grants(pool.page_bytes, {{"pool", {0, pool.size / unit * unit}}});
  return std::make_unique<mem::ValidationUnit>(spec, std::move(grants));
}

}  // namespace weft::sc_models
