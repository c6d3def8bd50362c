// SPDX-License-Identifier: Apache-2.0
// The kinds of fabric: the network and the class that each of them is built with. The system asks nowhere else.
#pragma once

#include <memory>

#include "config/config.h"
#include "network/network.h"
#include "sc_models/wafer.h"

namespace weft::sc_models {

/// The network that `config` describes. Throws InputError for what cannot be built.
std::shared_ptr<const network::Network> make_network(const Config& config);

/// The wafer that `config` describes. Throws InputError for what cannot be built.
std::shared_ptr<Wafer> make_wafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
                                  const TestKnobs& knobs = {});

}  // namespace weft::sc_models
