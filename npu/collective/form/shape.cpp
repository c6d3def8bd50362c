// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/form/shape.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"
#include "base/rational.h"

namespace weft::npu {
namespace {

constexpr std::array<std::pair<CollectiveKind, const char*>, 9> kKindNames{{
    {CollectiveKind::kAllReduce, "all_reduce"},
    {CollectiveKind::kReduce, "reduce"},
    {CollectiveKind::kAllGather, "all_gather"},
    {CollectiveKind::kGather, "gather"},
    {CollectiveKind::kScatter, "scatter"},
    {CollectiveKind::kBroadcast, "broadcast"},
    {CollectiveKind::kAllToAll, "all_to_all"},
    {CollectiveKind::kReduceScatter, "reduce_scatter"},
    {CollectiveKind::kBarrier, "barrier"},
}};

/// Which buffers of a kind consist of one part per rank.
struct Parts {
  bool input;
  bool output;
};
Parts parts_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kScatter:
      return {true, false};
    case CollectiveKind::kAllGather:
    case CollectiveKind::kGather:
      return {false, true};
    case CollectiveKind::kAllToAll:
      return {true, true};
    default:
      return {false, false};
  }
}

/// The classes of a buffer repeat: fragment i has class base + i mod period.
struct Layout {
  std::uint32_t base;
  std::uint32_t period;
};
Layout layout_of(const ProgramShape& shape, std::uint32_t rank, Buffer buffer) {
  const Parts parts = parts_of(shape.kind);
  if (buffer == Buffer::kOutput && parts.input) return {rank * shape.share, shape.share};
  return {0, shape.classes()};
}

// Part `i` of `count` even parts of `whole` starts here: whole * i / count, without a product of more than 64 bits.
std::uint64_t split_start(std::uint64_t whole, std::uint32_t count, std::uint32_t i) {
  return whole / count * i + whole % count * i / count;
}

}  // namespace

const char* buffer_name(Buffer buffer) {
  constexpr std::array<const char*, kBuffers> kNames{"input", "output", "scratch"};
  return kNames.at(static_cast<std::size_t>(buffer));
}

const char* kind_name(CollectiveKind kind) {
  for (const auto& [known, name] : kKindNames) {
    if (known == kind) return name;
  }
  violation("a collective kind without a name");
}

std::optional<CollectiveKind> kind_from_name(const std::string& name) {
  for (const auto& [kind, known] : kKindNames) {
    if (name == known) return kind;
  }
  return std::nullopt;
}

const std::vector<CollectiveKind>& all_kinds() {
  static const std::vector<CollectiveKind> kinds = [] {
    std::vector<CollectiveKind> list;
    for (const auto& entry : kKindNames) list.push_back(entry.first);
    return list;
  }();
  return kinds;
}

bool kind_has_root(CollectiveKind kind) {
  return kind == CollectiveKind::kReduce || kind == CollectiveKind::kGather || kind == CollectiveKind::kScatter ||
         kind == CollectiveKind::kBroadcast;
}

bool kind_reduces(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduce ||
         kind == CollectiveKind::kReduceScatter;
}

std::string to_text(const Slice& slice) {
  const char* name = buffer_name(slice.buffer);
  if (slice.count == 1) return fmt::format("{}[{}]", name, slice.first);
  const std::uint32_t last = slice.count == 0 ? slice.first : slice.fragment(slice.count - 1);
  if (slice.count == 0) return fmt::format("{}[]", name);
  if (slice.stride == 1) return fmt::format("{}[{}..{}]", name, slice.first, last);
  return fmt::format("{}[{},{}..{}]", name, slice.first, slice.fragment(1), last);
}

std::uint32_t ProgramShape::classes() const { return parts_of(kind).input ? ranks * share : share; }

std::uint32_t ProgramShape::fragments(Buffer buffer) const {
  const Parts parts = parts_of(kind);
  switch (buffer) {
    case Buffer::kInput:
      return parts.input ? ranks * share : share;
    case Buffer::kOutput:
      return parts.output ? ranks * share : share;
    default:
      return scratch;
  }
}

std::uint32_t ProgramShape::size_class(std::uint32_t rank, Buffer buffer, std::uint32_t fragment) const {
  const Layout layout = layout_of(*this, rank, buffer);
  return layout.base + fragment % layout.period;
}

