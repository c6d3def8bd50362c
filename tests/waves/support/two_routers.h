// SPDX-License-Identifier: Apache-2.0
// Two routers joined both ways, each with an NPU: the fabric of the recorder's tests.
#pragma once

#include <string>

#include "base/probe.h"
#include "waves/recorder_setup.h"

namespace weft::waves::test {

inline constexpr LinkId kEast{0};
inline constexpr LinkId kWest{1};
inline constexpr VcId kVc0{0};
inline constexpr VcId kVc1{1};

inline PacketIdentity packet(std::uint32_t source, std::uint32_t sequence) {
  return {static_cast<NodeId>(source), sequence};
}

/// Link 0 goes from router 0 to router 1, link 1 back: 2 VCs of 2 flits, clock of 1 GHz.
inline RecorderSetup two_routers() {
  RecorderSetup setup;
  setup.links = 2;
  setup.link = [](LinkId id) {
    LinkWave wave;
    const bool east = id == kEast;
    wave.name = east ? "fabric.router[0,0].east" : "fabric.router[1,0].west";
    wave.from = east ? "router[0,0]" : "router[1,0]";
    wave.to = east ? "router[1,0]" : "router[0,0]";
    wave.vcs = 2;
    wave.credits = 2;
    return wave;
  };
  setup.nodes = 2;
  setup.npu = [](NodeId id) { return NpuWave{"npu[" + std::to_string(index(id)) + "]", 0}; };
  return setup;
}

inline WavesSpec scope(std::vector<std::string> patterns, double from_ns = 0, double to_ns = -1) {
  WavesSpec spec;
  spec.scope = std::move(patterns);
  spec.from_ns = from_ns;
  spec.to_ns = to_ns;
  return spec;
}

}  // namespace weft::waves::test
