// SPDX-License-Identifier: Apache-2.0
// The kinds of fabric: the network and the class that each of them is built with. The system asks nowhere else.
#pragma once

#include <memory>

#include "config/config.h"
#include "network/network.h"
#include "sc_models/fabric.h"

namespace weft::sc_models {

/// The network that `config` describes. Throws InputError for what cannot be built.
std::shared_ptr<const network::Network> make_network(const Config& config);

/// The fabric of `network`, which make_network has built from `setup.config` and which outlives it. Throws InputError
/// for what cannot be built.
std::unique_ptr<Fabric> make_fabric(const network::Network& network, const FabricSetup& setup);

}  // namespace weft::sc_models
