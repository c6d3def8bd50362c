// SPDX-License-Identifier: Apache-2.0
// Pools that cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "mem/pool/pool_fabric.h"

namespace weft::mem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void expect_refused(const PoolSpec& spec, const testing::Matcher<std::string>& matcher) {
  try {
    const PoolFabric fabric(spec);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(std::string(error.what()), matcher);
  }
}

TEST(PoolSpec, everything_that_is_wrong_is_said_at_once_bad) {
  PoolSpec spec;
  spec.controllers = 0;
  spec.group_link.latency = 0;
  spec.module.flits_per_cycle = {0, 1};
  expect_refused(spec, AllOf(HasSubstr("controllers: 0 is out of range; legal: 1 to"),
                             HasSubstr("group_link latency: 0 is out of range; legal: 1 to 1000000"),
                             HasSubstr("module: 0/1 flits per cycle; legal: above 0")));
}

TEST(PoolSpec, unknown_names_bad) {
  PoolSpec spec;
  spec.mapping = "interleave";
  expect_refused(spec, HasSubstr("unknown mapping 'interleave'; known: interleaved, own; did you mean 'interleaved'?"));
  spec = {};
  spec.module.service = "seral";
  expect_refused(spec, HasSubstr("unknown service 'seral'; known: pipelined, serial; did you mean 'serial'?"));
}

TEST(PoolSpec, accesses_that_wrap_around_break_the_run_bad) {
  PoolFabric fabric{PoolSpec()};
  EXPECT_THROW(fabric.submit(0, {0, Command::kRead, ~std::uint64_t{0}, 2}, 0), ViolationError);
  EXPECT_THROW(fabric.submit(0, {0, Command::kRead, 0, 0}, 0), ViolationError);
  EXPECT_THROW(fabric.submit(1, {0, Command::kRead, 0, 1}, 0), ViolationError);
}

}  // namespace
}  // namespace weft::mem
