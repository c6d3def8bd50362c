// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/lockstep/lockstep_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/random.h"
#include "config/fred_shape.h"
#include "switch/network/fred_switch.h"
#include "tb/bench/switch_traffic.h"

namespace weft::rtl_test {
namespace {

constexpr std::uint64_t kMostDrain = 200'000;

/// Model and RTL side by side.
class Lockstep {
 public:
  Lockstep(const fred::SwitchSpec& spec, FredDut& dut, std::uint64_t seed, bool checkers)
      : model(spec),
        dut_(dut),
        seed_(seed),
        checkers_(checkers),
        data_(spec.flit_bytes),
        unicasts_(static_cast<std::size_t>(spec.ports)) {}

  fred::FredSwitch model;

  /// Resets the RTL and writes what the model has stored.
  void reset() {
    dut_.reset(model.spec());
    for (std::uint32_t i = 1; i < model.settings().size(); ++i) {
      dut_.write(i, fred::rtl_setting(model.interconnect(), model.settings()[i]));
    }
  }
  void receive(std::size_t port, const fred::PortFlit& flit, const std::vector<std::uint8_t>& data) {
    const bool unicast = flit.setting == fred::kUnicasts;
    model.receive(PortId{static_cast<std::uint8_t>(port)}, flit, unicast ? nullptr : data.data());
    dut_.receive(port, flit, data.data());
    if (unicast) sent_data_[flit.packet].push_back(data);
  }
  void credit(std::size_t port, std::uint8_t traffic_class) {
    model.credit(PortId{static_cast<std::uint8_t>(port)}, traffic_class);
    dut_.credit(port, traffic_class);
  }
  /// A cycle; what differs, "" = nothing.
  std::string step(Cycle now) {
    model.step(now);
    dut_.clock();
    std::string text = compare_sent();
    if (text.empty()) text = compare_freed();
    if (text.empty() && model.active_setting() != dut_.active()) {
      text = fmt::format("active stored setting: model {}, RTL {}", model.active_setting(), dut_.active());
    }
    if (text.empty() && dut_.idle() == model.busy()) {
      text = fmt::format("model {}, RTL {}", model.busy() ? "busy" : "empty", dut_.idle() ? "empty" : "busy");
    }
    if (text.empty() && checkers_ && dut_.failed()) text = "an assertion of the RTL failed";
    return text.empty() ? "" : fmt::format("seed {}, cycle {}: {}", seed_, now, text);
  }

 private:
  std::string compare_sent() {
    std::size_t next = 0;
    for (std::size_t port = 0; port < static_cast<std::size_t>(model.spec().ports); ++port) {
      fred::PortFlit flit;
      const bool there = dut_.sent(port, &flit, data_.data());
      const bool expected = next < model.sent().size() && index(model.sent()[next].port) == port;
      if (there != expected) {
        return fmt::format("port {}: model sends {}, RTL {}", port, expected ? "a flit" : "nothing",
                           there ? "one" : "nothing");
      }
      if (!there) continue;
      const fred::SentFlit& sent = model.sent()[next++];
      const std::string text = compare_flit(sent, flit);
      if (!text.empty()) return fmt::format("port {}: {}", port, text);
    }
    return "";
  }
  std::string compare_flit(const fred::SentFlit& sent, const fred::PortFlit& rtl) {
    const fred::PortFlit& flit = sent.flit;
    const auto text = [](const fred::PortFlit& f) {
      return fmt::format("packet {:#x}, stored setting {}, traffic class {}, {} flits, head {}, tail {}", f.packet,
                         f.setting, f.traffic_class, f.packet_flits, f.head, f.tail);
    };
    if (text(flit) != text(rtl)) return fmt::format("model sends {}; RTL {}", text(flit), text(rtl));
    const std::uint8_t* expected = sent.data;
    if (flit.setting == fred::kUnicasts) {
      auto& left = sent_data_[flit.packet];
      unicast_ = left.front();
      left.erase(left.begin());
      if (left.empty()) sent_data_.erase(flit.packet);
      expected = unicast_.data();
    }
    for (std::size_t i = 0; i < data_.size(); ++i) {
      if (data_[i] != expected[i]) {
        return fmt::format("{}: byte {} is {:#04x} in the model, {:#04x} in the RTL", text(flit), i, expected[i],
                           data_[i]);
      }
    }
    return "";
  }
  std::string compare_freed() {
    std::vector<int> freed(static_cast<std::size_t>(model.spec().ports), -1);
    for (const fred::FreedSlot slot : model.freed()) freed[index(slot.port)] = slot.traffic_class;
    for (std::size_t port = 0; port < freed.size(); ++port) {
      std::uint8_t traffic_class = 0;
      const int rtl = dut_.freed(port, &traffic_class) ? traffic_class : -1;
      if (rtl != freed[port]) {
        return fmt::format("port {}: slot freed of traffic class {} in the model, {} in the RTL", port, freed[port],
                           rtl);
      }
    }
    return "";
  }

