// SPDX-License-Identifier: Apache-2.0
// What holds for any region and any traffic: sleeping, the order of visits and the cut into regions change nothing, no
// flit is lost or doubled, packets arrive whole and where they should, and all credits come home.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "tests/router/support/region_harness.h"

namespace weft::router {
namespace {

using test::all_arrivals;
using test::Arrived;
using test::Flits;
using test::RegionHarness;

struct Sent {
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint32_t flits = 1;
  int vc = 0;
  Cycle start = 0;
};

/// A grid with any legal parameters.
FabricSpec any_fabric() {
  FabricSpec fabric;
  fabric.size_x = *rc::gen::inRange(1, 6);
  fabric.size_y = *rc::gen::inRange(1, 6);
  fabric.kind = *rc::gen::element(FabricKind::kMesh, FabricKind::kTorus);
  fabric.routing = fabric.kind == FabricKind::kTorus
                       ? std::string("dimension_order")
                       : *rc::gen::element<std::string>("xy", "yx", "o1turn", "odd_even", "valiant");
  RouterSpec& router = fabric.router;
  router.vcs = *rc::gen::element(2, 3, 4, 5, 9, 13);
  router.buffer_flits = *rc::gen::inRange(1, 10);
  router.routing_delay = *rc::gen::inRange<Cycle>(0, 3);
  router.vc_alloc_delay = *rc::gen::inRange<Cycle>(1, 3);
  router.switch_alloc_delay = *rc::gen::inRange<Cycle>(1, 3);
  router.traversal_delay = *rc::gen::inRange<Cycle>(1, 3);
  router.credit_delay = *rc::gen::inRange<Cycle>(0, 4);
  router.hop_cycles = *rc::gen::inRange<Cycle>(0, 3);
  router.turn_cycles = *rc::gen::inRange<Cycle>(0, 3);
  router.vc_reuse = *rc::gen::element(VcReuse::kTailSent, VcReuse::kTailCredit);
  router.speculative = router.vc_alloc_delay == 1 && *rc::gen::arbitrary<bool>();
  router.allocator = *rc::gen::element<std::string>("separable_input_first", "islip");
  router.allocator_iterations = *rc::gen::inRange(1, 4);
  fabric.link.latency_cycles = *rc::gen::inRange<Cycle>(1, 6);
  fabric.local.latency_cycles = *rc::gen::inRange<Cycle>(1, 3);
  fabric.link.flits_per_cycle = *rc::gen::element(Rational{1, 1}, Rational{2, 1}, Rational{5, 2}, Rational{2, 3});
  return fabric;
}

std::vector<Sent> any_traffic(const FabricSpec& fabric) {
  const auto nodes = static_cast<std::uint32_t>(fabric.nodes());
  const auto packet = rc::gen::build<Sent>(rc::gen::set(&Sent::src, rc::gen::inRange<std::uint32_t>(0, nodes)),
                                           rc::gen::set(&Sent::dst, rc::gen::inRange<std::uint32_t>(0, nodes)),
                                           rc::gen::set(&Sent::flits, rc::gen::inRange<std::uint32_t>(1, 12)),
                                           rc::gen::set(&Sent::vc, rc::gen::inRange(0, fabric.router.vcs)),
                                           rc::gen::set(&Sent::start, rc::gen::inRange<Cycle>(0, 60)));
  return *rc::gen::container<std::vector<Sent>>(packet);
}

void feed(RegionHarness& harness, const std::vector<Sent>& packets) {
  for (const Sent& sent : packets) harness.send(NodeId{sent.src}, NodeId{sent.dst}, sent.flits, sent.vc, sent.start);
}

/// Runs the same traffic in two ways and compares all arrivals; in one region also the state after every cycle (the
/// descriptors that the flits of one packet refer to differ on the two sides of a border).
void expect_same(const FabricSpec& fabric, const test::Execution& execution) {
  const std::vector<Sent> packets = any_traffic(fabric);
  RegionHarness plain(fabric);
  RegionHarness other(fabric, execution);
  feed(plain, packets);
  feed(other, packets);
  constexpr Cycle kCompared = 150;
  for (Cycle now = 1; now < kCompared && execution.parts == 1; ++now) {
    plain.run_to(now);
    other.run_to(now);
    RC_ASSERT(plain.state_hash() == other.state_hash());
  }
  plain.run_empty();
  other.run_to(plain.now());
  other.require_empty();
  RC_ASSERT(all_arrivals(plain, fabric.nodes()) == all_arrivals(other, fabric.nodes()));
}

RC_GTEST_PROP(Laws, sleeping_changes_nothing, ()) { expect_same(any_fabric(), {false, 0, 1}); }

RC_GTEST_PROP(Laws, the_order_of_visits_changes_nothing, ()) {
  expect_same(any_fabric(), {true, *rc::gen::inRange<std::uint64_t>(1, 1'000'000), 1});
}

RC_GTEST_PROP(Laws, the_cut_into_regions_changes_nothing, ()) {
  const FabricSpec fabric = any_fabric();
  expect_same(fabric, {true, 0, *rc::gen::inRange(1, fabric.size_y + 1)});
}

RC_GTEST_PROP(Laws, flits_and_credits_are_conserved, ()) {
  const FabricSpec fabric = any_fabric();
  const std::vector<Sent> packets = any_traffic(fabric);
  RegionHarness harness(fabric);
  feed(harness, packets);
  harness.run_empty();  // empty buffers, all credits home, no VC taken
  std::uint64_t sent = 0;
  for (const Sent& packet : packets) sent += packet.flits;
  std::uint64_t received = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counts;
  for (int node = 0; node < fabric.nodes(); ++node) {
    std::map<int, std::pair<std::uint32_t, std::uint32_t>> open;  // per VC: the packet that comes in
    for (const Arrived& flit : harness.arrived(static_cast<NodeId>(node))) {
      const std::pair<std::uint32_t, std::uint32_t> name{index(flit.src), flit.sequence};
      const int vc = index(flit.vc);
      RC_ASSERT(flit.head == (open.count(vc) == 0));
      if (flit.head) open[vc] = name;
      RC_ASSERT(open[vc] == name);
      if (flit.tail) open.erase(vc);
      ++received;
      ++counts[name];
    }
    RC_ASSERT(open.empty());
  }
  RC_ASSERT(received == sent);
  std::map<std::uint32_t, std::uint32_t> sequence;
  for (const Sent& packet : packets) {
    const std::pair<std::uint32_t, std::uint32_t> name{packet.src, sequence[packet.src]++};
    RC_ASSERT(counts[name] == packet.flits);
    const auto& there = harness.arrived(NodeId{packet.dst});
    RC_ASSERT(std::any_of(there.begin(), there.end(), [&](const Arrived& flit) {
      return index(flit.src) == name.first && flit.sequence == name.second;
    }));
  }
}

}  // namespace
}  // namespace weft::router
