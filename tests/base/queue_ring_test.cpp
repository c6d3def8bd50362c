// SPDX-License-Identifier: Apache-2.0
#include "base/queue_ring.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>

#include "base/error.h"

namespace weft {
namespace {

TEST(QueueRing, an_empty_queue_gives_nothing) {
  QueueRing<int> queue;
  EXPECT_THROW(queue.pop(), ViolationError);
  EXPECT_THROW(queue.pop_back(), ViolationError);
}

// std::deque is the reference.
RC_GTEST_PROP(QueueRing, does_what_a_deque_does, ()) {
  QueueRing<int> queue;
  std::deque<int> plain;
  for (int call = 0; call < 100; ++call) {
    if (!plain.empty() && *rc::gen::inRange(0, 4) == 0) {
      queue.pop();
      plain.pop_front();
    } else if (!plain.empty() && *rc::gen::inRange(0, 4) == 0) {
      queue.pop_back();
      plain.pop_back();
    } else if (*rc::gen::inRange(0, 2) == 0) {
      queue.push(call);
      plain.push_back(call);
    } else {
      queue.add() = -call;
      plain.push_back(-call);
    }
    RC_ASSERT(queue.size() == plain.size());
    RC_ASSERT(queue.empty() == plain.empty());
    if (!plain.empty()) RC_ASSERT(queue.front() == plain.front() && queue.back() == plain.back());
    for (std::size_t i = 0; i < plain.size(); ++i) RC_ASSERT(queue[i] == plain[i]);
  }
}

}  // namespace
}  // namespace weft
