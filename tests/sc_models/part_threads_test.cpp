// SPDX-License-Identifier: Apache-2.0
// Parts of a fabric and the threads that step them: each part once in each cycle, by no more threads than are wanted.
#include "sc_models/part_threads.h"

#include <gtest/gtest.h>

#include <deque>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

namespace weft::sc_models {
namespace {

/// Interfaces at which nothing happens.
class IdleInterfaces final : public npu::LocalBlock {
 public:
  void connect(FabricSide* /*fabric*/, PacketPool* /*pool*/, FabricProbe* /*probe*/) override {}
  bool idle() const override { return true; }
  const npu::InjectionLinks& ports() const override { throw std::logic_error("no ports"); }
  LinkValues link_values(std::uint32_t /*node*/) const override { return {}; }
  void finish_stalls(Cycle /*end*/) override {}
  void keep(Checkpoint& /*checkpoint*/) override {}
  NodeValues node_values(std::uint32_t /*node*/) const override { return {}; }
  void step(Cycle /*now*/) override {}
  Cycle next_work(Cycle /*now*/) const override { return kNever; }
  void eject(std::uint32_t /*node*/, VcId /*vc*/, Flit /*flit*/, Cycle /*at*/) override {}
  void credit(std::uint32_t /*node*/, VcId /*vc*/, Cycle /*at*/) override {}
};

struct Steps {
  std::mutex mutex;
  std::set<std::thread::id> threads;
};

/// A part that counts its steps.
class CountingPart final : public FabricPart {
 public:
  CountingPart(Steps& all, npu::LocalBlock& local) : all_(all) { connect(local, nullptr, false); }
  std::uint64_t steps() const { return steps_; }

 private:
  void connect_fabric(npu::LocalBlock& /*local*/, PacketPool& /*pool*/, FabricProbe* /*probe*/) override {}
  void receive_flit(std::uint32_t /*port*/, const FlitTransfer& /*flit*/, Cycle /*now*/, Cycle /*at*/) override {}
  void receive_credit(std::uint32_t /*port*/, VcId /*vc*/, Cycle /*now*/, Cycle /*at*/) override {}
  void step_fabric(Cycle now) override {
    EXPECT_EQ(now, steps_);
    ++steps_;
    const std::lock_guard<std::mutex> lock(all_.mutex);
    all_.threads.insert(std::this_thread::get_id());
  }
  Cycle next_fabric_work(Cycle /*now*/) const override { return kNever; }
  void put_fabric_state(StateForm& /*form*/) override {}
  void keep_fabric(Checkpoint& /*checkpoint*/) override {}
  void send_flit(std::uint32_t /*port*/, const FlitTransfer& /*flit*/, Cycle /*at*/) override {}
  void send_credit(std::uint32_t /*port*/, VcId /*vc*/, Cycle /*at*/) override {}

  Steps& all_;
  std::uint64_t steps_ = 0;
};

/// Steps so many parts with `threads` for 5,000 cycles; returns how many threads have stepped some.
std::size_t threads_that_step(std::size_t number, int threads) {
  constexpr Cycle kCycles = 5000;
  Steps all;
  std::deque<IdleInterfaces> interfaces(number);
  std::deque<CountingPart> parts;
  std::vector<FabricPart*> pointers;
  for (std::size_t i = 0; i < number; ++i) pointers.push_back(&parts.emplace_back(all, interfaces[i]));
  PartThreads block(pointers, threads);
  for (Cycle now = 0; now < kCycles; ++now) block.step(now);
  for (const CountingPart& part : parts) EXPECT_EQ(part.steps(), kCycles);
  return all.threads.size();
}

TEST(PartThreads, one_thread_steps_all_parts) {
  EXPECT_EQ(threads_that_step(1, 0), 1U);
  EXPECT_EQ(threads_that_step(5, 1), 1U);
}

// Whoever calls steps what the others have not begun, so that some of them may have had nothing to do.
TEST(PartThreads, no_more_threads_step_parts_than_are_wanted) {
  EXPECT_LE(threads_that_step(5, 2), 2U);
  EXPECT_LE(threads_that_step(5, 3), 3U);
  EXPECT_LE(threads_that_step(3, 7), 3U);
  EXPECT_LE(threads_that_step(4, 0), 4U);
}

}  // namespace
}  // namespace weft::sc_models
