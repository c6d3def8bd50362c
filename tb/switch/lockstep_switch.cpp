// SPDX-License-Identifier: Apache-2.0
#include "tb/switch/lockstep_switch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "tb/bench/block_bench.h"

namespace weft::tb {
namespace {

std::string text_of(const fred::PortFlit& flit) {
  return fmt::format("packet {}, stored setting {}, traffic class {}, {} flits{}{}", flit.packet, flit.setting,
                     flit.traffic_class, flit.packet_flits, flit.head ? ", head" : "", flit.tail ? ", tail" : "");
}

bool same(const fred::PortFlit& a, const fred::PortFlit& b) {
  return a.packet == b.packet && a.setting == b.setting && a.traffic_class == b.traffic_class &&
         a.packet_flits == b.packet_flits && a.head == b.head && a.tail == b.tail;
}

/// What a list has at `port`, or nullptr.
template <typename List>
auto find_port(const List& list, std::size_t port) -> decltype(list.data()) {
  for (const auto& each : list) {
    if (index(each.port) == port) return &each;
  }
  return nullptr;
}

}  // namespace

LockstepSwitch::LockstepSwitch(const fred::SwitchSpec& spec, std::shared_ptr<const RtlLibrary> library,
                               std::uint64_t seed, std::string path, LockstepOptions options)
    : model_(spec),
      rtl_(spec, std::move(library), seed, &model_.settings()),
      path_(std::move(path)),
      options_(std::move(options)) {
  if (options_.waves) declare_waves();
}

LockstepSwitch::~LockstepSwitch() {
  if (waves_ == nullptr) return;
  try {
    waves_->finish();
  } catch (const std::exception&) {  // the run has ended anyway: who asked for the file sees that there is none
  }
}

void LockstepSwitch::receive(PortId port, const fred::PortFlit& flit, const std::uint8_t* data) {
  model_.receive(port, flit, data);
  rtl_.receive(port, flit, data);
}

void LockstepSwitch::credit(PortId port, std::uint8_t traffic_class) {
  model_.credit(port, traffic_class);
  rtl_.credit(port, traffic_class);
}

void LockstepSwitch::step(Cycle now) {
  model_.step(now);
  rtl_.step(now);
  if (waves_ == nullptr) {
    compare(now);
    ++compared_;
  } else if (now > options_.waves->to) {
    violation("lockstep: the cycles whose waves were asked for are over");
  } else {
    record(now);
  }
}

void LockstepSwitch::compare(Cycle now) const {
  compare_sent(now);
  compare_freed(now);
  compare_state(now);
}

constexpr std::size_t kShownPerPort = 5;

void LockstepSwitch::declare_waves() {
  waves_ = std::make_unique<WaveRecorder>(rtl_.rtl(), options_.waves->file);
  rtl_.record(waves_.get(), options_.waves->from, options_.waves->to);
  const auto declare = [&](const char* name, std::size_t port, std::uint32_t width) {
    Expected value;
    value.name = fmt::format("{}[{}]", name, port);
    value.width = width;
    value.value.resize((width + 7) / 8);
    shown_.push_back(std::move(value));
  };
  for (std::size_t port = 0; port < static_cast<std::size_t>(spec().ports); ++port) {
    declare("out_valid_o", port, 1);
    declare("out_packet_o", port, 32);
    declare("out_stored_setting_o", port, 16);
    declare("out_data_o", port, spec().flit_bytes * 8);
    declare("freed_valid_o", port, 1);
  }
}

/// What the model's step did.
void LockstepSwitch::record(Cycle now) {
  if (now < options_.waves->from) return;
  for (Expected& value : shown_) value.known = false;
  for (std::size_t port = 0; port < static_cast<std::size_t>(spec().ports); ++port) {
    Expected* const values = &shown_[port * kShownPerPort];
    const fred::SentFlit* sent = find_port(model_.sent(), port);
    values[0].set(std::uint64_t{sent != nullptr});
    values[4].set(std::uint64_t{find_port(model_.freed(), port) != nullptr});
    if (sent == nullptr) continue;
    values[1].set(std::uint64_t{sent->flit.packet});
    values[2].set(std::uint64_t{sent->flit.setting});
    if (sent->data != nullptr) values[3].set(sent->data);
  }
  waves_->record(now * 1000 + 500, shown_);
}

/// The RTL has counters that run on a little longer than the model's, which know times.
Cycle LockstepSwitch::next_work(Cycle now) const { return std::min(model_.next_work(now), rtl_.next_work(now)); }

void LockstepSwitch::require_empty() const {
  model_.require_empty();
  rtl_.require_empty();
}

void LockstepSwitch::differ(Cycle now, const std::string& port, const std::string& flow, const std::string& expected,
                            const std::string& actual) const {
  const std::string text = fmt::format("lockstep: {} in cycle {}: {}{}: the model says {}, the RTL {}", path_, now,
                                       port, flow.empty() ? "" : fmt::format(" ({})", flow), expected, actual);
  if (options_.report) options_.report({path_, now, text});
  violation(text);
}

std::string LockstepSwitch::flow_of(const fred::PortFlit& flit, std::size_t output) const {
  if (flit.setting == fred::kUnicasts) return fmt::format("unicast, packet {}", flit.packet);
  if (flit.setting >= settings().size()) return "";
  const fred::StoredSetting& stored = settings()[flit.setting];
  const int flow = stored.flow_of_output[output];
  return flow < 0 ? ""
                  : fmt::format("flow '{}', packet {}", stored.flows[static_cast<std::size_t>(flow)].name, flit.packet);
}

void LockstepSwitch::compare_sent(Cycle now) const {
  for (std::size_t port = 0; port < static_cast<std::size_t>(spec().ports); ++port) {
    const fred::SentFlit* expected = find_port(model_.sent(), port);
    const fred::SentFlit* actual = find_port(rtl_.sent(), port);
    if (expected == nullptr && actual == nullptr) continue;
    const std::string name = fmt::format("output port {}", port);
    if (expected == nullptr) return differ(now, name, flow_of(actual->flit, port), "no flit", text_of(actual->flit));
    if (actual == nullptr) return differ(now, name, flow_of(expected->flit, port), text_of(expected->flit), "no flit");
    if (!same(expected->flit, actual->flit)) {
      differ(now, name, flow_of(expected->flit, port), text_of(expected->flit), text_of(actual->flit));
    }
    if (expected->data == nullptr || std::memcmp(expected->data, actual->data, spec().flit_bytes) == 0) continue;
    std::size_t byte = 0;
    while (expected->data[byte] == actual->data[byte]) ++byte;
    const std::size_t word = byte / 4 * 4;
    differ(now, fmt::format("{}, bytes {} to {}", name, word, word + 3), flow_of(expected->flit, port),
           hex_of(expected->data + word, 4), hex_of(actual->data + word, 4));
  }
}

void LockstepSwitch::compare_freed(Cycle now) const {
  const auto text = [](const fred::FreedSlot* slot) {
    return slot == nullptr ? std::string("no slot freed")
                           : fmt::format("a slot of traffic class {} freed", slot->traffic_class);
  };
  for (std::size_t port = 0; port < static_cast<std::size_t>(spec().ports); ++port) {
    const std::string expected = text(find_port(model_.freed(), port));
    const std::string actual = text(find_port(rtl_.freed(), port));
    if (expected != actual) differ(now, fmt::format("input port {}", port), "", expected, actual);
  }
  if (model_.absorbed() != rtl_.absorbed()) {
    differ(now, "packets added to others", "", fmt::format("{}", fmt::join(model_.absorbed(), ", ")),
           fmt::format("{}", fmt::join(rtl_.absorbed(), ", ")));
  }
}

void LockstepSwitch::compare_state(Cycle now) const {
  const auto text = [](std::uint32_t active) {
    return active == kNothing ? std::string("none") : fmt::format("{}", active);
  };
  if (model_.active_setting() != rtl_.active_setting()) {
    differ(now, "active stored setting", "", text(model_.active_setting()), text(rtl_.active_setting()));
  }
  if (model_.busy() != rtl_.busy()) {
    differ(now, "state", "", model_.busy() ? "busy" : "empty", rtl_.busy() ? "busy" : "empty");
  }
}

}  // namespace weft::tb
