// SPDX-License-Identifier: Apache-2.0
// A look at the state of set-up routes sees every field of it: by a law, for fields that nobody has thought of, and
// field by field.
#include <gtest/gtest.h>

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/router/support/colour_bench.h"

namespace weft::router {

/// Single fields of the state of set-up routes, to be changed: stop 1 is that of colour 0 at router 0, stop 2 that of
/// colour 1, which merges three flows.
struct test::ColourState {
  ColourPlane& plane;
  PacketPool& pool;

  auto& stop() { return plane.stops_[0]; }
  auto& credits() { return stop().credits[index(kEast)]; }
  auto& queue() { return stop().queues[index(kWest)]; }
  Flit& oldest() { return plane.slot(stop(), index(kWest), queue().slot(0, plane.depth_)); }
  auto& merger() { return plane.mergers_.at(plane.stops_[1].merger); }
  auto& result() { return merger().stages.at(1).front(); }
  auto& router() { return plane.routers_[0]; }
  auto& to_visit() { return plane.to_visit_; }
  auto& claimed() { return plane.claimed_; }
  auto& border_packets() { return plane.border_packets_; }
  auto& copies() { return plane.copies_; }
  auto& arriving() { return plane.arriving_; }
  auto& turning() { return plane.turning_; }
  auto& credits_on_links() { return plane.credits_; }
  /// Another packet like that of `flit`, but for its class.
  Flit other(Flit flit) {
    const PacketIndex another = pool.allocate();
    pool[another] = pool[flit.packet()];
    ++pool[another].message_class;
    return {another, flit.head(), flit.tail()};
  }
};

namespace {

using test::ColourBench;
using test::ColourState;

/// A cycle in which flits of a packet have come in, have been copied and merged, and others have not.
constexpr Cycle kBusyColours = 9;
constexpr std::uint64_t kHistories = 3000;

std::uint64_t hash_of(ColourBench& bench) {
  StateForm form;
  form.begin(StateForm::Pass::kHash, bench.now() - 1, 1);
  bench.put_state(form);
  EXPECT_TRUE(form.end()) << form.refusal();
  return form.hash();
}

/// Some inputs send for some cycles, then none. Histories of a family are alike, but for what comes in one cycle, or
/// for two cycles that change places.
struct ColourHistory {
  static constexpr std::uint64_t kInFamily = 10;
  std::uint64_t seed = 0;
  Cycle cycles = 0;

