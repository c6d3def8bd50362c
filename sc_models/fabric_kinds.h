// SPDX-License-Identifier: Apache-2.0
// The kinds of fabric: the network and the class that each of them is built with. The system asks nowhere else.
#pragma once

#include <memory>
#include <vector>

#include "config/config.h"
#include "config/load.h"
#include "network/network.h"
#include "sc_models/fabric.h"
#include "sc_models/fabric_sketch.h"

namespace weft::sc_models {

/// The network that `config` describes. Throws InputError for what cannot be built.
std::shared_ptr<const network::Network> make_network(const Config& config);

/// Why there is no such network, at the places of the keys; empty if there is one.
std::vector<ConfigProblem> check_network(const Config& config);

/// What a builder of networks throws, at its place: of the key that the text begins with, and of `fabric.size` where it
/// begins with none.
ConfigProblem network_problem(const std::string& text);

/// The fabric of `network`, which make_network has built from `setup.config` and which outlives it. Throws InputError
/// for what cannot be built.
std::unique_ptr<Fabric> make_fabric(const network::Network& network, const FabricSetup& setup);

/// The fabric that `config` describes as estimates see it. Throws InputError for what cannot be built.
std::unique_ptr<FabricSketch> make_sketch(const Config& config);

}  // namespace weft::sc_models