  FredDut& dut_;
  std::uint64_t seed_;
  bool checkers_;
  std::vector<std::uint8_t> data_;
  std::vector<std::uint8_t> unicast_;
  std::map<std::uint32_t, std::vector<std::vector<std::uint8_t>>> sent_data_;  ///< data of unicasts, by packet
  std::vector<std::uint8_t> unicasts_;
};

/// One life between two resets.
void run_part(std::uint64_t seed, unsigned part, std::uint64_t cycles, bool drain, bool checkers, FredDut& dut,
              LockstepResult& result) {
  RandomStream random(seed, NodeId{part});
  const fred::SwitchSpec spec = tb::random_spec(FredDut::shape(), random);
  fred::check_rtl_spec(spec);
  Lockstep pair(spec, dut, seed, checkers);
  tb::Traffic traffic(spec, random);
  traffic.store_settings(pair.model.settings(), FredDut::shape().settings);
  pair.reset();
  for (Cycle now = 0;; ++now) {
    if (now == cycles && !drain) break;
    if (now >= cycles + kMostDrain) {
      result.mismatch = fmt::format("seed {}: not empty after {} cycles", seed, now);
      for (const std::string& text : pair.model.waiting()) result.mismatch += "\n  " + text;
      break;
    }
    traffic.cycle(now, now < cycles);
    for (const tb::Traffic::Arrival& arrival : traffic.arrivals())
      pair.receive(arrival.port, arrival.flit, arrival.data);
    for (const auto& [port, traffic_class] : traffic.credits()) pair.credit(port, traffic_class);
    result.mismatch = pair.step(now);
    ++result.cycles;
    result.flits += pair.model.sent().size();
    if (!result.mismatch.empty()) break;
    traffic.happened(pair.model, now);
    if (now >= cycles && traffic.done() && !pair.model.busy()) {
      pair.model.require_empty();
      break;
    }
  }
  result.reductions += pair.model.reductions();
  result.reconfigurations += pair.model.counters().reconfigurations;
  result.preemptions += pair.model.counters().preemptions;
  result.yields += pair.model.counters().yields;
  result.unicasts += traffic.unicasts();
  result.flows += traffic.flows();
}

}  // namespace

LockstepResult run_lockstep(std::uint64_t seed, std::uint64_t cycles, int mutant, bool checkers) {
  LockstepResult result;
  FredDut dut(static_cast<unsigned>(seed % 1'000'000 + 1), mutant);
  const bool reset_within = seed % 4 == 1;
  if (reset_within) {
    run_part(seed, 1, cycles / 3, false, checkers, dut, result);
    ++result.resets;
  }
  if (result.mismatch.empty()) run_part(seed, 2, cycles, true, checkers, dut, result);
  if (result.mismatch.empty() && !dut.idle())
    result.mismatch = fmt::format("seed {}: RTL is not empty at the end", seed);
  return result;
}

}  // namespace weft::rtl_test
