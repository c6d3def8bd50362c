// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "config/fabric_facts.h"

namespace weft::mem {
namespace {

/// The first rank of `ranks` that is not there, or none.
std::optional<std::uint32_t> beyond(const RankSet& ranks, std::size_t count) {
  for (const RankRange& range : ranks) {
    if (range.last != kLastRank && range.last >= count) return range.last;
  }
  return std::nullopt;
}

void check_ranks(const PoolFile& pool, std::size_t count, ConfigErrors& errors) {
  for (std::size_t i = 0; i < pool.grants.size(); ++i) {
    const PoolGrant& grant = pool.grants[i];
    const auto check = [&](const char* key, const RankSet& ranks) {
      if (const auto rank = beyond(ranks, count))
        errors.add(grant.keys.at(key),
                   fmt::format("grants[{}].{}: there is no rank {}, the wafer has places for {}; legal: "
                               "0 to {}",
                               i, key, *rank, count, count - 1));
    };
    check("owner", {{grant.owner, grant.owner}});
    check("of", grant.of.value_or(RankSet()));
    check("readers", grant.readers);
    check("writers", grant.writers);
  }
}

Rational npu_hertz(const Config& config) { return config.npu.clock ? config.npu.clock->hertz : config.clock.hertz; }

std::string gbps(double bytes_per_cycle, const Config& config) {
  return fmt::format("{:.4g} GB/s", bytes_per_cycle * npu_hertz(config).value() * 1e-9);
}

}  // namespace

PoolFile pool_of(const Config& config) {
  const FabricSpec& fabric = config.fabric;
  const Rational hertz = npu_hertz(config);
  PoolFile pool = read_pool_file(config.memory.pool, hertz);
  const auto controllers = static_cast<std::uint32_t>(fabric.io.controllers);
  if (pool.has_controllers && pool.spec.controllers != controllers) {
    throw InputError(
        fmt::format("{}: controllers.count: {}, but the wafer has {} I/O controllers (io.controllers); "
                    "legal: {}, or nothing",
                    pool.count_origin.text(), pool.spec.controllers, controllers, controllers));
  }
  pool.spec.controllers = controllers;
  ConfigErrors errors;
  check_ranks(pool, config.npu.placement.size(), errors);
  errors.throw_if_any();
  return pool;
}

std::vector<std::string> describe_pool(const Config& config) {
  const PoolFile pool = pool_of(config);
  const PoolSpec& spec = pool.spec;
  const auto flit = static_cast<double>(spec.flit_bytes);
  const double module = spec.module.flits_per_cycle.value() * flit;
  const double line = spec.controller_flits_per_cycle.value() * flit;
  Cycle check_cycles = 0;
  if (pool.access) {
    const ProtectionSpec& protection = pool.access->protection;
    check_cycles = pool.access->check_cycles + protection.encryption_cycles + protection.integrity_cycles;
  }
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("pool       switches {}, groups {}, modules {} in each group, {} cycles to the first byte{}",
                  spec.switches, spec.groups, spec.modules, spec.path_cycles() + spec.module.latency + check_cycles,
                  check_cycles == 0 ? "" : fmt::format(", {} of them for access control", check_cycles)));
  lines.push_back(fmt::format("           modules {} together, controllers {}",
                              gbps(module * spec.all_modules(), config), gbps(line * spec.controllers, config)));
  if (pool.access) {
    lines.push_back(fmt::format("           access control: pages of {} B, grants {}, a refusal {}", pool.page_bytes,
                                pool.grants.size(),
                                pool.on_refused == OnRefused::kStop ? "ends the run" : "is counted"));
  }
  const auto packet = static_cast<double>(std::min(spec.packet_bytes, spec.interleave_bytes));
  const double inside = packet * spec.module.queue / (static_cast<double>(spec.module.latency) + packet / module);
  if (spec.module.service == "pipelined" && inside < module) {
    lines.push_back(fmt::format("warning: a module's queue of {} accesses of {} B lets it serve {}, less than its {}",
                                spec.module.queue, packet, gbps(inside, config), gbps(module, config)));
  }
  return lines;
}

}  // namespace weft::mem
