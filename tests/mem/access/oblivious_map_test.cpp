// SPDX-License-Identifier: Apache-2.0
// The shuffled pool: every block is found where it was put, and what is seen outside says nothing of what is accessed.
#include "mem/access/oblivious_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "tests/mem/support/chi_square.h"

namespace weft::mem {
namespace {

using test::chi_square_tail;
using test::uniform_p_value;

TEST(ChiSquare, tail_agrees_with_printed_tables) {
  EXPECT_NEAR(chi_square_tail(3.841459, 1), 0.05, 1e-6);
  EXPECT_NEAR(chi_square_tail(18.307038, 10), 0.05, 1e-6);
  EXPECT_NEAR(chi_square_tail(103.442, 63), 0.001, 1e-5);
  EXPECT_NEAR(chi_square_tail(45.741, 63), 0.95, 1e-4);
}

RC_GTEST_PROP(KeyedPermutationLaws, is_a_permutation_with_an_inverse, ()) {
  const auto size = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const KeyedPermutation permutation(size, *rc::gen::arbitrary<std::uint64_t>());
  std::set<std::uint64_t> places;
  for (std::uint64_t number = 0; number < size; ++number) {
    const std::uint64_t check_range = permutation(number);
    RC_ASSERT(check_range < size);
    RC_ASSERT(places.insert(check_range).second);
    RC_ASSERT(permutation.inverse(check_range) == number);
  }
}

ObliviousSpec small_pool() {
  ObliviousSpec spec;
  spec.blocks = 4032;
  spec.stash_blocks = 64;
  spec.key = 20261122;
  return spec;
}

/// Slots seen for the accesses that `block_of` gives for 0, 1, 2, ...
std::vector<std::uint64_t> seen(const ObliviousSpec& spec, std::size_t accesses,
                                const std::function<std::uint64_t(std::uint64_t)>& block_of) {
  ObliviousMap map(spec);
  std::vector<std::uint64_t> slots;
  for (std::size_t i = 0; i < accesses; ++i) slots.push_back(map.access(block_of(i)).slot);
  return slots;
}

std::vector<std::uint64_t> histogram(const std::vector<std::uint64_t>& places, std::uint64_t size, std::size_t bins) {
  std::vector<std::uint64_t> counts(bins, 0);
  for (const std::uint64_t check_range : places) ++counts[check_range * bins / size];
  return counts;
}

/// Pairs of following slots, eight bins each.
std::vector<std::uint64_t> pair_histogram(const std::vector<std::uint64_t>& places, std::uint64_t size) {
  std::vector<std::uint64_t> counts(64, 0);
  for (std::size_t i = 1; i < places.size(); i += 2) ++counts[places[i - 1] * 8 / size * 8 + places[i] * 8 / size];
  return counts;
}

struct Stream {
  const char* name;
  std::function<std::uint64_t(std::uint64_t)> block_of;
};

std::vector<Stream> telling_streams() {
  return {
      {"constant", [](std::uint64_t) { return std::uint64_t{1234}; }},
      {"two blocks in turn", [](std::uint64_t i) { return i % 2 * 4000; }},
      {"strided", [](std::uint64_t i) { return i * 63 % 4032; }},
      {"sequential, first quarter", [](std::uint64_t i) { return i % 1008; }},
      {"hot spot", [](std::uint64_t i) { return random_bits(7, 0, i) % 10 < 9 ? 17 : random_bits(7, 1, i) % 4032; }}};
}

TEST(ObliviousMap, slots_are_uniform_whatever_is_accessed) {
  const ObliviousSpec spec = small_pool();
  for (const Stream& stream : telling_streams()) {
    const auto slots = seen(spec, 65536, stream.block_of);
    EXPECT_GT(uniform_p_value(histogram(slots, spec.slots(), 64)), 0.001) << stream.name;
    EXPECT_GT(uniform_p_value(histogram(slots, spec.slots(), 256)), 0.001) << stream.name;
    EXPECT_GT(uniform_p_value(pair_histogram(slots, spec.slots())), 0.001) << stream.name;
  }
}

TEST(ObliviousMap, the_same_streams_fail_the_test_without_it) {
  for (const Stream& stream : telling_streams()) {
    std::vector<std::uint64_t> blocks;
    for (std::uint64_t i = 0; i < 65536; ++i) blocks.push_back(stream.block_of(i));
    const double first = uniform_p_value(histogram(blocks, 4032, 64));
    const double pairs = uniform_p_value(pair_histogram(blocks, 4032));
    EXPECT_LT(std::min(first, pairs), 1e-6) << stream.name;
  }
}

TEST(ObliviousMap, no_slot_is_seen_twice_between_two_shuffles) {
  const ObliviousSpec spec = small_pool();
  for (const Stream& stream : telling_streams()) {
    const auto slots = seen(spec, 640, stream.block_of);
    for (std::size_t epoch = 0; epoch < 10; ++epoch) {
      const auto first = slots.begin() + static_cast<std::ptrdiff_t>(epoch * 64);
      EXPECT_EQ(std::set<std::uint64_t>(first, first + 64).size(), 64U) << stream.name;
    }
  }
}

// A plain memory of slots that obeys the map: reads go to the slot it names, shuffles move every block.
RC_GTEST_PROP(ObliviousMapLaws, every_block_is_found_where_it_was_put, ()) {
  ObliviousSpec spec;
  spec.blocks = *rc::gen::inRange<std::uint64_t>(1, 40);
  spec.stash_blocks = *rc::gen::inRange<std::uint64_t>(1, 20);
  spec.key = *rc::gen::arbitrary<std::uint64_t>();
  ObliviousMap map(spec);
  std::vector<std::uint64_t> memory(spec.slots(), ~std::uint64_t{0});
  std::vector<std::uint64_t> last_slot(spec.blocks);
  std::map<std::uint64_t, std::uint64_t> stash;
  std::vector<std::uint64_t> expected(spec.blocks);
  for (std::uint64_t block = 0; block < spec.blocks; ++block) {
    memory[last_slot[block] = map.slot_of(block)] = block * 1000;
    expected[block] = block * 1000;
  }
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto block = *rc::gen::inRange<std::uint64_t>(0, spec.blocks);
    const bool was_stashed = map.in_stash(block);
    const ObliviousStep step = map.access(block);
    RC_ASSERT(step.slot < spec.slots());
    RC_ASSERT((step.moved_blocks > 0) == (i > 0 && i % spec.stash_blocks == 0));
    if (step.moved_blocks > 0) {
      RC_ASSERT(step.moved_blocks == 2 * spec.slots());
      std::vector<std::uint64_t> shuffled(spec.slots(), ~std::uint64_t{0});
      for (std::uint64_t b = 0; b < spec.blocks; ++b) {
        const auto kept = stash.find(b);
        shuffled[map.slot_of(b)] = kept == stash.end() ? memory[last_slot[b]] : kept->second;
        last_slot[b] = map.slot_of(b);
      }
      memory = shuffled;
      stash.clear();
    } else if (was_stashed) {
      RC_ASSERT(stash.count(block) == 1u);
    }
    // A block that is not in the stash is read from the slot that is seen.
    if (stash.count(block) == 0) stash[block] = memory[step.slot];
    RC_ASSERT(stash[block] == expected[block]);
    stash[block] = expected[block] = i;
  }
}

void expect_refused(const ObliviousSpec& spec, const std::string& word) {
  try {
    const ObliviousMap map(spec);
    FAIL() << "accepted; expected an error with " << word;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(word));
  }
}

TEST(ObliviousMap, impossible_pools_bad) {
  ObliviousSpec spec = small_pool();
  spec.stash_blocks = 0;
  expect_refused(spec, "a stash of 0");
  spec = small_pool();
  spec.block_bytes = 3000;
  expect_refused(spec, "power of two");
  spec = small_pool();
  spec.shuffle_passes = 0;
  expect_refused(spec, "1 to 64 passes");
}

}  // namespace
}  // namespace weft::mem
