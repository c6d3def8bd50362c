// SPDX-License-Identifier: Apache-2.0
// Outlets of loads and stores that do nothing but remember.
#pragma once

#include <cstdint>
#include <vector>

#include "mem/io/load_store_server.h"
#include "mem/io/load_store_unit.h"

namespace weft::mem::test {

/// Remembers which pieces were asked for.
class Asked final : public LoadStoreUnit::Outlet {
 public:
  Cycle now() const override { return 0; }
  void ask(IoTag tag, std::uint64_t /*bytes*/) override { pieces.push_back(tag.piece); }
  void store(IoTag, std::uint64_t, std::uint32_t) override {}
  void report_room(IoTag) override {}
  void done(std::uint64_t) override { ended = true; }

  std::vector<std::uint32_t> pieces;
  bool ended = false;
};

/// Does nothing with what a server tells it.
class Served final : public LoadStoreServer::Outlet {
 public:
  Cycle now() const override { return time; }
  void schedule(Cycle, LoadStoreServer::Timer) override {}
  void bring() override {}
  std::uint64_t send(const LoadStoreServer::Part&, std::uint64_t) override { return 0; }
  void release(std::uint64_t, std::uint64_t) override {}
  void confirm(IoTag, NodeId) override {}
  void refuse(IoTag, NodeId, const IoRefusal&) override {}

  Cycle time = 0;
};

}  // namespace weft::mem::test
