// SPDX-License-Identifier: Apache-2.0
// What holds for routers of any number of ports and any traffic: sleeping, the order of visits and the moment of the
// start change nothing, flits arrive once, and all credits come home. The hash of the state sees every field of it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "config/load.h"
#include "tests/router/support/general_harness.h"

namespace weft::router {

/// Single fields of the state, to be changed.
struct test::GeneralState {
  GeneralRouters& routers;

  auto& va_wait() { return routers.routers_[1].va_wait; }
  auto& sa_ready() { return routers.routers_[1].sa_ready; }
  auto& input(std::uint32_t vc) { return routers.in(1, vc); }
  auto& owner(std::uint32_t vc) { return routers.owner(1, vc); }
  auto& free_vcs() { return routers.free_vcs_[routers.port_index(1, 0)]; }
  auto& switch_vc() { return routers.switch_vc_[routers.port_index(1, 0)]; }
  auto& switch_input() { return routers.switch_input_[routers.port_index(1, 0)]; }
  auto& switch_output() { return routers.switch_output_[routers.port_index(1, 0)]; }
  auto& va_input() { return routers.va_input_[routers.vc_index(1, 0)]; }
  auto& va_output() { return routers.va_output_[routers.vc_index(1, 0)]; }
  auto& links() { return routers.links_; }
  auto& router() { return routers.routers_[1]; }
  auto& to_visit() { return routers.to_visit_; }
  auto& inside() { return routers.inside_; }
  auto& moved() { return routers.moved_; }
  auto& choices() { return routers.choices_; }
  auto& statistics() { return routers.statistics_[routers.port_index(1, 0)]; }
  auto& waits() { return routers.waits_[routers.port_index(1, 0)]; }
  std::uint32_t waiting(std::uint32_t vc) const { return routers.flits_in(1, vc); }
  PacketIndex packet(std::uint32_t vc) const { return routers.front(1, vc).packet(); }
  std::uint32_t link_vc(std::uint32_t vc) const { return routers.vc_index(1, vc); }
  void wake_routed(std::uint32_t router, std::uint32_t vc, Cycle at) {
    routers.wake_ups_.push(at, {router, vc, GeneralRouters::Wake::kRouted});
  }
  void wake_allocated(std::uint32_t router, std::uint32_t vc, Cycle at) {
    routers.wake_ups_.push(at, {router, vc, GeneralRouters::Wake::kAllocated});
  }
  void wake_slot(std::uint32_t port, Cycle at) { routers.wake_ups_.push(at, {1, port, GeneralRouters::Wake::kSlot}); }
};

namespace {

using test::GeneralHarness;
using test::GeneralState;

Config graph_of(const std::string& kind, int size) {
  return load_config_text(
      fmt::format("fabric: {{kind: {}, size: {}, router: {{vcs: 4}}}}\nworkload: {{traffic: {{rate: 0.1}}}}\n", kind,
                  size),
      "c.yaml", {});
}

/// A fabric with any legal parameters.
Config any_graph() {
  Config config =
      graph_of(*rc::gen::element<std::string>("ring", "fully_connected", "switch"), *rc::gen::inRange(1, 7));
  RouterSpec& router = config.fabric.router;
  router.vcs = *rc::gen::element(2, 3, 4, 5, 9);
  router.buffer_flits = *rc::gen::inRange(1, 10);
  router.routing_delay = *rc::gen::inRange<Cycle>(0, 3);
  router.vc_alloc_delay = *rc::gen::inRange<Cycle>(1, 3);
  router.switch_alloc_delay = *rc::gen::inRange<Cycle>(1, 3);
  router.traversal_delay = *rc::gen::inRange<Cycle>(1, 3);
  router.credit_delay = *rc::gen::inRange<Cycle>(0, 4);
  router.hop_cycles = *rc::gen::inRange<Cycle>(0, 3);
  router.vc_reuse = *rc::gen::element(VcReuse::kTailSent, VcReuse::kTailCredit);
  router.allocator = *rc::gen::element<std::string>("separable_input_first", "islip");
  router.allocator_iterations = *rc::gen::inRange(1, 4);
  config.fabric.link.latency_cycles = *rc::gen::inRange<Cycle>(1, 6);
  config.fabric.local.latency_cycles = *rc::gen::inRange<Cycle>(1, 3);
  config.fabric.link.flits_per_cycle =
      *rc::gen::element(Rational{1, 1}, Rational{2, 1}, Rational{5, 2}, Rational{2, 3});
  return config;
}

struct Packets {
  std::uint32_t src;
  std::uint32_t dst;
  std::uint32_t flits;
  int vc;
  Cycle after;
};

/// Runs the same random traffic in two ways and compares the state after every cycle, and all that leaves.
void expect_same_runs(const Config& config, const GeneralHarness::Execution& one,
                      const GeneralHarness::Execution& other) {
  const auto nodes = static_cast<std::uint32_t>(config.fabric.nodes());
  const auto packets = *rc::gen::container<std::vector<Packets>>(
      rc::gen::construct<Packets>(rc::gen::inRange<std::uint32_t>(0, nodes), rc::gen::inRange<std::uint32_t>(0, nodes),
                                  rc::gen::inRange<std::uint32_t>(1, 12), rc::gen::inRange(0, config.fabric.router.vcs),
                                  rc::gen::inRange<Cycle>(0, 60)));
  GeneralHarness a(config, one);
  GeneralHarness b(config, other);
  std::uint64_t flits = 0;
  for (const Packets& packet : packets) {
    a.send(packet.src, packet.dst, packet.flits, packet.vc, packet.after);
    b.send(packet.src, packet.dst, packet.flits, packet.vc, packet.after);
    flits += packet.flits;
  }
  for (int cycles = 0; a.busy(); ++cycles) {
    RC_ASSERT(cycles < 100'000);
    a.step();
    b.step();
    RC_ASSERT(a.hash() == b.hash());
  }
  RC_ASSERT(!b.busy() || !other.sleep);
  a.routers().require_empty();
  b.routers().require_empty();
  auto left_a = a.left();
  auto left_b = b.left();
  std::sort(left_a.begin(), left_a.end());
  std::sort(left_b.begin(), left_b.end());
  RC_ASSERT(left_a == left_b);
  RC_ASSERT(left_a.size() == flits);
}

RC_GTEST_PROP(GeneralLaws, sleeping_changes_nothing, ()) { expect_same_runs(any_graph(), {}, {false}); }

RC_GTEST_PROP(GeneralLaws, the_order_of_visits_changes_nothing, ()) {
  expect_same_runs(any_graph(), {}, {true, *rc::gen::inRange<std::uint64_t>(1, 1'000'000)});
}

// The hash holds no absolute time, and no index of the pool.
RC_GTEST_PROP(GeneralLaws, the_moment_of_the_start_changes_nothing, ()) {
  expect_same_runs(any_graph(), {}, {true, 0, *rc::gen::inRange<Cycle>(2, 1'000'000'000), 5});
}

/// A ring of four routers.
GeneralHarness small_ring() {
  Config config = graph_of("ring", 4);
  config.fabric.router.buffer_flits = 4;
  return GeneralHarness(config, {});
}

constexpr std::uint32_t kVc = 8;  ///< VC 0 of the port of the NPU, behind `up` and `down` with 4 VCs each

/// Brings it into the middle of its work: VC 0 from the NPU of router 1 has flits, and others pass.
void make_busy(GeneralHarness& ring) {
  for (std::uint32_t node = 0; node < 4; ++node) {
    ring.send(node, (node + 2) % 4, 30, 0);
    ring.send(node, (node + 1) % 4, 30, 1);
  }
  for (int i = 0; i < 25; ++i) ring.step();
}

struct Change {
  const char* field;
  std::function<void(GeneralState&, GeneralHarness&)> make;
};

/// One change of each field that decides what happens.
std::vector<Change> changes() {
  return {
      {"heads that wait for a VC", [](auto& s, auto&) { s.va_wait() ^= 1; }},
      {"the same, upper half", [](auto& s, auto&) { s.va_wait() ^= Uint128{1} << 70; }},
      {"VCs that ask for the switch", [](auto& s, auto&) { s.sa_ready() ^= 1; }},
      {"the same, upper half", [](auto& s, auto&) { s.sa_ready() ^= Uint128{1} << 70; }},
      {"output VC of a packet", [](auto& s, auto&) { ++s.input(kVc).output; }},
      {"port of a packet", [](auto& s, auto&) { ++s.input(kVc).port; }},
      {"VC set of a packet", [](auto& s, auto&) { ++s.input(kVc).vc_class; }},
      {"a grant that takes effect later", [](auto& s, auto&) { s.input(kVc).delayed ^= true; }},
      {"holder of an output VC", [](auto& s, auto&) { ++s.owner(3); }},
      {"free VCs", [](auto& s, auto&) { s.free_vcs() ^= 1; }},
      {"pointer over VCs", [](auto& s, auto&) { ++s.switch_vc(); }},
      {"pointer over outputs", [](auto& s, auto&) { ++s.switch_input(); }},
      {"pointer over inputs", [](auto& s, auto&) { ++s.switch_output(); }},
      {"pointer over output VCs", [](auto& s, auto&) { ++s.va_input(); }},
      {"pointer over input VCs", [](auto& s, auto&) { ++s.va_output(); }},
      {"a buffer", [](auto& s, auto&) { s.links().take(s.link_vc(kVc)); }},
      {"a credit under way", [](auto& s, auto&) { s.links().credit_comes(s.link_vc(0), 30); }},
      {"a flit under way", [](auto& s, auto&) { s.links().flit_comes(s.link_vc(0), Flit(0, false, false), 30); }},
      {"source of a packet", [](auto& s, auto& h) { h.pool()[s.packet(kVc)].src = NodeId{3}; }},
      {"sequence of a packet", [](auto& s, auto& h) { ++h.pool()[s.packet(kVc)].sequence; }},
      {"destination of a packet", [](auto& s, auto& h) { h.pool()[s.packet(kVc)].dst = NodeId{2}; }},
      {"length of a packet", [](auto& s, auto& h) { ++h.pool()[s.packet(kVc)].flits; }},
      {"a wake-up", [](auto& s, auto&) { s.wake_routed(1, 2, 30); }},
      {"its kind", [](auto& s, auto&) { s.wake_allocated(1, 2, 30); }},
      {"its router", [](auto& s, auto&) { s.wake_routed(2, 2, 30); }},
      {"its VC", [](auto& s, auto&) { s.wake_routed(1, 3, 30); }},
      {"its cycle", [](auto& s, auto&) { s.wake_routed(1, 2, 31); }},
  };
}

TEST(GeneralState, each_field_changes_the_hash) {
  std::map<std::uint64_t, const char*> seen;
  {
    GeneralHarness ring = small_ring();
    make_busy(ring);
    GeneralState state{ring.routers()};
    ASSERT_GT(state.waiting(kVc), 0u);
    seen[ring.hash()] = "nothing";
    state.wake_slot(0, 30);
    EXPECT_EQ(seen.count(ring.hash()), 1u) << "when to look at a router is no state";
  }
  for (const Change& change : changes()) {
    GeneralHarness ring = small_ring();
    make_busy(ring);
    GeneralState state{ring.routers()};
    change.make(state, ring);
    const auto [other, is_new] = seen.emplace(ring.hash(), change.field);
    EXPECT_TRUE(is_new) << change.field << " hashes as " << other->second;
  }
}

/// Whether a busy ring that is changed passes the third look after two looks at one that is not.
bool passes_third_look(const std::function<void(GeneralState&, GeneralHarness&)>& change) {
  StateForm form;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    GeneralHarness ring = small_ring();
    make_busy(ring);
    GeneralState state{ring.routers()};
    form.begin(StateForm::Pass::kHash, ring.last_cycle(), 1);
    ring.routers().put_state(form);  // which refuses, for chance has chosen routes since the start
    EXPECT_FALSE(form.end());
    if (pass == StateForm::Pass::kThird) change(state, ring);
    form.begin(pass, ring.last_cycle(), 1);
    ring.routers().put_state(form);
    const bool good = form.end();
    if (pass == StateForm::Pass::kThird) return good;
    EXPECT_TRUE(good) << form.refusal();
  }
  return false;
}

TEST(GeneralState, each_field_is_looked_at) {
  std::vector<Change> all = changes();
  const std::vector<Change> more{
      {"a wake-up for a slot of a link", [](auto& s, auto&) { s.wake_slot(0, 30); }},
      {"ports that wait for a slot", [](auto& s, auto&) { s.router().slot_waits ^= 1; }},
      {"ports that lost arbitration", [](auto& s, auto&) { s.router().lost ^= 1; }},
      {"whether a router is to be visited", [](auto& s, auto&) { s.router().queued ^= true; }},
      {"whether a VC is free again", [](auto& s, auto&) { s.router().vc_freed ^= true; }},
      {"routers to visit", [](auto& s, auto&) { s.to_visit().push_back(9); }},
      {"flits inside", [](auto& s, auto&) { ++s.inside(); }},
      {"flits moved", [](auto& s, auto&) { ++s.moved(); }},
      {"a choice by chance", [](auto& s, auto&) { s.choices().add(true); }},
      {"flits of a port", [](auto& s, auto&) { ++s.statistics().flits; }},
      {"stalls of a port", [](auto& s, auto&) { ++s.statistics().stall_cycles; }},
      {"cycle up to which they are counted", [](auto& s, auto&) { ++s.statistics().counted_to; }},
      {"VCs that wait for credits", [](auto& s, auto&) { ++s.statistics().blocked_vcs; }},
      {"what a port waits for", [](auto& s, auto&) { s.statistics().waits ^= 1; }},
      {"cycles of lost arbitration", [](auto& s, auto&) { ++s.waits().lost_arbitration; }},
      {"cycles without an operand", [](auto& s, auto&) { ++s.waits().waiting_operand; }},
  };
  all.insert(all.end(), more.begin(), more.end());
  EXPECT_TRUE(passes_third_look([](auto&, auto&) {}));
  for (const Change& change : all) EXPECT_FALSE(passes_third_look(change.make)) << change.field;
}

// A cycle's events come in the order in which routers were visited, which decides nothing.
TEST(GeneralState, events_of_a_cycle_have_no_order) {
  GeneralHarness ring = small_ring();
  make_busy(ring);
  GeneralState state{ring.routers()};
  for (int i = 0; i < 100 && state.to_visit().size() < 2; ++i) ring.step();
  ASSERT_GE(state.to_visit().size(), 2u);
  StateForm form;
  const auto look = [&] {
    form.begin(StateForm::Pass::kHash, ring.last_cycle(), 1);
    ring.routers().put_state(form);
    return form.end() ? form.hash() : 0;
  };
  look();  // which refuses, for chance has chosen routes since the start
  const std::uint64_t before = look();
  std::reverse(state.to_visit().begin(), state.to_visit().end());
  EXPECT_EQ(look(), before);
  state.to_visit().pop_back();
  EXPECT_NE(look(), before);
}

// A head's choices matter as long as its route is ahead of it.
TEST(GeneralState, choices_of_a_head_change_the_hash) {
  const auto hash = [](const std::function<void(Packet&)>& change) {
    Config config = graph_of("ring", 4);
    config.fabric.router.routing_delay = 5;
    GeneralHarness ring(config, {});
    ring.send(1, 2, 1);
    GeneralState state{ring.routers()};
    while (state.waiting(kVc) == 0) ring.step();
    change(ring.pool()[state.packet(kVc)]);
    return ring.hash();
  };
  const std::uint64_t reference = hash([](Packet&) {});
  EXPECT_EQ(hash([](Packet& packet) { packet.created = 7; }), reference) << "statistics are no state";
  EXPECT_NE(hash([](Packet& packet) { packet.route_bits ^= 1; }), reference);
  EXPECT_NE(hash([](Packet& packet) { packet.via_x = 1; }), reference);
  EXPECT_NE(hash([](Packet& packet) { packet.via_y = 1; }), reference);
  EXPECT_NE(hash([](Packet& packet) { packet.message_class = 1; }), reference);
}

}  // namespace
}  // namespace weft::router
