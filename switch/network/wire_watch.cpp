// SPDX-License-Identifier: Apache-2.0
#include "switch/network/wire_watch.h"

#include <algorithm>

#include "switch/routing/switch_setting.h"

namespace weft::fred {

WireWatch::WireWatch(const Interconnect& net, std::size_t data_bytes) : channels_(net), data_bytes_(data_bytes) {
  pins_.assign(static_cast<std::size_t>(net.ports), 0);
  for (const Element& element : net.elements) {
    for (std::size_t pin = 0; pin < element.sinks.size(); ++pin) pins_.push_back(static_cast<std::uint8_t>(pin));
  }
  wires_.resize(pins_.size());
  data_.resize(pins_.size() * data_bytes);
}

void WireWatch::clear() {
  for (const std::uint32_t channel : shown_) wires_[channel] = WireSample{};
  shown_.clear();
}

WireSample& WireWatch::show(std::uint32_t channel) {
  shown_.push_back(channel);
  wires_[channel].valid = true;
  return wires_[channel];
}

UswitchAction action_of(const Interconnect& net, const SettingStore& store, const WireWatch& watch,
                        std::uint32_t element) {
  const Element& it = net.elements[element];
  bool adds = false;
  bool copies = false;
  bool here = false;
  bool straight = true;
  for (std::uint32_t i = 0; i < it.sources.size(); ++i) {
    const WireSample& beat = watch.at(it.sources[i]);
    if (!beat.valid) continue;
    here = true;
    if (beat.setting == kUnicasts) {
      straight = straight && beat.route == i;
      continue;
    }
    if (beat.setting >= store.size()) continue;  // the RTL is wrong
    const UswitchSetting& uswitch_setting = store[beat.setting].uswitch_settings[element];
    adds = adds || uswitch_setting.reduce;
    copies = copies || uswitch_setting.distribute;
    for (std::uint32_t o = 0; o < it.sinks.size(); ++o) {
      straight = straight && (o == i || !feeds(it.kind, uswitch_setting, i, o));
    }
  }
  if (!here) return UswitchAction::kNone;
  if (adds) return copies ? UswitchAction::kAddCopy : UswitchAction::kAdd;
  if (copies) return UswitchAction::kCopy;
  return straight ? UswitchAction::kPass : UswitchAction::kCross;
}

}  // namespace weft::fred
