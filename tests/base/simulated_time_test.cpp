// SPDX-License-Identifier: Apache-2.0
// Time beyond the 18,446 s of SystemC's own: what is left out, what is not, and where a run stops.
#define SC_INCLUDE_DYNAMIC_PROCESSES  // sc_spawn
#include "base/simulated_time.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <utility>

#include "base/clock_domain.h"
#include "base/error.h"

namespace weft {
namespace {

using testing::ElementsAre;

constexpr Instant kSecond = 1'000'000'000'000'000;

/// SystemC makes times from a double, which goes wrong above 2^63 fs.
sc_core::sc_time milliseconds(std::uint64_t ms) { return sc_core::sc_time::from_value(ms * 1'000'000'000'000); }

/// What was done at which instant, as "name cycle", in the order in which it was done.
using Order = std::vector<std::string>;

/// Has work in the cycles of a list and writes it down.
class Listed final : public Block {
 public:
  Listed(std::string name, std::vector<Cycle> cycles, Order& order)
      : name_(std::move(name)), cycles_(std::move(cycles)), order_(order) {}
  void step(Cycle now) override {
    if (now > 0) order_.push_back(name_ + " " + std::to_string(now));
    last = SimulatedTime::instance().now();
  }
  Cycle next_work(Cycle now) const override {
    for (const Cycle cycle : cycles_) {
      if (cycle > now) return cycle;
    }
    return kNever;
  }
  Instant last = 0;

