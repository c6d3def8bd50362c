// SPDX-License-Identifier: Apache-2.0
// The route of one flow through the interconnect: which uSwitches join and copy, and when their wires are in use.
#pragma once

#include <cstdint>
#include <vector>

#include "base/inline_vector.h"
#include "switch/network/stage_registers.h"
#include "switch/routing/flow.h"
#include "switch/routing/switch_setting.h"

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

/// One thing that a uSwitch does: joins one or two inputs, copies the result to one or two outputs. Wires are numbers
/// within the datapath.
struct DatapathOp {
  std::uint32_t element = 0;
  std::uint8_t inputs = 0;
  std::uint8_t outputs = 0;
  std::uint16_t from[2] = {};
  std::uint16_t to[2] = {};
};

/// A wire of the interconnect that a datapath uses: its register takes beat i of a packet in step start + entry + i;
/// one without a register carries it in that step.
struct WireUse {
  std::uint32_t channel = 0;
  std::uint32_t entry = 0;
};

struct DatapathPlan {
  InlineVector<std::uint8_t, 8> inputs;   ///< ports; wire i comes from inputs[i]
  InlineVector<std::uint8_t, 8> outputs;  ///< ports
  std::vector<std::uint16_t> out_wires;   ///< what each of `outputs` takes from
  std::vector<DatapathOp> ops;            ///< consumers before producers
  std::vector<std::uint8_t> registers;    ///< per wire: registers in a row, those of an adder's pipeline; 0 = none
  std::vector<WireUse> uses;              ///< all wires but the inputs'
  std::uint32_t depth = 0;                ///< steps from an input port to the last output port
  /// Operands reach a uSwitch at different times: those that come early wait in their wires.
  bool skewed = false;
};

/// The datapaths of all flows of a verified setting.
std::vector<DatapathPlan> make_datapath_plans(const Interconnect& net, const FlowSet& flows,
                                              const SwitchSetting& setting, const StageTiming& timing);

/// A chain of elements from an input port to an output port: output pins in order.
DatapathPlan make_unicast_plan(const Interconnect& net, PortId input, PortId output, const std::vector<Terminal>& pins,
                               const StageTiming& timing);

}  // namespace weft::fred
