// SPDX-License-Identifier: Apache-2.0
// Loads that are looked at a period apart: what has to be the same, and where they are after periods that are left out.
#include <gtest/gtest.h>

#include <vector>

#include "mem/io/line_pace.h"
#include "mem/io/load_store_server.h"
#include "mem/io/load_store_unit.h"
#include "tests/mem/support/load_store_outlets.h"

namespace weft::mem {
namespace {

using Pass = StateForm::Pass;
constexpr Cycle kPeriod = 10;
using test::Asked;
using test::Served;

/// Looks at `put(form, now)` at 0, 10 and 20, with a `step()` between them. Returns the periods that may be left out.
template <typename Put, typename Step>
std::uint64_t periods_of(StateForm& form, Put put, Step step) {
  Cycle now = 0;
  for (const Pass pass : {Pass::kFirst, Pass::kSecond, Pass::kThird}) {
    form.begin(pass, now, kPeriod);
    put(form);
    if (!form.end()) return 0;
    if (pass != Pass::kThird) step(now += kPeriod);
  }
  return form.periods();
}

// A flit takes 11/10 cycles. 19 of them are there after 20.9 cycles; 9 more each 10 cycles come 0.1 cycles nearer,
// which only the phase shows.
TEST(LoadStoreForm, a_line_that_stands_between_two_cycles_is_in_another_state) {
  LinePace pace({10, 11});
  StateForm busy_form;
  std::uint64_t busy_steps = 0;
  pace.carry(19, 0);
  const auto put_busy = [&](StateForm& f) {
    f.counts_to(busy_steps, 100);
    pace.put_state(f);
  };
  const auto carry = [&](Cycle now) {
    ++busy_steps;
    pace.carry(9, now);
  };
  EXPECT_EQ(periods_of(busy_form, put_busy, carry), 0u);

  LinePace idle({3, 8});
  StateForm form;
  std::uint64_t steps = 0;
  const auto put = [&](StateForm& f) {
    f.counts_to(steps, 100);
    idle.put_state(f);
  };
  EXPECT_GT(periods_of(form, put, [&](Cycle) { ++steps; }), 0u);
}

/// One controller, pieces of 100 bytes, three of them under way: a load of 40 pieces and 50 bytes.
struct Load {
  static constexpr IoShares kShares{1, 100, 100};
  Asked outlet;
  LoadStoreUnit unit{kShares, 3, RankId{0}, outlet, nullptr};
  std::uint32_t come = 0;

  Load() {
    LoadStore order;
    order.bytes = 4050;
    unit.start(order);
  }
  void arrive(std::uint64_t bytes) {
    IoTag tag;
    tag.piece = come;
    unit.arrived(tag, bytes);
  }
  void piece() {
    arrive(100);
    ++come;
  }
  void put_state(StateForm& form) { unit.put_state(form, pack_io_tag); }
};

// After the third look 5 of 41 pieces have been begun, and the last one is not the same as the others: 35 more may
// begin, and the last two periods are simulated.
TEST(LoadStoreForm, pieces_repeat_themselves_up_to_the_last_whole_one) {
  Load load;
  StateForm form;
  const auto put = [&](StateForm& f) { load.put_state(f); };
  ASSERT_EQ(periods_of(form, put, [&](Cycle) { load.piece(); }), 33u);
  form.begin(Pass::kMoveOn, 2 * kPeriod, kPeriod, 33);
  load.put_state(form);
  ASSERT_TRUE(form.end());
  EXPECT_EQ(load.unit.waiting_for(0),
            "35 of 41 pieces are through, piece 35 lacks 100 bytes, piece 36 lacks 100 bytes, "
            "piece 37 lacks 100 bytes");
  EXPECT_EQ(load.unit.figures().loaded_bytes, 3500u);
  load.come = 35;
  while (load.come < 40) load.piece();
  EXPECT_EQ(load.outlet.pieces.back(), 40u);
  load.arrive(50);
  EXPECT_TRUE(load.outlet.ended);
  EXPECT_EQ(load.unit.figures().loaded_bytes, 4050u);
}

TEST(LoadStoreForm, a_piece_of_which_less_is_missing_is_in_another_state) {
  Load load;
  StateForm form;
  const auto put = [&](StateForm& f) { load.put_state(f); };
  const auto step = [&](Cycle now) {
    load.piece();
    if (now == kPeriod) load.arrive(1);
  };
  EXPECT_EQ(periods_of(form, put, step), 0u);
}

// Messages of loads have the order 0. So while one is under way, chunks whose orders grow are not left out.
TEST(LoadStoreForm, orders_of_chunks_that_grow_beside_a_load_are_not_moved_on) {
  for (const bool beside_a_load : {false, true}) {
    StateForm form;
    Load load;
    Asked outlet;
    LoadStoreUnit idle{Load::kShares, 3, RankId{0}, outlet, nullptr};
    std::uint32_t chunk = 0;
    std::uint64_t bytes = 0;
    const auto put = [&](StateForm& f) {
      f.counts_to(bytes, 1000);
      f.order(chunk);
      beside_a_load ? load.put_state(f) : idle.put_state(f, pack_io_tag);
    };
    const auto step = [&](Cycle) {
      bytes += 10;
      ++chunk;
      if (beside_a_load) load.piece();
    };
    EXPECT_EQ(periods_of(form, put, step) > 0, !beside_a_load);
  }
}

// The pieces of a store have a packet each, and take three planes in turn: a period of one piece leaves the planes as
// they were only in fabrics of one plane.
TEST(LoadStoreForm, a_store_whose_next_piece_takes_another_plane_is_in_another_state) {
  for (const std::uint32_t planes : {1U, 3U}) {
    const IoShares shares{1, 100, 100, planes};
    Asked outlet;
    LoadStoreUnit unit{shares, 3, RankId{0}, outlet, nullptr};
    LoadStore order;
    order.store = true;
    order.bytes = 4050;
    unit.start(order);
    IoTag tag;
    tag.store = true;
    StateForm form;
    const auto put = [&](StateForm& f) { unit.put_state(f, pack_io_tag); };
    const auto step = [&](Cycle) {
      unit.arrived(tag, 100);
      ++tag.piece;
    };
    EXPECT_EQ(periods_of(form, put, step) > 0, planes == 1) << planes;
  }
}

TEST(LoadStoreForm, shares_at_a_controller_are_those_of_later_pieces) {
  Served outlet;
  LoadStoreServerSpec spec;
  spec.has_line = true;
  LoadStoreServer server(spec, outlet);
  IoTag tag;
  server.asked(tag, NodeId{4}, 100);
  StateForm form;
  std::uint64_t steps = 0;
  const auto put = [&](StateForm& f) {
    f.counts_to(steps, 100);
    server.put_state(f, pack_io_tag);
  };
  const auto step = [&](Cycle) {
    ++steps;
    ++tag.piece;
    server.asked(tag, NodeId{4}, 100);
    server.on_timer(LoadStoreServer::Timer::kReady);
    server.take_packet();
  };
  ASSERT_GT(periods_of(form, put, step), 5u);
  form.begin(Pass::kMoveOn, 2 * kPeriod, kPeriod, 5);
  put(form);
  ASSERT_TRUE(form.end());
  server.on_timer(LoadStoreServer::Timer::kReady);
  EXPECT_EQ(server.take_packet().tag.piece, 7u);
  EXPECT_EQ(server.figures().loads, 2u + 5u + 1u);
}

}  // namespace
}  // namespace weft::mem