 private:
  std::string name_;
  std::vector<Cycle> cycles_;
  Order& order_;
};

/// A model of somebody else's, which knows SystemC's time only: called at the start and after each delay that it
/// answers with; none ends it. A method, because sanitizers do not know the stacks of SystemC's threads.
void spawn(const std::function<sc_core::sc_time()>& body) {
  sc_core::sc_spawn_options options;
  options.spawn_method();
  const auto call = [body] {
    const sc_core::sc_time delay = body();
    if (delay != sc_core::SC_ZERO_TIME) sc_core::next_trigger(delay);
  };
  sc_core::sc_spawn(call, nullptr, &options);
}

// 10^18 cycles of 1 ns are 10^9 s, 54,000 times what SystemC counts.
TEST(SimulatedTime, leaves_out_what_nobody_waits_in) {
  set_time_resolution();
  Order order;
  ClockDomain domain("clock", ClockSpec{});
  Listed block("a", {5, 20'000'000'000'000, 20'000'000'000'001, 1'000'000'000'000'000'000}, order);
  domain.add(block);
  SimulatedTime::instance().run_to_rest();
  domain.rethrow_failure();
  EXPECT_THAT(order, ElementsAre("a 5", "a 20000000000000", "a 20000000000001", "a 1000000000000000000"));
  EXPECT_TRUE(block.last == 1'000'000'000 * kSecond);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(6, sc_core::SC_NS));  // 5 and 1 ns between its edges
}

// Edges at 1, 2, 3 s of a clock of 1 Hz and at 1.5 s and 30,000.25 s of one of 4 GHz: in the order of the instants.
TEST(SimulatedTime, keeps_the_order_of_two_clocks) {
  set_time_resolution();
  Order order;
  ClockDomain slow("slow", ClockSpec{{1, 1}});
  ClockDomain fast("fast", ClockSpec{{4'000'000'000, 1}});
  Listed a("slow", {1, 2, 3, 30'000, 30'001}, order);
  Listed b("fast", {6'000'000'000, 6'000'000'001, 120'001'000'000'000}, order);
  slow.add(a);
  fast.add(b);
  SimulatedTime::instance().run_to_rest();
  EXPECT_THAT(order, ElementsAre("slow 1", "fast 6000000000", "fast 6000000001", "slow 2", "slow 3", "slow 30000",
                                 "fast 120001000000000", "slow 30001"));
}

/// Is woken from outside for cycles that it does not know of itself.
class Woken final : public Block {
 public:
  explicit Woken(Order& order) : order_(order) {}
  void step(Cycle now) override {
    if (now > 0) order_.push_back("woken " + std::to_string(now));
  }
  Cycle next_work(Cycle) const override { return kNever; }

 private:
  Order& order_;
};

// What another model waits for at 2 s and 7000 s keeps its place between edges at 1 s, 5 s and 9000 s; what it sends
// with a delay arrives at the edge for it: sent at 2 s, 0.5 s later, edge 3 of 1 Hz.
TEST(SimulatedTime, leaves_out_nothing_while_another_model_waits) {
  set_time_resolution();
  Order order;
  ClockDomain domain("clock", ClockSpec{{1, 1}});
  Listed block("clock", {1, 5, 9'000, 100'000}, order);
  Woken woken(order);
  domain.add(block);
  domain.add(woken);
  int calls = 0;
  spawn([&] {
    ++calls;
    if (calls == 1) return milliseconds(2'000);
    if (calls == 2) {
      order.emplace_back("other 2");
      domain.wake(woken, domain.edge_after(milliseconds(500)));
      return milliseconds(6'998'000);
    }
    order.emplace_back("other 7000");
    return sc_core::SC_ZERO_TIME;
  });
  SimulatedTime::instance().run_to_rest();
  domain.rethrow_failure();
  EXPECT_THAT(order,
              ElementsAre("clock 1", "other 2", "woken 3", "clock 5", "other 7000", "clock 9000", "clock 100000"));
  EXPECT_TRUE(block.last == 100'000 * kSecond);
  EXPECT_EQ(sc_core::sc_time_stamp(), milliseconds(9'000'000));
}

// Another model takes SystemC's time beyond its middle, 9223 s. From then on 100,000 edges of 0.5 ms, 50 s, take none
// of it.
TEST(SimulatedTime, saves_the_second_half_of_SystemC_time) {
  set_time_resolution();
  ClockDomain domain("clock", ClockSpec{{2'000, 1}});
  class Every final : public Block {
   public:
    void step(Cycle now) override { steps += now > 20'000'000 ? 1 : 0; }
    Cycle next_work(Cycle now) const override {
      if (now < 20'000'000) return 20'000'001;
      return now < 20'100'000 ? now + 1 : kNever;
    }
    Cycle steps = 0;
  } block;
  domain.add(block);
  bool waits = false;
  spawn([&] {
    waits = !waits;
    return waits ? milliseconds(10'000'000) : sc_core::SC_ZERO_TIME;
  });
  SimulatedTime::instance().run_to_rest();
  EXPECT_EQ(block.steps, 100'000u);
  EXPECT_TRUE(SimulatedTime::instance().now() == 20'100'000 * (kSecond / 2'000));  // 10,050 s
  EXPECT_LT(sc_core::sc_time_stamp(), milliseconds(10'000'002));
}

TEST(SimulatedTime, stops_before_SystemC_time_wraps_bad) {
  set_time_resolution();
  Order order;
  ClockDomain domain("clock", ClockSpec{{1, 1}});
  Listed block("clock", {1}, order);
  domain.add(block);
  spawn([] { return milliseconds(100'000); });
  try {
    SimulatedTime::instance().run_to_rest();
    FAIL() << "another model waits without end";
  } catch (const ViolationError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("another model waits in SystemC until the 18,446 s"));
  }
  EXPECT_GT(sc_core::sc_time_stamp(), milliseconds(17'000'000));
  EXPECT_LT(sc_core::sc_time_stamp(), milliseconds(18'446'000));
}

// Somebody else's program calls sc_start, which knows nothing of time left out.
TEST(SimulatedTime, refuses_what_sc_start_alone_cannot_reach_bad) {
  set_time_resolution();
  Order order;
  ClockDomain domain("clock", ClockSpec{});
  Listed block("a", {5'000'000'000, 20'000'000'000'000}, order);
  domain.add(block);
  sc_core::sc_start();
  EXPECT_THAT(order, ElementsAre("a 5000000000"));
  EXPECT_THROW(domain.rethrow_failure(), ViolationError);
  EXPECT_THROW(domain.delay_to(20'000'000'000'000), ViolationError);  // 19,995 s from now
}

}  // namespace
}  // namespace weft
