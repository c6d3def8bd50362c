// SPDX-License-Identifier: Apache-2.0
// The pool behind I/O controllers, stepped by a clock: when controllers hear of what they have asked for, by hand.
#include "mem/io/io_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <systemc>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tests/mem/support/pool_text.h"

namespace weft::mem {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr NodeId kSummed{0xffffffff};
constexpr IoTag kLoad{false, false, 0, 0, 0, 0};
constexpr IoTag kOther{false, false, 1, 0, 0, 0};

/// A clock of 1 GHz, two controllers, and ranks 0 and 1 at nodes 0 and 1.
class Bench : public CycleObserver, public AccessProbe {
 public:
  explicit Bench(const std::string& more = "") : clock("clock", ClockSpec{}), pool(clock, file_with(more), kShares) {
    clock.set_observer(*this);
    pool.set_users({{NodeId{0}, NodeId{1}}, 4, kSummed, {}});
    for (std::size_t number = 0; number < 2; ++number) {
      clients.emplace_back(kShares.packet_bytes);
      heard.emplace_back();
    }
    for (std::size_t number = 0; number < 2; ++number) {
      pool.add("io[" + std::to_string(number) + "]", clients[number],
               [this, number](Cycle at) { heard[number].push_back(at); });
    }
    pool.set_probe(this);
    first = &pool.add_allocator();
    second = &pool.add_allocator();
  }
  Cycle end_of_cycle(Cycle now, Cycle /*next*/) override {
    pool.end_of_cycle();
    return now < 2000 ? now + 1 : kNever;
  }
  void access_ended(NodeId /*owner*/, MemoryAccess access) override { accesses.push_back(std::move(access)); }

  static constexpr IoShares kShares{2, 4096, 4096};
  ClockDomain clock;
  IoPool pool;
  std::vector<PoolClient> clients;
  std::vector<std::vector<Cycle>> heard;  ///< by controller
  std::vector<MemoryAccess> accesses;
  TensorAllocator* first = nullptr;
  TensorAllocator* second = nullptr;

 private:
  static PoolFile file_with(const std::string& more) {
    PoolText text;
    text.size = "16 MiB";
    text.more = more;
    PoolFile file = parse_pool(text.text(), "pool.yaml", Rational{1'000'000'000, 1});
    file.spec.controllers = 2;
    return file;
  }
};

void run(Bench& bench) {
  sc_core::sc_start();
  bench.clock.rethrow_failure();
}

// Asked for in cycle 0, in the pool in cycle 1; 2 x (10 + 20 + 30) cycles on links, 100 in the module, and one for 64
// bytes; told in the next cycle.
TEST(IoPool, a_packet_is_a_cycle_away_in_both_directions) {
  set_time_resolution();
  Bench bench;
  bench.first->open(kLoad, {false, 0}, "w", 64, 64);
  bench.clients[1].load(kLoad, NodeId{0}, 64);
  run(bench);
  EXPECT_THAT(bench.heard[0], SizeIs(0));
  EXPECT_THAT(bench.heard[1], ElementsAre(1 + 120 + 100 + 1 + 1));
  EXPECT_THAT(bench.clients[1].take_answers(), SizeIs(1));
  ASSERT_THAT(bench.accesses, SizeIs(1));
  EXPECT_EQ(bench.accesses[0].component, "io[1]");
  EXPECT_EQ(bench.accesses[0].asked, 1U);
  EXPECT_EQ(bench.accesses[0].done, 222U);
  EXPECT_EQ(bench.accesses[0].address, 8U << 20);  // the second slice begins there
}

// Rank 1's arena begins 1024 pages into a slice of 2048.
TEST(IoPool, tensors_of_ranks_lie_in_their_arenas) {
  set_time_resolution();
  Bench bench;
  bench.first->open(kLoad, {false, 0}, "w", 64, 64);
  bench.second->open(kOther, {false, 1}, "w", 64, 64);
  bench.clients[0].load(kLoad, NodeId{0}, 64);
  bench.clients[0].load(kOther, NodeId{1}, 64);
  run(bench);
  ASSERT_THAT(bench.accesses, SizeIs(2));
  EXPECT_EQ(bench.accesses[0].address, 0U);
  EXPECT_EQ(bench.accesses[1].address, 4U << 20);
  EXPECT_EQ(bench.pool.refused(), 0U);
}

TEST(IoPool, refusals_are_answers_and_logged_with_their_names) {
  set_time_resolution();
  Bench bench("access: {}\n");
  bench.first->open(kLoad, {false, 0}, "w", 64, 64);
  bench.clients[0].load(kLoad, NodeId{1}, 64);  // rank 1 reads what is rank 0's
  run(bench);
  const std::vector<PoolAnswer> answers = bench.clients[0].take_answers();
  ASSERT_THAT(answers, SizeIs(1));
  EXPECT_EQ(answers[0].refused, Reason::kNotGranted);
  EXPECT_EQ(bench.pool.refused(), 1U);
  const std::vector<RefusedRecord> log = bench.pool.refused_log();
  ASSERT_THAT(log, SizeIs(1));
  EXPECT_EQ(log[0].controller, "io[0]");
  EXPECT_EQ(log[0].initiator, "rank 1");
  EXPECT_EQ(log[0].tensor, "w");
  EXPECT_EQ(log[0].owner, "rank 0");
}

TEST(IoPool, a_tensor_that_nobody_has_begun_bad) {
  Bench bench;
  bench.clients[0].load(kLoad, NodeId{0}, 64);
  EXPECT_THROW(bench.pool.end_of_cycle(), ViolationError);
}

}  // namespace
}  // namespace weft::mem
