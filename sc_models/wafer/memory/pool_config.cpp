// SPDX-License-Identifier: Apache-2.0
#include "wafer/memory/pool_config.h"

#include <fmt/format.h>

#include "kernel/error.h"

namespace weft::wafer {
namespace {

/// The first rank of `ranks` that is not there, or none.
std::optional<std::uint32_t> beyond(const mem::RankSet& ranks, std::size_t count) {
  for (const mem::RankRange& range : ranks) {
    if (range.last != mem::kLastRank && range.last >= count) return range.last;
  }
  return std::nullopt;
}

void check_ranks(const mem::PoolFile& pool, std::size_t count, ConfigErrors& errors) {
  for (const mem::PoolGrant& grant : pool.grants) {
    const auto check = [&](const char* key, const mem::RankSet& ranks) {
      if (const auto rank = beyond(ranks, count))
        errors.add(grant.origin, fmt::format("{}: rank {} of {}; legal: 0 to {}", key, *rank, count, count - 1));
    };
    check("owner", {{grant.owner, grant.owner}});
    check("of", grant.of.value_or(mem::RankSet()));
    check("readers", grant.readers);
    check("writers", grant.writers);
  }
}

}  // namespace

mem::PoolFile pool_of(const Config& config) {
  const FabricSpec& fabric = config.fabric;
  const Rational hertz = config.npu.clock ? config.npu.clock->hertz : config.clock.hertz;
  mem::PoolFile pool = mem::read_pool_file(config.memory.pool, hertz);
  const auto controllers = static_cast<std::uint32_t>(fabric.kind == FabricKind::kFred ? fabric.fred.io_controllers
                                                                                       : fabric.border_io.controllers);
  if (pool.has_controllers && pool.spec.controllers != controllers) {
    throw InputError(
        fmt::format("{}: controllers.count: {}, but the wafer has {} I/O controllers (io.controllers); "
                    "legal: {}, or nothing",
                    pool.source, pool.spec.controllers, controllers, controllers));
  }
  pool.spec.controllers = controllers;
  ConfigErrors errors;
  check_ranks(pool, config.npu.placement.size(), errors);
  errors.throw_if_any();
  return pool;
}

}  // namespace weft::wafer
