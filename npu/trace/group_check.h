// SPDX-License-Identifier: Apache-2.0
// Compares what the members of process groups do together: collectives, shared loads, summed stores.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "npu/trace/process_groups.h"
#include "npu/trace/trace_node.h"
#include "npu/trace/trace_problems.h"

namespace weft::npu {

/// Takes the nodes that name a group, rank by rank in their order of issue, and finds members that differ.
///
/// The members of a group must issue the same collectives in the same order, and likewise the same loads and the same
/// stores: kind and size count, not id or name. Loads, stores and collectives are three sequences of their own.
class GroupCheck {
 public:
  /// A collective of any group, or a load or store with one; other nodes do not count.
  void note(std::uint32_t rank, const TraceNode& node);
  /// Adds a problem for every group that does not exist, every rank in a group of others, every member that differs.
  void check(const ProcessGroups& groups, std::size_t world, TraceProblems& problems) const;

  std::uint64_t collectives() const { return collectives_; }
  std::uint64_t shared_memory_nodes() const { return shared_memory_nodes_; }
  /// Groups in which collectives are issued.
  std::uint64_t collective_groups() const;

 private:
  struct Issued {
    std::string_view what;  ///< Chakra's name of the kind
    std::uint64_t bytes;
    std::uint64_t node;

    auto key() const { return std::tuple(what, bytes); }
    std::string text() const;
  };
  using Sequence = std::vector<Issued>;
  enum class Sort { kCollectives, kLoads, kStores };
  using Key = std::pair<Sort, std::string>;  ///< and the group's name
  struct Scene;

  static void check_group(const Scene& scene, const std::map<std::uint32_t, Sequence>& sequences);
  static void compare(const Scene& scene, std::uint32_t first_rank, const Sequence& first, std::uint32_t rank,
                      const Sequence& other);

  std::map<Key, std::map<std::uint32_t, Sequence>> issued_;  ///< by rank, in order of issue
  std::uint64_t collectives_ = 0;
  std::uint64_t shared_memory_nodes_ = 0;
};

}  // namespace weft::npu
