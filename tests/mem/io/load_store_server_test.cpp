// SPDX-License-Identifier: Apache-2.0
// What an I/O controller does with loads and stores, at a controller that a test plays.
#include "mem/io/load_store_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace weft::mem {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Timer = LoadStoreServer::Timer;

/// Remembers what the server wants: "ready 100", "bring", "send 250 of 250", ...
class Outlet final : public LoadStoreServer::Outlet {
 public:
  Cycle now() const override { return time; }
  void schedule(Cycle delay, Timer timer) override {
    constexpr const char* kNames[] = {"ready", "taken", "answered"};
    done.push_back(fmt::format("{} {}", kNames[static_cast<int>(timer)], time + delay));
  }
  void bring() override { done.push_back("bring"); }
  std::uint64_t send(const LoadStoreServer::Part& share, std::uint64_t ready) override {
    done.push_back(fmt::format("send {} of {}", ready, share.bytes));
    return 42;
  }
  void release(std::uint64_t number, std::uint64_t bytes) override {
    done.push_back(fmt::format("release {} of {}", bytes, number));
  }
  void confirm(IoTag tag, NodeId sender) override {
    done.push_back(fmt::format("confirm {} to {}", tag.piece, index(sender)));
  }
  void refuse(IoTag tag, NodeId peer, const IoRefusal& refusal) override {
    EXPECT_EQ(tag.controller, kRefusalReport);
    done.push_back(fmt::format("refuse {} to {} by {}", refusal.address, index(peer), refusal.controller));
  }
  std::vector<std::string> take() { return std::exchange(done, {}); }

  Cycle time = 0;
  std::vector<std::string> done;
};

constexpr IoTag kServerLoad{false, false, 3, 0, 1, 0};
constexpr IoTag kStore{true, false, 3, 0, 1, 0};
constexpr NodeId kNpu{3};

/// Packets of 100 bytes, 10 bytes a flit, 50 cycles to the memory.
LoadStoreServerSpec spec_of(bool line, bool pool) {
  LoadStoreServerSpec spec;
  spec.number = 5;
  spec.packet_bytes = 100;
  spec.flit_bytes = 10;
  spec.latency = 50;
  spec.has_line = line;
  spec.has_pool = pool;
  spec.line_rate = {1, 2};
  return spec;
}

/// The pool answers the packets `numbers` of what it was asked for, and the server hears it.
void answer(LoadStoreServer& server, const std::vector<PoolAsk>& asks, const std::vector<std::size_t>& numbers,
            Reason reason = Reason::kNone) {
  for (const std::size_t number : numbers)
    server.pool_client().put_answer({asks[number].id, reason, 1000 + number, asks[number].bytes});
  server.on_timer(Timer::kAnswered);
}

TEST(LoadStoreServer, a_load_begins_after_the_latency_of_the_memory) {
  Outlet outlet;
  LoadStoreServer server(spec_of(false, false), outlet);
  outlet.time = 10;
  server.asked(kServerLoad, kNpu, 250);
  EXPECT_THAT(outlet.take(), ElementsAre("ready 60"));
  server.on_timer(Timer::kReady);
  EXPECT_THAT(outlet.take(), ElementsAre("send 250 of 250"));
  EXPECT_EQ(server.figures().loads, 1U);
  EXPECT_EQ(server.figures().bytes_in, 250U);
}

TEST(LoadStoreServer, a_line_brings_loads_packet_by_packet_in_their_order) {
  Outlet outlet;
  LoadStoreServer server(spec_of(true, false), outlet);
  server.asked(kServerLoad, kNpu, 130);
  server.asked(kServerLoad, NodeId{4}, 20);
  outlet.take();
  EXPECT_EQ(server.next_packet(), 0U);
  server.on_timer(Timer::kReady);
  server.on_timer(Timer::kReady);
  EXPECT_THAT(outlet.take(), ElementsAre("bring", "bring"));
  std::vector<std::pair<std::uint32_t, std::uint64_t>> parts;
  while (server.next_packet() > 0) {
    const std::uint64_t bytes = server.next_packet();
    const LoadStoreServer::Part part = server.take_packet();
    EXPECT_EQ(part.bytes, bytes);
    parts.emplace_back(index(part.asker), part.bytes);
  }
  EXPECT_THAT(parts, ElementsAre(std::pair(3U, 100U), std::pair(3U, 30U), std::pair(4U, 20U)));
}