  std::uint64_t family() const { return seed / kInFamily; }
  bool changes_places() const { return seed % 2 == 1; }
  Cycle differs_from() const { return seed % kInFamily; }
  std::uint64_t chance(Cycle now) const {
    if (now == differs_from() && !changes_places()) return random_bits(seed, 2, now);
    const bool is_other = changes_places() && now / 2 == differs_from() / 2;
    return random_bits(family(), 1, is_other ? now ^ 1 : now);
  }
};

void step(ColourBench& bench, ColourHistory history) {
  const std::uint64_t kind = random_bits(history.family(), 0, 0);
  const Cycle sends_until = 1 + kind % 16;
  const std::uint64_t sets[] = {kind >> 8 | kind >> 16, kind >> 8 & kind >> 16, 0x03, 0x3c};  // by colour, too
  const auto active = static_cast<unsigned>(sets[kind >> 41 & 3] & 0x7f);
  bench.step(history.chance(bench.now()), bench.now() < sends_until ? active : 0,
             static_cast<unsigned>(1 + (kind >> 24) % 8),
             (kind >> 40 & 1) != 0 ? 8 : static_cast<unsigned>(kind >> 32) % 9);
}

/// What happens after it, if then the same comes. Inputs begin one after the other: in half of all futures those of
/// colour 0 so late that its first flit may meet the first sum of colour 1.
std::vector<std::uint64_t> future_of(ColourHistory history, bool counts, std::uint64_t seed) {
  ColourBench bench(counts);
  while (bench.now() < history.cycles) step(bench, history);
  bench.take_events();
  const std::uint64_t kind = random_bits(seed, 3, 0);
  for (Cycle cycle = 0; cycle < 48; ++cycle) {
    unsigned active = 0;
    for (unsigned i = 0; i < 7; ++i) {
      const Cycle begin = (kind & 1) != 0 ? kind >> 4 * i & 15 : i < 2 ? 3 + (kind >> 4 * i & 7) : 0;
      active |= (cycle >= begin ? 1U : 0U) << i;
    }
    bench.step(random_bits(seed, 4, cycle), active, (kind & 2) != 0 ? 8 : 6, 6);
  }
  return bench.take_events();
}

void expect_equal_futures(bool counts) {
  std::unordered_map<std::uint64_t, ColourHistory> first;
  std::size_t pairs = 0;
  for (std::uint64_t seed = 0; seed < kHistories; ++seed) {
    ColourBench bench(counts);
    std::uint64_t before = 0;
    while (bench.now() < 40) {
      step(bench, {seed});
      const ColourHistory here{seed, bench.now()};
      const std::uint64_t state = hash_of(bench);
      const bool is_known = here.cycles <= here.differs_from() || std::exchange(before, state) == state;
      if (is_known || first.emplace(state, here).second || first[state].seed == seed) continue;
      ++pairs;
      ASSERT_EQ(future_of(first[state], counts, seed), future_of(here, counts, seed))
          << "the states after " << first[state].cycles << " cycles of history " << first[state].seed << " and "
          << here.cycles << " of " << seed << " look the same, but are not";
    }
  }
  EXPECT_GT(pairs, 1000U);
}

// Two states with the same words must go on alike whatever comes. Where a field was forgotten, two states that differ
// in it alone have the same words.
TEST(ColourForm, equal_states_have_equal_futures) { expect_equal_futures(false); }
TEST(ColourForm, equal_states_count_alike) { expect_equal_futures(true); }

using ColourChange = std::function<void(ColourState&)>;
using ColourChanges = std::vector<std::pair<const char*, ColourChange>>;

/// Whether routes that are changed pass the third look after two looks at such that are not. Both stops of router 0
/// have flits by then, and the first results of the merge of three are on their way.
bool colours_pass_third_look(const ColourChange& change) {
  StateForm form;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    ColourBench bench(false);
    while (bench.now() < kBusyColours) bench.step(0, 0x7f, 8, 0);
    ColourState state{bench.plane(), bench.pool()};
    EXPECT_GT(state.queue().flits, 0);
    EXPECT_FALSE(state.merger().stages.at(1).empty());
    EXPECT_FALSE(state.border_packets().empty());
    EXPECT_FALSE(state.copies().empty());
    if (pass == StateForm::Pass::kThird) change(state);
    form.begin(pass, bench.now() - 1, 1);
    bench.plane().put_state(form);
    const bool good = form.end();
    if (pass == StateForm::Pass::kThird) return good;
    EXPECT_TRUE(good) << form.refusal();
  }
  return false;
}

void expect_colours_seen(const ColourChanges& changes) {
  EXPECT_TRUE(colours_pass_third_look([](auto&) {}));
  for (const auto& [field, change] : changes) EXPECT_FALSE(colours_pass_third_look(change)) << field;
}

TEST(ColourForm, each_field_of_a_stop_is_looked_at) {
  expect_colours_seen({{"position", [](auto& s) { ++s.stop().position; }},
                       {"messages that are left", [](auto& s) { ++s.stop().messages_left; }},
                       {"messages whose copies straight on have left", [](auto& s) { ++s.stop().messages_ahead; }},
                       {"outputs that stall", [](auto& s) { s.stop().blocked ^= 1; }},
                       {"credits", [](auto& s) { s.credits() = CreditCount<std::uint16_t>(s.credits().left() + 1U); }},
                       {"flits in a queue", [](auto& s) { --s.queue().flits; }},
                       {"flits that may turn", [](auto& s) { ++s.queue().ready; }},
                       {"flits whose copies straight on have left", [](auto& s) { ++s.queue().ahead; }},
                       {"flits that left before their time", [](auto& s) { ++s.queue().early; }},
                       {"packet of a flit", [](auto& s) { s.oldest() = s.other(s.oldest()); }},
                       {"whether a flit is the last", [](auto& s) {
                          s.oldest() = Flit(s.oldest().packet(), s.oldest().head(), !s.oldest().tail());
                        }}});
}

TEST(ColourForm, each_field_of_a_merge_is_looked_at) {
  expect_colours_seen({{"messages that have come in", [](auto& s) { ++s.merger().messages_in; }},
                       {"a result more", [](auto& s) { s.merger().stages[1].push(s.result()); }},
                       {"stage of a result", [](auto& s) { std::swap(s.merger().stages[0], s.merger().stages[1]); }},
                       {"packet of a result", [](auto& s) { s.result().flit = s.other(s.result().flit); }},
                       {"when it comes", [](auto& s) { s.result().at = 1000; }}});
}

TEST(ColourForm, each_field_of_a_router_is_looked_at) {
  expect_colours_seen({{"colour that is served first", [](auto& s) { ++s.router().next; }},
                       {"outputs that are taken", [](auto& s) { s.router().claimed ^= 1; }},
                       {"whether it is to be visited", [](auto& s) { s.router().queued ^= true; }},
                       {"outputs that lost", [](auto& s) { s.router().lost ^= 1; }},
                       {"outputs whose merge lacks an operand", [](auto& s) { s.router().merging ^= 1; }},
                       {"outputs without a credit", [](auto& s) { s.router().held ^= 1; }},
                       {"routers to visit", [](auto& s) { s.to_visit().push_back(9); }},
                       {"routers with outputs that are taken", [](auto& s) { s.claimed().push_back(9); }}});
}

TEST(ColourForm, each_field_of_a_packet_under_way_is_looked_at) {
  const auto move = [](auto& packets) {
    auto entry = packets.extract(packets.begin());
    entry.key() ^= 1;
    packets.insert(std::move(entry));
  };
  const auto exchange = [](ColourState& s, auto& packets) {
    PacketIndex& packet = packets.begin()->second;
    packet = s.other(Flit(packet, true, true)).packet();
  };
  expect_colours_seen(
      {{"a packet that comes in", [](auto& s) { s.border_packets().erase(s.border_packets().begin()); }},
       {"where it comes in", [&](auto& s) { move(s.border_packets()); }},
       {"which one it is", [&](auto& s) { exchange(s, s.border_packets()); }},
       {"a copy", [](auto& s) { s.copies().erase(s.copies().begin()); }},
       {"where it leaves", [&](auto& s) { move(s.copies()); }},
       {"which copy it is", [&](auto& s) { exchange(s, s.copies()); }}});
}

/// What comes once more in each look, and whether it is the same in all of them.
using ColourArrival = std::function<void(ColourState&, bool is_other)>;

bool tells_apart(const ColourArrival& arrival) {
  const auto passes = [&](bool is_other) {
    StateForm form;
    bool good = true;
    for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
      ColourBench bench(false);
      ColourState state{bench.plane(), bench.pool()};
      bench.step(0, 0, 0, 0);
      arrival(state, is_other && pass == StateForm::Pass::kThird);
      form.begin(pass, 0, 1);
      bench.plane().put_state(form);
      good = good && form.end();
    }
    return good;
  };
  EXPECT_TRUE(passes(false));
  return !passes(true);
}

