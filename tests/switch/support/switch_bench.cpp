// SPDX-License-Identifier: Apache-2.0
#include "tests/switch/support/switch_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/tree_order.h"
#include "config/names.h"

namespace weft::fred::testing {

/// Senders that pause tear packets apart: these must start whole.
SwitchSpec SwitchBench::with_pauses(SwitchSpec spec, unsigned pause_percent) {
  if (pause_percent == 0 || !spec.port_specs.empty()) return spec;
  spec.port_specs.resize(static_cast<std::size_t>(spec.ports));
  for (PortSpec& port : spec.port_specs) port.whole_packets = true;
  return spec;
}

std::vector<std::uint8_t> SwitchBench::random_data(std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random_.bits());
  return data;
}

/// What the switch should make of these operands, in the documented order.
std::vector<std::uint8_t> SwitchBench::reduced(const Flow& flow,
                                               const std::vector<std::vector<std::uint8_t>>& operands) const {
  using Words = std::vector<std::uint32_t>;
  const std::size_t count = operands.front().size() / element_bytes(spec_.format.element);
  std::vector<std::optional<Words>> words(spec_.ports);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    words[index(flow.inputs[i])] = Words(count);
    enter_lanes(spec_.format, operands[i].data(), words[index(flow.inputs[i])]->data(), count);
  }
  const Words sum = reduce_in_tree_order(words, [&](Words left, const Words& right) {
    reduce_lanes(spec_.format, spec_.op, left.data(), right.data(), count);
    return left;
  });
  std::vector<std::uint8_t> bytes(operands.front().size());
  leave_lanes(spec_.format, sum.data(), bytes.data(), count);
  return bytes;
}

void SwitchBench::queue_packet(std::uint32_t setting, std::size_t flow_number, std::uint16_t flits) {
  const Flow& flow = fred.settings()[setting].flows[flow_number];
  const std::uint32_t packet = packets_++;
  std::vector<std::vector<std::uint8_t>> operands;
  for (const PortId port : flow.inputs) {
    operands.push_back(random_data(std::size_t{flits} * spec_.flit_bytes));
    for (std::uint16_t f = 0; f < flits; ++f) {
      const auto begin = operands.back().begin() + f * static_cast<std::ptrdiff_t>(spec_.flit_bytes);
      to_send_[index(port)].push_back({{packet, setting, flits, f == 0, f + 1 == flits, 0, 0, packet},
                                       {begin, begin + static_cast<std::ptrdiff_t>(spec_.flit_bytes)}});
    }
  }
  const ExpectedPacket expected{packet, setting, flow_number, flits,
                                spec_.values ? reduced(flow, operands) : std::vector<std::uint8_t>{}};
  for (const PortId port : flow.outputs) expected_[index(port)].push_back(expected);
  expected_reductions += (flow.inputs.size() - 1) * flits * spec_.beats();
}

/// The first packet that this flow still owes the port, if it is the one that was sent.
std::deque<ExpectedPacket>::iterator SwitchBench::first_of_flow(std::deque<ExpectedPacket>& left,
                                                                const SentFlit& sent) const {
  const auto same =
      std::find_if(left.begin(), left.end(), [&](const ExpectedPacket& e) { return e.packet == sent.flit.packet; });
  if (same == left.end()) return same;
  const auto first = std::find_if(left.begin(), left.end(), [&](const ExpectedPacket& e) {
    return e.setting == same->setting && e.flow == same->flow;
  });
  return first == same ? same : left.end();
}

void SwitchBench::check(const SentFlit& sent) {
  const std::uint32_t port = index(sent.port);
  std::deque<ExpectedPacket>& left = expected_[port];
  // Packets of other flows may come in between, but packets of one flow keep their order, and a packet is not torn.
  const auto found = received_flits_[port] > 0 ? left.begin() : first_of_flow(left, sent);
  ASSERT_NE(found, left.end()) << "port " << port << " sends packet " << sent.flit.packet
                               << " too early, twice or wrongly";
  std::rotate(left.begin(), found, found + 1);
  const ExpectedPacket& packet = left.front();
  const std::uint32_t flit = received_flits_[port]++;
  ASSERT_EQ(sent.flit.packet, packet.packet) << "port " << port;
  ASSERT_EQ(sent.flit.setting, packet.setting);
  ASSERT_EQ(sent.flit.packet_flits, packet.flits);
  ASSERT_EQ(sent.flit.head, flit == 0);
  ASSERT_EQ(sent.flit.tail, flit + 1 == packet.flits);
  if (spec_.values) {
    ASSERT_TRUE(std::equal(sent.data, sent.data + spec_.flit_bytes, &packet.data[flit * std::size_t{spec_.flit_bytes}]))
        << "port " << port << ", packet " << packet.packet << ", flit " << flit << ": wrong sum";
  }
  ++held_[port];
  if (!sent.flit.tail) return;
  received_flits_[port] = 0;
  left.pop_front();
}

bool SwitchBench::step() {
  bool all_done = !fred.busy();
  for (std::uint32_t port = 0; port < to_send_.size(); ++port) {
    all_done = all_done && to_send_[port].empty() && held_[port] == 0;
    if (held_[port] > 0 && !pause()) {
      --held_[port];
      fred.credit(PortId{static_cast<std::uint8_t>(port)}, 0);
    }
    if (to_send_[port].empty() || upstream_credits_[port] == 0 || pause()) continue;
    const Outgoing& out = to_send_[port].front();
    fred.receive(PortId{static_cast<std::uint8_t>(port)}, out.flit, spec_.values ? out.data.data() : nullptr);
    to_send_[port].pop_front();
    --upstream_credits_[port];
    ++flits_entered;
  }
  if (all_done) return false;
  fred.step(steps);
  for (const FreedSlot freed : fred.freed()) ++upstream_credits_[index(freed.port)];
  for (const SentFlit& sent : fred.sent()) {
    check(sent);
    departures.push_back({index(sent.port), steps, sent.flit.head, sent.flit.tail});
  }
  ++steps;
  return !::testing::Test::HasFatalFailure();
}

void SwitchBench::run(std::uint64_t most) {
  while (step()) {
    if (steps < most) continue;
    std::string text;
    for (const std::string& sentence : fred.waiting()) text += "\n" + sentence;
    FAIL() << "not done after " << most << " cycles:" << text;
  }
}

void SwitchBench::expect_clean() const {
  for (std::uint32_t port = 0; port < to_send_.size(); ++port) {
    EXPECT_TRUE(expected_[port].empty()) << "port " << port << " lost packets";
    EXPECT_EQ(upstream_credits_[port], spec_.buffer_flits) << "input port " << port;
    EXPECT_EQ(fred.credits(PortId{static_cast<std::uint8_t>(port)}, 0), spec_.output_credits) << "output port " << port;
  }
  fred.require_empty();
  EXPECT_EQ(fred.slots_in_use(), 0U);
  EXPECT_EQ(fred.reductions(), expected_reductions);
}

}  // namespace weft::fred::testing
