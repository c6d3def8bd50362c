// SPDX-License-Identifier: Apache-2.0
#include "wafer/wafer_waves.h"

#include <fmt/format.h>

#include "router/link_ids.h"

namespace weft::wafer {
namespace {

waves::LinkWave link_wave(const Config& config, const router::Grid& grid, LinkId link) {
  const NodeId node{index(link) / kLinksPerNode};
  const std::uint32_t slot = index(link) % kLinksPerNode;
  const router::Place place = grid.place(node);
  const PortId port{static_cast<std::uint8_t>(slot)};
  const std::string router = fmt::format("router[{},{}]", place.x, place.y);
  const std::string npu = fmt::format("npu[{}]", index(node));
  waves::LinkWave wave;
  wave.vcs = config.fabric.router.vcs;
  wave.credits = config.fabric.router.buffer_flits;
  const bool local = slot == kInjectionSlot || port == router::kLocal;
  const bool along_x = port == router::kEast || port == router::kWest;
  const LinkSpec& spec = local ? config.fabric.local : along_x ? config.fabric.link : config.fabric.link_along_y();
  const Rational rate = spec.flits_per_cycle;
  wave.several = rate.num > rate.den;
  wave.name = router::link_name(grid, link);
  if (slot == kInjectionSlot) {
    wave.from = npu;
    wave.to = router;
    wave.clock = config.npu.clock ? 1 : 0;
    return wave;
  }
  router::Place there;
  wave.from = router;
  if (local) {
    wave.to = npu;
  } else if (grid.neighbour(place, port, &there)) {
    wave.to = fmt::format("router[{},{}]", there.x, there.y);
  } else {
    wave.name.clear();  // an edge of the mesh
  }
  return wave;
}

}  // namespace

std::unique_ptr<waves::Recorder> make_recorder(const Config& config) {
  if (config.waves.file.empty()) return nullptr;
  const router::Grid grid(config.fabric);
  waves::RecorderSetup setup;
  setup.clocks = {{"clock", config.clock}};
  if (config.npu.clock) setup.clocks.push_back({"npu_clock", *config.npu.clock});
  setup.links = static_cast<std::size_t>(grid.nodes()) * kLinksPerNode;
  setup.link = [config, grid](LinkId link) { return link_wave(config, grid, link); };
  setup.nodes = static_cast<std::size_t>(grid.nodes());
  const std::size_t npu_clock = config.npu.clock ? 1 : 0;
  setup.npu = [npu_clock](NodeId node) { return waves::NpuWave{fmt::format("npu[{}]", index(node)), npu_clock}; };
  return std::make_unique<waves::Recorder>(config.waves, config.waves.file, std::move(setup));
}

}  // namespace weft::wafer
