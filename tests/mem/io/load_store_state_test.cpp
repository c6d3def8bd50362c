// SPDX-License-Identifier: Apache-2.0
// A look at the state of loads and stores sees every word of it, at NPUs and at controllers.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

#include "base/state_form.h"
#include "tests/mem/support/load_store_outlets.h"

namespace weft::mem {
namespace {

using Pass = StateForm::Pass;
using test::Asked;
using test::Served;

// One word of the state of a unit or a server is another one in each look. Words that have to be the same are told
// apart even where they grow evenly.
constexpr std::array<std::uint32_t, 3> kEvenly{0, 1, 2};
// Words that grow may do so evenly, and are told apart where they do not.
constexpr std::array<std::uint32_t, 3> kUnevenly{0, 0, 1};

/// What has been done to a block before a look, given the number of that look in one of the lists above.
template <typename Block>
using Doing = std::function<void(Block&, std::uint32_t)>;

/// Whether blocks that are made anew before each look pass all three looks.
template <typename Made, typename Block>
bool passes_looks(const std::array<std::uint32_t, 3>& steps, const Doing<Block>& doing) {
  StateForm form;
  std::size_t look = 0;
  for (const Pass pass : {Pass::kFirst, Pass::kSecond, Pass::kThird}) {
    Made made;
    doing(made.block, steps[look++]);
    form.begin(pass, 0, 1);
    made.block.put_state(form, pack_io_tag);
    if (!form.end()) return false;
  }
  return true;
}

/// A word by name, and what makes it another one.
template <typename Block>
struct Word {
  const char* name;
  std::array<std::uint32_t, 3> steps;
  Doing<Block> doing;
};

template <typename Made, typename Block>
void expect_all_seen(const std::vector<Word<Block>>& words) {
  for (const Word<Block>& word : words) {
    EXPECT_FALSE((passes_looks<Made, Block>(word.steps, word.doing))) << word.name;
    const auto always_alike = [&](Block& block, std::uint32_t) { word.doing(block, 1); };
    EXPECT_TRUE((passes_looks<Made, Block>(word.steps, always_alike))) << word.name;
  }
}

constexpr IoShares kSharesOfOne{1, 100, 100};

/// A unit of one controller, with pieces of 100 bytes, three of them under way.
struct MadeUnit {
  Asked outlet;
  LoadStoreUnit block{kSharesOfOne, 3, RankId{0}, outlet, nullptr};
};

/// A load, or what is made of it.
LoadStore order_of(std::uint64_t bytes) {
  LoadStore order;
  order.bytes = bytes;
  return order;
}
LoadStore group_order(std::uint32_t group, std::uint32_t instance = 0) {
  LoadStore order = order_of(1000);
  order.owner.grouped = true;
  order.owner.number = group;
  order.members = 4;
  order.instance = instance;
  return order;
}
LoadStore store_of(LoadStore order) {
  order.store = true;
  return order;
}
IoTag tag_of(std::uint32_t piece, bool store = false, std::uint32_t instance = 0) {
  IoTag tag;
  tag.piece = piece;
  tag.store = store;
  tag.instance = instance;
  return tag;
}
IoTag room_of(std::uint32_t group, std::uint32_t piece) {
  IoTag tag = tag_of(piece);
  tag.grouped = true;
  tag.who = group;
  tag.controller = kRoomReport;
  return tag;
}

/// Does a load of 100 bytes from its beginning to its end.
void load_and_end(LoadStoreUnit& unit, bool first_member) {
  LoadStore order = order_of(100);
  order.instance = 9;
  order.first_member = first_member;
  unit.start(order);
  unit.arrived(tag_of(0, false, 9), 100);
}

TEST(LoadStoreState, each_word_of_a_unit_is_looked_at) {
  using Unit = LoadStoreUnit;
  expect_all_seen<MadeUnit, Unit>(
      {{"which load it is", kEvenly,
        [](Unit& u, std::uint32_t step) {
          LoadStore order = order_of(1000);
          order.handle = step;
          u.start(order);
        }},
       {"whose load it is", kEvenly,
        [](Unit& u, std::uint32_t step) {
          LoadStore order = order_of(1000);
          order.instance = step;
          u.start(order);
        }},
       {"loads under way", kEvenly,
        [](Unit& u, std::uint32_t step) {
          for (std::uint32_t i = 0; i <= step; ++i) {
            LoadStore order = order_of(1000);
            order.instance = i;
            u.start(order);
          }
        }},
       {"which piece has ended", kUnevenly,
        [](Unit& u, std::uint32_t step) {
          u.start(order_of(1000));
          u.arrived(tag_of(step), 100);
        }},
       {"which piece lacks bytes", kUnevenly,
        [](Unit& u, std::uint32_t step) {
          u.start(order_of(1000));
          u.arrived(tag_of(step), 40);
        }},
       {"bytes that a piece lacks", kEvenly,
        [](Unit& u, std::uint32_t step) {
          u.start(order_of(1000));
          u.arrived(tag_of(0), 40 + step);
        }},
       {"pieces of a load", kUnevenly,
        [](Unit& u, std::uint32_t step) {
          u.start(order_of(10000));
          for (std::uint32_t i = 0; i <= step; ++i) u.arrived(tag_of(i), 100);
        }},
       {"group whose stores wait", kEvenly, [](Unit& u, std::uint32_t step) { u.start(store_of(group_order(step))); }},
       {"stores that wait", kEvenly,
        [](Unit& u, std::uint32_t step) {
          for (std::uint32_t i = 0; i <= step; ++i) u.start(store_of(group_order(3, i)));
        }},
       {"order of stores that wait", kUnevenly,
        [](Unit& u, std::uint32_t step) {
          u.start(store_of(group_order(3, 5)));
          u.start(store_of(group_order(3, 6 + step)));
          u.start(store_of(group_order(3, 7 - step)));
        }},
       {"pieces for which there is room", kEvenly,
        [](Unit& u, std::uint32_t step) {
          for (std::uint32_t i = 0; i <= step; ++i) u.has_room(room_of(3, i), 4);
        }},
       {"which piece has room", kUnevenly, [](Unit& u, std::uint32_t step) { u.has_room(room_of(3, step), 4); }},
       {"whose piece has room", kEvenly, [](Unit& u, std::uint32_t step) { u.has_room(room_of(step, 0), 4); }},
       {"members that have room", kEvenly,
        [](Unit& u, std::uint32_t step) {
          for (std::uint32_t i = 0; i <= step; ++i) u.has_room(room_of(3, 0), 4);
        }},
       {"whether a store has begun", kEvenly,
        [](Unit& u, std::uint32_t step) {
          if (step > 0) u.store_ahead();
        }},
       {"bytes loaded", kUnevenly,
        [](Unit& u, std::uint32_t step) {
          for (std::uint32_t i = 0; i < step; ++i) load_and_end(u, false);
        }},
       {"bytes loaded for all members", kUnevenly, [](Unit& u, std::uint32_t step) { load_and_end(u, step > 0); }},
       {"bytes stored", kUnevenly, [](Unit& u, std::uint32_t step) {
          u.start(store_of(order_of(99 + step)));
          u.arrived(tag_of(0, true), 1);
        }}});
}

/// A server whose line carries a flit of one byte per cycle, with packets of 100 bytes.
struct MadeServer {
  static LoadStoreServerSpec spec() {
    LoadStoreServerSpec spec;
    spec.has_line = true;
    spec.packet_bytes = 100;
    return spec;
  }
  Served outlet;
  LoadStoreServer block{spec(), outlet};
};

/// The same where the link into the fabric is the line.
struct MadeServerAtSwitch {
  Served outlet;
  LoadStoreServer block{LoadStoreServerSpec{}, outlet};
};

IoTag controller_tag(std::uint32_t controller) {
  IoTag tag;
  tag.controller = controller;
  return tag;
}

/// Lets a share be served, with or without its packets being brought.
void serve(LoadStoreServer& server, std::uint64_t bytes, std::uint32_t packets) {
  server.asked({}, NodeId{4}, bytes);
  server.on_timer(LoadStoreServer::Timer::kReady);
  for (std::uint32_t i = 0; i < packets; ++i) server.take_packet();
}

TEST(LoadStoreState, each_word_of_loads_at_a_controller_is_looked_at) {
  using Server = LoadStoreServer;
  expect_all_seen<MadeServer, Server>(
      {{"who asks", kEvenly, [](Server& s, std::uint32_t step) { s.asked({}, NodeId{step}, 100); }},
       {"bytes of a share", kEvenly, [](Server& s, std::uint32_t step) { s.asked({}, NodeId{4}, 100 + step); }},
       {"piece of a share", kUnevenly, [](Server& s, std::uint32_t step) { s.asked(tag_of(step), NodeId{4}, 100); }},
       {"whose share it is", kEvenly,
        [](Server& s, std::uint32_t step) { s.asked(tag_of(0, false, step), NodeId{4}, 100); }},
       {"controller of a share", kEvenly,
        [](Server& s, std::uint32_t step) { s.asked(controller_tag(step), NodeId{4}, 100); }},
       {"shares that wait", kEvenly,
        [](Server& s, std::uint32_t step) {
          for (std::uint32_t i = 0; i <= step; ++i) s.asked({}, NodeId{4}, 100);
        }},
       // One share is through in either case.
       {"whether a share waits or is brought", kUnevenly,
        [](Server& s, std::uint32_t step) {
          serve(s, 100, step > 0 ? 0 : 1);
          if (step == 0) s.asked({}, NodeId{4}, 100);
        }},
       {"bytes that are brought", kEvenly, [](Server& s, std::uint32_t step) { serve(s, 1000, step); }},
       {"bytes loaded", kUnevenly, [](Server& s, std::uint32_t step) { serve(s, 99 + step, 1); }},
       // 200 bytes in one share or in two.
       {"shares loaded", kUnevenly, [](Server& s, std::uint32_t step) {
          for (std::uint32_t i = 0; i <= step; ++i) serve(s, 200 / (step + 1), 2 / (step + 1));
        }}});
}

TEST(LoadStoreState, each_word_of_stores_at_a_controller_is_looked_at) {
  using Server = LoadStoreServer;
  expect_all_seen<MadeServerAtSwitch, Server>(
      {{"who stores", kEvenly,
        [](Server& s, std::uint32_t step) { s.stored(tag_of(0, true), NodeId{step}, 0, 100, true); }},
       // The packet before it has the bytes that the last one lacks.
       {"bytes of the last packet", kEvenly,
        [](Server& s, std::uint32_t step) {
          s.stored(tag_of(0, true), NodeId{4}, 0, 100 - step, false);
          s.stored(tag_of(0, true), NodeId{4}, 100 - step, 100 + step, true);
        }},
       {"piece of a share", kUnevenly,
        [](Server& s, std::uint32_t step) { s.stored(tag_of(step, true), NodeId{4}, 0, 100, true); }},
       {"whose share it is", kEvenly,
        [](Server& s, std::uint32_t step) { s.stored(tag_of(0, true, step), NodeId{4}, 0, 100, true); }},
       {"shares that are taken", kEvenly,
        [](Server& s, std::uint32_t step) {
          for (std::uint32_t i = 0; i <= step; ++i) s.stored(tag_of(0, true), NodeId{4}, 0, 100, true);
        }},
       {"bytes stored", kUnevenly,
        [](Server& s, std::uint32_t step) { s.stored(tag_of(0, true), NodeId{4}, 0, 100 + step, false); }},
       {"shares stored", kUnevenly, [](Server& s, std::uint32_t step) {
          for (std::uint32_t i = 0; i < step; ++i) {
            s.stored(tag_of(0, true), NodeId{4}, 0, 0, true);
            s.on_timer(LoadStoreServer::Timer::kTaken);
          }
        }}});
}

// The line of a rate of one flit per cycle is busy with 10 or 11 flits; the packets are not the last ones of their
// share.
TEST(LoadStoreState, what_the_line_of_a_controller_takes_is_looked_at) {
  const Doing<LoadStoreServer> two_packets = [](LoadStoreServer& s, std::uint32_t step) {
    s.stored(tag_of(0, true), NodeId{4}, 0, 10 + step, false);
  };
  EXPECT_TRUE((passes_looks<MadeServerAtSwitch, LoadStoreServer>(kEvenly, two_packets)))
      << "at a switch there is no such line, and bytes grow evenly";
  EXPECT_FALSE((passes_looks<MadeServer, LoadStoreServer>(kEvenly, two_packets)));
}

/// Periods after three looks at a load of the first member of a group that begins one more piece in each of them, while
/// all that another member tells of is piece 0, or one more of them each time.
std::uint64_t periods_of_group_load(bool rooms_grow) {
  StateForm form;
  form.set_rules([](std::uint64_t tag) { return job_of(unpack_io_tag(tag)); }, nullptr);
  std::uint32_t look = 0;
  for (const Pass pass : {Pass::kFirst, Pass::kSecond, Pass::kThird}) {
    MadeUnit made;
    LoadStore order = order_of(10000);
    order.instance = 1;
    made.block.start(order);
    for (std::uint32_t i = 0; i < look; ++i) made.block.arrived(tag_of(i, false, 1), 100);
    IoTag room = tag_of(20 + (rooms_grow ? look : 0), false, 1);
    room.controller = kRoomReport;
    made.block.has_room(room, 4);
    ++look;
    form.begin(pass, 0, 1);
    made.block.put_state(form, pack_io_tag);
    EXPECT_TRUE(form.end());
  }
  return form.periods();
}

TEST(LoadStoreState, tags_that_do_not_grow_as_the_pieces_of_their_load_are_not_moved_on) {
  EXPECT_GT(periods_of_group_load(true), 0u);
  EXPECT_EQ(periods_of_group_load(false), 0u);
}

}  // namespace
}  // namespace weft::mem
