// SPDX-License-Identifier: Apache-2.0
// What a program's fragments are: how many each buffer has, how large each is for a given amount of data, what is in
// them at the start and what must be in them at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"

namespace weft::npu {

enum class Buffer : std::uint8_t { kInput, kOutput, kScratch };
inline constexpr int kBuffers = 3;
const char* buffer_name(Buffer buffer);

/// "all_reduce", "barrier", ...: as in configuration files.
const char* kind_name(CollectiveKind kind);
/// The kind of that name; nullopt if there is none.
std::optional<CollectiveKind> kind_from_name(const std::string& name);
/// All kinds, in the order of the enumeration.
const std::vector<CollectiveKind>& all_kinds();
/// True for kinds with one special rank.
bool kind_has_root(CollectiveKind kind);
/// True for kinds that combine what their ranks give.
bool kind_reduces(CollectiveKind kind);

/// `count` fragments of a buffer: first, first + stride, ...
struct Slice {
  Buffer buffer = Buffer::kInput;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t stride = 1;

  std::uint32_t fragment(std::uint32_t i) const { return first + i * stride; }
  friend bool operator==(const Slice& a, const Slice& b) {
    return a.buffer == b.buffer && a.first == b.first && a.count == b.count && (a.stride == b.stride || a.count < 2);
  }
  friend bool operator!=(const Slice& a, const Slice& b) { return !(a == b); }
};
/// "input[3]", "output[0..3]", "scratch[1,3..7]" (first, second .. last).
std::string to_text(const Slice& slice);

/// A contribution: fragment `fragment` of the input of `rank`.
struct Contribution {
  std::uint32_t rank = 0;
  std::uint32_t fragment = 0;
  friend bool operator==(Contribution a, Contribution b) { return a.rank == b.rank && a.fragment == b.fragment; }
  friend bool operator<(Contribution a, Contribution b) {
    return a.rank != b.rank ? a.rank < b.rank : a.fragment < b.fragment;
  }
};

/// The fragments of a program. `share` counts the fragments of a rank's part where the kind has parts (reduce_scatter,
/// all_gather, gather, scatter, all_to_all), and of the whole data elsewhere.
///
/// Fragments come in size classes: the comm_size of the collective is split evenly over classes(), and every position
/// of every buffer belongs to one class, so that what is sent always fits where it is received. With `in_place` input
/// and output are one buffer, as libraries call it: canonical() says where.
struct ProgramShape {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::uint32_t ranks = 1;
  std::uint32_t root = 0;
  std::uint32_t share = 1;
  std::uint32_t scratch = 0;  ///< fragments of the scratch buffer; fragment i is of class i mod classes()
  bool in_place = true;       ///< never with all_to_all

  /// Parts that the collective's comm_size is divided into.
  std::uint32_t classes() const;
  /// Number of fragments of a buffer (the same at every rank).
  std::uint32_t fragments(Buffer buffer) const;
  /// Size class of a fragment.
  std::uint32_t size_class(std::uint32_t rank, Buffer buffer, std::uint32_t fragment) const;
  /// Where a slice really lies when input and output are one buffer.
  Slice canonical(std::uint32_t rank, Slice slice) const;
  /// True if the kind gives `rank` an input at the start (not: broadcast to others than the root).
  bool has_input(std::uint32_t rank) const;
  /// True if the kind owes `rank` an output at the end.
  bool has_output(std::uint32_t rank) const;
  /// What output fragment `fragment` of `rank` must be the reduction of, each exactly once, sorted.
  std::vector<Contribution> expected(std::uint32_t rank, std::uint32_t fragment) const;
};

/// Sizes and offsets of a program's fragments for so many elements, cut into chunks that run one behind the other.
/// Every fragment is cut into the chunks, so each rank's result has the layout that the kind asks for. All results in
/// elements.
class Geometry {
 public:
  Geometry(const ProgramShape& shape, std::uint64_t elements, std::uint32_t chunks);

  /// Elements of chunk `chunk` of one fragment.
  std::uint64_t elements(std::uint32_t rank, Buffer buffer, std::uint32_t fragment, std::uint32_t chunk) const;
  /// Elements of chunk `chunk` of all fragments of a slice.
  std::uint64_t elements(std::uint32_t rank, const Slice& slice, std::uint32_t chunk) const;
  /// Where chunk `chunk` of a fragment starts in its buffer.
  std::uint64_t offset(std::uint32_t rank, Buffer buffer, std::uint32_t fragment, std::uint32_t chunk) const;
  /// Elements of a whole buffer.
  std::uint64_t total(std::uint32_t rank, Buffer buffer) const;
  std::uint32_t chunks() const { return chunks_; }
  /// Whether each fragment has as many elements in all chunks.
  bool chunks_are_alike() const { return least_ % chunks_ == 0 && (even_ || chunks_ == 1); }

 private:
  std::uint64_t class_start(std::uint32_t size_class) const;
  std::uint64_t class_elements(std::uint32_t size_class) const;

  ProgramShape shape_;
  std::uint64_t elements_;
  std::uint32_t chunks_;
  std::uint64_t least_ = 0;  ///< elements of the smallest fragments
  bool even_ = false;        ///< whether all fragments have as many elements
};

}  // namespace weft::npu
