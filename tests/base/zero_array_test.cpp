// SPDX-License-Identifier: Apache-2.0
#include "base/zero_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace weft {
namespace {

using ::testing::HasSubstr;

struct Counts {
  std::uint64_t flits = 0;
  std::uint16_t waits = 0;
};

struct Slot {
  int packet = -1;
};

// Memory that the kernel has given this process, bytes.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(ZeroArray, begins_as_zeros_and_keeps_what_is_written) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    ZeroArray<Counts> array(count);
    ASSERT_EQ(array.size(), count);
    for (std::size_t i = 0; i < count; i += 97) {
      ASSERT_EQ(array[i].flits, 0u);
      array[i].flits = i;
      array[i].waits = 3;
    }
    for (std::size_t i = 0; i < count; i += 97) ASSERT_EQ(array[i].flits, i);
  }
}

TEST(ZeroArray, may_have_no_elements) {
  EXPECT_EQ(ZeroArray<Counts>().size(), 0u);
  EXPECT_EQ(ZeroArray<Counts>(0).size(), 0u);
}

// The array has 256 MiB of which one element is written, so that at most one large page is needed.
TEST(ZeroArray, takes_memory_only_for_what_is_written) {
  const std::uint64_t before = resident_bytes();
  ZeroArray<std::uint64_t> array(std::size_t{1} << 25);
  array[12'345'678] = 1;
  EXPECT_LT(resident_bytes() - before, std::uint64_t{8} << 20);
}

TEST(ZeroArray, refuses_elements_that_do_not_begin_as_zeros) {
  try {
    const ZeroArray<Slot> array(3);
    FAIL() << "no error";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("do not begin as zeros"));
  }
}

}  // namespace
}  // namespace weft
