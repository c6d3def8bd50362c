// SPDX-License-Identifier: Apache-2.0
// The insides of switches: which wires are recorded, and what they carry.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "network/names.h"
#include "waves/recorder.h"

namespace weft::waves {

void Recorder::declare_switch(std::size_t number, const SwitchWave& wave, ScopeChoice& choice) {
  if (choice.match_inside(wave.name) == ScopeMatch::kNone) return;
  WEFT_CHECK(wave.clock < domains_.size(), fmt::format("'{}' has no clock domain {}", wave.name, wave.clock));
  for (const bool shadow : {false, true}) {
    if (shadow && !wave.shadow) continue;
    const std::size_t before = banks_.size();
    declare_branch(wave, shadow, choice);
    if (banks_.size() > before) bank_slots_[2 * number + (shadow ? 1 : 0)] = static_cast<Slot>(before);
  }
}

/// The switch's own wires, or those of the model that it is compared with.
void Recorder::declare_branch(const SwitchWave& wave, bool shadow, ScopeChoice& choice) {
  const std::string front = wave.name + (shadow ? "." + std::string(kShadowLevel) + "." : ".");
  WireBank bank;
  bank.clock = static_cast<std::uint32_t>(wave.clock);
  for (std::uint32_t port = 0; shadow && port < wave.ports; ++port) {
    const std::string name = front + network::numbered_port("port", port);
    const std::vector<std::string> signals = chosen_inside(name, {"valid", "packet"}, choice);
    if (signals.empty()) continue;
    enter(name);
    WireBank::Wire wire;
    wire.number = port;
    for (const std::string& signal : signals) {
      signal == "valid" ? wire.valid = add(signal, WaveKind::kWire, 1)
                        : wire.packet = add(signal, WaveKind::kString, 1);
    }
    bank.ports.push_back(std::move(wire));
  }
  for (std::uint32_t port = 0; port < wave.ports; ++port) declare_wire(wave, front, port, choice, &bank);
  for (std::uint32_t e = 0; e < wave.elements.size(); ++e) {
    const SwitchWave::Element& element = wave.elements[e];
    if (element.setting && !chosen_inside(front + element.name, {"setting"}, choice).empty()) {
      enter(front + element.name);
      const WaveVar var = add_enum("setting", action_names());
      writer_->set(var, std::uint64_t{0});
      bank.elements.push_back({e, var, 0});
    }
    for (std::uint32_t i = 0; i < element.wires; ++i) declare_wire(wave, front, element.first_wire + i, choice, &bank);
  }
  if (!bank.wires.empty() || !bank.ports.empty() || !bank.elements.empty()) banks_.push_back(std::move(bank));
}

std::vector<std::string> Recorder::chosen_inside(const std::string& name, const std::vector<std::string>& signals,
                                                 ScopeChoice& choice) {
  const ScopeMatch match = choice.match_inside(name);
  std::vector<std::string> chosen;
  if (match == ScopeMatch::kNone) return chosen;
  for (const std::string& signal : signals) {
    // Patterns that have not found anything yet are asked for each.
    const bool all = match == ScopeMatch::kSelected && choice.all_found();
    if (all || choice.match_inside(name + "." + signal) == ScopeMatch::kSelected) chosen.push_back(signal);
  }
  return chosen;
}

void Recorder::declare_wire(const SwitchWave& wave, const std::string& front, std::uint32_t number, ScopeChoice& choice,
                            WireBank* bank) {
  const std::string name = front + wave.wires[number];
  const std::vector<std::string> signals = chosen_inside(name, wire_signals(wave.data_bits > 0), choice);
  if (signals.empty()) return;
  enter(name);
  WireBank::Wire wire;
  wire.number = number;
  struct Kind {
    const char* name;
    WaveVar WireBank::Wire::*var;
    WaveKind kind;
    int bits;
  };
  const std::array<Kind, 6> kinds = {{
      {"valid", &WireBank::Wire::valid, WaveKind::kWire, 1},
      {"ready", &WireBank::Wire::ready, WaveKind::kWire, 1},
      {"packet", &WireBank::Wire::packet, WaveKind::kString, 1},
      {"head", &WireBank::Wire::head, WaveKind::kWire, 1},
      {"tail", &WireBank::Wire::tail, WaveKind::kWire, 1},
      {"data", &WireBank::Wire::data, WaveKind::kWire, wave.data_bits},
  }};
  for (const std::string& signal : signals) {
    if (signal == "vc") wire.vc = add_enum(signal, wave.vc_names);
    for (const Kind& kind : kinds) {
      if (signal == kind.name) wire.*kind.var = add(signal, kind.kind, kind.bits);
    }
  }
  wire.data_bytes = (static_cast<std::size_t>(wave.data_bits) + 7) / 8;
  if (wire.data != kNotRecorded) writer_->set_unknown(wire.data);
  bank->wires.push_back(std::move(wire));
}

WireBank* Recorder::touch_wires(Cycle now, std::size_t fabric_switch, bool shadow) {
  const Slot slot = bank_slots_[2 * fabric_switch + (shadow ? 1 : 0)];
  if (slot == kNoSlot || done_) return nullptr;
  WireBank& bank = banks_[slot];
  arrive(bank.clock, now);
  if (!bank.touched) {
    bank.touched = true;
    domains_[bank.clock].touched_banks.push_back(slot);
  }
  return &bank;
}

/// Writes the banks that were told of, and those whose wires must fall.
void Recorder::write_banks(Domain& domain, bool opened) {
  if (banks_.empty()) return;
  std::vector<Slot> slots;
  if (opened) slots = domain.touched_banks;
  for (const Slot slot : domain.shown_banks) {
    if (!opened || !banks_[slot].touched) slots.push_back(slot);
  }
  if (opened) domain.touched_banks.clear();
  domain.shown_banks.clear();
  std::sort(slots.begin(), slots.end());
  for (const Slot slot : slots) {
    banks_[slot].write(*writer_);
    if (banks_[slot].shown()) domain.shown_banks.push_back(slot);
  }
}

}  // namespace weft::waves
