// SPDX-License-Identifier: Apache-2.0
// Keys of the NPUs and of their network interfaces.
#include "npu/keys.h"

#include <algorithm>
#include <numeric>

#include "config/fabric_rules.h"
#include "config/key_builders.h"

namespace weft::npu {
namespace {

ConfigKey npu_clock_key() {
  ConfigKey key =
      basic_key("npu.clock", ValueType::kFrequency, "fabric",
                "A clock domain of their own for NPUs and network interfaces, or `fabric` for the fabric's.");
  key.words = {"fabric"};
  key.range = {Rational{1, 1}, Rational{1'000'000'000'000u, 1}};
  key.apply = [](Config& c, const Value& v) {
    if (const Rational* hertz = std::get_if<Rational>(&v)) {
      c.npu.clock = ClockSpec{*hertz};
    } else {
      c.npu.clock.reset();
    }
  };
  key.show = [](const Config& c) {
    return c.npu.clock ? format_quantity(c.npu.clock->hertz, Dimension::kFrequency) : std::string("fabric");
  };
  return key;
}

ConfigKey endpoint_delay_key() {
  return npu_delay_key(
      "npu.endpoint_delay", 0, "0",
      "Cost at the endpoint before each send and after each receive of a collective: cycles of the "
      "NPU's clock, or a time that is rounded up to them.",
      [](auto& c) -> auto& { return c.npu.endpoint_delay_cycles; });
}

std::vector<NodeId> row_major(int nodes) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(nodes));
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  return to_ids<NodeId>(all);
}

ConfigKey placement_key() {
  ConfigKey key = basic_key("npu.placement", ValueType::kIntegers, "row_major",
                            "Which node each rank of the workload sits at: `row_major` (rank r at node r), or the list "
                            "of nodes of rank 0, 1, 2, ...");
  key.words = {"row_major"};
  key.range.high = Rational{0xffff'ffffu, 1};
  key.needs = {"fabric.size", "npu.count", "fabric.levels", "fabric.levels[0].groups"};
  key.apply = [](Config& c, const Value& v) {
    const auto* list = std::get_if<std::vector<std::uint64_t>>(&v);
    c.npu.placement = list != nullptr ? to_ids<NodeId>(*list) : row_major(c.fabric.nodes());
  };
  key.show = [](const Config& c) {
    return c.npu.placement == row_major(c.fabric.nodes()) ? std::string("row_major") : show_ids(c.npu.placement);
  };
  return key;
}

ConfigKey count_key() {
  ConfigKey key = basic_key("npu.count", ValueType::kInteger, "",
                            "Number of NPUs. With kind fred it must be given, and NPU n sits at switch n / (count / "
                            "groups) of the lowest level; on a mesh or torus it is that of fabric.size.");
  key.range = {Rational{1, 1}, Rational{std::uint64_t{1} << 24, 1}};
  key.note = "as fabric.size has it";
  key.needs = {"fabric.kind", "fabric.size", "fabric.levels", "fabric.levels[0].groups"};
  key.apply = [](Config& c, const Value& v) {
    rules_of(c.fabric).take_npu_count(c.fabric, std::get<std::uint64_t>(v));
  };
  key.derive = [](Config& c) { rules_of(c.fabric).leave_out_npu_count(); };
  key.show = [](const Config& c) { return rules_of(c.fabric).npu_count_text(c.fabric); };
  return key;
}

}  // namespace

void add_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(count_key());
  keys.push_back(npu_clock_key());
  keys.push_back(rate_key(
      "npu.peak_flops", ValueType::kComputeRate, Dimension::kComputeRate, "0 FLOP/s",
      "Peak compute rate for the roofline; 0 = compute nodes of a trace need a recorded duration.",
      [](auto& c) -> auto& { return c.npu.peak_flops; }));
  keys.push_back(rate_key(
      "npu.memory_bandwidth", ValueType::kBandwidth, Dimension::kBandwidth, "0 B/s",
      "Local memory bandwidth for the roofline; 0 = not limited.",
      [](auto& c) -> auto& { return c.npu.memory_bytes_per_s; }));
  keys.push_back(boolean_key(
      "npu.roofline", "true",
      "Takes the time of a compute node without recorded duration from its operations and bytes.",
      [](auto& c) -> auto& { return c.npu.roofline; }));
  keys.push_back(rate_key(
      "npu.reduce_bandwidth", ValueType::kBandwidth, Dimension::kBandwidth, "0 B/s",
      "Local memory bandwidth that a reduction at the endpoint uses; 0 = reductions cost nothing.",
      [](auto& c) -> auto& { return c.npu.reduce_bytes_per_s; }));
  keys.push_back(endpoint_delay_key());
  keys.push_back(integer_key(
                     "npu.ramp_cycles", 1, 1'000'000, "",
                     "Ramp: wire delay between a core and its router, each way. Another name for "
                     "fabric.local.latency.",
                     [](auto& c) -> auto& { return c.npu.ramp_cycles; })
                     .noted("as fabric.local.latency")
                     .derived([](Config& c) { c.npu.ramp_cycles = c.fabric.local.latency_cycles; }));
  keys.push_back(integer_key(
      "npu.add_cycles", 0, 1'000'000, "0",
      "From the arrival of an element to its being added or copied; pipelined, so it adds to the latency only.",
      [](auto& c) -> auto& { return c.npu.add_cycles; }));
  keys.push_back(bytes_key(
      "npu.packet_bytes", ValueType::kByteCount, 1, 64u << 20, "4 KiB",
      "Largest payload of one packet; messages are cut into packets of it.",
      [](auto& c) -> auto& { return c.npu.packet_bytes; }));
  keys.push_back(integer_key(
      "npu.injectors", 0, 25, "0", "Packets of one NPU that may enter the fabric side by side; 0 = one per VC.",
      [](auto& c) -> auto& { return c.npu.injectors; }));
  keys.push_back(word_key(
      "npu.injection_vcs", injection_vcs_names(), "any",
      "VCs that an NPU may start a packet in: any of its class, or by_direction: those kept for east, west, north or "
      "south, where the packet goes on by X, then Y, so that packets which wait for one link do not hold up others.",
      [](auto& c) -> auto& { return c.npu.injection_vcs; }));
  keys.back().only_with(FabricFeature::kRows, "the four traffic classes of each port");
  keys.push_back(word_key(
      "npu.message_order", message_order_names(), "round_robin",
      "Which of an NPU's messages of one priority sends the next packet: each in turn, or oldest_first: that of the "
      "oldest chunk of a collective.",
      [](auto& c) -> auto& { return c.npu.message_order; }));
  keys.back().formerly("npu.message_turns");
  keys.back().only_with(FabricFeature::kRouters);
  keys.push_back(integer_key(
      "npu.message_classes", 1, 2, "1",
      "Classes of messages with VCs of their own: 2 keeps replies apart from requests, so that a request "
      "can never block a reply.",
      [](auto& c) -> auto& { return c.npu.message_classes; }));
  keys.back().only_with(FabricFeature::kRouters, "the four traffic classes of each port");
  keys.push_back(integer_key(
      "npu.max_collectives", 0, 1'000'000, "0", "Collectives in flight per NPU; 0 = no limit.",
      [](auto& c) -> auto& { return c.npu.max_collectives; }));
  keys.push_back(word_key(
      "npu.order", issue_order_names(), "fifo", "Order in which ready work of one NPU starts.",
      [](auto& c) -> auto& { return c.npu.order; }));
  keys.push_back(placement_key());
}

}  // namespace weft::npu