// 10 flits at one in two cycles: 20 cycles for a packet. Without a pool only the end of a share counts.
TEST(LoadStoreServer, a_store_is_confirmed_when_the_line_has_taken_it) {
  Outlet outlet;
  LoadStoreServer server(spec_of(true, false), outlet);
  server.stored(kStore, kNpu, 0, 100, false);
  EXPECT_THAT(outlet.take(), IsEmpty());
  server.stored(kStore, kNpu, 100, 100, true);
  EXPECT_THAT(outlet.take(), ElementsAre("taken 40"));
  server.on_timer(Timer::kTaken);
  EXPECT_THAT(outlet.take(), ElementsAre("confirm 1 to 3"));
  EXPECT_EQ(server.figures().stores, 1U);
  EXPECT_EQ(server.figures().bytes_out, 200U);
  LoadStoreServer direct(spec_of(false, false), outlet);
  direct.stored(kStore, kNpu, 0, 100, true);
  EXPECT_THAT(outlet.take(), ElementsAre("taken 0"));
}

TEST(LoadStoreServer, a_share_leaves_as_the_pool_serves_it) {
  Outlet outlet;
  LoadStoreServer server(spec_of(false, true), outlet);
  server.asked(kServerLoad, kNpu, 250);
  const std::vector<PoolAsk> asks = server.pool_client().take_asks();
  ASSERT_EQ(asks.size(), 3U);
  answer(server, asks, {1});
  EXPECT_THAT(outlet.take(), IsEmpty());  // the first one is missing
  answer(server, asks, {0});
  EXPECT_THAT(outlet.take(), ElementsAre("send 200 of 250"));
  answer(server, asks, {2});
  EXPECT_THAT(outlet.take(), ElementsAre("release 50 of 42"));
}

TEST(LoadStoreServer, a_line_waits_for_the_pool) {
  Outlet outlet;
  LoadStoreServer server(spec_of(true, true), outlet);
  server.asked(kServerLoad, kNpu, 150);
  const std::vector<PoolAsk> asks = server.pool_client().take_asks();
  answer(server, asks, {0});
  EXPECT_THAT(outlet.take(), ElementsAre("bring"));
  EXPECT_EQ(server.next_packet(), 100U);
  server.take_packet();
  EXPECT_EQ(server.next_packet(), 0U);
  answer(server, asks, {1});
  EXPECT_THAT(outlet.take(), ElementsAre("bring"));
  EXPECT_EQ(server.next_packet(), 50U);
}

TEST(LoadStoreServer, a_store_ends_when_the_pool_has_all_of_it_and_refusals_are_told_once) {
  Outlet outlet;
  LoadStoreServer server(spec_of(false, true), outlet);
  server.stored(kStore, kNpu, 0, 100, false);
  server.stored(kStore, kNpu, 100, 50, true);
  EXPECT_THAT(outlet.take(), ElementsAre("taken 0", "taken 0"));
  server.on_timer(Timer::kTaken);
  server.on_timer(Timer::kTaken);
  const std::vector<PoolAsk> asks = server.pool_client().take_asks();
  ASSERT_EQ(asks.size(), 2U);
  answer(server, asks, {1}, Reason::kNotGranted);
  EXPECT_THAT(outlet.take(), ElementsAre("refuse 1001 to 3 by 5"));
  answer(server, asks, {0}, Reason::kNotGranted);
  EXPECT_THAT(outlet.take(), ElementsAre("confirm 1 to 3"));
}

}  // namespace
}  // namespace weft::mem
