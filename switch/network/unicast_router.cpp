// SPDX-License-Identifier: Apache-2.0
#include "switch/network/unicast_router.h"

namespace weft::fred {

UnicastRouter::UnicastRouter(const Interconnect& net, const std::vector<std::uint8_t>& registered) {
  const ChannelNumbers channels(net);
  find_stages(net, channels);
  find_entries(net, registered);
  for (const Terminal& output : net.outputs) ends_.push_back(channels.of(output));
  pins_.resize(channels.count());
  for (std::uint32_t element = 0; element < net.elements.size(); ++element) {
    for (std::uint32_t pin = 0; pin < net.elements[element].sinks.size(); ++pin) {
      pins_[channels.of({element, pin})] = {element, pin};
    }
  }
}

std::vector<Terminal> UnicastRouter::pins(const WireUse* route) const {
  std::vector<Terminal> pins;
  for (std::size_t i = 0; i < length(); ++i) pins.push_back(pins_[route[i].channel]);
  return pins;
}

void UnicastRouter::find_stages(const Interconnect& net, const ChannelNumbers& channels) {
  for (const Stage& stage : net.stages) {
    FlatStage flat;
    flat.in = channels.of({stage.first_in, 0});
    if (!stage.base()) {
      flat.out = channels.of({stage.first_out, 0});
      flat.demux = stage.odd() ? channels.of({stage.demux, 0}) : 0;
      flat.mux = stage.odd() ? channels.of({stage.mux, 0}) : 0;
      flat.alone = static_cast<std::uint32_t>(stage.odd() ? stage.size - 1 : stage.size);
      flat.middles = static_cast<std::uint32_t>(stage.middles.size());
      flat.first_middle = static_cast<std::uint32_t>(middles_.size());
    }
    middles_.insert(middles_.end(), stage.middles.begin(), stage.middles.end());
    stages_.push_back(flat);
  }
}

// A route has a wire behind the input side and one behind the output side of each stage around the innermost.
void UnicastRouter::find_entries(const Interconnect& net, const std::vector<std::uint8_t>& registered) {
  std::vector<std::uint32_t> firsts;
  std::vector<std::uint32_t> lasts;
  const Stage* stage = &net.stages[0];
  for (; !stage->base(); stage = &net.stages[stage->middles[0]]) {
    firsts.push_back(stage->first_in);
    lasts.push_back(stage->first_out);
  }
  firsts.push_back(stage->first_in);
  firsts.insert(firsts.end(), lasts.rbegin(), lasts.rend());
  std::uint32_t entry = 0;
  for (const std::uint32_t element : firsts) {
    entry_.push_back(entry);
    entry += registered[element];
  }
}

}  // namespace weft::fred
