// SPDX-License-Identifier: Apache-2.0
// How the tags of collectives' messages are made. A network interface is shared: the top four bits of a tag, and of a
// timer's cookie, say whose it is (0 = collectives). Below them:
// group 16 bits | signature 8 | instance 11 | chunk 6 | step 19.
#pragma once

#include <cstdint>

namespace weft::npu {

inline constexpr int kCollectiveTagBits = 60;
inline constexpr std::uint32_t kMaxGroups = 1u << 16;
inline constexpr std::uint32_t kMaxSignatures = 1u << 8;
/// Instances are told apart modulo this; so many of one group and signature are never in flight at once.
inline constexpr std::uint32_t kMaxInstances = 1u << 11;
inline constexpr std::uint32_t kMaxChunks = 1u << 6;
inline constexpr std::uint32_t kMaxSteps = 1u << 19;  ///< tags of a program are below this

/// What the tag of a collective's message says.
struct CollectiveTag {
  std::uint32_t group = 0;      ///< number of the process group, the same at all ranks
  std::uint32_t signature = 0;  ///< small hash of kind and size, so that unlike collectives never match
  std::uint32_t instance = 0;   ///< how many collectives of this group and signature were started before
  std::uint32_t chunk = 0;      ///< pipelining fragment
  std::uint32_t step = 0;       ///< the program's tag
  friend constexpr bool operator==(CollectiveTag a, CollectiveTag b) {
    return a.group == b.group && a.signature == b.signature && a.instance == b.instance && a.chunk == b.chunk &&
           a.step == b.step;
  }
};

constexpr std::uint64_t pack_tag(CollectiveTag tag) {
  std::uint64_t bits = tag.group % kMaxGroups;
  bits = bits * kMaxSignatures + tag.signature % kMaxSignatures;
  bits = bits * kMaxInstances + tag.instance % kMaxInstances;
  bits = bits * kMaxChunks + tag.chunk % kMaxChunks;
  return bits * kMaxSteps + tag.step % kMaxSteps;
}
static_assert(pack_tag({kMaxGroups - 1, kMaxSignatures - 1, kMaxInstances - 1, kMaxChunks - 1, kMaxSteps - 1}) ==
              (std::uint64_t{1} << kCollectiveTagBits) - 1);

/// What the tags of one chunk of a collective have in common.
constexpr std::uint64_t chunk_of_tag(std::uint64_t bits) { return bits / kMaxSteps; }

/// What the tags of all chunks of a collective have in common.
constexpr std::uint64_t collective_of_tag(std::uint64_t bits) { return bits / kMaxSteps / kMaxChunks; }
/// The same tag of another chunk.
constexpr std::uint64_t with_chunk(std::uint64_t bits, std::uint32_t chunk) {
  return (collective_of_tag(bits) * kMaxChunks + chunk) * kMaxSteps + bits % kMaxSteps;
}

constexpr CollectiveTag unpack_tag(std::uint64_t bits) {
  CollectiveTag tag;
  tag.step = static_cast<std::uint32_t>(bits % kMaxSteps);
  bits /= kMaxSteps;
  tag.chunk = static_cast<std::uint32_t>(bits % kMaxChunks);
  bits /= kMaxChunks;
  tag.instance = static_cast<std::uint32_t>(bits % kMaxInstances);
  bits /= kMaxInstances;
  tag.signature = static_cast<std::uint32_t>(bits % kMaxSignatures);
  bits /= kMaxSignatures;
  tag.group = static_cast<std::uint32_t>(bits % kMaxGroups);
  return tag;
}

}  // namespace weft::npu
