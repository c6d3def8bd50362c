// SPDX-License-Identifier: Apache-2.0
// The assertions in the blocks of a whole switch fire where a block has a seeded fault, and where the
// neighbour of a switch breaks the contract of its ports.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/rtl/lockstep/lockstep_bench.h"

namespace weft::rtl_test {
namespace {

std::string said(const std::function<void()>& drive) {
  ::testing::internal::CaptureStdout();
  drive();
  return ::testing::internal::GetCapturedStdout();
}

bool fired(const std::string& text, const std::string& assertion) {
  return text.find("." + assertion + ":") != std::string::npos;
}

std::string said_of_fault(int mutant) {
  return said([mutant] { run_lockstep(1, 500, mutant); });
}

TEST(LockstepCheckers, are_silent_without_a_fault) { EXPECT_EQ(said_of_fault(0), ""); }

TEST(LockstepCheckers, see_faults_of_the_ports) {
  EXPECT_TRUE(fired(said_of_fault(100), "StartedAddsUp"));
  EXPECT_TRUE(fired(said_of_fault(110), "CreditsAddUp"));
  EXPECT_TRUE(fired(said_of_fault(111), "CreditsAddUp"));
  EXPECT_TRUE(fired(said_of_fault(112), "SlotsAddUp"));
}

/// Packets of two flits, two of them behind an output port.
fred::SwitchSpec small_spec() {
  const FredShape shape = FredDut::shape();
  fred::SwitchSpec spec;
  spec.m = shape.m;
  spec.ports = shape.ports;
  spec.lanes = shape.lanes;
  spec.flit_bytes = 4 * shape.lanes * shape.beats;
  spec.traffic_classes = shape.traffic_classes;
  spec.reduce_cycles = shape.reduce_cycles;
  spec.packet_flits = 2;
  spec.buffer_flits = 4;
  spec.control_buffer_flits = 2;
  spec.output_credits = 4;
  spec.control_output_credits = 2;
  spec.output_packets = 2;
  spec.matching = "greedy";
  spec.values = true;
  return spec;
}

/// A switch whose first port gets these flits, one in each cycle, and then a credit behind port 1 for each that comes
/// out there, plus `more`.
std::string said_of_flits(const std::vector<fred::PortFlit>& flits, int more, int mutant = 0) {
  return said([&] {
    FredDut dut(1, mutant);
    const fred::SwitchSpec spec = small_spec();
    dut.reset(spec);
    const std::vector<std::uint8_t> data(spec.flit_bytes, 0);
    for (const fred::PortFlit& flit : flits) {
      dut.receive(0, flit, data.data());
      dut.clock();
    }
    for (int cycle = 0; cycle < 30; ++cycle) {
      fred::PortFlit sent;
      std::vector<std::uint8_t> bytes(spec.flit_bytes);
      if (dut.sent(1, &sent, bytes.data())) dut.credit(1, sent.traffic_class);
      dut.clock();
    }
    for (int i = 0; i < more; ++i) {
      dut.credit(1, 0);
      dut.clock();
    }
  });
}

/// A flit of a unicast of two flits to port 1.
fred::PortFlit flit(bool head, bool tail) {
  fred::PortFlit flit;
  flit.head = head;
  flit.tail = tail;
  flit.output = 1;
  flit.setting = fred::kUnicasts;
  flit.packet = 7;
  flit.packet_flits = 2;
  return flit;
}

// Lockstep would stop a cycle before these assertions.
TEST(LockstepCheckers, see_places_told_wrongly) {
  const std::vector<fred::PortFlit> flits = {flit(true, false), flit(false, true)};
  EXPECT_TRUE(fired(said_of_flits(flits, 0, 101), "FreedOnce"));
  EXPECT_TRUE(fired(said_of_flits(flits, 0, 102), "FreedOnce"));
}

TEST(LockstepCheckers, see_neighbours_that_break_the_contract) {
  EXPECT_EQ(said_of_flits({flit(true, false), flit(false, true)}, 0), "");
  EXPECT_TRUE(fired(said_of_flits({flit(true, false), flit(false, true)}, 1), "CreditOfAFlit"));
  EXPECT_TRUE(fired(said_of_flits({flit(true, false), flit(true, false)}, 0), "HeadComesFirst"));
  EXPECT_TRUE(fired(said_of_flits({flit(true, true)}, 0), "TailComesLast"));
}

}  // namespace
}  // namespace weft::rtl_test
