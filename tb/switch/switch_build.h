// SPDX-License-Identifier: Apache-2.0
// Builds the RTL of FRED switches, and makes the switches of a fabric.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "switch/network/switch_model.h"
#include "switch/network/switch_spec.h"
#include "tb/build/model_builder.h"
#include "tb/switch/lockstep_switch.h"

namespace weft::tb {

/// fred_switch of the description's size: the interconnect and the top are written, the rest is in rtl/. With a watch
/// it has more outputs; what it does is the same.
RtlDesign switch_design(ModelBuilder& builder, int m, int ports, const fred::SwitchWatch& watch = {});
/// The same with the parameters that `spec` needs. Throws InputError for what the RTL does not have.
RtlDesign switch_design(ModelBuilder& builder, const fred::SwitchSpec& spec);

/// For designs with their parameters: with many lanes, functions in C++ are written once for all instances of a module
/// (rtl/sharing.vlt).
void share_functions(ModelBuilder& builder, RtlDesign& design);

/// Knows the models `tlm`, `rtl` and `lockstep`. Switches of equal parameters share one library, which is built when
/// the first one is made. `builder` is made at the first switch of RTL.
/// `options` gives those of the switch of that path in lockstep.
fred::SwitchFactory switch_factory(std::function<std::shared_ptr<ModelBuilder>()> builder,
                                   std::function<LockstepOptions(const std::string& path)> options = {});

}  // namespace weft::tb
