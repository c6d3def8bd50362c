// SPDX-License-Identifier: Apache-2.0
// A look at the state of a region sees every field of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/state_form.h"
#include "router/region_impl.h"
#include "tests/router/support/region_harness.h"
#include "tests/support/told_apart.h"

namespace weft::router {

/// Single fields of the state of a region with up to four VCs, to be changed. VCs are those of router 1.
struct test::RegionState {
  RegionImpl<4>& region;
  using Wake = RegionImpl<4>::Wake;

  auto& router() { return region.state_[1]; }
  auto& in(std::uint32_t vc) { return region.state_[1].in[vc]; }
  auto& out(std::uint32_t vc) { return region.state_[1].out[vc]; }
  Packet& packet(std::uint32_t vc) { return (*region.pool_)[region.front(1, static_cast<int>(vc)).packet()]; }
  auto& inside() { return region.inside_; }
  auto& moved() { return region.moved_; }
  auto& choices() { return region.choices_; }
  auto& statistics() { return region.statistics_[kMeshPorts]; }
  auto& waits() { return region.waits_[kMeshPorts]; }
  auto& to_visit() { return region.to_visit_; }
  bool copies() const { return region.copies(1); }
  Forks& forks() { return region.forks_.at(1); }
  Fork& fork() { return forks().list.front(); }
  Packet& packet_of(PacketIndex packet) { return (*region.pool_)[packet]; }
  auto& link_rate() { return region.link_rates_[kMeshPorts + kEastPort]; }
  void flit_comes(std::uint32_t to, Cycle at) { flit_comes_of(0, to, at); }
  void flit_comes_of(PacketIndex packet, std::uint32_t to, Cycle at) {
    region.arriving_flits_.push(at, {to, Flit(packet, false, false)});
  }
  /// Another packet like this one.
  PacketIndex alike(PacketIndex packet) {
    const PacketIndex another = region.pool_->allocate();
    packet_of(another) = packet_of(packet);
    return another;
  }
  void credit_comes(std::uint32_t to, Cycle at) { region.arriving_credits_.push(at, {to}); }
  void wake(std::uint32_t router, std::uint8_t vc, Cycle at) { wake_for(router, vc, at, Wake::kRouted); }
  void wake_for(std::uint32_t router, std::uint8_t vc, Cycle at, Wake what) {
    region.wake_ups_.push(at, {router, vc, what});
  }
  static constexpr std::size_t kEastPort = index(kEast);
};

namespace {

using test::RegionHarness;
using test::RegionState;

constexpr std::uint32_t kLocalVc = index(kLocal) * 4;  ///< VC 0 of the port of the NPU

FabricSpec row_of_three() {
  FabricSpec fabric;
  fabric.size_x = 3;
  fabric.size_y = 1;
  fabric.kind = FabricKind::kMesh;
  fabric.routing = "xy";
  fabric.router.vcs = 2;
  fabric.router.buffer_flits = 4;
  fabric.link.flits_per_cycle = Rational{3, 4};
  fabric.link.latency_cycles = 2;
  return fabric;
}

/// Brings it into the middle of its work: VC 0 from the NPU of router 1 has flits, and others pass.
void make_row_busy(RegionHarness& row) {
  for (std::uint32_t node = 0; node < 3; ++node) {
    row.send(NodeId{node}, NodeId{(node + 1) % 3}, 40, 0);
    row.send(NodeId{node}, NodeId{(node + 2) % 3}, 40, 1);
  }
  row.run_to(30);
}

using RegionChange = std::function<void(RegionState&)>;

/// Whether a region that is changed passes the third look after two looks at one that is not.
bool region_passes_third_look(const std::function<std::unique_ptr<RegionHarness>()>& make, const RegionChange& change) {
  StateForm form;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    const std::unique_ptr<RegionHarness> made = make();
    RegionHarness& row = *made;
    RegionState state{dynamic_cast<RegionImpl<4>&>(row.region())};
    if (pass == StateForm::Pass::kThird) change(state);
    form.begin(pass, row.now() - 1, 1);
    row.region().put_state(form);
    if (const bool good = form.end(); pass == StateForm::Pass::kThird) return good;
  }
  return false;
}

bool region_passes_third_look(const RegionChange& change) {
  const auto make = [] {
    auto row = std::make_unique<RegionHarness>(row_of_three());
    make_row_busy(*row);
    EXPECT_GT(RegionState{dynamic_cast<RegionImpl<4>&>(row->region())}.in(kLocalVc).flits, 0);
    return row;
  };
  return region_passes_third_look(make, change);
}

/// Router 1 copies a packet of four flits to its NPU and to router 2; a flit of it has left on one way at least.
bool copying_region_passes_third_look(const RegionChange& change) {
  MulticastPlan plan;
  const auto bit = [](PortId port) { return static_cast<std::uint8_t>(1U << index(port)); };
  plan.trees[NodeId{0}] = {{NodeId{0}, bit(kEast)},
                           {NodeId{1}, static_cast<std::uint8_t>(bit(kEast) | bit(kLocal))},
                           {NodeId{2}, bit(kLocal)}};
  const auto make = [&plan] {
    auto row = std::make_unique<RegionHarness>(row_of_three(), test::Execution{true, 0, 1, nullptr, &plan});
    row->send_multicast(NodeId{0}, 4);
    RegionState state{dynamic_cast<RegionImpl<4>&>(row->region())};
    const auto goes_on = [&] { return state.copies() && state.fork().branches.front().sent > 0; };
    for (Cycle at = 1; !goes_on() && at < 100; ++at) row->run_to(at);
    return row;
  };
  return region_passes_third_look(make, change);
}

TEST(RegionState, each_field_of_a_packet_that_is_copied_is_looked_at) {
  const std::vector<std::pair<const char*, RegionChange>> changes{
      {"who is served first", [](auto& s) { ++s.forks().next; }},
      {"outputs that lost", [](auto& s) { s.forks().lost ^= 1; }},
      {"the VC it comes in by", [](auto& s) { ++s.fork().input; }},
      {"its flits", [](auto& s) { ++s.fork().flits; }},
      {"flits that have left the buffer", [](auto& s) { ++s.fork().released; }},
      {"the packet", [](auto& s) { ++s.packet_of(s.fork().packet).bytes; }},
      {"which packet it is", [](auto& s) { s.fork().packet = s.alike(s.fork().packet); }},
      {"a copy", [](auto& s) { ++s.packet_of(s.fork().branches[1].packet).bytes; }},
      {"a copy more", [](auto& s) { s.fork().branches.push_back(s.fork().branches[1]); }},
      {"where a copy goes", [](auto& s) { ++s.fork().branches[1].port; }},
      {"the VC of a copy", [](auto& s) { ++s.fork().branches[1].vc; }},
      {"flits of a copy that have left", [](auto& s) { ++s.fork().branches[1].sent; }},
      {"when a copy may go on", [](auto& s) { s.fork().branches[1].from = 1000; }},
      {"a copy that waits for credits", [](auto& s) { s.fork().branches[1].blocked ^= true; }},
  };
  EXPECT_TRUE(copying_region_passes_third_look([](auto&) {}));
  for (const auto& [field, change] : changes) EXPECT_FALSE(copying_region_passes_third_look(change)) << field;
}

TEST(RegionState, each_field_is_looked_at) {
  const std::vector<std::pair<const char*, RegionChange>> changes{
      {"heads that wait for a VC", [](auto& s) { s.router().va_wait ^= 1; }},
      {"VCs that ask for the switch", [](auto& s) { s.router().sa_ready ^= 1; }},
      {"free VCs", [](auto& s) { s.router().free_vcs[2] ^= 1; }},
      {"whether it is to be visited", [](auto& s) { s.router().queued ^= true; }},
      {"whether a VC is free again", [](auto& s) { s.router().vc_freed ^= true; }},
      {"ports that wait for a slot", [](auto& s) { s.router().slot_waits ^= 1; }},
      {"ports that lost arbitration", [](auto& s) { s.router().lost ^= 1; }},
      {"pointer over VCs", [](auto& s) { ++s.router().pointers.vc[1]; }},
      {"pointer over outputs", [](auto& s) { ++s.router().pointers.input[1]; }},
      {"pointer over inputs", [](auto& s) { ++s.router().pointers.output[1]; }},
      {"speculative pointer over VCs", [](auto& s) { ++s.router().speculative.vc[1]; }},
      {"speculative pointer over outputs", [](auto& s) { ++s.router().speculative.input[1]; }},
      {"speculative pointer over inputs", [](auto& s) { ++s.router().speculative.output[1]; }},
      {"pointer over output VCs", [](auto& s) { ++s.router().va_input[5]; }},
      {"pointer over input VCs", [](auto& s) { ++s.router().va_output[5]; }},
      {"flits of a VC", [](auto& s) { --s.in(kLocalVc).flits; }},
      {"output VC of a packet", [](auto& s) { ++s.in(kLocalVc).output; }},
      {"port of a packet", [](auto& s) { ++s.in(kLocalVc).port; }},
      {"VC set of a packet", [](auto& s) { ++s.in(kLocalVc).vc_class; }},
      {"a grant that takes effect later", [](auto& s) { s.in(kLocalVc).delayed ^= true; }},
      {"credits", [](auto& s) { s.out(5).credits = CreditCount<std::uint16_t>(s.out(5).credits.left() + 1u); }},
      {"holder of an output VC", [](auto& s) { ++s.out(5).owner; }},
      {"source of a packet", [](auto& s) { s.packet(kLocalVc).src = NodeId{2}; }},
      {"destination of a packet", [](auto& s) { s.packet(kLocalVc).dst = NodeId{1}; }},
      {"column it goes to", [](auto& s) { ++s.packet(kLocalVc).dst_x; }},
      {"row it goes to", [](auto& s) { ++s.packet(kLocalVc).dst_y; }},
      {"column it goes over", [](auto& s) { ++s.packet(kLocalVc).via_x; }},
      {"row it goes over", [](auto& s) { ++s.packet(kLocalVc).via_y; }},
      {"choices of a packet", [](auto& s) { ++s.packet(kLocalVc).route_bits; }},
      {"class of a packet", [](auto& s) { ++s.packet(kLocalVc).message_class; }},
      {"length of a packet", [](auto& s) { ++s.packet(kLocalVc).flits; }},
      {"flits of it that are there", [](auto& s) { ++s.packet(kLocalVc).flits_received; }},
      {"hops of a packet", [](auto& s) { ++s.packet(kLocalVc).hops; }},
      {"bytes of a packet", [](auto& s) { ++s.packet(kLocalVc).bytes; }},
      {"bytes of its message", [](auto& s) { ++s.packet(kLocalVc).message_bytes; }},
      {"offset of a packet", [](auto& s) { ++s.packet(kLocalVc).offset; }},
      {"tag of a packet", [](auto& s) { ++s.packet(kLocalVc).tag; }},
      {"number of a packet", [](auto& s) { ++s.packet(kLocalVc).sequence; }},
      {"number of its message", [](auto& s) { ++s.packet(kLocalVc).message_sequence; }},
      {"when it was made", [](auto& s) { ++s.packet(kLocalVc).created; }},
      {"when it was sent", [](auto& s) { ++s.packet(kLocalVc).injected; }},
      {"a flit under way", [](auto& s) { s.flit_comes(1 << 7, 50); }},
      {"a credit under way", [](auto& s) { s.credit_comes(1 << 7, 50); }},
      {"a wake-up", [](auto& s) { s.wake(1, 2, 50); }},
      {"routers to visit", [](auto& s) { s.to_visit().push_back(9); }},
      {"when a link is free", [](auto& s) { s.link_rate() = LinkRate(); }},
      {"flits inside", [](auto& s) { ++s.inside(); }},
      {"flits moved", [](auto& s) { ++s.moved(); }},
      {"a choice by chance", [](auto& s) { s.choices().add(true); }},
      {"flits of a port", [](auto& s) { ++s.statistics().flits; }},
      {"stalls of a port", [](auto& s) { ++s.statistics().stall_cycles; }},
      {"cycle up to which they are counted", [](auto& s) { ++s.statistics().counted_to; }},
      {"VCs that wait for credits", [](auto& s) { ++s.statistics().blocked_vcs; }},
      {"what a port waits for", [](auto& s) { s.statistics().waits ^= 1; }},
      {"cycles of lost arbitration", [](auto& s) { ++s.waits().lost_arbitration; }},
      {"cycles without an operand", [](auto& s) { ++s.waits().waiting_operand; }},
  };
  EXPECT_TRUE(region_passes_third_look([](auto&) {}));
  for (const auto& [field, change] : changes) EXPECT_FALSE(region_passes_third_look(change)) << field;
}

/// Whether a look tells apart two regions that something has come to since, `one` to the one and `other` to the other.
bool regions_told_apart(const RegionChange& one, const RegionChange& other) {
  const auto after = [](const RegionChange& comes) {
    return [&comes](StateForm& form) {
      RegionHarness row(row_of_three());
      make_row_busy(row);
      RegionState state{dynamic_cast<RegionImpl<4>&>(row.region())};
      comes(state);
      row.region().put_state(form);
    };
  };
  EXPECT_TRUE(weft::test::look_equal(after(one), after(one), 29));
  return !weft::test::look_equal(after(one), after(other), 29);
}

// Router 1 is at 128, its VC 5 at 128 + 5.
TEST(RegionState, where_what_is_on_its_way_goes_is_looked_at) {
  const auto flit = [](std::uint32_t to, PacketIndex packet = 0) {
    return [=](RegionState& s) { s.flit_comes_of(packet, to, 50); };
  };
  EXPECT_TRUE(regions_told_apart(flit(128), flit(128 + 5))) << "VC of a flit";
  EXPECT_TRUE(regions_told_apart(flit(128 + 5), flit(256 + 5))) << "router of a flit";
  EXPECT_TRUE(regions_told_apart(flit(128), flit(128, 1))) << "packet of a flit";
  const auto credit = [](std::uint32_t to) { return [=](RegionState& s) { s.credit_comes(to, 50); }; };
  EXPECT_TRUE(regions_told_apart(credit(128), credit(128 + 5))) << "VC of a credit";
  EXPECT_TRUE(regions_told_apart(credit(128 + 5), credit(256 + 5))) << "router of a credit";
  using Wake = RegionState::Wake;
  const auto wake = [](std::uint32_t router, std::uint8_t vc, Wake what) {
    return [=](RegionState& s) { s.wake_for(router, vc, 50, what); };
  };
  EXPECT_TRUE(regions_told_apart(wake(1, 2, Wake::kRouted), wake(2, 2, Wake::kRouted))) << "router that is woken";
  EXPECT_TRUE(regions_told_apart(wake(1, 2, Wake::kRouted), wake(1, 3, Wake::kRouted))) << "VC that is woken";
  EXPECT_TRUE(regions_told_apart(wake(1, 2, Wake::kRouted), wake(1, 2, Wake::kAllocated))) << "what it is woken for";
}

// What a hash pass between two looks has seen counts all the same.
TEST(RegionState, a_choice_by_chance_between_two_looks_fails_the_second) {
  RegionHarness row(row_of_three());
  make_row_busy(row);
  RegionState state{dynamic_cast<RegionImpl<4>&>(row.region())};
  StateForm looks;
  looks.begin(StateForm::Pass::kFirst, row.now() - 1, 1);
  row.region().put_state(looks);
  ASSERT_TRUE(looks.end()) << looks.refusal();
  state.choices().add(true);
  StateForm hash;
  hash.begin(StateForm::Pass::kHash, row.now() - 1, 1);
  row.region().put_state(hash);
  EXPECT_FALSE(hash.end());
  looks.begin(StateForm::Pass::kSecond, row.now() - 1, 1);
  row.region().put_state(looks);
  EXPECT_FALSE(looks.end());
}

// Routers of one cycle are visited in any order.
TEST(RegionState, visits_have_no_order) {
  RegionHarness row(row_of_three());
  make_row_busy(row);
  RegionState state{dynamic_cast<RegionImpl<4>&>(row.region())};
  for (int i = 0; i < 100 && state.to_visit().size() < 2; ++i) row.run_to(row.now() + 1);
  ASSERT_GE(state.to_visit().size(), 2u);
  StateForm form;
  const auto look = [&] {
    form.begin(StateForm::Pass::kHash, row.now() - 1, 1);
    row.region().put_state(form);
    EXPECT_TRUE(form.end()) << form.refusal();
    return form.hash();
  };
  const std::uint64_t before = look();
  std::reverse(state.to_visit().begin(), state.to_visit().end());
  EXPECT_EQ(look(), before);
  state.to_visit().pop_back();
  EXPECT_NE(look(), before);
}

}  // namespace
}  // namespace weft::router
