// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mem/dram/scheduler/schedulers.h"

namespace weft::mem {
namespace {

/// One number that orders commands: cycles from `from` on, then RD and WR before the others, then age.
std::uint64_t rank(Cycle from, Cycle at, bool is_row, std::uint64_t age) {
  constexpr unsigned kAgeBits = 24;
  constexpr std::uint64_t kOldest = (std::uint64_t{1} << kAgeBits) - 1;
  return ((((at - from) << 1) | static_cast<std::uint64_t>(is_row)) << kAgeBits) | std::min(age, kOldest);
}

}  // namespace

// No branch depends on the banks' states: those are as good as random.
Choice FrFcfs::choose(const ChannelState& state, Cycle from) const {
  const ChannelState::Times channel = state.channel_times();
  const QueueEntry& oldest = state.entry(state.oldest());
  std::uint64_t best_rank = ~std::uint64_t{0};
  const ChannelState::Candidate* best = nullptr;
  Cycle best_at = kNever;
  const auto consider = [&](const ChannelState::Candidate& candidate) {
    const auto kind = static_cast<std::size_t>(candidate.kind);
    const Cycle shared = std::max(channel[kind], state.group_times(candidate.group)[kind]);
    const Cycle at = std::max(std::max(from, candidate.ready), shared);
    const std::uint64_t its_rank = rank(from, at, candidate.is_row, candidate.number - oldest.number);
    best = its_rank < best_rank ? &candidate : best;
    best_at = its_rank < best_rank ? at : best_at;
    best_rank = std::min(its_rank, best_rank);
  };
  for (std::uint64_t banks = state.busy_banks(); banks != 0; banks &= banks - 1)
    consider(state.candidate(static_cast<std::uint32_t>(__builtin_ctzll(banks))));
  for (std::uint64_t banks = state.mixed_banks(); banks != 0; banks &= banks - 1)
    consider(state.write_candidate(static_cast<std::uint32_t>(__builtin_ctzll(banks))));
  if (best_at - oldest.entered <= age_limit_) return {best_at, best->kind, best->slot};
  const NextCommand next = state.next_command(oldest);
  return {std::max(from, next.at), next.kind, state.oldest()};
}

}  // namespace weft::mem