TEST(ColourForm, each_field_of_what_is_on_links_is_looked_at) {
  const auto flit = [](ColourState& s, std::uint8_t message_class) {
    const PacketIndex packet = s.pool.allocate();
    s.pool[packet].message_class = message_class;
    return Flit(packet, true, true);
  };
  const std::vector<std::pair<const char*, ColourArrival>> arrivals{
      {"when a flit comes",
       [&](auto& s, bool other) {
         s.arriving().push(other ? 6 : 5, {0, flit(s, 0), 1});
       }},
      {"where a flit comes",
       [&](auto& s, bool other) {
         s.arriving().push(5, {other ? 1U : 0U, flit(s, 0), 1});
       }},
      {"port of a flit",
       [&](auto& s, bool other) {
         s.arriving().push(5, {0, flit(s, 0), static_cast<std::uint8_t>(other ? 2 : 1)});
       }},
      {"packet of a flit",
       [&](auto& s, bool other) {
         s.arriving().push(5, {0, flit(s, static_cast<std::uint8_t>(other)), 1});
       }},
      {"when a flit may turn",
       [&](auto& s, bool other) {
         s.turning().push(other ? 6 : 5, {0, flit(s, 0), 1});
       }},
      {"where a flit may turn",
       [&](auto& s, bool other) {
         s.turning().push(5, {other ? 1U : 0U, flit(s, 0), 1});
       }},
      {"when a credit comes",
       [](auto& s, bool other) {
         s.credits_on_links().push(other ? 6 : 5, {0, 1});
       }},
      {"where a credit comes",
       [](auto& s, bool other) {
         s.credits_on_links().push(5, {other ? 1U : 0U, 1});
       }},
      {"port of a credit",
       [](auto& s, bool other) {
         s.credits_on_links().push(5, {0, static_cast<std::uint8_t>(other ? 2 : 1)});
       }},
  };
  for (const auto& [field, arrival] : arrivals) EXPECT_TRUE(tells_apart(arrival)) << field;
}

/// Looks at nothing.
class NoData final : public PacketData {
 public:
  void copied(const Packet&) override {}
  void merged(Packet&, const Packet&) override {}
  const std::uint8_t* bytes(const Packet&) const override { return nullptr; }
  void read(Packet&) override {}
  void made(Packet&, std::vector<std::uint8_t>) override {}
};

TEST(ColourForm, routes_whose_packets_carry_data_refuse) {
  ColourBench bench(false);
  NoData data;
  ColourSurroundings surroundings;
  surroundings.data = &data;
  bench.plane().connect(surroundings);
  StateForm form;
  form.begin(StateForm::Pass::kFirst, 0, 1);
  bench.plane().put_state(form);
  EXPECT_FALSE(form.end());
  EXPECT_EQ(form.refusal(), "packets carry data");
}

}  // namespace
}  // namespace weft::router
