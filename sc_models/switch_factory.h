// SPDX-License-Identifier: Apache-2.0
// Who makes the switches of systems: models from outside are registered here before a system is built.
#pragma once

#include "switch/network/switch_model.h"

namespace weft::sc_models {

/// Wafers that are built from now on get their switches from `factory`; an empty one brings back the built-in one,
/// which knows "tlm" only. So folders that the system must not know can add models: a factory asks
/// fred::make_tlm_switch for those that it does not make itself. Before run(), in the thread that calls it.
void set_switch_factory(fred::SwitchFactory factory);

/// The factory of the next system; never empty.
const fred::SwitchFactory& switch_factory();

}  // namespace weft::sc_models
