// SPDX-License-Identifier: Apache-2.0
// Traces of layers that are alike.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/sc_models/support/graphs.h"

namespace weft::test {

/// What each rank computes and adds in a layer, unless a test says otherwise.
inline constexpr Cycle kLayerCompute = 100'000;
inline constexpr std::uint64_t kLayerBytes = 128 << 10;

/// Layers of all ranks, one behind the other.
struct Layers {
  explicit Layers(std::uint32_t ranks) : graphs(ranks), last(ranks) {
    std::vector<std::uint32_t> all(ranks);
    std::iota(all.begin(), all.end(), 0);
    graphs.add_group("g", all);
  }
  /// All ranks compute, rank 5 for `late` cycles more, and then add `bytes`.
  void add(std::uint64_t bytes = kLayerBytes, Cycle late = 0) {
    for (std::uint32_t rank = 0; rank < last.size(); ++rank)
      last[rank] = graphs.compute(rank, kLayerCompute + (rank == 5 ? late : 0), last[rank]);
    last = graphs.collective("g", CollectiveKind::kAllReduce, bytes, last);
    compute_on();
  }
  /// Each rank sends half of the bytes to the next one behind a computation, and goes on with what it receives.
  void add_messages() {
    std::vector<Graphs::Ids> next(last.size());
    for (std::uint32_t rank = 0; rank < last.size(); ++rank) {
      const auto to = static_cast<std::uint32_t>((rank + 1) % last.size());
      const auto [sent, received] =
          graphs.message(rank, to, kLayerBytes / 2, graphs.compute(rank, kLayerCompute, last[rank]));
      next[to] = received;
    }
    last = next;
    compute_on();
  }
  /// The group loads or stores the same while it computes.
  void add_access(bool store) {
    for (std::uint32_t rank = 0; rank < last.size(); ++rank) {
      const Graphs::Ids computed = graphs.compute(rank, kLayerCompute, last[rank]);
      graphs.access(rank, store, kLayerBytes, "g", last[rank]);
      last[rank] = computed;
    }
  }
  void compute_on() {
    for (std::uint32_t rank = 0; rank < last.size(); ++rank)
      last[rank] = graphs.compute(rank, kLayerCompute / 2, last[rank]);
  }
  Config config(const TempDir& folder, const std::vector<std::string>& more = {}, const char* system = kMesh) const {
    return trace_config(graphs, folder, more, system);
  }

  Graphs graphs;
  std::vector<Graphs::Ids> last;  ///< by rank: what the next layer waits for
};

inline Layers twelve_layers() {
  Layers layers(16);
  for (int layer = 0; layer < 12; ++layer) layers.add();
  return layers;
}

}  // namespace weft::test
