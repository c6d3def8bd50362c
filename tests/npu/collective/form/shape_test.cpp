// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/form/shape.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace weft::npu {
namespace {

ProgramShape shape_of(CollectiveKind kind, std::uint32_t ranks, std::uint32_t share) {
  ProgramShape shape;
  shape.kind = kind;
  shape.ranks = ranks;
  shape.share = share;
  shape.in_place = kind != CollectiveKind::kAllToAll;
  return shape;
}

TEST(ProgramShape, sizes_by_hand) {
  // 10 elements in 4 classes: 2, 3, 2, 3. In two chunks: 1+1, 1+2, 1+1, 1+2.
  const Geometry all_reduce(shape_of(CollectiveKind::kAllReduce, 4, 4), 10, 2);
  EXPECT_EQ(all_reduce.elements(0, Buffer::kInput, 1, 0), 1u);
  EXPECT_EQ(all_reduce.elements(0, Buffer::kInput, 1, 1), 2u);
  EXPECT_EQ(all_reduce.offset(0, Buffer::kInput, 1, 1), 3u);
  EXPECT_EQ(all_reduce.offset(0, Buffer::kInput, 3, 0), 7u);
  EXPECT_EQ(all_reduce.elements(2, Slice{Buffer::kInput, 1, 3, 1}, 1), 5u);
  EXPECT_EQ(all_reduce.elements(2, Slice{Buffer::kInput, 0, 2, 3}, 1), 3u);
  // reduce_scatter: rank 1 keeps class 1, which has 3 elements.
  const Geometry scatter(shape_of(CollectiveKind::kReduceScatter, 4, 1), 10, 1);
  EXPECT_EQ(scatter.total(1, Buffer::kOutput), 3u);
  EXPECT_EQ(scatter.total(1, Buffer::kInput), 10u);
  // all_gather: each rank brings 10 elements, all have 40 at the end.
  const Geometry gather(shape_of(CollectiveKind::kAllGather, 4, 2), 10, 1);
  EXPECT_EQ(gather.total(1, Buffer::kInput), 10u);
  EXPECT_EQ(gather.total(1, Buffer::kOutput), 40u);
  EXPECT_EQ(gather.offset(0, Buffer::kOutput, 5, 0), 25u);
  // all_to_all: rank 3 gets its class (3 elements) from each of four.
  const Geometry exchange(shape_of(CollectiveKind::kAllToAll, 4, 1), 10, 1);
  EXPECT_EQ(exchange.total(3, Buffer::kOutput), 12u);
  EXPECT_EQ(exchange.offset(3, Buffer::kOutput, 2, 0), 6u);
}

TEST(ProgramShape, one_buffer_serves_as_input_and_output) {
  const Slice second_output{Buffer::kOutput, 1, 1, 1};
  EXPECT_EQ(shape_of(CollectiveKind::kReduceScatter, 4, 2).canonical(3, second_output),
            (Slice{Buffer::kInput, 7, 1, 1}));
  EXPECT_EQ(shape_of(CollectiveKind::kAllReduce, 4, 2).canonical(3, second_output), (Slice{Buffer::kInput, 1, 1, 1}));
  const Slice first_input{Buffer::kInput, 0, 2, 1};
  EXPECT_EQ(shape_of(CollectiveKind::kAllGather, 4, 2).canonical(3, first_input), (Slice{Buffer::kOutput, 6, 2, 1}));
  EXPECT_EQ(shape_of(CollectiveKind::kAllToAll, 4, 2).canonical(3, first_input), first_input);
}

// Fragments and chunks tile each buffer: nothing overlaps, nothing is left out.
RC_GTEST_PROP(ProgramShape, fragments_tile_their_buffer, ()) {
  const auto kind = *rc::gen::elementOf(all_kinds());
  const auto ranks = *rc::gen::inRange<std::uint32_t>(1, 9);
  const auto share = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto chunks = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto elements = *rc::gen::inRange<std::uint64_t>(0, 200);
  const ProgramShape shape = shape_of(kind, ranks, share);
  const Geometry geometry(shape, elements, chunks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (const Buffer buffer : {Buffer::kInput, Buffer::kOutput}) {
      std::uint64_t place = 0;
      for (std::uint32_t fragment = 0; fragment < shape.fragments(buffer); ++fragment) {
        for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
          RC_ASSERT(geometry.offset(rank, buffer, fragment, chunk) == place);
          place += geometry.elements(rank, buffer, fragment, chunk);
        }
      }
      RC_ASSERT(geometry.total(rank, buffer) == place);
    }
  }
}

// Part i of n of a whole begins at floor(whole * i / n), here with products of 128 bits; chunks are parts of fragments.
RC_GTEST_PROP(ProgramShape, slices_have_the_elements_of_their_fragments, ()) {
  const auto classes = *rc::gen::inRange<std::uint32_t>(1, 50);
  const auto chunks = *rc::gen::inRange<std::uint32_t>(1, 9);
  const auto elements = *rc::gen::inRange<std::uint64_t>(0, *rc::gen::element<std::uint64_t>(300, 1ull << 60));
  const Geometry geometry(shape_of(CollectiveKind::kAllReduce, classes, classes), elements, chunks);
  const auto start = [](std::uint64_t whole, std::uint64_t parts, std::uint64_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(whole) * i / parts);
  };
  Slice slice;
  slice.stride = *rc::gen::inRange<std::uint32_t>(1, 4);
  slice.first = *rc::gen::inRange<std::uint32_t>(0, classes);
  slice.count = *rc::gen::inRange<std::uint32_t>(0, (classes - slice.first - 1) / slice.stride + 2);
  const auto chunk = *rc::gen::inRange<std::uint32_t>(0, chunks);
  std::uint64_t expected = 0;
  for (std::uint32_t i = 0; i < slice.count; ++i) {
    const std::uint64_t fragment = slice.first + i * slice.stride;
    const std::uint64_t whole = start(elements, classes, fragment + 1) - start(elements, classes, fragment);
    expected += start(whole, chunks, chunk + 1) - start(whole, chunks, chunk);
  }
  RC_ASSERT(geometry.elements(0, slice, chunk) == expected);
}

TEST(ProgramShape, names_of_kinds_go_both_ways) {
  for (const CollectiveKind kind : all_kinds()) EXPECT_EQ(kind_from_name(kind_name(kind)), kind);
  EXPECT_EQ(kind_from_name("allreduce"), std::nullopt);
  EXPECT_EQ(all_kinds().size(), 9u);
}

}  // namespace
}  // namespace weft::npu
