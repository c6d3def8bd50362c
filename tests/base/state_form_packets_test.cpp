// SPDX-License-Identifier: Apache-2.0
// What a look at the state sees of packets and flits on their way.
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "base/state_form.h"

namespace weft {
namespace {

using Pass = StateForm::Pass;

TEST(StateForm, a_packet_is_told_from_others_by_where_it_is) {
  PacketPool pool;
  const PacketIndex a = pool.allocate();
  const PacketIndex b = pool.allocate();
  StateForm form;
  const auto look = [&](Pass pass, PacketIndex first, PacketIndex second) {
    form.begin(pass, 0, 1);
    form.packet(pool, first);
    form.packet(pool, second);
    return form.end();
  };
  ASSERT_TRUE(look(Pass::kFirst, a, b));
  form.all_packets(pool);
  EXPECT_EQ(form.refusal(), "");
  pool.allocate();
  form.all_packets(pool);
  EXPECT_NE(form.refusal(), "") << "a packet was forgotten";
  EXPECT_TRUE(look(Pass::kSecond, b, a)) << "indices of descriptors mean nothing";
  EXPECT_FALSE(look(Pass::kSecond, a, a)) << "two flits of one packet are not those of two";
  EXPECT_TRUE(look(Pass::kSecond, a, b));
  pool[b].created = 4;
  pool[b].offset = 64;
  pool[b].message_bytes = 640;
  EXPECT_FALSE(look(Pass::kThird, a, b)) << "of another message";
}

TEST(StateForm, each_field_of_a_packet_is_looked_at) {
  const std::vector<std::pair<const char*, std::function<void(Packet&)>>> changes{
      {"source", [](Packet& p) { p.src = NodeId{3}; }},
      {"destination", [](Packet& p) { p.dst = NodeId{3}; }},
      {"flits", [](Packet& p) { ++p.flits; }},
      {"flits received", [](Packet& p) { ++p.flits_received; }},
      {"column of the destination", [](Packet& p) { ++p.dst_x; }},
      {"row of the destination", [](Packet& p) { ++p.dst_y; }},
      {"column on the way", [](Packet& p) { ++p.via_x; }},
      {"row on the way", [](Packet& p) { ++p.via_y; }},
      {"choices of the routing function", [](Packet& p) { ++p.route_bits; }},
      {"class", [](Packet& p) { ++p.message_class; }},
      {"hops", [](Packet& p) { ++p.hops; }},
      {"when it was made", [](Packet& p) { ++p.created; }},
      {"when it left", [](Packet& p) { ++p.injected; }},
      {"whether it is measured", [](Packet& p) { p.measured ^= true; }},
      {"whether it follows a route", [](Packet& p) { p.follows_route ^= true; }},
      {"whether it is an operand", [](Packet& p) { p.flow ^= true; }},
      {"bytes", [](Packet& p) { ++p.bytes; }},
      {"number of its message", [](Packet& p) { ++p.message_sequence; }},
      {"its number", [](Packet& p) { ++p.sequence; }},
      {"flow of switches", [](Packet& p) { p.switch_flow = 5; }},
      {"tag", [](Packet& p) { ++p.tag; }},
      {"bytes of its message", [](Packet& p) { ++p.message_bytes; }},
      {"offset", [](Packet& p) { ++p.offset; }},
      {"data", [](Packet& p) { p.payload = reinterpret_cast<PayloadHolder*>(&p); }}};
  const auto passes = [](const std::function<void(Packet&)>& change) {
    StateForm form;
    form.set_rules(nullptr, [](StateForm&, const PayloadHolder&) {});
    Packet packet;
    bool good = true;
    for (const Pass pass : {Pass::kFirst, Pass::kSecond, Pass::kThird}) {
      EXPECT_TRUE(good);
      if (pass == Pass::kThird) change(packet);
      form.begin(pass, 0, 1);
      form.packet(packet);
      good = form.end();
    }
    return good;
  };
  EXPECT_TRUE(passes([](Packet&) {}));
  for (const auto& [field, change] : changes) EXPECT_FALSE(passes(change)) << field;
}

TEST(StateForm, a_flit_is_told_from_others_of_its_packet) {
  PacketPool pool;
  const PacketIndex packet = pool.allocate();
  for (const auto& [head, tail] : {std::pair{true, false}, std::pair{false, true}, std::pair{false, false}}) {
    StateForm form;
    for (const Pass pass : {Pass::kFirst, Pass::kSecond, Pass::kThird}) {
      form.begin(pass, 0, 1);
      form.flit(pool, pass == Pass::kThird ? Flit(packet, head, tail) : Flit(packet, false, false));
      EXPECT_EQ(form.end(), pass != Pass::kThird || (!head && !tail)) << head << tail;
    }
  }
}

}  // namespace
}  // namespace weft
