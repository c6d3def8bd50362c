// SPDX-License-Identifier: Apache-2.0
// The gate that is always open, and the words for reasons.
#include "mem/access_check.h"

#include <gtest/gtest.h>

#include <set>

namespace weft::mem {
namespace {

TEST(OpenAccess, allows_everything_at_its_own_address) {
  OpenAccess access_check;
  Request request;
  request.address = 0x1234;
  request.bytes = 64;
  const Verdict verdict = access_check.judge(request, 7);
  EXPECT_TRUE(verdict.allowed);
  EXPECT_EQ(verdict.physical, 0x1234U);
  EXPECT_EQ(verdict.latency + verdict.return_latency, 0U);
  EXPECT_TRUE(access_check.is_open());
  const DmiRange range = access_check.dmi_range(request);
  EXPECT_TRUE(range.can_read && range.can_write);
  EXPECT_EQ(range.physical - range.first, 0U);
}

TEST(Reason, every_reason_has_a_word_of_its_own) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(Reason::kNotSupported); ++i)
    EXPECT_TRUE(words.insert(reason_name(static_cast<Reason>(i))).second) << i;
  EXPECT_EQ(words.count(""), 0U);
}

}  // namespace
}  // namespace weft::mem
