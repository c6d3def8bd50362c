// SPDX-License-Identifier: Apache-2.0
// A pool, what is asked of it, and when it was done.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/error.h"
#include "mem/pool/pool_fabric.h"

namespace weft::mem::test {

struct PoolRun {
  explicit PoolRun(const PoolSpec& spec) : fabric(spec) {
    fabric.on_done([this](std::uint64_t id, Cycle now) {
      EXPECT_TRUE(done.emplace(id, now).second) << "access " << id << " was done twice";
    });
  }
  void ask(std::uint32_t controller, Command command, std::uint64_t address, std::uint64_t bytes, Cycle at = 0) {
    fabric.submit(controller, {asked++, command, address, bytes}, at);
  }
  /// Runs to the end; `sleeping`: only edges with work are executed.
  void run(bool sleeping = true) {
    Cycle now = 0;
    fabric.step(now);
    while (fabric.open() > 0 || !fabric.at_rest()) {
      const Cycle next = fabric.next_work(now);
      now = sleeping ? next : now + 1;
      fabric.step(now);
      ++edges;
      WEFT_CHECK(now < 100'000'000, "the pool does not come to rest");
    }
    EXPECT_EQ(done.size(), asked);
  }
  Cycle last() const {
    Cycle last = 0;
    for (const auto& [id, at] : done) last = std::max(last, at);
    return last;
  }

  PoolFabric fabric;
  std::uint64_t asked = 0;
  std::uint64_t edges = 0;
  std::map<std::uint64_t, Cycle> done;
};

/// Links of 1, 2 and 3 cycles with a flit of 64 bytes per cycle, one controller, one module with 64 bytes per cycle
/// after 50 cycles, and packets of 4 KiB. A way takes six cycles.
inline PoolSpec small_pool() {
  PoolSpec spec;
  spec.packet_bytes = spec.interleave_bytes = 4096;
  spec.controller_link.latency = 1;
  spec.group_link.latency = 2;
  spec.module_link.latency = 3;
  spec.module.latency = 50;
  return spec;
}

}  // namespace weft::mem::test
