// SPDX-License-Identifier: Apache-2.0
// Laws for any DRAM: random organisations and times that do not contradict each other, random traffic, every scheduler
// and mapping. No time is violated, every byte is moved once, and when the channels are looked at makes no difference.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "tests/mem/support/dram_bench.h"
#include "tests/mem/support/timings.h"

namespace weft::mem::test {
namespace {

std::uint64_t between(std::uint64_t least, std::uint64_t most) {
  return *rc::gen::inRange<std::uint64_t>(least, most + 1);
}

DramTiming any_timing() {
  DramTiming t;
  t.name = "any";
  t.channels = 1U << between(0, 2);
  t.bank_groups = 1U << between(0, 3);
  t.banks_per_group = 1U << between(0, 2);
  t.rows = 1U << between(2, 6);
  t.burst_bytes = 1U << between(4, 6);
  t.row_bytes = t.burst_bytes << between(0, 5);
  t.command_buses = 1U << between(0, 1);
  t.t_bl = between(1, 8);
  t.t_cwl = between(1, 20);
  t.t_cl = t.t_cwl + between(0, 20);
  t.t_rcd = between(1, 20);
  t.t_rp = between(1, 20);
  t.t_ras = t.t_rcd + between(0, 20);
  t.t_rc = t.t_ras + t.t_rp + between(0, 5);
  t.t_rrd_s = between(1, 8);
  t.t_rrd_l = t.t_rrd_s + between(0, 8);
  t.t_faw = t.t_rrd_s + between(0, 40);
  t.t_ccd_s = t.t_bl + between(0, 4);
  t.t_ccd_l = t.t_ccd_s + between(0, 6);
  t.t_ccd_l_wr = t.t_ccd_l + between(0, 10);
  t.t_rtp = between(1, 12);
  t.t_wr = between(1, 20);
  t.t_wtr_s = between(1, 10);
  t.t_wtr_l = t.t_wtr_s + between(0, 10);
  t.t_rtw = t.t_cl + t.t_bl - t.t_cwl + between(0, 6);
  t.t_rfc = between(1, 200);
  const Cycle close = std::max(t.t_ras, t.t_rcd + t.t_cwl + t.t_bl + t.t_wr) + t.t_rp;
  t.t_refi = t.t_rfc + 2 * close + between(0, 2000);
  return t;
}

DramOptions any_options(const DramTiming& timing) {
  DramOptions options;
  options.scheduler = *rc::gen::elementOf(scheduler_policies().names());
  options.mapping = *rc::gen::elementOf(mapping_policies().names());
  options.channel.queue_depth = between(1, 64);
  options.channel.age_limit = between(1, 500);
  options.channel.interleave_bytes = timing.burst_bytes << between(0, 3);
  options.channel.interleave_bytes = std::min(options.channel.interleave_bytes, timing.channel_bytes());
  return options;
}

struct Access {
  Command command;
  std::uint64_t address;
  std::uint64_t bytes;
  Cycle at;
  std::uint32_t initiator;
};

std::vector<Access> any_traffic(const DramTiming& timing) {
  std::vector<Access> all;
  Cycle at = 0;
  const std::uint64_t span = std::min<std::uint64_t>(timing.bytes(), std::uint64_t{1} << between(8, 20));
  const std::uint64_t longest = std::min<std::uint64_t>(span, between(1, 600));
  for (std::uint64_t i = between(1, 120); i > 0; --i) {
    at += between(0, 9) == 0 ? between(0, 3000) : between(0, 12);
    const std::uint64_t bytes = between(1, longest);
    all.push_back({between(0, 2) == 0 ? Command::kWrite : Command::kRead, between(0, span - bytes), bytes, at,
                   static_cast<std::uint32_t>(between(0, 3))});
  }
  return all;
}

/// Plays the traffic; between arrivals the controller is advanced in every cycle, or only where it says that it must
/// be.
std::unique_ptr<DramBench> play(const DramTiming& timing, const DramOptions& options,
                                const std::vector<Access>& traffic, bool every_cycle) {
  auto bench = std::make_unique<DramBench>(timing, options);
  Cycle now = 0;
  for (const Access& access : traffic) {
    for (; every_cycle && now < access.at; ++now) bench->controller.advance(now);
    while (!every_cycle && bench->controller.deadline() < access.at) {
      const Cycle deadline = bench->controller.deadline();
      bench->controller.advance(deadline);
      RC_ASSERT(bench->controller.deadline() > deadline);
    }
    bench->take(access.command, access.address, access.bytes, access.at, access.initiator);
  }
  bench->controller.advance(now = traffic.back().at + 2'000'000);
  return bench;
}

RC_GTEST_PROP(DramLaws, every_time_is_kept_and_every_byte_is_moved_once, ()) {
  const DramTiming timing = any_timing();
  RC_ASSERT(timing_problems(timing).empty());
  const DramOptions options = any_options(timing);
  const std::vector<Access> traffic = any_traffic(timing);
  const auto bench = play(timing, options, traffic, false);
  std::uint64_t bursts = 0;
  std::uint64_t bytes = 0;
  for (const Access& access : traffic) {
    bytes += access.bytes;
    bursts += (access.address + access.bytes - 1) / timing.burst_bytes - access.address / timing.burst_bytes + 1;
  }
  for (std::uint32_t i = 0; i < timing.channels; ++i) {
    RC_ASSERT(bench->log(i).checker.findings() == std::vector<std::string>{});
    const ChannelFigures figures = bench->controller.figures(i);
    RC_ASSERT(figures.row_hits + figures.row_misses + figures.row_conflicts == figures.reads + figures.writes);
    RC_ASSERT(figures.queue_max <= options.channel.queue_depth);
    bursts -= figures.reads + figures.writes;
    bytes -= figures.bytes;
  }
  RC_ASSERT(bursts == 0U);
  RC_ASSERT(bytes == 0U);
  const Cycle shortest = std::min(timing.t_cl, timing.t_cwl) + timing.t_bl;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    RC_ASSERT(bench->served_at[i] != kNever);
    RC_ASSERT(bench->served_at[i] >= traffic[i].at + timing.t_rcd * (i == 0) + shortest);
  }
}

RC_GTEST_PROP(DramLaws, when_channels_are_looked_at_makes_no_difference, ()) {
  const DramTiming timing = any_timing();
  const DramOptions options = any_options(timing);
  const std::vector<Access> traffic = any_traffic(timing);
  const auto asleep = play(timing, options, traffic, false);
  const auto awake = play(timing, options, traffic, true);
  RC_ASSERT(asleep->served_at == awake->served_at);
  for (std::uint32_t i = 0; i < timing.channels; ++i) {
    // A channel without work is caught up with when its figures are asked for.
    const ChannelFigures a = asleep->controller.figures(i);
    const ChannelFigures b = awake->controller.figures(i);
    RC_ASSERT(asleep->log(i).log == awake->log(i).log);
    RC_ASSERT(a.refreshes == b.refreshes);
    RC_ASSERT(a.queue_mean == b.queue_mean);
    RC_ASSERT(a.queue_max == b.queue_max);
    RC_ASSERT(a.row_hits == b.row_hits);
    RC_ASSERT(a.latency == b.latency);
  }
}

// The scheduler's shortcut against the plain rule: of all bursts that may go, the earliest command, RD and WR before
// ACT and PRE, then the oldest; no PRE while a burst waits for the open row; past the age limit only the oldest.
class PlainState : public ChannelState {
 public:
  using ChannelState::activate;
  using ChannelState::add;
  using ChannelState::ChannelState;
  using ChannelState::is_full;
  using ChannelState::precharge;
  using ChannelState::read_or_write;
  using ChannelState::remove;
};

RC_GTEST_PROP(DramLaws, fr_fcfs_chooses_by_its_rule, ()) {
  const DramTiming timing = any_timing();
  const auto mapping = make_mapping("row_bank_column_group", timing);
  const Cycle limit = between(20, 400);
  const auto scheduler = make_scheduler("fr_fcfs", limit);
  PlainState state(timing, 24);
  std::vector<std::uint8_t> by_age;
  Cycle now = 0;
  const std::uint64_t bursts = std::min<std::uint64_t>(timing.channel_bytes() / timing.burst_bytes, between(2, 400));
  for (int step = 0; step < 300; ++step) {
    if (!state.is_full() && (state.size() == 0 || between(0, 2) > 0)) {
      const Location location = mapping->location(between(0, bursts - 1));
      by_age.push_back(state.add(location, between(0, 2) == 0, static_cast<std::uint32_t>(step), now));
      continue;
    }
    const auto waits_for_row = [&](const QueueEntry& entry) {
      return std::any_of(by_age.begin(), by_age.end(), [&](std::uint8_t slot) {
        const QueueEntry& other = state.entry(slot);
        return other.bank == entry.bank && state.bank(entry.bank).is_open && other.row == state.bank(entry.bank).row;
      });
    };
    Choice expected;
    for (std::size_t age = 0; age < by_age.size(); ++age) {
      const QueueEntry& entry = state.entry(by_age[age]);
      const bool behind =
          std::any_of(by_age.begin(), by_age.begin() + static_cast<std::ptrdiff_t>(age), [&](std::uint8_t s) {
            const QueueEntry& older = state.entry(s);
            return older.bank == entry.bank && older.row == entry.row && older.column == entry.column &&
                   (older.is_write || entry.is_write);
          });
      const NextCommand next = state.next_command(entry);
      if (behind || (next.kind == CommandKind::kPrecharge && waits_for_row(entry))) continue;
      const auto is_row = [](CommandKind kind) {
        return kind == CommandKind::kActivate || kind == CommandKind::kPrecharge;
      };
      const Cycle at = std::max(now, next.at);
      if (at < expected.at || (at == expected.at && is_row(expected.kind) && !is_row(next.kind)))
        expected = {at, next.kind, by_age[age]};
    }
    const QueueEntry& oldest = state.entry(by_age.front());
    if (expected.at - oldest.entered > limit) {
      const NextCommand next = state.next_command(oldest);
      expected = {std::max(now, next.at), next.kind, by_age.front()};
    }
    const Choice choice = scheduler->choose(state, now);
    RC_ASSERT(choice.at == expected.at);
    RC_ASSERT(choice.kind == expected.kind);
    RC_ASSERT(choice.slot == expected.slot);
    now = choice.at;
    const QueueEntry entry = state.entry(choice.slot);
    if (choice.kind == CommandKind::kActivate) {
      state.activate(entry, now);
    } else if (choice.kind == CommandKind::kPrecharge) {
      state.precharge(entry.bank, now);
    } else {
      state.read_or_write(entry, now);
      state.remove(choice.slot);
      by_age.erase(std::find(by_age.begin(), by_age.end(), choice.slot));
    }
  }
}

// ---- state is relative to now

/// Serves without keeping anything.
class Nobody final : public RequestOwner {
 public:
  void served(Request& /*request*/, Cycle /*at*/) override {}
};

/// The hash at `look` of a controller that got the part of the traffic that comes until then; all `late` cycles later.
std::uint64_t hash_at(const DramTiming& timing, const DramOptions& options, const std::vector<Access>& traffic,
                      Cycle look, Cycle late, bool every_cycle) {
  DramController controller(timing, options);
  Nobody nobody;
  std::deque<Request> requests;
  Cycle now = late;
  for (const Access& access : traffic) {
    if (access.at > look) break;
    for (; every_cycle && now < late + access.at; ++now) controller.advance(now);
    Request& request = requests.emplace_back();
    request.id = requests.size() + late;
    request.command = access.command;
    request.address = request.physical = access.address;
    request.bytes = access.bytes;
    request.arrival = late + access.at;
    request.initiator = access.initiator;
    request.owner = &nobody;
    controller.advance(request.arrival > 0 ? request.arrival - 1 : 0);
    controller.take(request, request.arrival);
  }
  for (; every_cycle && now < late + look; ++now) controller.advance(now);
  return controller.state_hash(late + look);
}

RC_GTEST_PROP(DramState, hash_is_relative_to_now_and_knows_no_looks, ()) {
  const DramTiming timing = any_timing();
  const DramOptions options = any_options(timing);
  const std::vector<Access> traffic = any_traffic(timing);
  const Cycle look = between(1, traffic.back().at + 200);
  const std::uint64_t hash = hash_at(timing, options, traffic, look, 0, false);
  RC_ASSERT(hash_at(timing, options, traffic, look, 0, true) == hash);
  // Periods of refresh later everything is the same; in the first one no refresh comes at its beginning.
  RC_ASSERT(hash_at(timing, options, traffic, look, 50 * timing.t_refi, false) ==
            hash_at(timing, options, traffic, look, 3 * timing.t_refi, false));
}

// Reads and writes that differ in one thing each, seen before, in and behind the queue.
TEST(DramState, hash_tells_states_apart) {
  const DramTiming timing = small_timing();
  const std::vector<std::vector<Access>> works{{{Command::kRead, 0, 32, 5, 0}},
                                               {{Command::kWrite, 0, 32, 5, 0}},
                                               {{Command::kRead, timing.row_bytes * 64, 32, 5, 0}},
                                               {{Command::kRead, 0, 320, 5, 0}},
                                               {{Command::kRead, 0, 32, 4, 0}},
                                               {{Command::kRead, 0, 32, 5, 0}, {Command::kRead, 0, 32, 5, 0}}};
  for (const Cycle look : {5, 6, 8}) {
    std::set<std::uint64_t> seen;
    for (const auto& work : works) seen.insert(hash_at(timing, {}, work, look, 0, false));
    EXPECT_EQ(seen.size(), works.size()) << look;
  }
  // Long after, only what is open differs.
  EXPECT_NE(hash_at(timing, {}, works[0], 100, 0, false), hash_at(timing, {}, works[2], 100, 0, false));
  // The refresh comes nearer.
  EXPECT_NE(hash_at(timing, {}, {}, 100, 0, false), hash_at(timing, {}, {}, 101, 0, false));
}

}  // namespace
}  // namespace weft::mem::test
