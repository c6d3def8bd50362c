// SPDX-License-Identifier: Apache-2.0
// What a program's chunks are: how many each buffer has, how large each is for a given amount of data, what is in
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

/// `count` chunks of a buffer: first, first + stride, ...
struct Slice {
  Buffer buffer = Buffer::kInput;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t stride = 1;

  std::uint32_t chunk(std::uint32_t i) const { return first + i * stride; }
  friend bool operator==(const Slice& a, const Slice& b) {
    return a.buffer == b.buffer && a.first == b.first && a.count == b.count && (a.stride == b.stride || a.count < 2);
  }
  friend bool operator!=(const Slice& a, const Slice& b) { return !(a == b); }
};
/// "input[3]", "output[0..3]", "scratch[1,3..7]" (first, second .. last).
std::string to_text(const Slice& slice);

/// A contribution: chunk `chunk` of the input of `rank`.
struct Contribution {
  std::uint32_t rank = 0;
  std::uint32_t chunk = 0;
  friend bool operator==(Contribution a, Contribution b) { return a.rank == b.rank && a.chunk == b.chunk; }
  friend bool operator<(Contribution a, Contribution b) {
    return a.rank != b.rank ? a.rank < b.rank : a.chunk < b.chunk;
  }
};

/// The chunks of a program. `share` counts the chunks of a rank's part where the kind has parts (reduce_scatter,
/// all_gather, gather, scatter, all_to_all), and of the whole data elsewhere.
///
/// Chunks come in size classes: the comm_size of the collective is split evenly over classes(), and every place of
/// every buffer belongs to one class, so that what is sent always fits where it is received. With `in_place` input
/// and output are one buffer, as libraries call it: canonical() says where.
struct ProgramShape {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::uint32_t ranks = 1;
  std::uint32_t root = 0;
  std::uint32_t share = 1;
  std::uint32_t scratch = 0;  ///< chunks of the scratch buffer; chunk i is of class i mod classes()
  bool in_place = true;       ///< never with all_to_all

  /// Pieces that the collective's comm_size is divided into.
  std::uint32_t classes() const;
  /// Number of chunks of a buffer (the same at every rank).
  std::uint32_t chunks(Buffer buffer) const;
  /// Size class of a chunk.
  std::uint32_t size_class(std::uint32_t rank, Buffer buffer, std::uint32_t chunk) const;
  /// Where a slice really lies when input and output are one buffer.
  Slice canonical(std::uint32_t rank, Slice slice) const;
  /// True if the kind gives `rank` an input at the start (not: broadcast to others than the root).
  bool has_input(std::uint32_t rank) const;
  /// True if the kind owes `rank` an output at the end.
  bool has_output(std::uint32_t rank) const;
  /// What output chunk `chunk` of `rank` must be the reduction of, each exactly once, sorted.
  std::vector<Contribution> expected(std::uint32_t rank, std::uint32_t chunk) const;
};

/// Sizes and places of a program's chunks for so many elements, cut into pieces that run one behind the other. Every
/// chunk is cut into the pieces, so each rank's result has the layout that the kind asks for. All results in elements.
class Geometry {
 public:
  Geometry(const ProgramShape& shape, std::uint64_t elements, std::uint32_t pieces);

  /// Elements of piece `piece` of one chunk.
  std::uint64_t elements(std::uint32_t rank, Buffer buffer, std::uint32_t chunk, std::uint32_t piece) const;
  /// Elements of piece `piece` of all chunks of a slice.
  std::uint64_t elements(std::uint32_t rank, const Slice& slice, std::uint32_t piece) const;
  /// Where piece `piece` of a chunk starts in its buffer.
  std::uint64_t offset(std::uint32_t rank, Buffer buffer, std::uint32_t chunk, std::uint32_t piece) const;
  /// Elements of a whole buffer.
  std::uint64_t total(std::uint32_t rank, Buffer buffer) const;
  std::uint32_t pieces() const { return pieces_; }

 private:
  std::uint64_t class_start(std::uint32_t size_class) const;
  std::uint64_t class_elements(std::uint32_t size_class) const;

  ProgramShape shape_;
  std::uint64_t elements_;
  std::uint32_t pieces_;
};

}  // namespace weft::npu
