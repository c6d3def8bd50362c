// SPDX-License-Identifier: Apache-2.0
// Into how many chunks a collective is cut.
#include "config/chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/config/memory_files.h"

namespace weft {
namespace {

using testing::HasSubstr;

CollectiveSpec chunked(int chunks, std::uint64_t chunk_bytes) {
  CollectiveSpec spec;
  spec.chunks = chunks;
  spec.chunk_bytes = chunk_bytes;
  return spec;
}

TEST(Chunks, are_always_as_many_without_chunk_bytes) {
  for (const std::uint64_t bytes : {0, 1, 4096, 1 << 30}) EXPECT_EQ(chunks_of(chunked(64, 0), bytes), 64);
  EXPECT_EQ(chunks_of(CollectiveSpec(), 4096), 1);
}

// 10 B each: 1 to 10 B are one chunk, 11 to 20 two, 31 and more four.
TEST(Chunks, are_one_for_each_chunk_bytes_rounded_up) {
  const CollectiveSpec spec = chunked(4, 10);
  EXPECT_EQ(chunks_of(spec, 0), 1);
  EXPECT_EQ(chunks_of(spec, 1), 1);
  EXPECT_EQ(chunks_of(spec, 10), 1);
  EXPECT_EQ(chunks_of(spec, 11), 2);
  EXPECT_EQ(chunks_of(spec, 20), 2);
  EXPECT_EQ(chunks_of(spec, 30), 3);
  EXPECT_EQ(chunks_of(spec, 31), 4);
  EXPECT_EQ(chunks_of(spec, 40), 4);
  EXPECT_EQ(chunks_of(spec, 41), 4);
}

TEST(Chunks, are_counted_for_all_64_bits_of_bytes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(chunks_of(chunked(64, 1), kMost), 64);
  EXPECT_EQ(chunks_of(chunked(64, kMost), kMost), 1);
  EXPECT_EQ(chunks_of(chunked(64, kMost / 2), kMost), 3);  // 2^64 - 1 is twice 2^63 - 1, and one more
}

/// What chunk_bytes promises: no chunk more than needed for chunks of so many bytes, and no fewer unless there are
/// `chunks`.
RC_GTEST_PROP(Chunks, have_at_most_chunk_bytes_unless_there_are_all, ()) {
  const CollectiveSpec spec =
      chunked(*rc::gen::inRange(1, kMostChunks + 1), *rc::gen::inRange<std::uint64_t>(1, 100'000));
  const auto bytes = *rc::gen::inRange<std::uint64_t>(0, 8'000'000);
  const int chunks = chunks_of(spec, bytes);
  RC_ASSERT(chunks >= 1 && chunks <= spec.chunks);
  RC_ASSERT(chunks == spec.chunks || static_cast<std::uint64_t>(chunks) * spec.chunk_bytes >= bytes);
  RC_ASSERT(chunks == 1 || static_cast<std::uint64_t>(chunks - 1) * spec.chunk_bytes < bytes);
}

CollectiveSpec loaded_chunks(const std::string& chunks) {
  const Config config =
      load_config_text(kSmallConfig, "a.yaml", {"workload={collective: {size: 1 KiB" + chunks + "}}"});
  return std::get<CollectiveWorkload>(config.workload).collective;
}

TEST(ChunkBytes, have_a_unit_and_are_0_unless_given) {
  EXPECT_EQ(loaded_chunks("").chunk_bytes, 0U);
  EXPECT_EQ(loaded_chunks(", chunks: 2, chunk_bytes: 0 B").chunk_bytes, 0U);
  EXPECT_EQ(loaded_chunks(", chunks: 2, chunk_bytes: 16 KiB").chunk_bytes, 16384U);
}

std::string error_of_chunk_bytes(const std::string& value) {
  const std::string text =
      "fabric: {size: [4, 4]}\nworkload:\n  collective:\n    size: 1 KiB\n    chunks: 2\n    chunk_bytes: ";
  return loading_error(text + value + "\n");
}

TEST(ChunkBytesBad, are_refused_with_place_and_legal_values) {
  EXPECT_EQ(
      error_of_chunk_bytes("2048 TiB"),
      "a.yaml:6:18: workload.collective.chunk_bytes: 2048 TiB is out of range; legal: a number of bytes from 0 B to "
      "1024 TiB such as '24 KiB' (units: TiB, GiB, MiB, KiB, TB, GB, MB, kB, B)");
  EXPECT_EQ(error_of_chunk_bytes("4096"),
            "a.yaml:6:18: workload.collective.chunk_bytes: '4096' has no unit; legal units: TiB, "
            "GiB, MiB, KiB, TB, GB, MB, kB, B");
  EXPECT_THAT(error_of_chunk_bytes("-1 B"), HasSubstr("a.yaml:6:18: workload.collective.chunk_bytes: "));
  EXPECT_THAT(error_of_chunk_bytes("1.5 B"), HasSubstr("a.yaml:6:18: workload.collective.chunk_bytes: "));
  EXPECT_THAT(error_of_chunk_bytes("4 GHz"), HasSubstr("a.yaml:6:18: workload.collective.chunk_bytes: "));
  EXPECT_EQ(error_of_chunk_bytes("0 B"), "");
  EXPECT_EQ(error_of_chunk_bytes("1024 TiB"), "");
}

}  // namespace
}  // namespace weft