Slice ProgramShape::canonical(std::uint32_t rank, Slice slice) const {
  if (!in_place || slice.buffer == Buffer::kScratch) return slice;
  const Parts parts = parts_of(kind);
  if (parts.output) {
    if (slice.buffer == Buffer::kInput) slice.first += rank * share;
    slice.buffer = Buffer::kOutput;
  } else {
    if (slice.buffer == Buffer::kOutput && parts.input) slice.first += rank * share;
    slice.buffer = Buffer::kInput;
  }
  return slice;
}

bool ProgramShape::has_input(std::uint32_t rank) const {
  return rank == root || (kind != CollectiveKind::kBroadcast && kind != CollectiveKind::kScatter);
}

bool ProgramShape::has_output(std::uint32_t rank) const {
  return rank == root || (kind != CollectiveKind::kReduce && kind != CollectiveKind::kGather);
}

std::vector<Contribution> ProgramShape::expected(std::uint32_t rank, std::uint32_t fragment) const {
  std::vector<Contribution> all;
  switch (kind) {
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kReduce:
    case CollectiveKind::kBarrier:
      for (std::uint32_t r = 0; r < ranks; ++r) all.push_back({r, fragment});
      return all;
    case CollectiveKind::kReduceScatter:
      for (std::uint32_t r = 0; r < ranks; ++r) all.push_back({r, rank * share + fragment});
      return all;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kGather:
      return {{fragment / share, fragment % share}};
    case CollectiveKind::kBroadcast:
      return {{root, fragment}};
    case CollectiveKind::kScatter:
      return {{root, rank * share + fragment}};
    case CollectiveKind::kAllToAll:
      return {{fragment / share, rank * share + fragment % share}};
  }
  return all;
}

Geometry::Geometry(const ProgramShape& shape, std::uint64_t elements, std::uint32_t chunks)
    : shape_(shape), elements_(elements), chunks_(chunks) {
  WEFT_CHECK(chunks > 0, "a collective is cut into no chunks");
  const std::uint32_t classes = shape.classes();
  least_ = classes == 0 ? 0 : elements / classes;
  even_ = classes == 0 || elements % classes == 0;
}

std::uint64_t Geometry::class_start(std::uint32_t size_class) const {
  return split_start(elements_, shape_.classes(), size_class);
}

std::uint64_t Geometry::class_elements(std::uint32_t size_class) const {
  return class_start(size_class + 1) - class_start(size_class);
}

std::uint64_t Geometry::elements(std::uint32_t rank, Buffer buffer, std::uint32_t fragment, std::uint32_t chunk) const {
  const std::uint64_t whole = class_elements(shape_.size_class(rank, buffer, fragment));
  return split_start(whole, chunks_, chunk + 1) - split_start(whole, chunks_, chunk);
}

// Fragments have one of two sizes: the least, or one element more.
std::uint64_t Geometry::elements(std::uint32_t rank, const Slice& slice, std::uint32_t chunk) const {
  const auto in_chunk = [&](std::uint64_t whole) {
    return split_start(whole, chunks_, chunk + 1) - split_start(whole, chunks_, chunk);
  };
  const std::uint64_t small = in_chunk(least_);
  const std::uint64_t large = even_ ? small : in_chunk(least_ + 1);
  if (small == large) return slice.count * small;  // the usual case: larger fragments differ in other chunks
  const Layout layout = layout_of(shape_, rank, slice.buffer);
  std::uint64_t larger = 0;
  for (std::uint32_t i = 0; i < slice.count; ++i) {
    larger += class_elements(layout.base + slice.fragment(i) % layout.period) - least_;
  }
  return (slice.count - larger) * small + larger * large;
}

std::uint64_t Geometry::offset(std::uint32_t rank, Buffer buffer, std::uint32_t fragment, std::uint32_t chunk) const {
  const Layout layout = layout_of(shape_, rank, buffer);
  const std::uint64_t period = class_start(layout.base + layout.period) - class_start(layout.base);
  const std::uint32_t size_class = layout.base + fragment % layout.period;
  return fragment / layout.period * period + class_start(size_class) - class_start(layout.base) +
         split_start(class_elements(size_class), chunks_, chunk);
}

std::uint64_t Geometry::total(std::uint32_t rank, Buffer buffer) const {
  const std::uint32_t fragments = shape_.fragments(buffer);
  return fragments == 0 ? 0 : offset(rank, buffer, fragments, 0);
}

}  // namespace weft::npu
