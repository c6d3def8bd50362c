// SPDX-License-Identifier: Apache-2.0
// A table whose elements stay where they are while it grows.
#include "base/growing_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace weft {
namespace {

TEST(GrowingTable, numbers_count_up_and_elements_stay_where_they_are) {
  GrowingTable<std::string> table;
  std::vector<const std::string*> places;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(table.add(std::to_string(i)), i);
    places.push_back(&table[i]);
  }
  EXPECT_EQ(table.size(), 1000u);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(&table[i], places[i]) << i;
    EXPECT_EQ(table[i], std::to_string(i));
  }
}

// The sanitizer of threads sees whether they touch the same memory.
TEST(GrowingTable, a_thread_reads_while_another_one_adds) {
  GrowingTable<std::vector<int>> table;
  std::atomic<std::uint32_t> told{0};
  constexpr std::uint32_t kElements = 5000;
  std::thread reader([&] {
    std::uint32_t wrong = 0;
    for (std::uint32_t next = 0; next < kElements;) {
      const std::uint32_t known = told.load();
      for (; next < known; ++next) {
        if (table[next].size() != 1 || table[next][0] != static_cast<int>(next)) ++wrong;
        if (table[next / 2].size() != 1) ++wrong;
      }
    }
    EXPECT_EQ(wrong, 0u);
  });
  for (std::uint32_t i = 0; i < kElements; ++i) told = table.add({static_cast<int>(i)}) + 1;
  reader.join();
}

}  // namespace
}  // namespace weft
