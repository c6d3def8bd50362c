// SPDX-License-Identifier: Apache-2.0
// A stored configuration as the model executes it: what each uSwitch in use joins and copies.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/routing/configuration.h"

namespace weft::fred {

/// Wires by number: input port p is channel p; the output pins of all elements follow, element by element.
class ChannelNumbers {
 public:
  explicit ChannelNumbers(const Interconnect& net);
  std::uint32_t of(Terminal source) const {
    return source.outside() ? source.pin : first_[source.element] + source.pin;
  }
  std::uint32_t count() const { return count_; }

 private:
  std::vector<std::uint32_t> first_;
  std::uint32_t count_ = 0;
};

/// One thing that a uSwitch does: joins one or two inputs, copies the result to one or two outputs.
struct StageOp {
  std::uint32_t element = 0;
  std::uint8_t inputs = 0;
  std::uint8_t outputs = 0;
  std::uint32_t from[2] = {};
  std::uint32_t to[2] = {};
};

/// An output port in use, and the channel that it takes from.
struct StageSink {
  std::uint32_t port = 0;
  std::uint32_t channel = 0;
};

struct StageProgram {
  std::vector<StageOp> ops;  ///< consumers before producers
  std::vector<StageSink> sinks;
};

/// Translates a verified configuration.
StageProgram make_stage_program(const Interconnect& net, const Configuration& configuration);

}  // namespace weft::fred
