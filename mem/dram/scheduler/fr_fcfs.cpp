// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mem/dram/scheduler/scheduler.h"

namespace weft::mem {
namespace {

constexpr auto kRead = static_cast<std::size_t>(CommandKind::kRead);
constexpr auto kWrite = static_cast<std::size_t>(CommandKind::kWrite);

using Candidate = ChannelState::Candidate;

// One number orders commands: cycles from `from` on above the candidate's order, so that the smallest number is the
// whole answer.
constexpr unsigned kTimeShift = Candidate::kNumberShift + Candidate::kAgeBits + 1;

/// The first cycle in which anything may be sent, as far as the whole channel is concerned.
Cycle soonest(const ChannelState& state, const ChannelState::Times& channel, Cycle from) {
  Cycle first = kNever;
  for (std::size_t kind = 0; kind < channel.size(); ++kind)
    first = std::min(first, state.counts()[kind] != 0 ? channel[kind] : kNever);
  return std::max(from, first);
}

/// The first cycle of the oldest burst's RD or WR; kNever when its row is not open.
Cycle column_of_oldest(const ChannelState& state, const ChannelState::Times& channel, const QueueEntry& oldest) {
  const ChannelState::Bank& bank = state.bank(oldest.bank);
  if (!bank.is_open || bank.row != oldest.row) return kNever;
  const std::size_t kind = oldest.is_write ? kWrite : kRead;
  return std::max(std::max(channel[kind], bank.column), state.group_times()[channel.size() * oldest.group + kind]);
}

/// The smallest rank of all candidates. No branch depends on the banks' states: those are as good as random.
std::uint64_t smallest_rank(const ChannelState& state, const ChannelState::Times& channel, Cycle from,
                            std::uint64_t oldest) {
  const ChannelState::Times floors = {std::max(from, channel[0]), std::max(from, channel[1]),
                                      std::max(from, channel[2]), std::max(from, channel[3])};
  const Cycle* const groups = state.group_times();
  const std::uint64_t base = oldest << Candidate::kNumberShift;
  std::uint64_t best = ~std::uint64_t{0};
  const auto consider = [&](const Candidate& candidate) {
    const Cycle floor = floors[static_cast<std::size_t>(Candidate::kind(candidate.order))];
    const Cycle at = std::max(std::max(floor, candidate.ready), groups[candidate.group_time]);
    best = std::min(best, ((at - from) << kTimeShift) + (candidate.order - base));
  };
  for (std::uint64_t banks = state.busy_banks(); banks != 0; banks &= banks - 1)
    consider(state.candidate(static_cast<std::uint32_t>(__builtin_ctzll(banks))));
  for (std::uint64_t banks = state.mixed_banks(); banks != 0; banks &= banks - 1)
    consider(state.write_candidate(static_cast<std::uint32_t>(__builtin_ctzll(banks))));
  return best;
}

/// First ready, first come first served (Rixner et al., ISCA 2000): the command that can be sent first; at one cycle RD
/// and WR before the others, then the oldest. A row stays open while bursts for it wait. A burst older than the age
/// limit goes before everything else.
class FrFcfs final : public Scheduler {
 public:
  explicit FrFcfs(Cycle age_limit) : age_limit_(age_limit) {}
  Choice choose(const ChannelState& state, Cycle from) const override;

 private:
  Cycle age_limit_;
};

Choice FrFcfs::choose(const ChannelState& state, Cycle from) const {
  const ChannelState::Times channel = state.channel_times();
  const std::uint8_t oldest_slot = state.oldest();
  const QueueEntry& oldest = state.entry(oldest_slot);
  // Often nothing can be sent before the RD or WR of the oldest burst.
  const Cycle oldest_at = std::max(from, column_of_oldest(state, channel, oldest));
  if (oldest_at == soonest(state, channel, from))
    return {oldest_at, oldest.is_write ? CommandKind::kWrite : CommandKind::kRead, oldest_slot};
  const std::uint64_t best = smallest_rank(state, channel, from, oldest.number);
  const Cycle at = from + (best >> kTimeShift);
  const bool has_ages = state.next_number() - oldest.number < std::uint64_t{1} << Candidate::kAgeBits;
  if (at - oldest.entered > age_limit_ || !has_ages) {
    const NextCommand next = state.next_command(oldest);
    return {std::max(from, next.at), next.kind, oldest_slot};
  }
  return {at, Candidate::kind(best), Candidate::slot(best)};
}

}  // namespace

extern const SchedulerPolicy kFrFcfs;
const SchedulerPolicy kFrFcfs{
    {"fr_fcfs", "those first whose row is open, but none longer than memory.age_limit"},
    [](Cycle age_limit) -> std::unique_ptr<Scheduler> { return std::make_unique<FrFcfs>(age_limit); }};

}  // namespace weft::mem
