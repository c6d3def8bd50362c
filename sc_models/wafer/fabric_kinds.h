// SPDX-License-Identifier: Apache-2.0
// The kinds of fabric: what each of them is built with. The one place that asks which kind a fabric is.
#pragma once

#include <memory>

#include "kernel/config.h"
#include "network/network.h"
#include "wafer/wafer.h"
#include "waves/recorder_setup.h"

namespace weft::wafer {

/// The network that `config` describes. Throws InputError for what cannot be built.
std::shared_ptr<const network::Network> make_network(const Config& config);

/// The wafer that `config` describes. `probe` may be null. Throws InputError for what cannot be built.
std::shared_ptr<Wafer> make_wafer(const sc_core::sc_module_name& name, const Config& config, FabricProbe* probe,
                                  const TestKnobs& knobs = {});

/// What lies inside of the fabric's switches, for waves; nothing where it has none.
void add_insides(const Config& config, waves::RecorderSetup* setup);

}  // namespace weft::wafer
