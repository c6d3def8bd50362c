// SPDX-License-Identifier: Apache-2.0
// A look at the order of flows sees each word of it.
#include "npu/collective/engine/flow_queue.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/npu/collective/engine/flow_bench.h"
#include "tests/support/told_apart.h"

namespace weft::npu {
namespace {

using testing::FlowJob;
using testing::NoServices;
using weft::test::expect_told_apart;
using weft::test::Look;

/// Two collectives of one traffic class, and one of another, of two chunks each.
struct FlowBench {
  /// Operand `step` of a chunk wants to leave, and is kept.
  void keep(ChunkRun& run, std::uint32_t step) { EXPECT_FALSE(queue.may_leave({&run, step})); }
  void leave(int operands) {
    for (int i = 0; i < operands; ++i) queue.left(TrafficClass::kMp);
  }

  NoServices services;
  FlowJob one{1, TrafficClass::kMp};
  FlowJob two{2, TrafficClass::kMp};
  FlowJob three{3, TrafficClass::kDp};
  ChunkRun first{one, 0, services};
  ChunkRun second{one, 1, services};
  ChunkRun first_of_two{two, 0, services};
  FlowQueue queue;
};

Look after(const std::function<void(FlowBench&)>& happens) {
  return [=](StateForm& form) {
    FlowBench bench;
    happens(bench);
    bench.queue.put_state(form);
  };
}

TEST(FlowQueueForm, collectives_that_are_to_come_are_told_apart) {
  expect_told_apart({{"none", after([](FlowBench&) {})},
                     {"one", after([](FlowBench& b) { b.queue.add(b.one); })},
                     {"another one", after([](FlowBench& b) { b.queue.add(b.two); })},
                     {"one of another traffic class", after([](FlowBench& b) { b.queue.add(b.three); })},
                     {"two", after([](FlowBench& b) {
                        b.queue.add(b.one);
                        b.queue.add(b.two);
                      })},
                     {"two in the other order", after([](FlowBench& b) {
                        b.queue.add(b.two);
                        b.queue.add(b.one);
                      })}});
}

TEST(FlowQueueForm, the_operand_that_is_next_is_looked_at) {
  const auto left = [](int operands) {
    return after([=](FlowBench& b) {
      b.queue.add(b.one);
      b.leave(operands);
    });
  };
  expect_told_apart({{"the first", left(0)},
                     {"the second", left(1)},
                     {"the first of the next chunk", left(3)},
                     {"the second of the next chunk", left(4)},
                     {"none", left(6)}});
}

TEST(FlowQueueForm, operands_that_wait_are_told_apart) {
  const auto kept = [](const std::function<void(FlowBench&)>& keep) {
    return after([=](FlowBench& b) {
      b.queue.add(b.one);
      b.queue.add(b.two);
      keep(b);
    });
  };
  expect_told_apart({{"none", kept([](FlowBench&) {})},
                     {"a later one of the chunk", kept([](FlowBench& b) { b.keep(b.first, 1); })},
                     {"the last one", kept([](FlowBench& b) { b.keep(b.first, 2); })},
                     {"one of the next chunk", kept([](FlowBench& b) { b.keep(b.second, 1); })},
                     {"one of the next collective", kept([](FlowBench& b) { b.keep(b.first_of_two, 1); })},
                     {"two", kept([](FlowBench& b) {
                        b.keep(b.first, 1);
                        b.keep(b.first, 2);
                      })}});
}

}  // namespace
}  // namespace weft::npu
